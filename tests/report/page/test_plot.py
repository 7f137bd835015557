"""Pictures: whole files that any program can read, whatever the names in them are."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest

import kilt
from kilt.commands.frontier import FrontierPoint
from kilt.report.page.plot import BarPlot, PlotBar, stars_plot
from support.command import call

SVG = "{http://www.w3.org/2000/svg}"


def test_bars_are_as_long_as_their_numbers():
    plot = BarPlot(
        "<b>", "key", (PlotBar("a & b", 10, "10", 5), PlotBar("\x1b<c>", 20, "20"), PlotBar("d", None, "none"))
    )
    root = ET.fromstring(plot.svg())
    widths = [float(rect.get("width")) for rect in root.iter(f"{SVG}rect") if rect.get("class") == "fill"]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.1)
    assert widths[2] == 0
    (mark,) = [line for line in root.iter(f"{SVG}line") if line.get("class") == "bound"]
    left = min(float(rect.get("x")) for rect in root.iter(f"{SVG}rect") if rect.get("class") == "fill")
    assert float(mark.get("x1")) - left == pytest.approx(widths[0] / 2, abs=0.1)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[:3] == ["<b>", "a & b", "10"]
    assert plot._repr_svg_() == plot.svg()


def test_stars_that_are_no_whole_number_are_named_shortly():
    point = FrontierPoint(kilt.Policy(k=2), Fraction(3129151515, 10**7), Fraction(2939999, 10**4))
    drawn = stars_plot("title", [point], ["k=2"]).svg()
    assert "k=2: 312.9, bound 293.9. " in drawn
    assert "312.9151" not in drawn


def test_the_pictures_of_a_release(hospital, tmp_path):
    release = kilt.anonymize(hospital, quasi="Age,Education", sensitive="Disease", policy=kilt.Policy(k=2, t="0.5"))
    drawn = release.plot
    for plot in (drawn.columns(), drawn.rows(), drawn.sizes(), drawn.distances("Disease"), drawn.progress()):
        plot.write(tmp_path / "plot.svg")
        root = ET.parse(tmp_path / "plot.svg").getroot()
        assert root.find(f"{SVG}title").text
        assert root.find(f"{SVG}desc").text
    with pytest.raises(kilt.InputError, match="'Diseas' is not a sensitive column: did you mean 'Disease'"):
        drawn.distances("Diseas")
    with pytest.raises(kilt.InputError, match=r"must be a file whose name ends in \.svg"):
        drawn.columns().write(tmp_path / "plot.png")


@pytest.mark.parametrize(
    "command", [("frontier", "-k", "2,3,20"), ("compare", "-k", "2", "--solvers", "greedy,mondrian")]
)
def test_commands_draw(hospital, tmp_path, command):
    name, *words = command
    done = call(name, hospital, "--quasi", "Age,Education", *words, "--plot", tmp_path / "plot.svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("wrote " + str(tmp_path / "plot.svg") + "\n")
    assert "largest t" not in done.stdout  # no column is sensitive
    texts = [text.text for text in ET.parse(tmp_path / "plot.svg").getroot().iter(f"{SVG}text")]
    assert {"k=2", "k=3", "none"} <= set(texts) if name == "frontier" else {"greedy", "mondrian"} <= set(texts)
    wrong = call(name, hospital, "--quasi", "Age", *words, "--plot", tmp_path / "plot.png")
    assert (wrong.returncode, "must be a file whose name ends in .svg" in wrong.stderr) == (2, True)
