"""The types of the ingest pipeline.

Inside, between a parser or reader and the pipeline: `Value`, `MissingValue`, `FoundSeries`, `Doubt` and `Clue` (no file name:
the pipeline adds it). Outside, field for field the record format: `Measurement`, `Unmeasured`, `SeriesRecord`, `Evidence`,
`Warning`, `FileReport`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Protocol, final

NO_PARAMS: Mapping[str, Any] = {}
NO_KEYS: frozenset[str] = frozenset()
LOST = "\ufffd"  # Unicode's replacement character, which stands for unreadable bytes
STATED = "stated"
"""In place of FILE:LINE, for a key that a person entered by hand."""
CAPTURED = "captured"
"""Key of the evidence that says, in a sentence, how many runs a capture made, and are there."""
MANIFEST_NAME = "poolmark.toml"
DAMAGED_BYTES = f"{LOST}\n{LOST}".encode()  # in place of bytes that are lost, however many lines they were


def is_stated(place: str) -> bool:
    """Whether a person stated what stands at this place of `config_from`: by hand, or in a manifest."""
    return place == STATED or place.rpartition(":")[0].rpartition("/")[2].lower() == MANIFEST_NAME


@final
@dataclass(slots=True)
class Value:
    """One number that a parser read.

    `line` is 1-based (`SHEET!CELL` in a binary spreadsheet). `value` is in the base `unit` (B/s, 1/s, s, B, 1, %),
    `raw` occurs on `line` exactly as given here. Values of one execution of the tool share `run` (any hashable, unique
    in the file; by convention the line on which the run begins). `printed_config`: configuration keys that the tool's own
    output states for this run: key -> (value, line). `same_as`: the line of an earlier value of this file that shows this
    very value of this very run. `depends`: further lines without which the value would read otherwise (header, unit, label).
    `implied`: parameters that no line prints, with the line of the command from which they follow (docs/evidence.md).
    `params_from`: parameters that stand neither on `line` nor in the header of its output, with their FILE:LINE; shared by the
    values of a run.
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
    implied: Mapping[str, int] | None = None
    params_from: Mapping[str, str] | None = None


TOO_FAST, ZERO_TIME, FAILED, NOT_FINISHED = "too_fast", "zero_time", "failed", "not_finished"
ABOVE, BELOW = "above", "below"


@final
@dataclass(slots=True)
class MissingValue:
    """A number that the tool set out to measure and could not print; the parser yields a `Doubt` beside it.

    `reason`: TOO_FAST (the tool refuses to print so short a measurement), ZERO_TIME (it divided by, or printed, a time below
    its clock), FAILED (it reported an error) or NOT_FINISHED (it was ended before its result). `raw`: what stands on `line` in
    place of the number. `bound`: the value in the base `unit` beyond which the true one lies, on `side` ABOVE or BELOW of it;
    None where the output does not tell one. The other fields as in `Value`.
    """

    line: int | str
    tool: str
    metric: str
    native: str
    unit: str
    raw: str
    run: Any
    reason: str
    bound: float | None = None
    side: str | None = None
    tool_version: str | None = None
    stat: str = "sample"
    params: Mapping[str, Any] = field(default_factory=dict)
    printed_config: Mapping[str, tuple[Any, int]] = field(default_factory=dict)
    origin: str = "measured"
    source_note: str | None = None
    started_at: str | None = None
    same_as: int | str | None = None
    implied: Mapping[str, int] | None = None
    params_from: Mapping[str, str] | None = None

    @classmethod
    def instead_of(cls, value: Value, reason: str, bound: float | None = None, side: str | None = None) -> MissingValue:
        """The missing value where a parser read a mark or a meaningless figure as `value`; its line and `raw` stay."""
        shared = {entry.name: getattr(value, entry.name) for entry in fields(cls) if entry.name not in ("reason", "bound", "side")}
        return cls(**shared, reason=reason, bound=bound, side=side)


