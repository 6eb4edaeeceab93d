"""Lines that dd prints: record counts and summaries of every dialect and language.

GNU: print_xfer_stats in coreutils src/dd.c (`%s bytes (%s, %s) copied, %s, %s`), translated by po/*.po; before 5.1
and on BSD, macOS, illumos: `N bytes transferred in S secs (R bytes/sec)`; BusyBox: coreutils/dd.c; toybox:
toys/pending/dd.c; NuttX: nshlib/nsh_ddcmd.c (microseconds). The words differ with the language, the order of the
figures does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_integer, parse_plain_number

_NUM = r"\d{1,15}(?:[.,]\d{1,12})?(?:[eE][+-]?\d{1,3})?"
_COMMA = "[,\uff0c\u3001\u060c;]"
_BLANK = "[ \t\u00a0\u202f]*"
_BEFORE = "(?:(?<![\\d*#?\ufffd])[,;]|[,;](?=[ \t\u00a0\u202f])|[\uff0c\u3001\u060c])"  # not the comma of a damaged figure
_TAIL = (
    _BEFORE
    + _BLANK
    + f"(?P<secs>{_NUM})"
    + _BLANK
    + r"(?P<unit>[^\W\d]{1,12}\.?)"
    + _BLANK
    + _COMMA
    + _BLANK
    + f"(?P<rate>{_NUM}|[Ii]nfinity|inf|-?nan|\u221e)"
    + _BLANK
    + r"(?P<per>[kKMGTPE]?i?[Bo]?|bytes)/(?P<time>[^\W\d]{1,7})"
)
_ENDS = lazy(_TAIL)  # cheap, and nothing is a summary without it
_COPIED = lazy(
    r"(?P<bytes>\d(?:[\d\u00a0\u202f]|[.,' ](?=\d)){0,30}) ?(?P<word>[^\d\n(\uff08,#]{0,60}?)"
    + r"(?:[(\uff08](?P<human>[^()\uff08\uff09\n]{1,60})[)\uff09][^\d\n()]{0,60}?)?"
    + _TAIL
)
_PLAIN = lazy(  # what _COPIED finds in a line that holds nothing but the summary of GNU dd in English
    r"(?P<bytes>\d{1,15}) (?P<word>bytes )\((?P<human>\d[\w. ]{1,20}(?:, \d[\w. ]{1,20})?)\) copied, "
    r"(?P<secs>\d{1,9}(?:\.\d{1,12})?) (?P<unit>s), (?P<rate>\d{1,9}(?:\.\d{1,12})?) (?P<per>[kMGT]?B)/(?P<time>s)\Z"
)
_HEADLESS = lazy(
    r"(?<!bytes )(?<!octets )\((?P<size>\d[\d.,]{0,8}) (?P<of>[kMGT]B)(?:, \d[\d.,]{0,8} [kMGT]iB)?\) copi[^\W\d]{1,6}" + _TAIL
)
_GROUPS = ("bytes", "word", "human", "secs", "unit", "rate", "per", "time")
_TRANSFERRED = lazy(
    r"(?P<bytes>\d{1,20}) bytes?(?: \([^()\n]{1,60}\))? transferred in (?P<secs>[\d.,]{1,24}) (?P<unit>secs?|seconds?)"
    r"(?: -)? *\((?P<rate>\d{1,3}(?:,\d{3}){2,5}|" + _NUM + r"|inf|nan) *(?P<per>bytes?|[kKMGTPE]?i?B)/s(?:ec)?\)"
)
_PROGRESS = lazy(r"\d{1,26} bytes \([^()\n]{1,40}\) transferred [\d.]{1,20}s, ")
RECORD_COUNT = lazy(r"(?<![\d+.:/-])(\d{1,18})\+(\d{1,18})(?:[ \t\u00a0\u202f]+(?:[^\W\d]|\?\?)|[ \t\u00a0]+[^\x00-\x7f]|\s*\Z)")
DD_ERROR = lazy(r"(?:^|[\s/])g?dd: (?!sequential )[^\n]{3,}")
_WORDS = (
    "bytes?|octets?|bajt\\w*|\u0431\u0430\u0439\u0442\\w*|\u30d0\u30a4\u30c8|\ubc14\uc774\ud2b8|\u5b57\u8282|"
    "\u4f4d\u5143\u7d44|bayt|tavua?|b\u00e1jt|b\u00fdte|baitai|oktet\\w*"
)
_BEGUN = lazy(
    r"(?<![\d.,])(\d{3,20})[ \t\u00a0\u202f]*(?:" + _WORDS + r")[ \t\u00a0\u202f]*(?:[(\uff08]\d|transferred\b|copied\b)",
    re.I,
)

_NUMBERED = lazy(r"(?:\d{1,3} )+(\d{4,20})\Z")  # `3 1073741824 bytes`: the number of a run stands before the bytes
_BUSYBOX = lazy(r"[\d.]{1,8} ?[kKMGTP]?|[\d.]{1,8}[KMGTP]B")
_SECOND_WORDS = lazy(
    r"(?:s|se[ckg]\w*|\u79d2|\ucd08|\u0441|\u0441\u0435\u043a\w*|mp|m\u00e1sodperc\w*|\u03b4\u03b5\u03c5\u03c4\w*|sn|gi\u00e2y|saniye|c|usec|sekunt\w*|soicind\w*)\.?\Z",
    re.I,
)


_HALVES = [0.6 * 10.0 ** (1 - digits) for digits in range(100)]  # by what part rounding to so many digits changes a figure
# illumos (nicenum) and toybox scale by 1024 under the names that GNU uses for powers of 1000: bytes and seconds decide.
_TABLES = (units.DD_GNU, units.DD_BUSYBOX)


@dataclass(slots=True)
class DdSummary:
    """One summary line. `exact`: bytes per second that the line prints, None where they are rounded or missing.

    `dialect`: gnu, bsd, busybox, nuttx; `progress`: the line is known not to be final.
    """

    line: int
    octets: int
    seconds: float
    raw_seconds: str
    raw_unit: str
    rate: float | None
    raw_rate: str
    rate_unit: str
    exact: bool
    dialect: str
    label: str
    progress: bool = False
    agrees: bool = True  # bytes, seconds and rate, within their digits

    @property
    def whole_seconds(self) -> bool:
        """Whether the seconds have no decimals: GNU's progress lines have none (%.0f), its results six digits (%g)."""
        return self.dialect == "gnu" and self.raw_seconds.isdecimal() and self.seconds > 0

    @property
    def may_be_progress(self) -> bool:
        """Whether dd's seconds look like those of its progress: whole ones, or as many as six decimals of older versions."""
        return self.dialect == "gnu" and (self.raw_seconds.isdecimal() or re.search(r"[.,]\d{6}\Z", self.raw_seconds) is not None)


