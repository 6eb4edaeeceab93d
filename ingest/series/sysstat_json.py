"""The JSON of sysstat: sadf -j, iostat -o JSON, mpstat -o JSON, pidstat -o JSON.

Each element of `statistics` is parsed when its last line has come, so that a document may be of any length. Source:
sysstat.dtd and the json functions of rndr_stats.c, iostat.c, mpstat.c: names as in the text reports, shortened.

Shapes of sysstat-json (name | versions | units | traps):
    sadf -j | sysstat 10 to 12 | as sar's
    iostat -o JSON, mpstat -o JSON | sysstat 11 to 12 | as in the text | iostat: first report since boot
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator
from functools import cache

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.records import Doubt, FoundSeries
from ingest.series._clock import DAY, DayClock, ReportTime, format_start, parse_date, parse_stamp
from ingest.series._outputs import Output, Outputs, parse_columns
from ingest.series._sysstat_sections import section_columns
from ingest.series.iostat import CPU_COLUMNS, DEVICE_COLUMNS
from ingest.text.lines import Text
from ingest.text.located_json import LocatedValue, find_documents

# The groups of sysstat's JSON, and the columns of its text reports that their members are.

SUBJECTS = frozenset(
    """
    cpu node core disk-device disk_device iface intr line number filesystem mountpoint device fchost pid tgid tid
    command group
    """.split()
)
_IGNORED = PointColumn("", "")
_SAME = ("rd_sec", "wr_sec", "dc_sec", "avgrq-sz", "avgqu-sz")
"""Members that repeat others of the same row in another unit."""
_OF_IOSTAT = frozenset(("avg-cpu", "disk"))
_GROUPS = {
    "cpu-load": "CPU", "cpu-load-all": "CPU", "node-load": "CPU", "sum-interrupts": "CPU",
    "process-and-context-switch": "runq-sz", "interrupts": "INTR", "swap-pages": "kbswpfree", "paging": "pgpgin/s",
    "io": "tps", "memory": "kbmemfree", "hugepages": "kbhugfree", "kernel": "dentunusd", "queue": "runq-sz",
    "serial": "rcvin/s", "disk": "areq-sz", "net-dev": "rxpck/s", "net-edev": "rxpck/s", "net-nfs": "call/s",
    "net-nfsd": "scall/s", "net-sock": "totsck", "net-ip": "irec/s", "net-eip": "ihdrerr/s", "net-icmp": "imsg/s",
    "net-eicmp": "ierr/s", "net-tcp": "active/s", "net-etcp": "atmptf/s", "net-udp": "idgm/s", "net-sock6": "tcp6sck",
    "net-ip6": "irec6/s", "net-eip6": "ihdrer6/s", "net-icmp6": "imsg6/s", "net-eicmp6": "ierr6/s", "net-udp6": "idgm6/s",
    "softnet": "blg_len", "cpu-frequency": "MHz", "cpu-weighted-frequency": "wghMHz", "filesystems": "MBfsfree",
    "psi-cpu": "%scpu", "psi-io": "%scpu", "psi-mem": "%scpu", "fan-speed": "rpm", "temperature": "degC",
    "voltage-input": "inV", "fchosts": "fch_rxf/s",
}  # fmt: skip
"""Group -> a column of its text report."""
_NAMES = {"frequency": "MHz", "weighted-frequency": "wghMHz", "value": "all", "intr": "intr/s", "inactive": "kbinact"}


def tool_of(group: str, groups: Collection[str]) -> str:
    """The tool that prints a report with these groups."""
    if "avg-cpu" in groups or (group == "disk" and not {"io", "cpu-load", "queue", "memory", "network"} & set(groups)):
        return "iostat"
    is_mpstat = {"sum-interrupts", "individual-interrupts", "soft-interrupts", "node-load"} & set(groups)
    is_alone = group == "cpu-load" and len([name for name in groups if name != "timestamp"]) == 1
    return "mpstat" if is_mpstat or is_alone else "sar"


@cache
def _iostat_columns() -> dict[str, PointColumn]:
    return parse_columns(CPU_COLUMNS) | parse_columns(DEVICE_COLUMNS)


def find_column(group: str, name: str, row: Collection[str]) -> PointColumn | None:
    """The column of a member; None if it is not known, one without metric if the row says the same in another member."""
    if group == "disk" and "r" in row:  # iostat -x of sysstat 11.5, whose rates have no `/s`
        known = _iostat_columns()
        if column := known.get(f"{name}/s") or known.get(name):
            return column
    if name in _SAME and ({"rkB", "areq-sz", "aqu-sz"} & set(row)):
        return _IGNORED
    if group in ("interrupts", "individual-interrupts", "soft-interrupts"):
        is_soft = group == "soft-interrupts"
        return PointColumn("softirq.rate" if is_soft else "interrupt.rate", name, suffix="" if name in ("all", "value") else name)
    columns = section_columns(_GROUPS[group]) if group in _GROUPS else {}
    if group in _OF_IOSTAT:
        columns = _iostat_columns() | columns
    plain = _NAMES.get(name, name)
    if group.startswith("psi-"):
        kind, _, span = name.partition("_avg")
        plain = f"%{kind[:1]}{group.removeprefix('psi-')}{'-' + span if span else ''}"
    rate = "" if "disk_device" in row else f"{plain}/s"  # iostat's rates are named so
    for candidate in (plain, rate, f"kb{plain}", f"%{plain}", f"%{plain.removesuffix('-percent')}"):
        if candidate in columns:
            return columns[candidate]
    return None


_STRING = lazy(r'"(?:[^"\\]|\\.)*"')
_HEAD = lazy(r'"(nodename|sysname|release|machine|file-date|date|timezone)"\s*:\s*"([^"]{1,200})"')
_FIRST_KEY = lazy(r'\{[ \t\r\n]*"([^"\\\n]{1,60})"[ \t\r\n]*:')
_CONFIG = {"nodename": "host", "sysname": "os.family", "release": "kernel", "machine": "arch"}
_MAX_ELEMENT = 4 << 20  # characters of one element
_FIRST_REPORT_TOOLS = ("iostat",)


class _SysstatJson:
    def __init__(self, context: SeriesContext) -> None:
        self._context = context
        self._outputs = Outputs(context, "sar")
        self._by_tool: dict[str, Outputs] = {"sar": self._outputs}
        self._head: dict[str, tuple[str, int]] = {}
        self._depth = 0  # of brackets within `statistics`, 0 outside
        self._pending: list[str] = []
        self._first_line = self._size = 0
        self._reports = 0
        self._clock = DayClock()
        self._base: datetime.date | None = None
        self._is_open = False
        self._all: list[Outputs] = []

    def leave(self) -> None:
        """A document is not interrupted by other lines."""

    def feed(self, line: str, number: int) -> int:
        if not self._is_open:
            if '"sysstat"' not in line:
                return NOT_OWN
            self._is_open = True
        if self._depth == 0:
            for name, value in _HEAD.findall(line):
                if name == "nodename":
                    self._head = {}
                self._head[name] = value, number
            _, found, after = line.partition('"statistics"')
            if not found:
                self._is_open = "}}" not in line or '"sysstat"' in line
                return OWN
            self._depth, self._reports, self._by_tool = 0, 0, {}
            self._clock, self._base = DayClock(), None
            bracket = after.partition("[")[2]
            self._depth, line = 1, bracket
        self._take(line, number)
        return OWN

    def _take(self, line: str, number: int) -> None:
        """A line within `statistics`."""
        plain = _STRING.sub("", line)
        self._depth += plain.count("{") + plain.count("[") - plain.count("}") - plain.count("]")
        if not self._pending:
            self._first_line = number
        self._pending.append(line)
        self._size += len(line)
        if self._depth <= 1 or self._size > _MAX_ELEMENT:
            self._read_pending()
        self._depth = max(self._depth, 0)

    def _read_pending(self) -> None:
        """Read the elements whose lines are complete."""
        body, first = "\n".join(self._pending), self._first_line
        self._pending, self._size = [], 0
        key = _FIRST_KEY.search(body)
        if key is None:
            return
        for document in find_documents(Text("", body.split("\n"), body), key[1], key[1]):
            self._read_report(document.root, first - 1)
            for line, message in document.faults:
                self._any_outputs().doubt(first - 1 + line, "bad-number", f"the JSON is damaged: {message}"[:200])

    def _any_outputs(self) -> Outputs:
        return next(iter(self._by_tool.values()), self._outputs)

    def _read_report(self, root: LocatedValue, shift: int) -> None:
        if not isinstance(root.value, dict):
            return
        self._reports += 1
        stamp, has_time = self._stamp(root.get("timestamp"))
        time = self._time(stamp) if stamp else 0
        for name, node in root.value.items():
            if name == "timestamp":
                continue
            tool = tool_of(name, root.value.keys())
            outputs = self._outputs_of(tool, root.line + shift, stamp)
            if tool in _FIRST_REPORT_TOOLS and self._reports == 1:
                message = "The first report is the average since boot: it is no point of the curve."
                if not any(doubt.code == "since-boot" and doubt.line == root.line + shift for doubt in outputs.doubts):
                    outputs.doubt(root.line + shift, "since-boot", message)
                continue
            if not has_time:
                outputs.doubt(root.line + shift, "no-clock", "The report has no time; its points have an order and no times.")
            self._read_group(outputs, name, node, (time, shift, has_time))

    def _stamp(self, node: LocatedValue | None) -> tuple[ReportTime | None, bool]:
        if node is None:
            return None, False
        if isinstance(node.value, dict):
            stamp = parse_stamp(f"{node.text('date')} {node.text('time')}")
            if stamp and node.text("utc") == "1":
                stamp = stamp._replace(zone="+00:00")
        else:
            text = str(node.value)
            stamp = parse_stamp(text) or parse_stamp(f"Time: {text}")
        return stamp, stamp is not None

    def _time(self, stamp: ReportTime) -> int:
        date = stamp.date
        if date is None and self._base is None and (printed := self._head.get("date")):
            date = parse_date(printed[0], is_12_hour=False)  # of the head: that of the first report
        if self._base is None:
            self._base = date
        if stamp.date is not None and self._base is not None:
            seconds = (stamp.date - self._base).days * DAY + stamp.seconds
            self._clock.last = seconds
            return seconds
        return self._clock.at(stamp.seconds)

    def _outputs_of(self, tool: str, line: int, stamp: ReportTime | None) -> Outputs:
        outputs = self._by_tool.get(tool)
        if outputs is None or not outputs.outputs:
            outputs = self._by_tool[tool] = Outputs(self._context, tool)
            self._begin(outputs.begin(line), stamp)
            self._all.append(outputs)
        return outputs

    def _begin(self, output: Output, stamp: ReportTime | None) -> None:
        output.printed_config = {_CONFIG[name]: found for name, found in self._head.items() if name in _CONFIG}
        base, zone = self._base, stamp.zone if stamp else ""
        output.start = lambda time: format_start(base, time, zone)

    def _read_group(self, outputs: Outputs, name: str, node: LocatedValue, place: tuple[int, int, bool]) -> None:
        if isinstance(node.value, list):
            for row in node.value:
                self._read_row(outputs, name, row, place)
        elif isinstance(node.value, dict):
            if any(isinstance(child.value, dict | list) for child in node.value.values()):
                flat = {}
                for child_name, child in node.value.items():
                    if isinstance(child.value, list) or (isinstance(child.value, dict) and name != "io"):
                        self._read_group(outputs, child_name, child, place)
                    elif isinstance(child.value, dict):
                        flat.update(child.value)
                    else:
                        flat[child_name] = child
                node = LocatedValue(node.line, node.raw, flat)
            if node.value:
                self._read_row(outputs, name, node, place)

    def _read_row(self, outputs: Outputs, group: str, row: LocatedValue, place: tuple[int, int, bool]) -> None:
        if not isinstance(row.value, dict):
            return
        time, shift, has_time = place
        subject = "all" if group == "avg-cpu" else ""
        columns, cells, line = list[PointColumn](), list[str](), row.line
        for name, node in row.value.items():
            if name in SUBJECTS:
                text = row.text(name) or ""
                subject = f"{subject} {text}".strip() if text != "-1" else "all"
                continue
            if name == "interval" or not isinstance(node.value, float | int):
                continue
            column = find_column(group, name, row.value.keys())
            if column is None:
                outputs.doubt(node.line + shift, "unread", f"{group}: {name} is not known")
            elif column.metric:
                columns.append(column)
                cells.append(node.raw)
                line = node.line
        table = outputs.table((group, subject, tuple(columns)), subject, columns, has_times=has_time) if columns else None
        if table is not None:
            table.add(time, line + shift, cells)

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        if self._pending:
            self._outputs.doubt(self._first_line, "cut", "The JSON ends here, within a report.")
            self._read_pending()
        if not self._all:
            yield from self._outputs.finish()
        else:
            yield from self._outputs.doubts
        for outputs in self._all:
            yield from outputs.finish()


SERIES = SeriesReader("sysstat-json", 2, Anchor(lazy(r'"sysstat"[ \t]*:'), '"sysstat"'), _SysstatJson)
