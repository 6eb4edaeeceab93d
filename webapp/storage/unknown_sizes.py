"""Distinguishes workloads of which a size or count that the tool needs is unknown.

Such a workload equals only itself: within one archive, under one command line or one named table, else within one file.
"""

from __future__ import annotations

import re

from ingest.keys import missing_sizes
from ingest.records import Measurement, Unmeasured
from webapp.storage.dimensions import json_digest

DIGEST_LENGTH = 12
"""Hexadecimal digits of `Workload.apart`: 48 bits, since only workloads that are otherwise equal must not collide."""
PLACE = "PATH"
"""Stands for a path or a host in a command line."""
_LAUNCHERS = frozenset(("mpirun", "mpiexec", "orterun", "srun"))
_HOST_OPTION = re.compile(r"\s(?:-H|--?hosts?|-w|--?hostfile|--?machinefile|--nodelist)[ =]+\S+")
"""Of the launchers above, mpirun(1) and srun(1)."""
_REDIRECTION = re.compile(r"\s*(?:\|\s*tee\b[^|]*|(?:\d|&)?>{1,2}\s*\S+|<\s*\S+)")
_COLUMN = re.compile(r",\s*(?:columns?|rows?|cells?|lines?|bars?|curves?|series|printed values?)\b.*", re.I | re.S)


def find_apart(archive_id: int, record: Measurement | Unmeasured) -> str | None:
    """A digest of the archive and of the command, job and table of the record; None where all needed sizes are known."""
    if not missing_sizes(record.tool, record.metric, record.params):
        return None
    named = [
        normalise_command(str(record.params.get("command") or ""), str(record.config.get("host") or "")),
        str(record.params.get("job") or ""),
        table_name(record.source_note or ""),
    ]
    return json_digest([archive_id, *(named if any(named) else ("", "", "", record.file))])[:DIGEST_LENGTH]


def normalise_command(command: str, host: str = "") -> str:
    """The command line without paths, hosts and redirections: `cp -a /srv/src /tank` -> `cp -a PATH PATH`."""
    words = _REDIRECTION.sub("", command).split()
    if not words:
        return ""
    program = words[0].rsplit("/", 1)[-1]
    text = " ".join((program, *(_without_place(word, host) for word in words[1:])))
    return _HOST_OPTION.sub("", text) if program in _LAUNCHERS else text


def _without_place(word: str, host: str) -> str:
    """A word of a command line, or `PATH`; of `of=/tank/file` the option stays."""
    option, equals, value = word.rpartition("=")
    is_place = "/" in value or "@" in value or (host and value.partition(":")[0] == host)
    return f"{option}{equals}{PLACE}" if is_place else word


def table_name(source_note: str) -> str:
    """The table that a note names, without the column or row: `Slide 11, first table, column ZFS` -> `Slide 11, first table`."""
    return _COLUMN.sub("", source_note).strip()
