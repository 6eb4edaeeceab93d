"""Reports of sysstat whose rows begin with a time of day: sar, mpstat, pidstat.

`Average:` and `Summary:` rows are no points; an average must lie between the least and the greatest of its points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, SeriesContext
from ingest.points import ColumnState, parse_number
from ingest.records import Doubt, FoundSeries
from ingest.series._clock import DAY, MERIDIEMS, DayClock, columns_of, format_start, from_epoch, is_date, parse_date, seconds_of
from ingest.series._outputs import Output, Outputs
from ingest.series._sysstat_sections import SysstatSection, find_section, known_names

# The line with which sysstat's tools begin: system, release, host, date, machine, number of CPUs.

_BANNER = lazy(
    r"\s{0,8}(Linux) (\S{1,100}) \(([^()\s]{1,200})\)\s{1,12}(\S{6,20})(?:\s{1,12}_(\w{1,20})_)?(?:\s{1,12}\(\d{1,5} CPUs?\))?\s*\Z"
)


class Banner(NamedTuple):
    """What the line says."""

    date: str
    printed_config: dict[str, tuple[Any, int]]

    def start(self, seconds: int, is_12_hour: bool, zone: str = "") -> str | None:
        """The moment so many seconds after the midnight before, None if the date could be two."""
        return format_start(parse_date(self.date, is_12_hour=is_12_hour), seconds, zone)


def parse_banner(line: str, number: int) -> Banner | None:
    """The banner on this line, if it is one."""
    match = _BANNER.match(line) if "Linux" in line else None
    if not match or not is_date(match[4]):
        return None
    config: dict[str, tuple[Any, int]] = {"host": (match[3], number), "os.family": ("Linux", number), "kernel": (match[2], number)}
    if match[5]:
        config["arch"] = (match[5], number)
    return Banner(match[4], config)


_MAX_AVERAGES = 5000
_EPOCH = lazy(r"1\d{9}\Z")  # pidstat -h of sysstat 9 to 11
_NO_ROW = frozenset(("LINUX", "COM"))  # `LINUX RESTART`, and the comments that sar -C prints


@dataclass(slots=True)
class _State:
    """Of the current output. `has_meridiem`: the clock has 12 hours."""

    banner: Banner | None = None
    has_meridiem: bool = False
    clocks: dict[tuple[str, ...], DayClock] = field(default_factory=dict)
    midnight: int | None = None  # a Unix time
    averages: list[tuple[Any, int, Sequence[str]]] = field(default_factory=list)
    damaged: set[tuple[str, ...]] = field(default_factory=set)  # sections with rows that were not read

    def since_epoch(self, seconds: int) -> int:
        """Seconds since the first midnight (UTC) of an output whose times are Unix times."""
        if self.midnight is None:
            self.midnight = seconds // DAY * DAY
        return seconds - self.midnight

    def start(self, seconds: int) -> str | None:
        if self.midnight is not None:
            return from_epoch(self.midnight + seconds)
        return self.banner.start(seconds, self.has_meridiem) if self.banner else None


class TimedReports:
    """Reads the sections whose header `owns` accepts."""

    def __init__(
        self, context: SeriesContext, tool: str, owns: Callable[[tuple[str, ...]], bool], *, every_row: bool = True
    ) -> None:
        """`every_row`: each report has a row of each subject, so that averages are over the points."""
        self._every_row = every_row
        self._outputs, self._owns, self._tool = Outputs(context, tool), owns, tool
        self._states: list[_State] = []
        self._section: SysstatSection | None = None
        self._sections: dict[tuple[str, ...], SysstatSection | None] = {}
        self._banner: tuple[Banner, int] | None = None
        self._has_output = False

    def leave(self) -> None:
        """Rows need a header again."""
        self._section = None

    def feed(self, line: str, number: int) -> int:
        words = line.split()
        first = words[0]
        if first == "Linux" and (banner := parse_banner(line, number)):
            self._banner, self._section, self._has_output = (banner, number), None, False
            return SHARED
        if first == "#" and words[1:2] == ["Time"]:
            return self._header(tuple(words[2:]), number)
        if self._section and _EPOCH.match(first):
            return self._row(self._state.since_epoch(int(first)), words[1:], number)
        has_meridiem = len(words) > 1 and words[1].lower() in MERIDIEMS
        seconds = seconds_of(first, words[1] if has_meridiem else "")
        if seconds is None:
            return self._without_time(words, number)
        cells = words[2:] if has_meridiem else words[1:]
        if not cells:
            return NOT_OWN
        if cells[0] in _NO_ROW:
            return OWN if self._has_output else SHARED
        if cells[0] in known_names():
            found = self._header(tuple(cells), number)
            if found == OWN:
                self._state.has_meridiem |= has_meridiem
                self._clock().at(seconds)
            return found
        if self._section and not any(cell[0].isdigit() or cell[0] == "-" for cell in reversed(cells)):
            return self._unknown_header(cells, number)
        return self._row(seconds, cells, number) if self._section else NOT_OWN

    def _unknown_header(self, cells: list[str], number: int) -> int:
        """No cell is a figure: what follows is another report, or not of the tool."""
        self._section = None
        if cells[0].isupper() or any("%" in cell or "/s" in cell for cell in cells):
            self._outputs.doubt(number, "unread", f"a report that is not known: {' '.join(cells)[:200]}")
            return OWN
        return NOT_OWN

    @property
    def _state(self) -> _State:
        return self._states[-1]

    def _clock(self) -> DayClock:
        assert self._section is not None
        return self._state.clocks.setdefault(self._section.names, DayClock())

    def _header(self, names: tuple[str, ...], number: int) -> int:
        if names not in self._sections:
            self._sections[names] = find_section(names) if self._owns(names) else None
            if (section := self._sections[names]) and section.unknown:
                self._outputs.doubt(number, "unread", f"columns that are not known: {', '.join(section.unknown)[:200]}")
        self._section = self._sections[names]
        if self._section is None:
            return NOT_OWN
        if not self._has_output:
            self._begin(number)
        return OWN

    def _begin(self, number: int) -> None:
        self._has_output = True
        output, state = self._outputs.begin(number), _State()
        self._states.append(state)
        if self._banner:
            state.banner, output.line = self._banner
            output.printed_config = state.banner.printed_config
        output.start = state.start

    def _row(self, seconds: int, cells: list[str], number: int) -> int:
        section = self._section
        assert section is not None
        subject, fitted = self._fit(section, cells, number)
        if fitted is None:
            return OWN
        clock = self._clock()
        turns = clock.turns
        if self._state.midnight is None:
            time = clock.at(seconds)
        else:
            time = seconds
            clock.turns += seconds < clock.last
            clock.last = seconds
        if clock.turns > turns:
            self._outputs.doubt(number, "clock-set", "The clock goes back here, so a new series begins.")
        cells = [fitted[index] for index in section.positions]
        key = (section.names, subject, clock.turns)
        table = self._outputs.current.tables.get(key)
        if table is None:
            columns = columns_of(cells, section.columns)
            table = self._outputs.table(key, subject, columns)
        if table is not None:
            table.add(time, number, cells)
        return OWN

    def _fit(self, section: SysstatSection, cells: list[str], number: int) -> tuple[str, list[str] | None]:
        """(the subject, a cell for each name of the header); None with a warning if they do not fit."""
        more = len(cells) - len(section.names)
        if more > 0 and section.has_trailing_name:
            end = len(section.names) - 1
            cells = [*cells[:end], " ".join(cells[end:])]
        elif more > 0 and section.subjects == (0,) and not any(map(_is_number, cells[: more + 1])):
            cells = [" ".join(cells[: more + 1]), *cells[more + 1 :]]
        elif more:
            code = "long-row" if more > 0 else "short-row"
            self._state.damaged.add(section.names)
            self._outputs.doubt(number, code, f"{len(cells)} cells below a header of {len(section.names)}")
            return "", None
        subject = " ".join([cells[index] for index in section.subjects])
        return (f"{section.names[0].lower()} {subject}" if section.names[0] in ("NODE", "CORE") else subject), cells

    def _without_time(self, words: list[str], number: int) -> int:
        """A row of averages, or its header."""
        if not self._has_output or len(words) < 2 or not words[0].endswith((":", ".:")):
            return NOT_OWN
        cells = words[1:] if words[1] != ":" else words[2:]  # French has a blank before the colon
        if cells and cells[0] in known_names():
            return self._header(tuple(cells), number)
        section, averages = self._section, self._state.averages
        if section is None:
            return NOT_OWN
        subject, fitted = self._fit(section, cells, number)
        if fitted is not None and words[0] != "Summary:" and len(averages) < _MAX_AVERAGES:
            averages.append(((section.names, subject, 0), number, [fitted[index] for index in section.positions]))
        return OWN

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._outputs.finish()
        for state, output in zip(self._states, self._outputs.outputs, strict=True):
            if state.banner and output.tables and state.start(0) is None:
                yield Doubt(output.line, "ambiguous", f"The date {state.banner.date} could be two; the series have no start.")
            counts = dict[Any, int]()
            for (names, _, _), table in output.tables.items():
                counts[names] = max(counts.get(names, 0), *(one.count for one in table.states or [ColumnState()]))
            for key, number, cells in state.averages if self._every_row else ():
                if key[0] not in state.damaged:
                    yield from self._check(output, key, number, cells, counts.get(key[0], 0))

    def _check(self, output: Output, key: Any, number: int, cells: Sequence[str], count: int) -> Iterator[Doubt]:
        """A doubt for each average that its points, as many as there are reports, cannot have."""
        table = output.tables.get(key)
        if table is None or table.bad_cells or not table.states:
            return
        for column, state, cell in zip(table.columns, table.states, cells, strict=True):
            try:
                printed = parse_number(cell)
            except ValueError:
                continue
            if not printed or state.count != count:
                continue
            average, unit = printed[0] / 10 ** printed[1], 1.01 / 10 ** printed[1]
            if not state.least - unit <= average <= state.greatest + unit:
                message = f"{column.native}: the average {cell} is not between its points ({state.least:g} to {state.greatest:g})"
                yield Doubt(number, "disagree", message)


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).replace(",", "", 1).isdecimal()