class PointChunk(NamedTuple):
    """Some points of one series, in order. `times`: None if the output has none."""

    times: Sequence[float] | None
    values: list[float]
    lines: list[int]


class PointSource(Protocol):
    """The points of one series. `first_time`, `last_time`: in ticks of its clock."""

    count: int
    first_time: int
    last_time: int

    def divided_by(self, divisor: int) -> PointSource:
        """The same points in another unit."""
        ...

    def chunks(self) -> Iterator[PointChunk]:
        """Times in ticks (None if the output has none), values in the base unit and lines, some points at once, in order."""
        ...


@final
@dataclass(slots=True)
class FoundSeries:
    """Numbers over time that a reader of series found in one output of a tool.

    `line` of the first point. `subject`: device, interface, CPU or function as printed, '' if the numbers are of the whole
    machine. `ticks` of the clock in a second. `began`: time of the first point of the whole output, in ticks. `started_at`: of
    the first point of this series. `printed_config`: as in `Value`.
    """

    line: int
    tool: str
    metric: str
    subject: str
    unit: str
    points: PointSource
    ticks: int = 1
    began: int = 0
    started_at: str | None = None
    printed_config: Mapping[str, tuple[Any, int]] = field(default_factory=dict)
    unit_tool: str = ""


class Member(NamedTuple):
    """A device of a pool or array as a listing shows it. `place`: the pool with the vdev, `tank/mirror-0`, or the array, `md0`."""

    line: int
    device: str
    place: str


@dataclass(slots=True)
class Doubt:
    """A warning without its file: `code` is from `ingest.warning_codes.CODES`."""

    line: int | str
    code: str
    message: str


Found = Value | MissingValue | Doubt  # what parsers yield


@dataclass(slots=True)
class Clue:
    """One statement about the configuration that a reader found.

    `kind`: `dump` (a tool's own listing), `command`, `label`, `name`, `stated`; it decides only within one scope.
    `effect`: `shows` is valid in both directions up to the nearest change of the key, `sets` is valid from its line on,
    `labels` is valid for the results after it up to the next label of its kind, `ends` closes the key (value ignored), `defines`
    is valid where the subject, a name that a person gave, stands in a path or title.
    The value None of a clue that `shows`: the tool lists all that is set, and not this (a mount without the option).
    `subject`: the pool or data set (`tank/backup`), mount point (`/mnt/bench`) or device (`/dev/sda1`) concerned, '' if
    unknown. `group`: clues of one dump share it (any hashable). `by_person`: a person chose the value (`zfs set`, the source
    `local`, `echo >`, `mount -o`): an open key is then part of the configuration's identity (see `ingest.open_keys`).
    """

    line: int
    key: str
    value: Any
    raw: str
    kind: str = "dump"
    effect: str = "shows"
    subject: str = ""
    group: Any = None
    by_person: bool = False


ARCHIVE, FOLDER, FILE, RUNS = "archive", "folder", "file", "runs"
TAKE, QUOTED, HANDMADE = "take", "quoted", "by-hand"
"""The key of a statement that takes what was left out with a warning on its line, and its value for a quotation."""


@dataclass(frozen=True, slots=True)
class StatedFact:
    """One configuration value that a person states about an upload.

    `value` as `ingest.keys` spells it; None: what any file says of the key is ignored, and it is unknown. `reach`: ARCHIVE,
    FOLDER or FILE of that `path`, or RUNS: those of the file that have a value on one of `lines`. A fact about a file or folder
    has the precedence of a manifest's `[files]`; one about runs precedes any line of the file.
    The key TAKE, with the reach RUNS, takes what the warnings on `lines` left out: QUOTED is a quotation.
    """

    key: str
    value: Any
    reach: str = ARCHIVE
    path: str = ""
    lines: frozenset[int | str] = frozenset()


