"""Poolmark from programs: `frame` and `versus` give pandas DataFrames, `Site` is the API.

import poolmark

poolmark.frame("https://poolmark.example.org/p/ID")
poolmark.versus(12, 13)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"
__all__ = ["Problem", "Site", "SiteError", "__version__", "frame", "versus"]

from poolmark.errors import Problem, SiteError
from poolmark.http import Site

if TYPE_CHECKING:
    from poolmark.frames import frame, versus


def __getattr__(name: str) -> Any:
    """What makes DataFrames is imported when it is used."""
    if name not in ("frame", "versus"):
        raise AttributeError(f"module 'poolmark' has no attribute {name!r}")
    from poolmark import frames

    return getattr(frames, name)
