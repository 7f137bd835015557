"""Names that were changed: the old one goes on for a release, with a warning."""

from __future__ import annotations

import warnings


def warn_renamed(old: str, new: str) -> None:
    """Warn whoever uses the old name."""
    warnings.warn(
        f"{old} is now called {new}; the old name will be removed in the next release", DeprecationWarning, stacklevel=3
    )