_NO_RATE = 50  # bytes a second, of which dd prints `0.0 kB/s`


def _agree(octets: int, seconds: float, rate: float, raw_seconds: str, raw_rate: str) -> bool:
    """Whether bytes, seconds and the printed rate fit together within their digits."""
    if not seconds:
        return True
    due = octets / seconds
    if raw_rate in ("0.0", "0,0"):
        return due <= _NO_RATE
    off, most = abs(due - rate), max(rate, due)
    # Nearly always as close as any number of digits has to be, so that they need not be counted.
    if off <= 0.002 * most:
        return True
    return off <= (_HALVES[min(_digits(raw_rate), 99)] + _HALVES[min(_digits(raw_seconds), 99)] + 0.002) * most


def _digits(raw: str) -> int:
    """Significant digits of a mantissa, at least 1."""
    figures = raw.replace(".", "", 1)
    if not figures.isdecimal():
        figures = re.sub(r"\D", "", raw.split("e")[0])
    return len(figures.lstrip("0")) or 1


def is_summary_like(text: str) -> bool:
    """Whether a line may print a summary, whatever its figures are."""
    if "transferred" in text and (_TRANSFERRED.search(text) or _PROGRESS.search(text)):
        return True
    return "/" in text and _ENDS.search(text) is not None


def parse_summary(text: str, line: int) -> DdSummary | None:
    """The summary that a line prints, whatever stands before it, or None."""
    if "transferred" in text and (found := _TRANSFERRED.search(text)):
        return _transferred(found, text, line)
    if "transferred" in text and (found := _PROGRESS.search(text)):
        return DdSummary(line, 0, 0.0, "", "s", None, "", "", False, "bsd", "", True)
    found = _PLAIN.match(text)
    if found and (plainly := _plainly(found, line)):
        return plainly
    found = found or _copied(text)
    if not found:
        return None
    size, word, human, raw, unit, rate, per, time = found.group(*_GROUPS)
    octets, seconds = parse_integer(size), parse_plain_number(raw)
    if octets is None and (numbered := _NUMBERED.match(size)):
        octets = int(numbered[1])
    if unit != "s" and not _SECOND_WORDS.match(unit) and not _fits(octets, seconds, rate, per):
        return None
    several = any((other["secs"], other["rate"]) != (raw, rate) for other in _ENDS.finditer(text, found.end()))
    if octets is None or seconds is None or not (word.strip() or human):
        return None
    scale, dialect = 1.0, "gnu"
    tables: tuple[dict[str, int], ...] = _TABLES
    if unit == "usec":
        scale, dialect, tables = 1e-6, "nuttx", (units.DD_NUTTX,)
    elif _BUSYBOX.fullmatch(human or ""):
        dialect, tables = "busybox", (units.DD_BUSYBOX, units.DD_GNU)
    base = DdSummary(
        line,
        octets,
        round(seconds * scale, 12),
        raw,
        unit,
        None,
        rate,
        f"{per}/{time}",
        False,
        dialect,
        text[: found.start()].strip()[-60:],
        several,
    )
    return _with_rate(base, rate, per, tables)


