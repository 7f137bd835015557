"""How many random examples a property test has: few by default, many on demand."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, settings

USUAL = 100  # examples of a property without a number of its own
FEWER, MORE = 70, 2_000  # in their place in the fast and in the thorough profile
CLOCKS = (HealthCheck.too_slow,)  # a busy machine is no reason to fail


def register() -> None:
    """Register the profiles and load the fast one, which ``--hypothesis-profile`` may replace.

    The fast one draws the same examples each time: if it fails, the change is to blame. New examples are drawn by the
    thorough one, which says how to repeat what failed.
    """
    same = {"deadline": None, "suppress_health_check": CLOCKS}
    settings.register_profile("fast", max_examples=FEWER, derandomize=True, **same)
    settings.register_profile("thorough", max_examples=MORE, print_blob=True, **same)
    settings.load_profile("fast")


def is_thorough() -> bool:
    """Return whether the profile asks for more than the fast one does."""
    return settings().max_examples > USUAL


def examples(number: int, unchecked: Sequence[HealthCheck] = ()) -> settings:
    """Return the settings of a property with so many examples, fewer or more as the profile asks."""
    scaled = max(1, number * settings().max_examples // USUAL)
    return settings(max_examples=scaled, suppress_health_check=[*CLOCKS, *unchecked])
