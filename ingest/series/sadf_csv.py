"""sadf -d: the reports of sar as rows with semicolons, a header line for each section.

Source: sadf(1): `hostname;interval;timestamp;...`; the timestamp is in UTC unless -t or -T; -U prints Unix time.

Shapes of sadf-csv (name | versions | units | traps):
    sadf -d | sysstat 8 to 12 | as sar's | columns of interrupts do not name their CPUs
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.records import Doubt, FoundSeries
from ingest.series._clock import DAY, ReportTime, format_start, parse_stamp
from ingest.series._outputs import Outputs
from ingest.series._sysstat_sections import SysstatSection, find_section

_HEADER = lazy(r"#? ?hostname;interval;timestamp;(\S.*)\Z")
_FIRST_FIELDS = 3
_ALL = "-1"  # in place of `all`
_EPOCH = datetime.date(1970, 1, 1)
_REPEATED = "[...]"
_INTERRUPTS = "CPU*"


class _SadfCsv:
    def __init__(self, context: SeriesContext) -> None:
        self._outputs = Outputs(context, "sar")
        self._section: SysstatSection | None = None
        self._host = ""
        self._is_repeated = False  # of -h: all devices on one line

    def leave(self) -> None:
        self._section = None

    def feed(self, line: str, number: int) -> int:
        if "hostname;" in line and (header := _HEADER.match(line.strip())):
            return self._header(tuple(header[1].split(";")), number)
        if self._section is None or line.count(";") < _FIRST_FIELDS:
            return NOT_OWN
        host, _, time, *cells = line.strip().split(";")
        stamp = parse_stamp(time)
        if stamp is None or stamp.date is None:
            self._outputs.doubt(number, "bad-number", f"timestamp: {time[:40]!r} is not a time")
            return OWN
        if cells[0].startswith("LINUX-RESTART") or cells[0] == "COM":
            return OWN
        width = len(self._section.names)
        if not self._is_repeated or len(cells) % width:
            return self._row(self._section, host, stamp, cells, number)
        for at in range(0, len(cells), width):
            self._row(self._section, host, stamp, cells[at : at + width], number)
        return OWN

    def _header(self, names: tuple[str, ...], number: int) -> int:
        self._is_repeated = names[-1].endswith(_REPEATED)
        names = (*names[:-1], names[-1].removesuffix(_REPEATED))
        if names[-1] == _INTERRUPTS:
            names = (*names[:-1], "all")
            self._outputs.doubt(number, "unread", "The columns of CPU* do not name their CPUs; only the sum of each row is read.")
        section = find_section(names)
        if section is None or section.unknown:
            unknown = ", ".join(section.unknown if section else names)
            self._outputs.doubt(number, "unread", f"columns that are not known: {unknown[:200]}")
        self._section = section
        return OWN

    def _row(self, section: SysstatSection, host: str, stamp: ReportTime, cells: list[str], number: int) -> int:
        if section.names[0] == "INTR" and section.names[-1] == "all":
            cells = cells[: len(section.names)]
        if len(cells) != len(section.names):
            code = "short-row" if len(cells) < len(section.names) else "long-row"
            self._outputs.doubt(number, code, f"{len(cells)} fields below a header of {len(section.names)}")
            return OWN
        if host != self._host or not self._outputs.outputs:
            self._begin(host, stamp, number)
        assert stamp.date is not None
        time = (stamp.date - _EPOCH).days * DAY + stamp.seconds
        subject = " ".join([cells[index] for index in section.subjects])
        if subject == _ALL and section.names[0] == "CPU":
            subject = "all"
        table = self._outputs.table((section.names, subject), subject, section.columns)
        if table is not None:
            table.add(time, number, [cells[index] for index in section.positions])
        return OWN

    def _begin(self, host: str, stamp: ReportTime, number: int) -> None:
        self._host = host
        output = self._outputs.begin(number)
        output.printed_config = {"host": (host, number)} if host else {}
        zone = stamp.zone
        output.start = lambda time: format_start(_EPOCH, time, zone)

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._outputs.finish()


SERIES = SeriesReader("sadf-csv", 2, Anchor(lazy(r"hostname;interval;timestamp;"), "hostname;interval;timestamp"), _SadfCsv)
