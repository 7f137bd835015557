"""The recorder keeps what became better, and hands everything on."""

from __future__ import annotations

import itertools
from fractions import Fraction

from kilt.run.progress import Progress
from kilt.run.recorder import MOST, Recorder


def told(recorder: Recorder, *pairs: tuple[int | None, int | None]) -> None:
    for stars, bound in pairs:
        known = [None if number is None else Fraction(number) for number in (stars, bound)]
        recorder(Progress("solving", None, *known))


def test_what_became_better():
    seen: list[Progress] = []
    recorder = Recorder(seen.append)
    told(recorder, (None, None), (90, None), (95, 10), (80, 5), (20, None), (None, 99))
    found = [(moment.stars, moment.bound) for moment in recorder.moments(Fraction(60), Fraction(50))]
    # 20 stars and a bound of 99 were those of a part of the table
    assert found == [(90, None), (90, 10), (80, 10), (60, 50)]
    assert len(seen) == 6


def test_a_long_run_is_thinned():
    recorder = Recorder(lambda progress: None)
    told(recorder, *((10_000 - number, number) for number in range(5_000)))
    moments = recorder.moments(Fraction(5_000), Fraction(4_999))
    assert len(moments) <= MOST
    assert moments[0].stars == 10_000
    assert (moments[-1].stars, moments[-1].bound) == (5_000, 4_999)
    assert all(a.seconds <= b.seconds for a, b in itertools.pairwise(moments))
