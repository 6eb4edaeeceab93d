"""The groups of sysstat's JSON, and the columns of its text reports that their members are."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from ingest.series._outputs import parse_columns
from ingest.series._sysstat_sections import section_columns
from ingest.series.iostat import CPU_COLUMNS, DEVICE_COLUMNS
from ingest.spill.points import PointColumn

SUBJECTS = frozenset(
    (
        "cpu",
        "node",
        "core",
        "disk-device",
        "disk_device",
        "iface",
        "intr",
        "line",
        "number",
        "filesystem",
        "mountpoint",
        "device",
        "fchost",
        "pid",
        "tgid",
        "tid",
        "command",
        "group",
    )
)
_IGNORED = PointColumn("", "")
_SAME = ("rd_sec", "wr_sec", "dc_sec", "avgrq-sz", "avgqu-sz")
"""Members that repeat others of the same row in another unit."""
_OF_IOSTAT = frozenset(("avg-cpu", "disk"))
_GROUPS = {
    "cpu-load": "CPU",
    "cpu-load-all": "CPU",
    "node-load": "CPU",
    "sum-interrupts": "CPU",
    "process-and-context-switch": "runq-sz",
    "interrupts": "INTR",
    "swap-pages": "kbswpfree",
    "paging": "pgpgin/s",
    "io": "tps",
    "memory": "kbmemfree",
    "hugepages": "kbhugfree",
    "kernel": "dentunusd",
    "queue": "runq-sz",
    "serial": "rcvin/s",
    "disk": "areq-sz",
    "net-dev": "rxpck/s",
    "net-edev": "rxpck/s",
    "net-nfs": "call/s",
    "net-nfsd": "scall/s",
    "net-sock": "totsck",
    "net-ip": "irec/s",
    "net-eip": "ihdrerr/s",
    "net-icmp": "imsg/s",
    "net-eicmp": "ierr/s",
    "net-tcp": "active/s",
    "net-etcp": "atmptf/s",
    "net-udp": "idgm/s",
    "net-sock6": "tcp6sck",
    "net-ip6": "irec6/s",
    "net-eip6": "ihdrer6/s",
    "net-icmp6": "imsg6/s",
    "net-eicmp6": "ierr6/s",
    "net-udp6": "idgm6/s",
    "softnet": "blg_len",
    "cpu-frequency": "MHz",
    "cpu-weighted-frequency": "wghMHz",
    "filesystems": "MBfsfree",
    "psi-cpu": "%scpu",
    "psi-io": "%scpu",
    "psi-mem": "%scpu",
    "fan-speed": "rpm",
    "temperature": "degC",
    "voltage-input": "inV",
    "fchosts": "fch_rxf/s",
}
"""Group -> a column of its text report."""
_NAMES = {
    "frequency": "MHz",
    "weighted-frequency": "wghMHz",
    "value": "all",
    "intr": "intr/s",
    "inactive": "kbinact",
}


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
