"""The stamp of every exported file: address, date of freezing, number of runs and digest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Stamp:
    """Address of the permalink, ISO date of freezing, number of runs drawn, SHA-256 of the record in hexadecimal."""

    address: str
    frozen_at: str
    runs: int
    digest: str
    title: str = ""
    authors: str = ""
    flags: tuple[str, ...] = ()
    """Sentences of the honesty flags."""

    @property
    def date(self) -> str:
        """21 November 2026"""
        return f"{datetime.fromisoformat(self.frozen_at):%-d %B %Y}"

    @property
    def line(self) -> str:
        """Address, date and n."""
        return f"{self.address} \u00b7 frozen {self.date} \u00b7 n = {self.runs}"

    @property
    def digest_line(self) -> str:
        return f"SHA-256 {self.digest}"
