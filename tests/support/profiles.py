"""How many random examples a property test has: few by default, many on demand."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, settings

from kilt.kernels import IS_COMPILED

USUAL = 100  # examples of a property without a number of its own
FEW, FEWER, MORE = 7, 10, 2_000  # in their place in the uncompiled, the fast and the thorough profile
CLOCKS = (HealthCheck.too_slow,)  # a busy machine is no reason to fail


def register() -> None:
    """Register the profiles and load the fast one, which ``--hypothesis-profile`` may replace.

    Where kernels are not compiled, it is one of few examples. The fast one draws the same examples each time: if it
    fails, the change is to blame. New examples are drawn by the thorough one, which says how to repeat what failed.
    """
    same = {"deadline": None, "suppress_health_check": CLOCKS}
    settings.register_profile("fast", max_examples=FEWER, derandomize=True, **same)
    settings.register_profile("thorough", max_examples=MORE, print_blob=True, **same)
    settings.register_profile("uncompiled", max_examples=FEW, derandomize=True, **same)
    settings.load_profile("fast" if IS_COMPILED else "uncompiled")


def is_thorough() -> bool:
    """Return whether the profile asks for more than the fast one does."""
    return settings().max_examples > USUAL


def examples(number: int, unchecked: Sequence[HealthCheck] = ()) -> settings:
    """Return the settings of a property with so many examples, fewer or more as the profile asks."""
    return settings(max_examples=scaled(number), suppress_health_check=[*CLOCKS, *unchecked])


def scaled(number: int) -> int:
    """Return so many, fewer or more as the profile asks."""
    return max(1, number * settings().max_examples // USUAL)
