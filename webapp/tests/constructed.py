"""Archives of the shape of a study: three operating systems, three processors, fifteen settings of a pool, and Lustre.

The values are made up by a formula and the archives say so in their titles; they exist only while a test runs.
"""

from __future__ import annotations

from webapp.models import Archive
from webapp.tests import making

SYSTEMS = {"OpenIndiana": "SunOS", "FreeBSD": "FreeBSD", "Ubuntu": "Linux"}
PROCESSORS = (
    "Intel(R) Xeon(R) CPU E3110 @ 3.00GHz",
    "Intel(R) Xeon(R) CPU X5677 @ 3.46GHz",
    "Intel(R) Core(TM) i5-2500K CPU @ 3.30GHz",
)
SETTINGS = [
    ("off", "off", "on"),
    ("off", "off", "off"),
    ("off", "on", "off"),
    ("lz4", "off", "off"),
    ("lzjb", "off", "off"),
    *((f"gzip-{level}", "off", "off") for level in range(1, 10)),
    ("lz4", "on", "off"),
]
"""(compression, dedup, atime)"""
LUSTRE = [("off", "off"), ("lz4", "off"), ("lzjb", "off"), ("gzip-6", "off"), ("off", "on"), ("lz4", "on")]
BONNIE = ("write.throughput", "rewrite.throughput", "read.throughput")
IOR = ("write.throughput", "read.throughput")
RUNS = 3


def _config(setting: tuple[str, str, str], more: dict) -> dict:
    compression, dedup, atime = setting
    return {"pool.compression": compression, "pool.dedup": dedup, "pool.atime": atime} | more


def _runs(path: str, metrics, base: float, config: dict, **other):
    """Records of `RUNS` runs of each metric, 3 % apart."""
    for at, metric in enumerate(metrics, 1):
        values = [base * at * (1 + 0.03 * run) for run in range(RUNS)]
        yield from making.file_records(f"{path}/{metric}.csv", f"{path} {metric}", values, metric=metric, config=config, **other)


def _titled(name: str, records) -> Archive:
    row = making.archive(records=records, public=True, name=f"{name}.tar")
    Archive.objects.filter(pk=row.pk).update(title=f"{name} (constructed)")
    return row


def operating_systems() -> Archive:
    """Every setting under every operating system on every processor, by bonnie++."""

    def records():
        for number, cpu in enumerate(PROCESSORS, 1):
            for os_at, (name, family) in enumerate(SYSTEMS.items(), 1):
                for at, setting in enumerate(SETTINGS, 1):
                    config = _config(setting, {"os.name": name, "os.family": family, "cpu.model": cpu, "fs.type": "zfs"})
                    yield from _runs(f"{number}/{name}/{at}", BONNIE, 1e7 * number * os_at * (1 + at / 20), config)

    return _titled("operating systems", records())


def lustre() -> Archive:
    """Four settings of compression without deduplication and two with it, by bonnie++ and by IOR, on Lustre over ZFS."""

    def records():
        for tool, metrics in (("bonnie++", BONNIE), ("ior", IOR)):
            for at, (compression, dedup) in enumerate(LUSTRE):
                config = _config(
                    (compression, dedup, "off"),
                    {"os.name": "CentOS", "os.family": "Linux", "fs.type": "lustre", "fs.stack": "lustre/zfs"},
                )
                yield from _runs(f"{tool}/{at}", metrics, 2e7 * (at + 1), config, tool=tool, tool_version="1")

    return _titled("Lustre over ZFS", records())
