"""rsync and openrsync: the summary of a transfer. The rate is the measurement, bytes sent and received are parameters.

Shapes of rsync (name | versions | units | traps):
    summary | 2.4 to 3.x | bytes, with separators of the locale | rate = (sent + received) / (elapsed + 0.5 s)
    summary, -h and -hh | 3.x | powers of 1000, -hh powers of 1024 | three digits
    summary and --stats | openrsync | k, M = powers of 1000
    log file | --log-file, daemon | bytes | ends with a second, exact summary without a rate

Source: rsync main.c (output_summary), lib/compat.c (do_big_num), log.c; rsync.1; openrsync
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_integer, parse_number, parse_scaled_number
from ingest.options import command_params
from ingest.parsers._shell_command import join_continuations
from ingest.plugin_api import Anchor, Parser
from ingest.records import FAILED, NOT_FINISHED, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

_NUM = r"\d[\d.,'\u2019\u00a0\u202f]{0,40}"
_SENT = lazy(
    rf"\b(?:sent|wrote) ?({_NUM})([kKMGTP]?)(B?) bytes\s{{1,4}}(?:received|read) ?({_NUM})([kKMGTP]?)(B?) bytes"
    rf"\s{{0,4}}({_NUM})([kKMGTP]?)B? bytes/sec"
)
_RATE_ONLY = lazy(rf"(?<![\w.,])[\d.,]*[kKMGTP]? ?bytes\s{{1,4}}({_NUM})([kKMGTP]?)B? bytes/sec")
_TOTAL = lazy(rf"\btotal size is ?({_NUM})([kKMGTP]?)B?\s{{0,4}}speedup is ?({_NUM})(?=\s|\Z|[`<)])( \((?:DRY RUN|BATCH ONLY)\))?")
_TOTAL_BEGUN = lazy(r"\btotal size is\b")
_SENT_BEGUN = lazy(
    rf"\bsent {_NUM}[kKMGTP]?B? bytes\s{{1,4}}(?:rece?i?v?e?d?\b|re?\Z)(?!.*total size)|\bsent {_NUM}[kKMGTP]?B? byt?e?s?\s*\Z"
)
_SENT_OPENS = lazy(rf"\b(?:sent|wrote) {_NUM}(?![^\n]{{0,200}}total size is)")
_TOTAL_OPENS = lazy(r"\btotal(?:\s+size(?:\s+is\b[^\n]{0,80})?)?\s*\Z")
_UNREAD = lazy(r"\b(?:sent|wrote)\s[^\n]{1,60}bytes\s[^\n]{0,60}\d[^\n]{0,30}bytes/sec")
_SENT_CUT = lazy(rf"^\W*(?:[\w:/. \[\]-]{{0,60}}[\]:] )?sent {_NUM}[kKMGTP]?B?(?: b(?:y(?:te?)?)?)?\s*\Z")
_BREAK = lazy(r"\s*<br ?/?>\s*")
_MARGIN = " \t>|*#"
_MAX_CONTINUATION, _MAX_LINES = 100, 4  # length and number of the continuation lines of a broken summary
_EXACT = lazy(r"\bsent (\d{1,20}) bytes\s+received (\d{1,20}) bytes\s+total size (\d{1,20})\b")
_STAT = lazy(
    rf"\b(Number of files|Number of created files|Number of deleted files|"
    rf"Number of regular files transferred|Number of files transferred|"
    rf"Total file size|Total transferred file size|Literal data|Unmatched data|Matched data|File list size|"
    rf"File list generation time|"
    rf"File list transfer time|Total bytes sent|Total bytes received|Total sent|Total received): "
    rf"({_NUM}) ?([kKMGTP]?B?)(?: bytes| seconds)?(?=[\s(,]|\Z)"
)
_ENDED = lazy(r"\(code (?:20|30|35)\)|SIGINT")  # by a signal or a limit of time
_ERROR = lazy(r"\brsync error: ([^\n]{0,200})")
_ROLE = lazy(r"\[(?:sender|receiver|generator|Receiver|Sender)=(\d[\w.]{1,20})\]")
_VERSION = lazy(r"\brsync  version (\d[\w.]{1,20})\s+protocol version")
_COMMAND = lazy(r"(?:^|[\s;|&(/])(?:open)?rsync\s+(?:-{0,2}[\w/.~]|\\\s*\Z)")
_PROGRESS = lazy(r"\d%[ \t]+\d[\d.,]*[kMG]B/s[ \t]+\d{1,4}:\d\d:\d\d")  # progress.c, rprint_progress
ANCHOR = lazy(
    r"\d%[ \t]+\d[\d.,]*[kMG]B/s[ \t]+\d{1,4}:\d|"
    r"bytes/sec|total size is|rsync error: |sent \d[\d.,]*[kKMGTP]?B? byt|sent \d[\d.,]*[kKMGTP]?B?(?: by?)?[ \t]*$",
    re.M,
)


_MAX_COMMAND, _SHOWN = 4000, 400  # characters of a command that are read, and kept as a parameter


class _Command(NamedTuple):
    """A command line of rsync; `last`: its last line where backslashes break it."""

    line: int
    text: str
    last: int


@dataclass
class _RsyncScan:
    """State of reading: the transfer under construction, and what applies to the next one."""

    text: Text
    records: list[Found] = field(default_factory=list)
    run: _RsyncRun | None = None
    previous: _RsyncRun | None = None  # closed; an `rsync error` below may still give its version
    stats: dict[str, Any] = field(default_factory=dict)  # of --stats, since the last summary
    stat_lines: list[int] = field(default_factory=list)
    command: _Command | None = None
    version: tuple[str, int] | None = None  # and its line
    failed: int = 0  # where the latest transfer begins that failed without a summary: its command, else its first error
    joined_until: int = 0  # the last line of the latest summary that was broken over several


def parse(text: Text) -> Iterator[Found]:
    """Every transfer of the text, in line order."""
    scan = _RsyncScan(text)
    for lineno, line in enumerate(text.lines, 1):
        if "rsync" in line:
            _read_message(scan, line, lineno)
        if "<br" in line:
            line = _BREAK.sub("  ", line)
        if ("sent" in line or "bytes/sec" in line or "wrote " in line) and lineno > scan.joined_until:
            _read_sent(scan, line, lineno)
        if "total" in line and ("total size" in line or (scan.run and _TOTAL_OPENS.search(line))):
            _read_total(scan, line, lineno)
        elif ": " in line and (stat := _STAT.search(line)):
            _read_stat(scan, stat, lineno)
    _close_run(scan)
    _flush(scan)
    if not scan.records and (progress := list(text.find_lines(_PROGRESS.search))):
        last = progress[-1]
        raw = text.lines[last].strip(_MARGIN)[:80]
        scan.records.append(
            MissingValue(last + 1, "rsync", "copy.throughput", "bytes/sec", "B/s", raw, run=last + 1, reason=NOT_FINISHED)
        )
        message = "rsync's progress is here, but its summary is missing; nothing was recorded"
        scan.records.append(Doubt(progress[-1] + 1, "cut", message))
    yield from sorted(scan.records, key=attrgetter("line"))


def _read_message(scan: _RsyncScan, line: str, lineno: int) -> None:
    """Read a line that names rsync: its version, an error or a command."""
    if version := _VERSION.search(line):
        scan.version = version[1], lineno
    elif error := _ERROR.search(line):
        role = _ROLE.search(line)
        run = scan.run or scan.previous
        if run and role and run.version is None:
            run.version = role[1]
            run.depends.append(lineno)
        if run is None or (scan.command and scan.command.line > run.line):
            _add_failure(scan, error, lineno)
        scan.records.append(Doubt(lineno, "failed-run", f"rsync reported: {error[1][:160]}"))
    elif _COMMAND.search(line) and not line.lstrip().startswith("rsync:"):
        _close_run(scan)
        command, last = join_continuations(scan.text.lines, lineno, line.strip(), _MARGIN)
        scan.command, scan.stats, scan.stat_lines = _Command(lineno, command[:_MAX_COMMAND], last), {}, []


def _add_failure(scan: _RsyncScan, error: re.Match[str], lineno: int) -> None:
    """Add the missing rate of a transfer that ended with an error before its summary; its two sides may both report that."""
    command = scan.command
    begun = command.line if command else scan.failed
    if begun and scan.failed == begun:
        return
    scan.failed = begun or lineno
    text = _read_options(command.text)[0] if command else ""
    params = {**command_params("rsync", text), "command": text[:_SHOWN]} if command else {}
    reason = NOT_FINISHED if _ENDED.search(error[1]) else FAILED
    scan.records.append(
        MissingValue(
            lineno, "rsync", "copy.throughput", "bytes/sec", "B/s", error[0].strip(), run=scan.failed, reason=reason, params=params
        )
    )


def _read_sent(scan: _RsyncScan, line: str, lineno: int) -> None:
    """Begin a transfer at the line with its rate, or report a line that is cut or unreadable."""
    if "total size" in line and _EXACT.search(line):
        return
    match, last = _match_joined(scan, line, lineno, _SENT_OPENS, _SENT, _EXACT)
    if match and match.re == _EXACT:
        _add_exact_sizes(scan, match, lineno, last)
        scan.joined_until = last
        return
    if match:
        run = _begin_run(scan, match, lineno, last)
    elif match := _RATE_ONLY.search(line):
        _close_run(scan)
        run = scan.run = _RsyncRun(lineno, lineno)
        run.raw, run.suffix = match[1], match[2]
        run.doubts.append(Doubt(lineno, "cut", "the beginning of the summary is missing; only its rate was recorded"))
    else:
        _report_unread(scan, line, lineno)
        return
    _set_rate(scan, run)
    _add_context(scan, run)


def _begin_run(scan: _RsyncScan, sent: re.Match[str], lineno: int, last: int) -> _RsyncRun:
    """The transfer of a match of _SENT on the lines from `lineno` to `last`."""
    _close_run(scan)
    run = scan.run = _RsyncRun(lineno, last)
    run.params.update(sent=_parse_size(scan, sent[1], sent[2]), received=_parse_size(scan, sent[4], sent[5]))
    run.raw, run.suffix, run.rounded = sent[7], sent[8], bool(sent[2] or sent[3] or sent[5] or sent[6])
    if last > lineno:
        scan.joined_until = last
        run.rate_line = max(n for n in range(lineno, last + 1) if run.raw in scan.text.lines[n - 1])
        run.depends += range(lineno, last + 1)
    return run


def _report_unread(scan: _RsyncScan, line: str, lineno: int) -> None:
    """Report a summary that is cut or whose numbers are unreadable; other lines give nothing."""
    if _SENT_BEGUN.search(line) or (_SENT_CUT.search(line) and _is_at_end(scan, lineno)):
        scan.records.append(Doubt(lineno, "cut", "a summary of rsync is cut off on this line"))
    elif _UNREAD.search(line):
        _close_run(scan)
        scan.records.append(
            Doubt(lineno, "bad-number", "the numbers of this summary of rsync cannot be read; nothing in it was recorded")
        )


def _match_joined(
    scan: _RsyncScan, line: str, lineno: int, opens: re.Pattern[str], *patterns: re.Pattern[str]
) -> tuple[re.Match[str] | None, int]:
    """A match of the first pattern in the line, or of any with continuation lines (mail wraps); and the last line of it.

    `opens` matches where a broken line may begin. The last line is `lineno` without a match.
    """
    if match := patterns[0].search(line):
        return match, lineno
    begun = opens.search(line)
    joined, number, added = line[begun.start() :].rstrip() if begun else "", lineno, 0
    while begun and number < len(scan.text.lines) and added < 3 and number < lineno + 2 * _MAX_LINES:
        continuation = scan.text.lines[number].strip(_MARGIN)
        number += 1
        if len(continuation) > _MAX_CONTINUATION:
            break
        if not continuation:
            continue
        joined, added = f"{joined} {continuation}", added + 1
        for pattern in patterns:
            if match := pattern.match(joined):
                return match, number
    return None, lineno


def _is_at_end(scan: _RsyncScan, lineno: int) -> bool:
    """Whether only blank lines follow, as far as 50 lines."""
    return lineno == len(scan.text.lines) or not any(line.strip() for line in scan.text.lines[lineno : lineno + 50])


def _set_rate(scan: _RsyncScan, run: _RsyncRun) -> None:
    """Set the rate in bytes per second; decimals are printed with exact rates (%.2f) and scaled ones (three digits)."""
    parsed = parse_number(run.raw.rstrip(".,"))
    factor = _find_factors(scan, run.suffix).get(run.suffix)
    if parsed is None or factor is None:
        run.doubts.append(Doubt(run.line, "bad-number", f"the rate {run.raw[:40]!r} is not a number"))
        return
    if parsed.ambiguous and not run.suffix:
        message = f"the rate {run.raw!r} can be read in two ways; the separator was read as a decimal point"
        run.doubts.append(Doubt(run.line, "ambiguous", message))
    run.rate = parsed.value * factor


def _add_context(scan: _RsyncScan, run: _RsyncRun) -> None:
    """Add version, command and statistics to a transfer whose rate was read."""
    if run.rate is None:
        return
    if scan.version:
        run.version = scan.version[0]
        run.depends.append(scan.version[1])
    if scan.command:
        run.params["command"], run.list_only, dry_run = _read_options(scan.command.text)
        run.params |= command_params("rsync", run.params["command"])
        run.params["command"] = run.params["command"][:_SHOWN]
        run.depends += range(scan.command.line, scan.command.last + 1)
        if dry_run:
            run.params["operation"] = "dry run"
    if scan.stats and scan.stat_lines and run.line - scan.stat_lines[-1] <= 4:
        run.params.update(scan.stats)
        run.depends += scan.stat_lines
    scan.stats, scan.stat_lines = {}, []


@lru_cache(1000)
def _read_options(line: str) -> tuple[str, bool, bool]:
    """The command of a line, whether it has --list-only, and whether it has --dry-run."""
    dry_run = re.search(r"\s(?:--dry-run\b|-[a-zA-Z]*n[a-zA-Z]*(?=\s))", line)
    return re.sub(r"^.*?(?=(?:open)?rsync\s)", "", line), bool(re.search(r"\s--list-only\b", line)), bool(dry_run)


def _read_total(scan: _RsyncScan, line: str, lineno: int) -> None:
    """Add the total size and the speedup to the transfer above."""
    if "sent" in line and (exact := _EXACT.search(line)):
        _add_exact_sizes(scan, exact, lineno, lineno)
        return
    match, last = _match_joined(scan, line, lineno, _TOTAL_OPENS, _TOTAL)
    run = scan.run
    near = run is not None and lineno - run.line <= (4 if scan.joined_until < run.line else 2 * _MAX_LINES)
    if not match:
        if run and _TOTAL_BEGUN.search(line) and near:
            run.doubts.append(Doubt(lineno, "cut", "the summary is cut off in its total size, which was not recorded"))
        return
    if run is None or not near or "total_size" in run.params:  # a second one belongs to a transfer whose rate is missing
        scan.records.append(Doubt(lineno, "cut", "the line with the rate, before this total size, is missing"))
        _close_run(scan)
        _flush(scan)
        return
    run.params["total_size"] = _parse_size(scan, match[1], match[2])
    run.rounded = run.rounded or bool(match[2])
    speedup = parse_number(match[3])
    if speedup:
        run.params["speedup"] = speedup.value
    if match[4]:
        run.params["operation"] = "dry run" if "DRY" in match[4] else "batch only"
    run.depends += range(lineno, last + 1)


def _add_exact_sizes(scan: _RsyncScan, exact: re.Match[str], lineno: int, last: int) -> None:
    """Add the sizes of the second summary at the end of a log file."""
    run = scan.run or scan.previous
    if run and not run.exact and lineno - run.line <= 2 * _MAX_LINES:
        run.exact = True
        run.params.update(sent=int(exact[1]), received=int(exact[2]), total_size=int(exact[3]))
        run.depends += range(lineno, last + 1)


def _read_stat(scan: _RsyncScan, stat: re.Match[str], lineno: int) -> None:
    """Keep a line of --stats (seconds, a count or bytes) as a parameter of the next summary."""
    name = stat[1].lower().replace(" ", "_")
    if "time" in name:
        parsed = parse_number(stat[2])
        value: Any = parsed.value if parsed else None
    elif name.startswith("number_of"):
        value = parse_integer(stat[2])
    else:
        value = _parse_size(scan, stat[2], stat[3])
    if value is not None:
        scan.stats[name] = value
        scan.stat_lines.append(lineno)


def _parse_size(scan: _RsyncScan, text: str, suffix: str) -> int | None:
    """Bytes: without a suffix every separator groups thousands, with one it is decimal. None where it is no number."""
    if suffix in ("", "B"):
        return parse_integer(text.rstrip(".,"))
    value = parse_scaled_number(text + suffix, _find_factors(scan, suffix))
    return None if value is None else round(value)


def _find_factors(scan: _RsyncScan, suffix: str) -> dict[str, int]:
    """The table of suffixes that the tool and its options -h use."""
    if not suffix:
        return units.RSYNC_H
    if suffix in ("k", "kB", "MB", "GB"):
        return units.OPENRSYNC
    command = scan.command.text if scan.command else ""
    human = sum(word.count("h") for word in re.findall(r"\s-([a-zA-Z]+)", command)) + command.count("--human-readable")
    return units.RSYNC_HH if human >= 2 else units.RSYNC_H


def _close_run(scan: _RsyncScan) -> None:
    """Close the transfer under construction and add the records of the one before."""
    _flush(scan)
    scan.previous, scan.run = scan.run, None


def _flush(scan: _RsyncScan) -> None:
    """Add the records of the closed transfer."""
    if scan.previous:
        scan.records += _run_records(scan.previous)
        scan.previous = None


@dataclass
class _RsyncRun:
    """One transfer under construction.

    `line`: where its summary begins; `rate_line`: the line with its rate. `suffix`: unit of the rate. `list_only`: the command
    only lists. `exact`: the bytes are exact, from the second summary of a log file. `rounded`: a size has a suffix.
    """

    line: int = 0
    rate_line: int = 0
    rate: float | None = None
    raw: str = ""
    suffix: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    depends: list[int] = field(default_factory=list)
    version: str | None = None
    list_only: bool = False
    exact: bool = False
    rounded: bool = False


def _check_figures(run: _RsyncRun) -> Iterator[Doubt]:
    """Doubts where figures are damaged: the rate is computed from whole seconds plus 0.5, the speedup from the three sizes."""
    params, rate = run.params, run.rate or 0.0
    sent, received, total, speedup = params.get("sent"), params.get("received"), params.get("total_size"), params.get("speedup")
    if ("sent" in params and sent is None) or ("received" in params and received is None):
        yield Doubt(run.line, "bad-number", "the bytes sent or received are not a number; the rate was used as printed")
        return
    moved = (sent or 0) + (received or 0)
    if not moved or rate < 1 or run.exact:
        return
    seconds = moved / rate - 0.5
    has_decimals = "." in run.raw or "," in run.raw  # openrsync prints none, and divides by the exact time
    if has_decimals and seconds < 100_000 and abs(seconds - round(seconds)) > 0.02 + 0.01 * (seconds + 1) / rate:
        yield Doubt(run.line, "disagree", f"{moved} bytes at {run.raw} bytes/sec do not give a multiple of half a second")
    elif total is not None and speedup is not None and abs(total / moved - speedup) > 0.006 + 0.001 * speedup:
        yield Doubt(run.line, "disagree", f"a total size of {total} over {moved} bytes does not give a speedup of {speedup:g}")


def _run_records(run: _RsyncRun) -> Iterator[Found]:
    """The doubts of a transfer and its rate with parameters; only doubts where nothing was measured."""
    yield from run.doubts
    if run.list_only:
        run.params["operation"] = "list only"
    if run.params.get("operation"):
        yield Doubt(run.line, "unmeasured", f"rsync copied no data ({run.params['operation']}); its rate is not a copy speed")
    if run.rate is None:
        return
    if not run.rate:
        yield MissingValue.instead_of(_rate(run), FAILED)
        yield Doubt(run.line, "unmeasured", f"a rate of {run.raw} bytes/sec was printed: nothing was measured")
        return
    if not run.suffix and not run.rounded:
        yield from _check_figures(run)
    if "total_size" not in run.params and not any(doubt.code == "cut" for doubt in run.doubts):
        yield Doubt(run.line, "cut", "the line with the total size does not follow")
    yield _rate(run)


def _rate(run: _RsyncRun) -> Value:
    """The printed rate with the parameters of the transfer."""
    params = {key: value for key, value in run.params.items() if value is not None}
    return Value(
        run.rate_line,
        "rsync",
        "copy.throughput",
        "bytes/sec",
        run.rate or 0.0,
        "B/s",
        raw=run.raw + run.suffix,
        raw_unit="bytes/sec",
        run=run.line,
        tool_version=run.version,
        params=params,
        depends=tuple(dict.fromkeys(run.depends)),
    )


PARSER = Parser(
    brief=True,
    name="rsync",
    version=12,
    anchor=Anchor(ANCHOR, "kb/s|mb/s|gb/s|bytes/sec|total size is|rsync error|sent 0"),
    parse=parse,
)