def parse_headless_summary(text: str, line: int, octets: int = 0) -> DdSummary | None:
    """The summary of GNU dd that a line prints without its bytes: `(4.3 GB, 4.0 GiB) copied, 1.79521 s, 2.4 GB/s`.

    With the bytes that the command tells, None where they do not fit the size and the rate beside them.
    """
    found = _HEADLESS.search(text) if "copi" in text else None
    if not found or not octets:
        return DdSummary(line, 0, 0.0, found["secs"], "s", None, "", "", False, "gnu", "") if found else None
    size, factor = parse_plain_number(found["size"]), units.DD_GNU.get(found["of"])
    whole = parse_summary(f"{octets} bytes {text[found.start() :]}", line)
    if not size or not factor or not whole or abs(octets / (size * factor) - 1) > 0.06:
        return None
    return whole if whole.agrees and not whole.progress else None


def _plainly(found: re.Match[str], line: int) -> DdSummary | None:
    """The summary of GNU dd in English, whose figures fit together; None where that takes a longer look."""
    size, _, human, raw, _, rate, per, _ = found.groups()
    octets, seconds, figure = int(size), float(raw), float(rate) * units.DD_GNU[per]
    if ("," not in human and _BUSYBOX.fullmatch(human)) or not _agree(octets, seconds, figure, raw, rate):
        return None
    return DdSummary(line, octets, round(seconds, 12), raw, "s", figure, rate, per + "/s", False, "gnu", "")


def _copied(text: str) -> re.Match[str] | None:
    ends = _ENDS.search(text) if "/" in text and ("," in text or ";" in text or not text.isascii()) else None
    return _COPIED.search(text, max(0, ends.start() - 220)) if ends else None


def _fits(octets: int | None, seconds: float | None, printed: str, per: str) -> bool:
    """Whether bytes, seconds and rate agree, so that a word of an unknown language can only mean seconds."""
    rate, factor = parse_plain_number(printed), units.DD_GNU.get(per.replace("o", "B"))
    return bool(octets and seconds and rate and factor and abs(octets / seconds / (rate * factor) - 1) < 0.06)


def _with_rate(base: DdSummary, printed: str, per: str, tables: tuple[dict[str, int], ...]) -> DdSummary:
    """The summary with its printed rate, in the first of the tables that fits bytes and seconds (else in the first)."""
    rate = parse_plain_number(printed)
    if rate is None:
        return base
    per = "" if per == "bytes" else per.replace("o", "B")
    factors = [1] if per in ("", "B") else [factor for table in tables if (factor := table.get(per))]
    for factor in factors:
        base.rate = rate * factor
        base.agrees = _agree(base.octets, base.seconds, base.rate, base.raw_seconds, base.raw_rate)
        if base.agrees:
            return base
    base.rate = rate * factors[0] if factors else None
    return base


def _transferred(found: re.Match[str], text: str, line: int) -> DdSummary | None:
    grouped = parse_integer(found["rate"]) if found["rate"].count(",") > 1 else None
    octets, seconds, rate = (
        parse_integer(found["bytes"]),
        parse_plain_number(found["secs"]),
        grouped or parse_plain_number(found["rate"]),
    )
    if octets is None or seconds is None:
        return None
    exact = found["per"].startswith("byte")
    base = DdSummary(
        line,
        octets,
        seconds,
        found["secs"],
        found["unit"],
        None,
        found["rate"],
        f"{found['per']}/sec",
        exact and rate is not None,
        "bsd",
        text[: found.start()].strip()[-60:],
    )
    if grouped:
        base.rate = float(grouped)
        base.agrees = _agree(octets, seconds, base.rate, base.raw_seconds, base.raw_rate)
        return base
    return _with_rate(base, found["rate"], "bytes" if exact else found["per"], _TABLES)


def read_leading_bytes(text: str) -> int | None:
    """The bytes with which a line begins as a summary does; None where it does not."""
    found = _BEGUN.search(text)
    return int(found[1]) if found else None
