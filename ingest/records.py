"""What goes through the rooms.

Inside, between a parser or reader and the route: `Value`, `Doubt` and `Clue` (no file name: the route knows it).
Outside, field for field the record format: `Measurement`, `Evidence`, `Warning`, `FileReport`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

NO_PARAMS: Mapping[str, Any] = {}
LOST = "\ufffd"  # Unicode's replacement character, as decoders put it in place of what they cannot read
DAMAGED_BYTES = f"{LOST}\n{LOST}".encode()  # in place of bytes that are lost, however many lines they were


@final
@dataclass(slots=True)
class Value:
    """One number that a parser read.

    `line` is 1-based (`SHEET!CELL` in a binary spreadsheet). `value` is in the base `unit` (B/s, 1/s, s, B, 1, %),
    `raw` stands on `line` exactly as given here. Values of one execution of the tool share `run` (any hashable, unique
    in the file; by habit the line on which the run begins). `printed_config` holds configuration keys that the tool's own output
    states for this run: key -> (value, line). `same_as` is the line of an earlier value of this file that shows this
    very value of this very run. `depends` are further lines without which the value would read otherwise (header,
    unit, label).
    """

    line: int | str
    tool: str
    metric: str
    native: str
    value: float
    unit: str
    raw: str
    raw_unit: str
    run: Any
    tool_version: str | None = None
    stat: str = "sample"
    params: Mapping[str, Any] = field(default_factory=dict)
    printed_config: Mapping[str, tuple[Any, int]] = field(default_factory=dict)
    origin: str = "measured"
    source_note: str | None = None
    started_at: str | None = None
    same_as: int | str | None = None
    depends: tuple[int, ...] = ()


@dataclass(slots=True)
class Doubt:
    """A warning before the route knows the file: `code` is from `ingest.warning_codes.CODES`."""

    line: int | str
    code: str
    message: str


@dataclass(slots=True)
class Clue:
    """One thing that a reader found about the configuration.

    `kind`: `dump` (a tool's own listing), `command`, `label`, `name`, `stated`; it decides only within one scope.
    `effect`: `shows` holds in both directions up to the nearest change of the key, `sets` holds from its line on,
    `labels` holds for the results after it up to the next label of its kind, `ends` closes the key (value ignored).
    `subject`: what the clue speaks of where the text tells it: a pool or data set (`tank/backup`), a mount point
    (`/mnt/bench`), a device (`/dev/sda1`), else ''. `group`: clues of one dump share it (any hashable).
    """

    line: int
    key: str
    value: Any
    raw: str
    kind: str = "dump"
    effect: str = "shows"
    subject: str = ""
    group: Any = None


CONTRADICTORY = "unlike"  # begins the group of what two parts of a text tell differently: it holds for nothing in that text

ARCHIVE, FOLDER, FILE, RUNS = "archive", "folder", "file", "runs"


@dataclass(frozen=True, slots=True)
class StatedFact:
    """One thing that a person tells about an upload beside its files.

    `value` as `ingest.spelling` spells it. `reach`: ARCHIVE, FOLDER or FILE of that `path`, or RUNS: those of the file
    that have a value on one of `lines`. What reaches a file or folder is as near as a manifest's `[files]`; what
    reaches runs is nearer than any line of the file.
    """

    key: str
    value: Any
    reach: str = ARCHIVE
    path: str = ""
    lines: frozenset[int | str] = frozenset()


@final
@dataclass(slots=True)
class Measurement:
    """The record of the contract. Not printed: `run` groups the values of one execution; `cache` is the state of the
    caches before it and the FILE:LINE that tells it (see `analysis.cache_state`); `title` what it stands below where others that
    count as its repetitions stand below something else (see `ingest.detect.titles`).

    Nobody changes one; it is not frozen, since freezing makes each of millions three times as dear.
    """

    file: str
    line: int | str
    tool: str
    tool_version: str | None
    metric: str
    native: str
    value: float
    unit: str
    raw: str
    raw_unit: str
    stat: str
    repetition: int
    duplicate_of: str | None
    params: Mapping[str, Any]
    config: Mapping[str, Any]
    config_from: Mapping[str, str]
    origin: str
    source_note: str | None
    started_at: str | None
    run: int = 0
    cache: tuple[str, str] | None = None
    title: str | None = None


@dataclass(slots=True)
class Evidence:
    """One thing that the upload tells about a configuration. `scope`: line, transcript, file, name, folder, archive.

    Not frozen, for the reason that a Measurement is not.
    """

    file: str
    line: int | str
    key: str
    value: Any
    raw: str
    kind: str
    scope: str


@dataclass(slots=True)
class Warning:
    """Everything that looked like a result and was not taken, and every value taken with doubt. Not frozen either."""

    file: str
    line: int | str | None
    code: str
    message: str


@dataclass(slots=True)
class FileReport:
    """What became of one file. `status`: parsed, partial, context, unrecognised, failed. Not frozen either."""

    file: str
    sha256: str
    format: str
    parser: str | None
    parser_version: int | None
    measurements: int
    status: str
    size: int = 0


Record = Measurement | Evidence | Warning | FileReport
