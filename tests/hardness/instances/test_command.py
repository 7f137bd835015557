"""The command that writes instances and maps releases back."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from kilt import InputError
from kilt.cli.commands import cli
from kilt.hardness import Matching
from support.hardness import best_bisection, cut


def run(*words, code=0):
    result = CliRunner().invoke(cli, [*map(str, words)])
    if code:
        assert isinstance(result.exception, InputError), result.output
        return str(result.exception)
    assert result.exit_code == 0, result.exception or result.output
    return result.output


@pytest.mark.parametrize(
    ("words", "optimum"),
    [
        (["bisection", "--random", 8, "--edges", 12], lambda s: cut(s.graph, best_bisection(s.graph))),
        (["bisection", "--random", 6, "--edges", 1, "-c", "0.3"], lambda s: cut(s.graph, best_bisection(s.graph))),
        (["bisection", "--random", 4, "-t", "0.7", "--edges", 4, "--compact"], lambda s: 2),
        (["half-clique", "--planted", 6, "-c", "0.4"], lambda s: 3),
        (["clique", "--planted", 5, "--size", 3, "-t", "0.6"], lambda s: 1),
        (["matching", "--planted", 3], lambda s: 3),
        (["matching", "--planted", 2, "--edges", 3, "-t", "0.34"], lambda s: 2),
        (["any", "--planted", 2, "-t", "0.1"], lambda s: 2),
        (["matching", "--planted", 3, "-k", 3], lambda s: 3),
        (["matching", "--planted", 2, "-l", 4, "--compact"], lambda s: 2),
        (["cover", "--planted", 2, "--edges", 4], lambda s: 2),
    ],
)
def test_what_the_command_writes_is_anonymized_as_it_is_and_mapped_back(words, optimum, tmp_path):
    from kilt.hardness.instances.request import Request

    table, config = tmp_path / "sub" / "table.csv", tmp_path / "kilt.toml"
    table.parent.mkdir()
    told = json.loads(run("instance", *words, "-o", table, "--config", config, "--json"))
    assert all((tmp_path / path).exists() for path in told["files"])
    assert len(told["files"]) == (3 if "0.34" in words else 2)
    release = json.loads(run("anonymize", "--config", config, "--json"))
    assert release["status"] in ("optimal", "optimal (floating point)")
    back = json.loads(run("instance", *words, "--release", tmp_path / "sub" / "table-release.csv", "--json"))
    assert back["stars"] == release["stars"]
    flags = {str(name).strip("-"): value for name, value in zip(words[1::2], words[2::2], strict=False)}
    flags = {name: value for name, value in flags.items() if name in ("random", "planted", "edges", "size", "c", "t")}
    source = Request(words[0], **flags).source()
    assert back[source.counts] == optimum(source)


def test_the_command_says_what_is_wrong_and_writes_nothing(tmp_path):
    odd, out, config = tmp_path / "odd.txt", tmp_path / "table.csv", tmp_path / "kilt.toml"
    odd.write_text("1 2\n2 3\n")
    write = ["-o", out, "--config", config]
    for words, message in [
        (["bisection", "--graph", odd, *write], "even number of nodes"),
        (["bisecton", "--graph", odd, *write], "did you mean 'bisection'"),
        (["bisection", *write], "the source is missing"),
        (["bisection", "--graph", odd, "--random", 4, *write], "2 sources, --graph and --random: give one of --graph"),
        (["bisection", "--graph", tmp_path, *write], "is a folder: name a file"),
        (["bisection", "--graph", odd, "--seed", 0, *write], "'seed' has no meaning"),
        (["bisection", "--random", 4, "--most", -4, *write], "'most' must be at least 0, not -4"),
        (["bisection", "--random", 4, "--compact", *write], "'compact' has no meaning"),
        (["half-clique", "--random", 6, "-c", "0.4", "--compact", *write], "'compact' has no meaning"),
        (["matching", "--random", 2, "--compact", *write], "'compact' has no meaning"),
        (["any", "--random", 4, "-t", "0.5", "--compact", *write], "'compact' has no meaning"),
        (["bisection", "--random", 4, "-c", "0", *write], "with 0 every row is a group"),
        (["bisection", "--random", 4, "-c", "", *write], "'c' must be a number"),
        (["bisection", "--planted", 8, "--edges", 29, *write], "room for 0 to 28 edges here, not for 29"),
        (["bisection", "--random", 4, "--release", out, "--config", config], "'config' has no meaning with --release"),
        (["bisection", "--random", 4, "--edges", 3], "give one of the two"),
        (["bisection", "--random", 4, "--edges", 3, "-c", "0.4", *write], "half-clique"),
        (["bisection", "--random", 4, "--edges", 3, "-c", "0.4", "-t", "0.6", *write], "give one of them"),
        (["bisection", "--tuples", odd, *write], "takes a graph"),
        (["matching", "--graph", odd, *write], "takes tuples"),
        (["matching", "--random", 2, "-c", "0.3", *write], "'c' is for graphs"),
        (
            ["matching", "--random", 2, "-k", 2, *write],
            "'k' must be at least 3 here, not 2: with 2",
        ),
        (["matching", "--random", 2, "-k", 3, "-l", 3, *write], "'k' and 'l' are 2 ways to ask: give one of them"),
        (["bisection", "--random", 4, "-l", 3, *write], "'l' has no meaning"),
        (["cover", "--planted", 2, "-t", "0.1", *write], "'t' has no meaning"),
        (["cover", "--random", 2, "--edges", 1, *write], "3 elements of these sets are in no tuple"),
        (["cover", "--graph", odd, *write], "'cover' takes tuples"),
        (["half-clique", "--random", 6, "--edges", 7, *write], "'c' or 't' is missing"),
        (["clique", "--random", 6, "--edges", 7, "-c", "0.4", *write], "'size' is missing"),
        (["any", "--random", 4, *write], "give -t"),
        (["matching", "--random", 4, "--most", 3, *write], "'most' has no meaning"),
        (["bisection", "--graph", odd, "--edges", 3, "--size", 2, *write], "'size' has no meaning"),
        (["bisection", "--random", 4, "--edges", 3, "-o", tmp_path / "table.parquet"], "must end in .csv"),
        (["bisection", "--random", 4, "--edges", 3, "-o", tmp_path / "no" / "table.csv"], "does not exist"),
        (["bisection", "--random", 4, "--edges", 3, "-o", out, "--config", tmp_path], "is a folder"),
        (["bisection", "--random", 4, "--edges", 3, "-o", out, "--config", out], "are the same file"),
        (["bisection", "--random", 4, "--edges", 3, "--seed", -1, *write], "'seed' must be"),
        (["any", "--planted", 2, "-t", "0.4", "-o", tmp_path / "a,b.csv", "--config", config], "a comma in its path"),
    ]:
        assert message in run("instance", *words, code=2)
        assert [path.name for path in tmp_path.iterdir()] == ["odd.txt"]


def test_a_graph_is_not_written_over_and_another_release_is_refused(tmp_path):
    graph = tmp_path / "graph.csv"
    graph.write_text("1 2\n2 3\n3 4\n")
    assert "is the source" in run("instance", "bisection", "--graph", graph, "-o", graph, code=2)
    assert graph.read_text() == "1 2\n2 3\n3 4\n"
    run("instance", "bisection", "--graph", graph, "-o", tmp_path / "table.csv")
    shuffled = (tmp_path / "table.csv").read_text().splitlines()
    (tmp_path / "release.csv").write_text("\n".join([shuffled[0], *shuffled[:0:-1]]) + "\n")
    words = ["instance", "bisection", "--graph", graph, "--release", tmp_path / "release.csv"]
    assert "rows must be in their order" in run(*words, code=2)
    (tmp_path / "release.csv").write_text("\n".join(shuffled) + "\n")
    assert "does not meet the policy of this instance, k=2" in run(*words, code=2)
    (tmp_path / "release.csv").write_text("e1,e2\n1,2\n3,4\n")
    assert "is not a release of this instance" in run(*words, code=2)


def test_a_release_is_to_be_written_over_neither_source_nor_configuration(tmp_path):
    graph, table, config = (tmp_path / name for name in ("y-release.csv", "y.csv", "y.toml"))
    graph.write_text("1 2\n2 3\n3 4\n")
    words = ["instance", "bisection", "--graph", graph, "-o", table]
    assert "the release written over the source" in run(*words, "--config", config, code=2)
    other = ["instance", "bisection", "--random", 4, "-o", tmp_path / "z.csv", "--config", tmp_path / "z-release.csv"]
    assert "the release written over the configuration" in run(*other, code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["y-release.csv"]
    run(*words)


def test_the_edges_that_are_asked_for_are_all_there_are():
    from kilt.hardness.instances.request import Request

    for nodes in (4, 6, 8):
        for edges in range(1, nodes * (nodes - 1) // 2 + 1):
            assert len(Request("bisection", planted=nodes, edges=edges).source().graph.edges) == edges
    assert len(Request("bisection", planted=8, edges=10).reduction().table.columns) == 10


def test_without_a_number_as_many_are_drawn_as_fit():
    from kilt.hardness.instances.request import Request

    for request, count in [
        (Request("bisection", random=4), 6),
        (Request("bisection", random=6), 12),
        (Request("bisection", planted=4), 4),
        (Request("half-clique", planted=4, c="0.4"), 3),
        (Request("clique", planted=4, size=4, c="0.4"), 6),
        (Request("matching", planted=1), 1),
        (Request("matching", random=1), 1),
        (Request("matching", planted=2), 6),
    ]:
        source = request.source()
        assert len(source.triples if isinstance(source, Matching) else source.graph.edges) == count
        assert request.reduction().table.rows