class MovedBytes(NamedTuple):
    """What the disks of a run's target moved around it, or all where those are unknown; what its tool, and others between the same
    readings, claim to have moved; the FILE:LINE of the reading after it; what other disks moved where those of the target are
    known; and how many of the disks that count moved a part of it.
    """

    read: int
    written: int
    claimed_read: int
    claimed_written: int
    place: str
    read_elsewhere: int | None = None
    written_elsewhere: int | None = None
    busy: int = 1


@final
@dataclass(slots=True)
class Measurement:
    """The measurement record of the contract. Not printed: `run` groups the values of one execution; `cache`: the state of the
    caches before it and the FILE:LINE of its evidence, `emptied_by`: what emptied them of the data that it reads (see
    `analysis.cache_state`), `moved`: what disks moved (see `analysis.device_bytes`); `title`: the title above it if other values
    that count as its repetitions have a different one (see `ingest.detect.titles`); `chosen`: open keys of `config` that a
    person set. Of `config`, keys that are too many for every line (`ingest.open_keys.is_bulk`) are not printed either.
    `implied`: keys of `config` and `params` that follow from a line which does not print them.

    Immutable by convention: a frozen dataclass is three times as slow to create, and there are millions.
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
    implied: tuple[str, ...] = ()
    chosen: frozenset[str] = NO_KEYS
    moved: MovedBytes | None = None
    emptied_by: str | None = None
    params_from: Mapping[str, str] = field(default_factory=dict)


@final
@dataclass(slots=True)
class Unmeasured:
    """The record of a `MissingValue`, with its file and configuration. Not printed: `run` and `chosen`, as in
    `Measurement`, with which it shares the numbers of runs."""

    file: str
    line: int | str
    tool: str
    tool_version: str | None
    metric: str
    native: str
    unit: str
    raw: str
    stat: str
    repetition: int
    duplicate_of: str | None
    params: Mapping[str, Any]
    config: Mapping[str, Any]
    config_from: Mapping[str, str]
    origin: str
    source_note: str | None
    started_at: str | None
    reason: str
    bound: float | None
    side: str | None
    run: int = 0
    implied: tuple[str, ...] = ()
    chosen: frozenset[str] = NO_KEYS
    params_from: Mapping[str, str] = field(default_factory=dict)


@final
@dataclass(slots=True)
class SeriesRecord:
    """The record of a `FoundSeries`, with its file and configuration. Not printed: `offset` (seconds from the first point of the
    whole output to the first of this series), `chosen` and `implied` as in `Measurement`."""

    file: str
    line: int
    tool: str
    metric: str
    subject: str
    unit: str
    points: PointSource
    ticks: int
    started_at: str | None
    config: Mapping[str, Any]
    config_from: Mapping[str, str]
    offset: float | None = None
    implied: tuple[str, ...] = ()
    chosen: frozenset[str] = NO_KEYS

    def chunks(self) -> Iterator[PointChunk]:
        """Some points at once, in order: seconds since the first point (None if the output has no time), values, lines."""
        first, ticks = self.points.first_time, self.ticks
        for times, values, lines in self.points.chunks():
            yield PointChunk(None if times is None else [(time - first) / ticks for time in times], values, lines)


@dataclass(slots=True)
class Evidence:
    """One statement of the upload about a configuration. `scope`: line, transcript, file, name, folder, archive."""

    file: str
    line: int | str
    key: str
    value: Any
    raw: str
    kind: str
    scope: str


@dataclass(slots=True)
class Warning:
    """A possible result that was not taken, or a doubt about a value that was."""

    file: str
    line: int | str | None
    code: str
    message: str


@dataclass(slots=True)
class FileReport:
    """Summary of one file. `status`: parsed, partial, context, unrecognised, failed."""

    file: str
    sha256: str
    format: str
    parser: str | None
    parser_version: int | None
    measurements: int
    status: str
    size: int = 0


Record = Measurement | Unmeasured | SeriesRecord | Evidence | Warning | FileReport
