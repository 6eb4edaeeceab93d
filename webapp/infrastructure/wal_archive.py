"""Archiving of the embedded server's write-ahead log (WAL) into a folder, and reading it back up to a point in time.

With a copy of the database made before, the WAL of a folder gives its state at any moment after. Plain Python, no Django.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

VARIABLE = "POOLMARK_WAL"
SECONDS = 60
"""After so long a segment that has something in it is archived, full or not: so much may be lost."""

NO_ARCHIVE = ("archive_mode=off",)
"""Settings of a server that only restores: a trial must not leave a history that a later one would follow."""


def folder() -> Path | None:
    """The folder of archived segments; None where none is set."""
    return Path(os.environ[VARIABLE]).resolve() if os.environ.get(VARIABLE) else None


def archive_options(target: Path) -> tuple[str, ...]:
    """Settings of a server that archives each segment as NAME.gz. One that is there already is not overwritten: with other
    contents it is another server's, and archiving fails, which /readyz says."""
    kept, part = f"{_quote(target)}/%f.gz", f"{_quote(target)}/.%f"
    command = (
        f"if [ -e {kept} ]; then gzip -dc {kept} | cmp -s - %p; else gzip -1 -c %p > {part} && sync {part} && mv {part} {kept}; fi"
    )
    return ("archive_mode=on", f"archive_command={command}", f"archive_timeout={SECONDS}")


def replay_options(source: Path, until: str) -> tuple[str, ...]:
    """Settings of a server that replays archived segments. `until`: a time with its zone; empty: all there is.

    Exit status 1 is the end of the archive; above 125, of a segment that is damaged, PostgreSQL ends the recovery with an error.
    """
    kept = f"{_quote(source)}/%f.gz"
    target = (f"recovery_target_time={until}", "recovery_target_action=promote") if until else ()
    command = f"test -e {kept} || exit 1; gzip -dc {kept} > %p || exit 126"
    return (f"restore_command={command}", *target)


def _quote(path: Path) -> str:
    """For a shell, in a command in which PostgreSQL replaces %f and %p."""
    return shlex.quote(str(path)).replace("%", "%%")
