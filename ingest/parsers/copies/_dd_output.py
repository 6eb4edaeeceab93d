"""Lines that dd prints: record counts and summaries of every dialect and language.

GNU: print_xfer_stats in coreutils src/dd.c (`%s bytes (%s, %s) copied, %s, %s`), translated by po/*.po; before 5.1
and on BSD, macOS, illumos: `N bytes transferred in S secs (R bytes/sec)`; BusyBox: coreutils/dd.c; toybox:
toys/pending/dd.c; NuttX: nshlib/nsh_ddcmd.c (microseconds). Languages differ in the words, not in the order of the
figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_integer, parse_plain_number
from ingest.parsers.copies._dd_command import DdCommandLine

_NUM = r"\d{1,15}(?:[.,]\d{1,12})?(?:[eE][+-]?\d{1,3})?"
_COMMA = "[,\uff0c\u3001\u060c;]"
_BLANK = "[ \t\u00a0\u202f]*"
_BEFORE = "(?:(?<![\\d*#?\ufffd])[,;]|[,;](?=[ \t\u00a0\u202f])|[\uff0c\u3001\u060c])"  # not a comma within a damaged figure
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
_RATE = lazy(_TAIL)  # a cheap test, which every summary passes
_COPIED = lazy(
    r"(?P<bytes>\d(?:[\d\u00a0\u202f]|[.,' ](?=\d)){0,30}) ?(?P<word>[^\d\n()\uff08,#]{0,60}?)"
    + r"(?:[(\uff08](?P<human>[^()\uff08\uff09\n]{1,60})[)\uff09][^\d\n()]{0,60}?)?"
    + _TAIL
)
_ENGLISH = lazy(  # what _COPIED matches in a line with only the English summary of GNU dd
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
BYTE_WORDS = (
    "bytes?|octets?|bajt\\w*|\u0431\u0430\u0439\u0442\\w*|\u30d0\u30a4\u30c8|\ubc14\uc774\ud2b8|\u5b57\u8282|"
    "\u4f4d\u5143\u7d44|bayt|tavua?|b\u00e1jt|b\u00fdte|baitai|oktet\\w*"
)
_BEGUN = lazy(
    rf"(?<![\d.,])(\d{{3,20}})[ \t\u00a0\u202f]*(?:{BYTE_WORDS})[ \t\u00a0\u202f]*"
    r"(?:[(\uff08]\d(?!\d{0,9}s, )|transferred\b|copied\b)",
    re.I,
)

_NUMBERED = lazy(r"(?:\d{1,9} )+(\d{4,20})\Z")  # `3 1073741824 bytes`: the number of a run before the bytes, or of `count=3`
_TORN_BYTES = lazy(rf"(?<![\w.,+/=-])\d{{3,20}}(?:[ \t\u00a0\u202f]*(?:{BYTE_WORDS}))?\Z", re.I)
_TORN_TRANSFERRED = lazy(r"[\s>|*#]{0,24}(?:bytes? )?transferred in [\d.,]{1,24} (?:secs?|seconds?)(?: -)? *\(")
_BUSYBOX = lazy(r"[\d.]{1,8} ?[kKMGTP]?|[\d.]{1,8}[KMGTP]B")
_SECOND_WORDS = lazy(
    r"(?:s|se[ckg]\w*|\u79d2|\ucd08|\u0441|\u0441\u0435\u043a\w*|mp|m\u00e1sodperc\w*|\u03b4\u03b5\u03c5\u03c4\w*|sn|gi\u00e2y|saniye|c|usec|sekunt\w*|soicind\w*)\.?\Z",
    re.I,
)


_ROUNDING = [0.6 * 10.0 ** (1 - digits) for digits in range(100)]  # relative error of a figure of so many digits
# illumos (nicenum) and toybox use 1024 with the units that GNU uses for powers of 1000: bytes and seconds decide.
_TABLES = (units.DD_GNU, units.DD_BUSYBOX)


@dataclass(slots=True)
class DdSummary:
    """One summary line: bytes (`octets`), `seconds` and `rate` in bytes per second, None where none is printed.

    `exact`: the rate is printed in whole bytes per second. `dialect`: gnu, bsd, busybox or nuttx. `label`: the text before the
    summary. `progress`: certainly a progress line. `agrees`: bytes, seconds and rate are consistent within their digits.
    """

    line: int
    octets: int
    seconds: float
    raw_seconds: str
    rate: float | None
    raw_rate: str
    rate_unit: str
    exact: bool
    dialect: str
    label: str
    progress: bool = False
    agrees: bool = True

    @property
    def whole_seconds(self) -> bool:
        """Whether the seconds have no decimals: GNU's progress lines have none (%.0f), its results six digits (%g)."""
        return self.dialect == "gnu" and self.raw_seconds.isdecimal() and self.seconds > 0

    @property
    def may_be_progress(self) -> bool:
        """Whether the seconds are printed as in a progress line: without decimals, or with six by older versions."""
        return self.dialect == "gnu" and (self.raw_seconds.isdecimal() or re.search(r"[.,]\d{6}\Z", self.raw_seconds) is not None)


