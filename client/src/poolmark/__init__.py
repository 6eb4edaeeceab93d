"""Poolmark from programs: `frame` and `versus` give pandas DataFrames, `Site` is the API.

import poolmark

poolmark.frame("https://poolmark.example.org/p/ID")
poolmark.versus(12, 13)
"""

from __future__ import annotations

__version__ = "0.2.0"
__all__ = ["Problem", "Site", "SiteError", "__version__"]

from poolmark.errors import Problem, SiteError
from poolmark.http import Site
