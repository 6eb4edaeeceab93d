"""rsync and openrsync: the summary of a transfer. Sent, received and saved are parameters, the rate is measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_integer, parse_number, parse_scaled_number
from ingest.parsers._shell_command import join_continuations
from ingest.parsers.copies._rsync_run import RsyncRun, run_records
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
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
_MARGIN, _REST, _MORE = " \t>|*#", 100, 4  # signs before a line, length and number of the lines that go on a broken one
_EXACT = lazy(r"\bsent (\d{1,20}) bytes\s+received (\d{1,20}) bytes\s+total size (\d{1,20})\b")
_STAT = lazy(
    rf"\b(Number of files|Number of created files|Number of deleted files|"
    rf"Number of regular files transferred|Number of files transferred|"
    rf"Total file size|Total transferred file size|Literal data|Unmatched data|Matched data|File list size|"
    rf"File list generation time|"
    rf"File list transfer time|Total bytes sent|Total bytes received|Total sent|Total received): "
    rf"({_NUM}) ?([kKMGTP]?B?)(?: bytes| seconds)?(?=[\s(,]|\Z)"
)
_ERROR = lazy(r"\brsync error: ([^\n]{0,200})")
_ROLE = lazy(r"\[(?:sender|receiver|generator|Receiver|Sender)=(\d[\w.]{1,20})\]")
_VERSION = lazy(r"\brsync  version (\d[\w.]{1,20})\s+protocol version")
_COMMAND = lazy(r"(?:^|[\s;|&(/])(?:open)?rsync\s+(?:-{0,2}[\w/.~]|\\\s*\Z)")
_COUNTS = lazy(r"Number of|Matched data|Literal data|Unmatched data|Total|File list size")
_PROGRESS = lazy(r"\d%[ \t]+\d[\d.,]*[kMG]B/s[ \t]+\d{1,4}:\d\d:\d\d")  # progress.c, rprint_progress
ANCHOR = lazy(
    r"\d%[ \t]+\d[\d.,]*[kMG]B/s[ \t]+\d{1,4}:\d|"
    r"bytes/sec|total size is|rsync error: |sent \d[\d.,]*[kKMGTP]?B? byt|sent \d[\d.,]*[kKMGTP]?B?(?: by?)?[ \t]*$",
    re.M,
)


@dataclass
class _RsyncScan:
    text: Text
    out: list[Value | Doubt] = field(default_factory=list)
    run: RsyncRun | None = None
    stats: dict[str, Any] = field(default_factory=dict)
    stat_lines: list[int] = field(default_factory=list)
    command: tuple[int, str, int] | None = None  # its first line, its words, its last line
    version: tuple[str, int] | None = None  # and where it stands
    last: RsyncRun | None = None
    broken: int = 0  # the last line of a broken summary that was put together


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every transfer of the text."""
    scan = _RsyncScan(text)
    for number_, line in enumerate(text.lines, 1):
        if "rsync" in line:
            _see_rsync(scan, line, number_)
        if "<br" in line:
            line = _BREAK.sub("  ", line)
        if ("sent" in line or "bytes/sec" in line or "wrote " in line) and number_ > scan.broken:
            _see_sent(scan, line, number_)
        if "total" in line and ("total size" in line or (scan.run and _TOTAL_OPENS.search(line))):
            _see_total(scan, line, number_)
        elif ": " in line and (stat := _STAT.search(line)):
            _see_stat(scan, stat, number_)
    _finish(scan, True)
    if not scan.out and (left := list(text.where(_PROGRESS.search))):
        scan.out.append(Doubt(left[-1] + 1, "cut", "only progress of rsync is left, its summary is missing; nothing was taken"))
    yield from sorted(scan.out, key=attrgetter("line"))


def _see_rsync(scan: _RsyncScan, line: str, at: int) -> None:
    if version := _VERSION.search(line):
        scan.version = version[1], at
    elif found := _ERROR.search(line):
        role = _ROLE.search(line)
        run = scan.run or scan.last
        if run and role and run.version is None:
            run.version = role[1]
            run.depends.append(at)
        scan.out.append(Doubt(at, "failed-run", f"rsync reported: {found[1][:160]}"))
    elif _COMMAND.search(line) and not line.lstrip().startswith("rsync:"):
        _finish(scan)
        words, last = join_continuations(scan.text.lines, at, line.strip(), _MARGIN)
        scan.command, scan.stats, scan.stat_lines = (at, words[:400], last), {}, []


