"""The estimate of a policy: what is told first, and what the pages show of it at every moment."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="the studio is not installed: pip install 'kilt[studio]'")

from kilt.errors import KiltError
from kilt.studio.choices import ColumnChoice, FileChoice
from kilt.studio.task import Task
from kilt.studio.work.desk import Desk
from support.paths import HOSPITAL
from support.studio import read, visiting

PATIENTS = HOSPITAL.with_name("patients.csv")
ROLES = {
    "identifier": ["name"],
    "keep": [],
    "quasi": {"birth_date": "date=month,year", "sex": "suppress", "zip": "prefix"},
    "sensitive": {"diagnosis": "equal"},
}
KNOWN: dict[str, Any] = {
    "rows": 10,
    "row_types": 10,
    "risk": {"unique": 1.0, "average": 1.0},
    "possible": [{"column": "Disease", "largest_l": {"frequency": 2.5}, "t_that_asks_for_nothing": 0.9}],
    "found": None,
}
STARS = {"stars": 63, "lost": 0.5, "must_be_lost": None, "blurs": False, "status": None, "infeasible": None}
FOUND = {
    "nothing": None,
    "stars": STARS,
    "bound": {**STARS, "must_be_lost": 0.4},
    "estimate": {**STARS, "must_be_lost": 0.4, "status": "feasible"},
    "optimum": {**STARS, "must_be_lost": 0.5, "status": "optimal"},
    "no bound": {**STARS, "status": "feasible"},
    "infeasible": {"infeasible": "k=11 cannot be met"},
}
MOMENTS = {
    "idle": Task(),
    "begun": Task("busy"),
    **{f"busy, {name}": Task("busy", said={**KNOWN, "found": found}) for name, found in FOUND.items()},
    **{name: Task("done", result={**KNOWN, "found": FOUND[name]}) for name in list(FOUND)[3:]},
    "failed": Task("failed", problem="'k' must be a number"),
    "failed later": Task("failed", said={**KNOWN, "found": STARS}, problem="there was not enough memory"),
}


class Noting:
    """Somebody who calls, notes what is told, and may lose patience after so many words."""

    def __init__(self, patience: float = float("inf")) -> None:
        self.told: list[Any] = []
        self.patience = patience

    def tell(self, what: Any) -> None:
        self.told.append(what)

    def interrupted(self) -> bool:
        return len(self.told) >= self.patience


def weigh(calling: Noting, policy: dict[str, str]) -> dict[str, Any]:
    file = {"path": str(PATIENTS), "delimiter": None, "encoding": None, "sheet": None}
    return Desk().weigh(calling, file, ROLES, policy)


@pytest.mark.parametrize("policy", [{"k": "5"}, {"k": "3", "t": "0.3"}, {"k": "3", "l": "2"}])
def test_what_is_found_first_is_told_first(policy):
    """The risk, then stars, then a bound: each is there before the end, and gets no worse."""
    calling = Noting()
    last = weigh(calling, policy)
    first, *later = calling.told
    assert first["found"] is None
    assert all({**told, "found": None} == first for told in [*later, last])
    found = [told["found"] for told in later]
    assert found
    assert all(set(each) == set(last["found"]) for each in found)
    stars = [each["stars"] for each in [*found, last["found"]]]
    assert stars == sorted(stars, reverse=True)
    assert last["found"]["must_be_lost"] <= last["found"]["lost"] <= found[0]["lost"]
    assert (found[0]["status"], last["found"]["status"]) == (None, "feasible")


def test_a_policy_that_cannot_be_met_is_told_at_once():
    calling = Noting()
    last = weigh(calling, {"k": "3001"})
    assert len(calling.told) == 1
    assert "3,000" in last["found"]["infeasible"] or "3000" in last["found"]["infeasible"]


def test_an_estimate_that_nobody_waits_for_is_left():
    with pytest.raises(KiltError, match="interrupted"):
        weigh(Noting(patience=1), {"k": "5"})
    weigh(Noting(patience=2), {"k": "5"})  # what there is by then


@pytest.fixture
def visitor(tmp_path, monkeypatch):
    """A studio with a table of which only the columns are known, and that finds nothing by itself."""
    with visiting(tmp_path, works=False) as found:
        session = found.session
        session.columns = {
            "Age": ColumnChoice("Age", "quasi"),
            "Disease": ColumnChoice("Disease", "sensitive"),
        }
        monkeypatch.setattr(session, "weigh", lambda: None)
        yield found


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_page_stands_at_every_moment(visitor, moment):
    """The estimate may be in any state when somebody looks, saves, chooses a point, goes on or comes back."""
    session = visitor.session
    session.estimate = MOMENTS[moment]
    session.frontier = Task("done", result=[], about={"vary": "k", "numbers": ("2", "3")})
    live = visitor.get("/policy/live")
    assert live.status == 200
    assert ('class="busy"' in live.text) == (session.estimate.state == "busy" and "infeasible" not in moment)
    assert ("63" in live.text) == (session.estimate.state != "failed" and "stars" in str(session.estimate))
    assert visitor.get("/policy").status == 200
    assert visitor.get("/policy/frontier").status == 200
    assert visitor.post("/policy/save", k="3").status == 204
    assert visitor.post("/policy/choose", number="2").status == 200
    assert session.policy.k == "2"
    expected = 422 if session.estimate.state == "failed" or moment == "infeasible" else 200
    assert visitor.decide("policy", k="2").status == expected


def test_a_change_forgets_the_figures_and_keeps_the_risk(visitor, monkeypatch):
    """Figures of another policy are never shown as those of this one."""
    session = visitor.session
    monkeypatch.undo()
    monkeypatch.setattr(session._errands, "send", lambda task, *_: setattr(task, "state", "busy"))
    monkeypatch.setattr(session, "_file", lambda: FileChoice("a.csv", "a.csv"))
    session.estimate = Task("done", result={**KNOWN, "found": FOUND["estimate"]}, about=(session.asked, session.roles))
    assert "63" in visitor.get("/policy/live").text
    visitor.post("/policy/save", k="4")
    text = read(visitor.get("/policy/live").text)
    assert "63" not in text
    assert "100% of the 10 rows are unique" in text
