"""The metrics of series: numbers over time, as system statistics tools and logs of benchmarks print them.

Apart from `ingest.catalogue`, since they are no results of a benchmark and are never compared with any.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SeriesMetric:
    """Name, base unit (B/s, 1/s, s, B, 1, %) and label."""

    name: str
    unit: str
    label: str


_UNITS = {
    "throughput": "B/s", "rate": "1/s", "latency": "s", "time": "s", "size": "B", "amount": "B", "frequency": "1/s",
    "share": "%", "util": "%", "count": "1",
}  # fmt: skip
"""The unit of a name that ends so, unless its row gives one."""

# A row for each metric: name, unit where the last part of the name does not imply it, label.
_ROWS = Path(__file__).with_suffix(".tsv")

# Counters of protocols per second: `PREFIX.NAME.rate`, where NAME is the tool's column without `/s`.
COUNTER_GROUPS = {
    "nfs": ("NFS client", "call retrans read write access getatt"),
    "nfsd": ("NFS server", "scall badcall packet udp tcp hit miss sread swrite saccess sgetatt"),
    "ip": ("IP", "irec fwddgm idel orq asmrq asmok fragok fragcrt"),
    "ip.error": ("IP errors", "ihdrerr iadrerr iukwnpr idisc odisc onort asmf fragf"),
    "icmp": ("ICMP", "imsg omsg iech iechr oech oechr itm itmr otm otmr iadrmk iadrmkr oadrmk oadrmkr"),
    "icmp.error": ("ICMP errors", "ierr oerr idstunr odstunr itmex otmex iparmpb oparmpb isrcq osrcq iredir oredir"),
    "tcp": ("TCP", "active passive iseg oseg"),
    "tcp.error": ("TCP errors", "atmptf estres retrans isegerr orsts"),
    "udp": ("UDP", "idgm odgm noport idgmerr"),
    "ip6": ("IPv6", "irec6 fwddgm6 idel6 orq6 asmrq6 asmok6 imcpck6 omcpck6 fragok6 fragcr6"),
    "ip6.error": ("IPv6 errors", "ihdrer6 iadrer6 iukwnp6 i2big6 idisc6 odisc6 inort6 onort6 asmf6 fragf6 itrpck6"),
    "icmp6": (
        "ICMPv6",
        "imsg6 omsg6 iech6 iechr6 oechr6 igmbq6 igmbr6 ogmbr6 igmbrd6 ogmbrd6 irtsol6 ortsol6 irtad6 inbsol6 onbsol6 inbad6 onbad6",
    ),
    "icmp6.error": ("ICMPv6 errors", "ierr6 idtunr6 odtunr6 itmex6 otmex6 iprmpb6 oprmpb6 iredir6 oredir6 ipck2b6 opck2b6"),
    "udp6": ("UDPv6", "idgm6 odgm6 noport6 idgmer6"),
}


def _rows() -> dict[str, SeriesMetric]:
    metrics = {}
    for row in _ROWS.read_text().splitlines()[1:]:
        name, unit, label = row.split("\t")
        metrics[name] = SeriesMetric(name, unit or _UNITS[name.rpartition(".")[2]], label)
    for prefix, (label, counters) in COUNTER_GROUPS.items():
        for counter in counters.split():
            name = f"{prefix}.{counter}.rate"
            metrics[name] = SeriesMetric(name, "1/s", f"{label}: {counter}")
    return metrics


SERIES_METRICS: dict[str, SeriesMetric] = _rows()
