"""The line with which sysstat's tools begin: system, release, host, date, machine, number of CPUs."""

from __future__ import annotations

from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.series._clock import format_start, is_date, parse_date

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
