"""Readers of configuration evidence: one module per kind, each ends in READER = Reader(...).

Conventions that all of them keep, so that the resolver can treat them alike:
* `Clue.group` of a dump is the line on which the dump begins; of a label it is a name for its kind.
* `Clue.subject` is a pool or data set (`tank/backup`), a mount point (`/mnt/bench`) or a device (`/dev/sdb`).
* Clues of names have line 0; the raw text is the folder's or file's name.
* `pool.compression_effective` is what `compression=on` means in that pool; where compression is not `on` it says
  nothing.
* Clues of a manifest have the kind `stated`; `subject` is the glob that they hold for, '' for the whole archive.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ingest.plugin_api import Reader


@cache
def readers() -> tuple[Reader, ...]:
    """The readers of every module of this package, by module name."""
    names = sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_"))
    return tuple(importlib.import_module(f"{__name__}.{name}").READER for name in names)
