"""The stamp of every exported file: address, date of freezing, number of runs and digest.

Runs on Python 3.8 with the standard library alone, as latex.py does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Stamp:
    """Address of the permalink, ISO date of freezing, number of runs drawn, SHA-256 of the record in hexadecimal. What is not
    frozen has neither date nor digest, but `live` and the address that draws it."""

    address: str
    frozen_at: str
    runs: int
    digest: str
    title: str = ""
    authors: str = ""
    flags: tuple[str, ...] = ()
    """Sentences of the honesty flags."""
    live: str = ""
    """`Not frozen: drawn on 27 November 2026 from data version 12`"""

    @property
    def date(self) -> str:
        """21 November 2026"""
        day = datetime.fromisoformat(self.frozen_at)
        return f"{day.day} {day:%B %Y}"

    @property
    def line(self) -> str:
        """Address, date and n."""
        if not self.frozen_at:
            return " \u00b7 ".join(part for part in (self.live, self.address, f"n = {self.runs}") if part)
        return f"{self.address} \u00b7 frozen {self.date} \u00b7 n = {self.runs}"

    @property
    def digest_line(self) -> str:
        return f"SHA-256 {self.digest}" if self.digest else ""


def stamp_of_record(record: Mapping[str, Any], digest: str) -> Stamp:
    """The stamp of a permalink's record with this digest."""
    return Stamp(
        address=record["address"],
        frozen_at=record["frozen_at"],
        runs=record["counts"]["runs"],
        digest=digest,
        title=record.get("title", ""),
        authors=record.get("authors", ""),
        flags=tuple(flag["sentence"] for flag in record["flags"]),
    )