_NO_RATE = 50  # bytes per second up to which dd prints `0.0 kB/s`


def _agree(octets: int, seconds: float, rate: float, raw_seconds: str, raw_rate: str) -> bool:
    """Whether bytes, seconds and the printed rate are consistent within their digits."""
    if not seconds:
        return True
    computed = octets / seconds
    if raw_rate in ("0.0", "0,0"):
        return computed <= _NO_RATE
    error, largest = abs(computed - rate), max(rate, computed)
    if error <= 0.002 * largest:  # allowed for any number of digits, so they need not be counted
        return True
    return error <= (_ROUNDING[min(_count_digits(raw_rate), 99)] + _ROUNDING[min(_count_digits(raw_seconds), 99)] + 0.002) * largest


def _count_digits(raw: str) -> int:
    """Significant digits of a mantissa, at least 1."""
    digits = raw.replace(".", "", 1)
    if not digits.isdecimal():
        digits = re.sub(r"\D", "", raw.split("e")[0])
    return len(digits.lstrip("0")) or 1


def is_summary_like(text: str) -> bool:
    """Whether a line may contain a summary, whatever its figures are."""
    if "transferred" in text and (_TRANSFERRED.search(text) or _PROGRESS.search(text) or _TORN_TRANSFERRED.match(text)):
        return True
    return "/" in text and _RATE.search(text) is not None


def parse_summary(text: str, line: int) -> DdSummary | None:
    """The summary in a line, with any text before it; None without one."""
    if "transferred" in text and (match := _TRANSFERRED.search(text)):
        return _parse_transferred(match, text, line)
    if "transferred" in text and _PROGRESS.search(text):
        return DdSummary(line, 0, 0.0, "", None, "", rate_unit="", exact=False, dialect="bsd", label="", progress=True)
    match = _ENGLISH.match(text)
    if match and (english := _parse_english(match, line)):
        return english
    match = match or _match_copied(text)
    if not match:
        return None
    size, word, human, raw, unit, rate, per, time = match.group(*_GROUPS)
    octets, seconds = parse_integer(size), parse_plain_number(raw)
    if octets is None and (numbered := _NUMBERED.match(size)):
        octets = int(numbered[1])
    if unit != "s" and not _SECOND_WORDS.match(unit) and not _is_consistent(octets, seconds, rate, per):
        return None
    several = any((other["secs"], other["rate"]) != (raw, rate) for other in _RATE.finditer(text, match.end()))
    if octets is None or seconds is None or not (word.strip() or human):
        return None
    factor, dialect = 1.0, "gnu"
    tables: tuple[dict[str, int], ...] = _TABLES
    if unit == "usec":
        factor, dialect, tables = 1e-6, "nuttx", (units.DD_NUTTX,)
    elif _BUSYBOX.fullmatch(human or ""):
        dialect, tables = "busybox", (units.DD_BUSYBOX, units.DD_GNU)
    label = text[: match.start()].strip()[-60:]
    seconds = round(seconds * factor, 12)
    summary = DdSummary(
        line,
        octets,
        seconds,
        raw,
        None,
        rate,
        rate_unit=f"{per}/{time}",
        exact=False,
        dialect=dialect,
        label=label,
        progress=several,
    )
    return _with_rate(summary, rate, per, tables)


def parse_headless_summary(text: str, line: int, octets: int = 0) -> DdSummary | None:
    """The summary of GNU dd in a line that lacks its bytes: `(4.3 GB, 4.0 GiB) copied, 1.79521 s, 2.4 GB/s`.

    `octets`: the bytes that the command copies; None where they contradict the printed size and rate. With 0, any such
    line gives a summary of 0 bytes.
    """
    match = _HEADLESS.search(text) if "copi" in text else None
    if not match or not octets:
        return (
            DdSummary(line, 0, 0.0, match["secs"], None, "", rate_unit="", exact=False, dialect="gnu", label="") if match else None
        )
    size, factor = parse_plain_number(match["size"]), units.DD_GNU.get(match["of"])
    summary = parse_summary(f"{octets} bytes {text[match.start() :]}", line)
    if not size or not factor or not summary or abs(octets / (size * factor) - 1) > 0.06:
        return None
    return summary if summary.agrees and not summary.progress else None