def _see_sent(scan: _RsyncScan, line: str, at: int) -> None:
    if "total size" in line and _EXACT.search(line):
        return
    found, last = _joined(scan, line, at, _SENT_OPENS, _SENT, _EXACT)
    if found and found.re == _EXACT:
        _see_exact(scan, found, at, last)
        scan.broken = last
        return
    if found:
        _finish(scan)
        run = scan.run = RsyncRun(at, last)
        run.params.update(sent=_size(scan, found[1], found[2]), received=_size(scan, found[4], found[5]))
        run.raw, run.suffix, run.rounded = found[7], found[8], bool(found[2] or found[3] or found[5] or found[6])
        if last > at:
            scan.broken = last
            run.stands = max(n for n in range(at, last + 1) if run.raw in scan.text.lines[n - 1])
            run.depends += range(at, last + 1)
    elif found := _RATE_ONLY.search(line):
        _finish(scan)
        run = scan.run = RsyncRun(at, at)
        run.raw, run.suffix = found[1], found[2]
        run.doubts.append(Doubt(at, "cut", "the summary lost its beginning; only its rate was taken"))
    elif _SENT_BEGUN.search(line) or (_SENT_CUT.search(line) and _ends(scan, at)):
        scan.out.append(Doubt(at, "cut", "a summary of rsync is broken off in this line"))
        return
    elif _UNREAD.search(line):
        _finish(scan)
        scan.out.append(Doubt(at, "bad-number", "a summary of rsync whose numbers cannot be read; nothing of it was taken"))
        return
    else:
        return
    _set_rate(scan, run)


def _joined(
    scan: _RsyncScan, line: str, at: int, opens: re.Pattern[str], *whole: re.Pattern[str]
) -> tuple[re.Match[str] | None, int]:
    """What the line shows, or what it shows with the lines that it goes on in (mail wraps); and the last of them."""
    if found := whole[0].search(line):
        return found, at
    begun = opens.search(line)
    text, number, added = line[begun.start() :].rstrip() if begun else "", at, 0
    while begun and number < len(scan.text.lines) and added < 3 and number < at + 2 * _MORE:
        more = scan.text.lines[number].strip(_MARGIN)
        number += 1
        if len(more) > _REST:
            break
        text, added = (f"{text} {more}", added + 1) if more else (text, added)
        for pattern in whole if more else ():
            if found := pattern.match(text):
                return found, number
    return None, at


def _ends(scan: _RsyncScan, at: int) -> bool:
    """Whether nothing but blank lines follows."""
    return at == len(scan.text.lines) or not any(line.strip() for line in scan.text.lines[at : at + 50])


def _set_rate(scan: _RsyncScan, run: RsyncRun) -> None:
    """The rate has decimals exactly where it is exact (%.2f) or scaled (three digits)."""
    read = parse_number(run.raw.rstrip(".,"))
    factor = _factors(scan, run.suffix).get(run.suffix)
    if read is None or factor is None:
        run.doubts.append(Doubt(run.line, "bad-number", f"the rate {run.raw[:40]!r} is no number"))
        return
    if read.ambiguous and not run.suffix:
        run.doubts.append(
            Doubt(
                run.line,
                "ambiguous",
                f"the rate {run.raw!r} can be read in two ways; the separator was taken as decimal",
            )
        )
    run.rate = read.value * factor
    if scan.version:
        run.version = scan.version[0]
        run.depends.append(scan.version[1])
    if scan.command:
        run.params["command"], run.listed, dry = _asked(scan.command[1])
        run.depends += range(scan.command[0], scan.command[2] + 1)
        if dry:
            run.params["operation"] = "dry run"
    if scan.stats and scan.stat_lines and run.line - scan.stat_lines[-1] <= 4:
        run.params.update(scan.stats)
        run.depends += scan.stat_lines
    scan.stats, scan.stat_lines = {}, []


@lru_cache(1000)
def _asked(line: str) -> tuple[str, bool, bool]:
    """The command of a line, whether it only lists, and whether it only says what it would do."""
    dry = re.search(r"\s(?:--dry-run\b|-[a-zA-Z]*n[a-zA-Z]*(?=\s))", line)
    return re.sub(r"^.*?(?=(?:open)?rsync\s)", "", line), bool(re.search(r"\s--list-only\b", line)), bool(dry)


