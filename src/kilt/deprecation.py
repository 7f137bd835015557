"""Names that were changed: the old one goes on for a release, with a warning."""

from __future__ import annotations

import warnings


def warn_renamed(old: str, new: str) -> None:
    """Warn whoever uses the old name."""
    warnings.warn(
        f"{old} is now called {new}; the old name will be removed in the next release", DeprecationWarning, stacklevel=3
    )


def warn_dropped(old: str, new: str) -> None:
    """Warn whoever gives an old name as a word, also on the command line, where other warnings are not shown."""
    warnings.warn(
        f"'{new}' is no longer called '{old}', since it is not quite the published algorithm; "
        f"write '{new}': the old name will be removed in the next release",
        FutureWarning,
        stacklevel=3,
    )


def warn_changed(sentence: str) -> None:
    """Warn whoever gives something that has another meaning than in the last release, also on the command line."""
    warnings.warn(f"{sentence} (this note will be gone in the next release)", FutureWarning, stacklevel=3)