def _parse_english(match: re.Match[str], line: int) -> DdSummary | None:
    """The English summary of GNU dd with consistent figures; None where the general way of `parse_summary` must decide."""
    size, _, human, raw, _, raw_rate, per, _ = match.groups()
    octets, seconds, rate = int(size), float(raw), float(raw_rate) * units.DD_GNU[per]
    if ("," not in human and _BUSYBOX.fullmatch(human)) or not _agree(octets, seconds, rate, raw, raw_rate):
        return None
    return DdSummary(
        line, octets, round(seconds, 12), raw, rate, raw_rate, rate_unit=per + "/s", exact=False, dialect="gnu", label=""
    )


def _match_copied(text: str) -> re.Match[str] | None:
    """The match of _COPIED, searched only near the first rate of the line."""
    rate = _RATE.search(text) if "/" in text and ("," in text or ";" in text or not text.isascii()) else None
    return _COPIED.search(text, max(0, rate.start() - 220)) if rate else None


def _is_consistent(octets: int | None, seconds: float | None, printed: str, per: str) -> bool:
    """Whether bytes, seconds and rate agree within 6 %, so that an unknown word must mean seconds."""
    rate, factor = parse_plain_number(printed), units.DD_GNU.get(per.replace("o", "B"))
    return bool(octets and seconds and rate and factor and abs(octets / seconds / (rate * factor) - 1) < 0.06)


def _with_rate(summary: DdSummary, printed: str, per: str, tables: tuple[dict[str, int], ...]) -> DdSummary:
    """The summary with its rate set, by the first unit table that agrees with bytes and seconds (else by the first)."""
    rate = parse_plain_number(printed)
    if rate is None:
        return summary
    per = "" if per == "bytes" else per.replace("o", "B")
    factors = [1] if per in ("", "B") else [factor for table in tables if (factor := table.get(per))]
    for factor in factors:
        summary.rate = rate * factor
        summary.agrees = _agree(summary.octets, summary.seconds, summary.rate, summary.raw_seconds, summary.raw_rate)
        if summary.agrees:
            return summary
    summary.rate = rate * factors[0] if factors else None
    return summary


def _parse_transferred(match: re.Match[str], text: str, line: int) -> DdSummary | None:
    """The summary of BSD dd; None where a figure is unreadable."""
    grouped = parse_integer(match["rate"]) if match["rate"].count(",") > 1 else None
    octets, seconds, rate = (
        parse_integer(match["bytes"]),
        parse_plain_number(match["secs"]),
        grouped or parse_plain_number(match["rate"]),
    )
    if octets is None or seconds is None:
        return None
    in_bytes = match["per"].startswith("byte")
    exact, label = in_bytes and rate is not None, text[: match.start()].strip()[-60:]
    summary = DdSummary(
        line,
        octets,
        seconds,
        match["secs"],
        None,
        match["rate"],
        rate_unit=f"{match['per']}/sec",
        exact=exact,
        dialect="bsd",
        label=label,
    )
    if grouped:
        summary.rate = float(grouped)
        summary.agrees = _agree(octets, seconds, summary.rate, summary.raw_seconds, summary.raw_rate)
        return summary
    return _with_rate(summary, match["rate"], "bytes" if in_bytes else match["per"], _TABLES)


def read_leading_bytes(text: str) -> int | None:
    """The bytes at the beginning of a possibly incomplete summary (`123456 bytes (1`); None without one."""
    match = _BEGUN.search(text)
    return int(match[1]) if match else None


def find_torn_bytes(text: str) -> str:
    """The bytes with which a line ends (`1073741824` or `1073741824 bytes`), where mail broke a summary behind them; or empty."""
    match = _TORN_BYTES.search(text.rstrip()[-60:])
    return match[0] if match else ""


def find_output(text: str, start: int) -> int:
    """Where record counts or a summary begin in a line behind a position, as that of a command; the line's length without them."""
    matches = (RECORD_COUNT.search(text, start), _BEGUN.search(text, start))
    return min((match.start() for match in matches if match), default=len(text))


# Assignment of summaries to dd commands, where several commands precede their outputs.
#
# A page or script may list its commands first and then the outputs in the same order. A summary whose size contradicts its
# command belongs to a command that is not shown.

_MAX_DISTANCE = 4  # lines of comments and other commands between two commands of one list
_MAX_EVIDENCE = 100