def _see_total(scan: _RsyncScan, line: str, at: int) -> None:
    if "sent" in line and (exact := _EXACT.search(line)):
        _see_exact(scan, exact, at, at)
        return
    found, last = _joined(scan, line, at, _TOTAL_OPENS, _TOTAL)
    run = scan.run
    near = run is not None and at - run.line <= (4 if scan.broken < run.line else 2 * _MORE)
    if not found:
        if run and _TOTAL_BEGUN.search(line) and near:
            run.doubts.append(Doubt(at, "cut", "the summary breaks off in its total size, which was not taken"))
        return
    if run is None or not near or "total_size" in run.params:  # another one belongs to a transfer whose rate is lost
        scan.out.append(Doubt(at, "cut", "a total size without the line before it that holds the rate"))
        _finish(scan, True)
        return
    run.params["total_size"] = _size(scan, found[1], found[2])
    run.rounded = run.rounded or bool(found[2])
    speedup = parse_number(found[3])
    if speedup:
        run.params["speedup"] = speedup.value
    if found[4]:
        run.params["operation"] = "dry run" if "DRY" in found[4] else "batch only"
    run.depends += range(at, last + 1)


def _see_exact(scan: _RsyncScan, exact: re.Match[str], at: int, last: int) -> None:
    """The second summary that a log file ends with."""
    run = scan.run or scan.last
    if run and not run.exact and at - run.line <= 2 * _MORE:
        run.exact = True
        run.params.update(sent=int(exact[1]), received=int(exact[2]), total_size=int(exact[3]))
        run.depends += range(at, last + 1)


def _see_stat(scan: _RsyncScan, stat: re.Match[str], at: int) -> None:
    """A line of --stats: parameters that are shown."""
    name = stat[1].lower().replace(" ", "_")
    if "time" in name:
        read = parse_number(stat[2])
        value: Any = read.value if read else None
    elif name.startswith("number_of"):
        value = parse_integer(stat[2])
    else:
        value = _size(scan, stat[2], stat[3])
    if value is not None:
        scan.stats[name] = value
        scan.stat_lines.append(at)


def _size(scan: _RsyncScan, text: str, suffix: str) -> int | None:
    """Bytes: every separator groups, except before a suffix, where one is decimal."""
    if suffix in ("", "B"):
        return parse_integer(text.rstrip(".,"))
    value = parse_scaled_number(text + suffix, _factors(scan, suffix))
    return None if value is None else round(value)


def _factors(scan: _RsyncScan, suffix: str) -> dict[str, int]:
    if not suffix:
        return units.RSYNC_H  # bytes, in either
    if suffix in ("k", "kB", "MB", "GB"):
        return units.OPENRSYNC
    command = scan.command[1] if scan.command else ""
    human = sum(word.count("h") for word in re.findall(r"\s-([a-zA-Z]+)", command)) + command.count("--human-readable")
    return units.RSYNC_HH if human >= 2 else units.RSYNC_H


def _finish(scan: _RsyncScan, end: bool = False) -> None:
    """The transfer under construction is whole; a later `rsync error` may still add its version, but at the `end` of it all."""
    if scan.last:
        scan.out += run_records(scan.last)
    scan.last, scan.run = scan.run, None
    if end and scan.last:
        scan.out += run_records(scan.last)
        scan.last = None


PARSER = Parser(
    brief=True,
    name="rsync",
    version=9,
    anchor=Anchor(ANCHOR, "kb/s", "mb/s", "gb/s", "bytes/sec", "total size is", "rsync error", "sent 0"),
    parse=parse,
    shapes=(
        Shape(
            "summary",
            "2.4 to 3.x",
            "bytes, with separators of the locale",
            "rate = (sent + received) / (elapsed + 0.5 s)",
        ),
        Shape("summary, -h and -hh", "3.x", "powers of 1000, -hh powers of 1024", "three digits"),
        Shape("summary and --stats", "openrsync", "k, M = powers of 1000", ""),
        Shape("log file", "--log-file, daemon", "bytes", "ends with a second, exact summary without a rate"),
    ),
    source="rsync main.c (output_summary), lib/compat.c (do_big_num), log.c; rsync.1; openrsync",
)