class CollectedSummary(NamedTuple):
    """A summary with what surrounds it.

    `has_counts`: both record counts precede it. `count_lines`: lines of those counts. `evidence`: lines that decided which
    command it belongs to. `printed`: its text, where its line has several outputs.
    """

    summary: DdSummary
    has_counts: bool
    command: DdCommandLine | None
    count_lines: tuple[int, ...]
    evidence: tuple[int, ...] = ()
    printed: str = ""


def assign_commands(
    lines: Sequence[str], commands: Sequence[DdCommandLine], collected: Sequence[CollectedSummary]
) -> list[CollectedSummary]:
    """The summaries, each with the command at its position in a list of commands; without one where its size contradicts it."""
    assigned: list[CollectedSummary] = []
    for group, outputs in _groups(commands, collected):
        evidence = _evidence(group, outputs)
        if is_list := _is_list(lines, group, outputs):
            outputs = [output._replace(command=group[i % len(group)]) for i, output in enumerate(outputs)]
        elif len(group) > 1:
            by_size = _group_by_size(group)
            outputs = [output._replace(command=_find_by_size(by_size, group[-1], output)) for output in outputs]
        last = group[-1] if len(group) > 1 and not is_list else object()  # the commands above it decide nothing
        for output in _drop_contradicted(outputs):
            assigned.append(output if output.command is last else output._replace(evidence=evidence))
    return assigned


def _evidence(group: Sequence[DdCommandLine], outputs: Sequence[CollectedSummary]) -> tuple[int, ...]:
    """The lines from the first to the last command and of the outputs, the first `_MAX_EVIDENCE`; () for a single pair."""
    if not group or len(group) + len(outputs) < 3:
        return ()
    return tuple([*range(group[0].line, group[-1].last_line + 1), *(o.summary.line for o in outputs)][:_MAX_EVIDENCE])


def _groups(
    commands: Sequence[DdCommandLine], collected: Sequence[CollectedSummary]
) -> Iterator[tuple[list[DdCommandLine], list[CollectedSummary]]]:
    """Commands without a summary between them, and the summaries below them up to the next command."""
    group: list[DdCommandLine] = []
    outputs: list[CollectedSummary] = []
    position = 0
    for output in collected:
        while position < len(commands) and commands[position].line <= output.summary.line:
            if outputs:
                yield group, outputs
                group, outputs = [], []
            group.append(commands[position])
            position += 1
        outputs.append(output)
    if outputs:
        yield group, outputs


def _is_list(lines: Sequence[str], group: Sequence[DdCommandLine], outputs: Sequence[CollectedSummary]) -> bool:
    """Whether the commands form one list and its summaries follow in order, complete and of the right sizes."""
    if len(group) < 2 or len(outputs) % len(group) or any(len(c.dds) != 1 or c.is_loop or c.is_background for c in group):
        return False
    if any(o.summary.whole_seconds or o.summary.progress or o.command is not group[-1] for o in outputs):
        return False
    if group[-1].shows_progress and any(not before.has_counts and after.has_counts for before, after in pairwise(outputs)):
        return False  # a progress line and the result of the last command alone
    if not all(group[i % len(group)].total in (None, output.summary.octets) for i, output in enumerate(outputs)):
        return False
    return all(
        after.line - before.last_line <= _MAX_DISTANCE
        and not any("```" in line for line in lines[before.last_line : after.line - 1])
        for before, after in pairwise(group)
    )


def _group_by_size(group: Sequence[DdCommandLine]) -> dict[int | None, list[DdCommandLine]]:
    """The commands of a group by the bytes they copy."""
    by_size: dict[int | None, list[DdCommandLine]] = {}
    for command in group:
        by_size.setdefault(command.total, []).append(command)
    return by_size


def _find_by_size(
    by_size: Mapping[int | None, Sequence[DdCommandLine]], last: DdCommandLine, output: CollectedSummary
) -> DdCommandLine | None:
    """The only command of a group with the size of a summary that contradicts the `last` one; None where several have it."""
    command = output.command
    if command is not last or command.total in (None, output.summary.octets):
        return command
    same_size = by_size.get(output.summary.octets, ())
    return command if not same_size else same_size[0] if len(same_size) == 1 else None


def _drop_contradicted(outputs: Sequence[CollectedSummary]) -> Iterator[CollectedSummary]:
    """The outputs; once a command has its summary, later ones of another size are left without a command."""
    finished: DdCommandLine | None = None
    for output in outputs:
        command = output.command
        if command and command is finished and command.total != output.summary.octets:
            command = None
        elif command and command.total and command.total == output.summary.octets:
            finished = command
        yield output if command is output.command else output._replace(command=command)
