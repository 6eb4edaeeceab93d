"""What shells and time(1) print.

bash, ksh93: `real\t0m1.035s` in three lines (bash.1, TIMEFORMAT); POSIX -p: `real 0.20`; BusyBox: `real 0m 0.17s`;
Solaris time, ptime, timex: `real 2.7` or `real 1:02.3`; BSD time.1, mksh, OpenBSD ksh: one line `0.00 real 0.00 user
0.00 sys`; GNU time.1: `0.00user 0.06system 0:00.13elapsed 50%CPU`, -v a block, -f any format; csh.1, tcsh.1: `0.007u
4.455s 4:14.75 1.7%`; zsh (zshparam.1, TIMEFMT): `cmd 0.05s user 0.05s system 80% cpu 0.124 total`; fish: `Executed in`;
PowerShell: the TimeSpan of Measure-Command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.numbers import parse_duration, parse_plain_number
from ingest.plugin_api import Anchor
from ingest.text.lines import Text

_EDGE = r"^[\s>|*#/+]{0,24}"
_CLOCK = r"\d[\dhm:.,]{0,24}(?:m )?(?:[\d.,]{1,12})?s?"
_NOTE = r"(?:[ \t]{1,80}(?:<[-=]|-{2,}|#|//|=>|\u2190|\(|[:;]-?[()DP](?!\S))[^\n]{0,80})?"  # what somebody wrote behind a figure
_LONE = lazy(_EDGE + rf"(real|user|sys)[ \t]+({_CLOCK}){_NOTE}\s*(?:[|`]+\s*)?\Z")
_WORD = lazy(r"[\s>|]{0,24}(real|user|sys)\s*\Z")  # a page or a PDF torn into its cells: the figure comes below
_BELOW = lazy(r"[\s>|]{0,24}(\d{1,9}m ?\d{1,2}[.,]\d{2,3}s)\s*\Z")
_TYPED = lazy(_EDGE + r"(real|user|sys)[ \t]{0,4}:[ \t]{0,8}(\d[\dhm:.,]{0,20}s)\s*(?:[|`]+\s*)?\Z")  # copied out by a person
_BASH = lazy(
    "\n".join(
        rf"{word}\t(?P<{word}>(?P<{word}_m>[0-9]{{1,9}})m(?P<{word}_s>[0-9]{{1,2}}\.[0-9]{{3}})s)"
        for word in ("real", "user", "sys")
    )
    + r"\Z"
)
_WHOLE_SECONDS = lazy(r"(?:(?:\d+h ?)?\d+m ?)?\d+s")
_TIMED = lazy(r"(?:^|[\s;`])time[ \t]+\S")
_SHELL_CLOCK = lazy(r"\d+m ?\d+[.,]\d+s")
_LINE = lazy(_EDGE + rf"(?:\w[\w .()+/-]{{0,40}}:\s{{1,8}})?({_CLOCK})\s+real\s+({_CLOCK})\s+user\s+({_CLOCK})\s+(sys(?:tem)?)\b")
_GNU = lazy(r"(?<![\w.',\ufffd*#?])(\d+\.\d+)user (\d+\.\d+)system ((?:\d+:){1,2}\d+(?:\.\d+)?)elapsed (\d+|\?)%CPU")
_CSH = lazy(r"(?<![\w.',\ufffd])(\d+\.\d+)u (\d+\.\d+)s ((?:\d+:){1,2}\d+(?:\.\d+)?) (\d+(?:\.\d+)?)%")
_ZSH = lazy(
    r"^(?:(.*?)\s{1,4})?(\d+(?:[.,]\d+)?)s user (\d+(?:[.,]\d+)?)s system (\d+)% cpu ((?:\d+:){0,2}\d+(?:[.,]\d+)?) total\b"
)
_COMMENT = lazy(r"^[\s>|]*(?:[#*%;$]{1,4}|//|--(?=\s))\s*")  # figures that somebody keeps in the comments of a program
_ZSH_BEGINS = lazy(r"\d(?:[.,]\d+)?s user(?:\s|\Z)(?!.*\btotal\b)")
_ZSH_USER = lazy(r"\d[.,]\d{2,3}s\s*\Z")
_TORN_CLOCK = lazy(r"\d+m ?[\d.,]*\Z")  # shells that print minutes print the s of the seconds as well
_CUT = lazy(
    _EDGE + r"real(?:\s+\d[\dhm:.,]*(?:m [\d.,]*)?)?\s*\Z|^\s*\d+\.\d+user(?:\s+\d[\d.:]*\w*)*[^%]{0,20}\Z|"
    r"\d[.,]\d+s user(?!.*\btotal\b)|\d[.,]\d+s u(?:se?)?\Z|^\s*\d+\.\d\du(?:se)?\Z|"
    r"(?<![\w.])\d+\.\d{2,3}u \d+\.?\d*(?:s(?: [\d:.]*(?: [\d.]*)?)?)?\Z|"
    r"^\s*(?:User time \([^)]*|System time \([^)]*|Elapsed \(wall[^)]*(?:\) time \([^)]*)?)(?:\):?\s*)?\Z"
)
_FLAT = lazy(  # the three lines of bash, ksh and BusyBox joined by what kept the text
    r"(?<![\w.])real\s+(\d+m ?\d+[.,]\d+s)[,;]?\s+user\s+(\d+m ?\d+[.,]\d+s)[,;]?\s+sys\s+(\d+m ?\d+[.,]\d+s)(?!\w)"
)
_FISH = lazy(_EDGE + r"(Executed in|usr time|sys time)\s+([\d.,]{1,16}) (hours|mins|secs|millis|micros)\b")
_VERBOSE = lazy(
    r'^\s*(?:Command being timed: "(?P<command>.*)"|User time \(seconds\): (?P<user>[\d.]+)|'
    r"System time \(seconds\): (?P<sys>[\d.]+)|Percent of CPU this job got: (?P<cpu>\d+|\?)%|"
    r"Elapsed \(wall clock\) time \(h:mm:ss or m:ss\): (?P<elapsed>[\d:.]+)|Exit status: (?P<exit>\d+))" + _NOTE + r"\s*\Z"
)
_OPENS = ("Command being timed", "User time (s", "System time (s", "Elapsed (wall")
_OTHER = lazy(
    r"\s*(?:Average|Maximum|Major|Minor|Voluntary|Involuntary|Swaps|File system|Socket|Signals|Page size)\b[\w ()/]{0,50}: \d"
)
_MEASURED = lazy(r"^\s*Total(Seconds|Milliseconds)\s*:\s*(\d{1,9}(?:[.,]\d{1,9})?)\s*\Z")
_MEASURE = lazy(r"\bMeasure-Command\s*(?:-Expression\s*)?\{\s*([^\n]{1,200}?)\s*\}")
_FISH_UNIT = {"hours": 3600.0, "mins": 60.0, "secs": 1.0, "millis": 1e-3, "micros": 1e-6}
ANCHOR = Anchor(
    lazy(
        r"real|user time|User time|s user|Executed in|TIMEFORMAT|TIMEFMT|set time|"
        r"TIME[= ]['\"]|time[^\S\n]+(?:-[apvq][^\S\n]+)*(?:-f|--format)|"
        r"sys[ \t]+\d|user[ \t]+\d|TotalSeconds|Elapsed \(wall|System time \(s"
    ),
    "real",
    "user",
    "sys ",
    "sys\t",
    "executed in",
    "timeformat",
    "timefmt",
    "set time",
    "time='",
    'time="',
    "time '",
    'time "',
    "-f",
    "totalseconds",
    "elapsed (wall",
    "system time (s",
) | Anchor(lazy(r"\duser|\du \d|\ds u(?:se?)?[^\S\n]*$|\du(?:se)?[^\S\n]*$", re.M), "0u", "0s u")
_WORDS = {"real": "elapsed", "user": "user", "sys": "sys"}


@dataclass(slots=True)
class Timing:
    """One timed execution: quantity -> (line, native name, raw text, seconds). `shaped`: line that set its format, `told`: lines
    that tell what is no time of it."""

    line: int
    timer: str
    parts: dict[str, tuple[int, str, str, float]] = field(default_factory=dict)
    command: str | None = None
    cpu: str | None = None
    status: int = 0
    last: int = 0
    shaped: int = 0
    told: list[int] = field(default_factory=list)

    def add(self, quantity: str, line: int, native: str, raw: str, seconds: float | None) -> None:
        """Adds a part where its text is a time."""
        if seconds is not None:
            self.parts[quantity] = (line, native, raw, seconds)
            self.last = max(self.last, line)

    @property
    def whole(self) -> bool:
        """Whether elapsed, user and sys are all there, or all that this timer prints."""
        return len(self.parts) == 3 or (self.timer == "powershell" and bool(self.parts))


def find_timings(text: Text) -> Iterator[Timing]:
    """Every timing of the text, in line order."""
    lines, after = text.lines, 0
    for at in text.where(_begins):
        if at < after:
            continue
        line = lines[at]
        found, after = None, at + 1
        if "real" in line or "user" in line or "sys" in line:
            alone = _LONE.match(line) or _TYPED.match(line)
            found, after = _lone(lines, at, alone.re) if alone else (_one_line(line, at + 1), at + 1)
            if found is None and _WORD.match(line):
                found, after = _torn(lines, at)
            if found is None and _ZSH_BEGINS.search(line):
                found = _broken(lines, at)
        elif _ZSH_USER.search(line):
            found = _broken(lines, at)
        elif "u " in line:
            found = _csh(line, at + 1)
        if found is None and any(label in line for label in _OPENS):
            found, after = _verbose(lines, at)
        elif found is None and "Executed in" in line:
            found, after = _fish(lines, at)
        elif found is None and "TotalSeconds" in line:
            found, after = _measured(lines, at), at + 1
        if found and found.parts:
            yield found


def _begins(line: str) -> bool:
    """Whether a timing may begin on lines that are alike but for their digits."""
    if "Executed in" in line or "TotalSeconds" in line or any(label in line for label in _OPENS):
        return True
    if "real" in line or "user" in line or "sys" in line:
        return bool(_LONE.match(line) or _TYPED.match(line) or _WORD.match(line) or _one_line(line, 0) or _ZSH_BEGINS.search(line))
    return ("u " in line and _CSH.search(line) is not None) or _ZSH_USER.search(line) is not None


def find_cut_timing(lines: Sequence[str]) -> int:
    """The last line with text, where it begins as a timing does and breaks off; else 0."""
    last = next((at for at in range(len(lines), max(0, len(lines) - 20), -1) if lines[at - 1].strip()), 0)
    return last if last and _CUT.search(lines[last - 1][-400:]) else 0


def _broken(lines: Sequence[str], at: int) -> Timing | None:
    """zsh's line that a mailer broke in two: each part on the line on which it stands."""
    rest = next((n for n in range(at + 1, min(at + 3, len(lines))) if lines[n].strip(" \t>")), 0)
    if not rest or len(lines[rest]) > 100 or not (" user" in lines[at] or lines[rest].strip(" \t>").startswith("user")):
        return None
    if _one_line(lines[rest], rest + 1):
        return None  # a line of its own
    out = _one_line(lines[at].rstrip() + " " + lines[rest].strip(" \t>"), at + 1)
    if out is None:
        return None
    for quantity, (_, native, raw, seconds) in list(out.parts.items()):
        head = re.search(rf"(?<![\d.,:]){re.escape(raw)}(?![\d:])", lines[at])
        out.add(quantity, at + 1 if head else rest + 1, native, raw, seconds)
    return out


def _bash(lines: Sequence[str], at: int) -> Timing | None:
    """The three lines as bash prints them, where nothing was done to them."""
    found = _BASH.match("\n".join(lines[at : at + 3]))
    if not found:
        return None
    out = Timing(at + 1, "bash", last=at + 3)
    for number, (native, quantity) in enumerate(_WORDS.items(), at + 1):
        raw, minutes, seconds = found.group(native, native + "_m", native + "_s")
        out.parts[quantity] = (number, native, raw, round(int(minutes) * 60.0 + float(seconds), 9))
    return out


def _lone(lines: Sequence[str], at: int, form: re.Pattern[str]) -> tuple[Timing | None, int]:
    """`real`, `user`, `sys` on lines of their own, in this order; blank lines between them allowed."""
    if plainly := _bash(lines, at):
        return plainly, at + 3
    out, expected, place = Timing(at + 1, "posix"), ["real", "user", "sys"], at
    while place < len(lines) and expected and place < at + 6:
        if not lines[place].strip(" \t>"):
            place += 1
            continue
        found = form.match(lines[place])
        if not found or found[1] not in expected:
            break
        raw = found[2].strip()
        first = next((first for _, _, first, _ in out.parts.values()), raw)
        torn = _TORN_CLOCK.match(raw) or ("m" in first and "m" not in raw)  # each of the three is printed alike
        out.add(_WORDS[found[1]], place + 1, found[1], raw, None if torn else parse_duration(raw))
        expected = expected[expected.index(found[1]) + 1 :]
        place += 1
    raws = [raw for _, _, raw, _ in out.parts.values()]
    surely = form is not _TYPED and (any(map(_SHELL_CLOCK.fullmatch, raws)) or _retyped(lines, at, raws))
    if not raws or not (out.whole or surely):
        return None, at + 1
    out.timer = _timer(raws[0])
    return out, place


def _retyped(lines: Sequence[str], at: int, raws: list[str]) -> bool:
    """Whether somebody kept no more than `real 2m52s` of it, right below what was timed."""
    return len(raws) == 1 and at > 0 and bool(_WHOLE_SECONDS.fullmatch(raws[0]) and _TIMED.search(lines[at - 1]))


def _torn(lines: Sequence[str], at: int) -> tuple[Timing | None, int]:
    """`real` and its figure on lines of their own, and so the other two; nothing where one of the six is missing."""
    shown = [(place, lines[place]) for place in range(at, min(at + 18, len(lines))) if lines[place].strip(" \t>")][:6]
    words, figures = shown[::2], shown[1::2]
    told = [match[1] for _, line in words if (match := _WORD.match(line))]
    found = [(place, match[1]) for place, line in figures if (match := _BELOW.match(line))]
    if told != ["real", "user", "sys"] or len(found) != 3:
        return None, at + 1
    out = Timing(at + 1, _timer(found[0][1]))
    for word, (place, raw) in zip(told, found, strict=True):
        out.add(_WORDS[word], place + 1, word, raw, parse_duration(raw))
    return out, found[-1][0] + 1


def _timer(raw: str) -> str:
    if re.fullmatch(r"\d+m \d.*", raw):
        return "busybox"
    if _SHELL_CLOCK.fullmatch(raw):
        return "bash" if re.search(r"[.,]\d{3}s", raw) else "ksh"
    return "solaris" if ":" in raw or re.fullmatch(r"\d+[.,]\d", raw) else "posix"


def _one_line(line: str, number: int) -> Timing | None:
    """The forms that fit on one line and hold the word user."""
    if found := _GNU.search(line):
        out = Timing(number, "gnu", cpu=found[4])
        for quantity, native, raw in (
            ("user", "user", found[1]),
            ("sys", "system", found[2]),
            ("elapsed", "elapsed", found[3]),
        ):
            out.add(quantity, number, native, raw, parse_duration(raw))
        return out
    if found := _LINE.match(line):
        out = Timing(number, "ksh" if "m" in found[1] else "bsd")
        for quantity, native, raw in (
            ("elapsed", "real", found[1]),
            ("user", "user", found[2]),
            ("sys", found[4], found[3]),
        ):
            out.add(quantity, number, native, raw.strip(), parse_duration(raw))
        return out if out.whole else None
    if "real" in line and (found := _FLAT.search(line)):
        out = Timing(number, _timer(found[1]))
        for quantity, native, raw in (("elapsed", "real", found[1]), ("user", "user", found[2]), ("sys", "sys", found[3])):
            out.add(quantity, number, native, raw, parse_duration(raw))
        return out
    found = _ZSH.match(line) if "total" in line else None
    if not found:
        return None
    out = Timing(number, "zsh", command=_uncommented(found[1] or "") or None, cpu=found[4])
    for quantity, native, raw in (
        ("user", "user", found[2]),
        ("sys", "system", found[3]),
        ("elapsed", "total", found[5]),
    ):
        out.add(quantity, number, native, raw, parse_duration(raw))
    return out


def _uncommented(command: str) -> str:
    """The command without the mark of a comment, and without what it says before the program."""
    if command.count("`") % 2:
        command = command.rpartition("`")[2]  # of a sentence that quotes the line
    if command.endswith(":"):
        return ""  # what somebody named the figures
    mark = _COMMENT.match(command)
    if not mark:
        return command.strip()
    said, program, operands = command[mark.end() :].strip().rpartition(" ./")
    return f"./{operands}" if program and "/" not in said.split(" ", 1)[0] else f"{said}{program}{operands}"


def _csh(line: str, number: int) -> Timing | None:
    found = _CSH.search(line)
    if not found:
        return None
    out = Timing(number, "tcsh" if re.search(r"\.\d{3}\Z", found[1]) else "csh", cpu=found[4])
    for quantity, native, raw in (
        ("user", "user", found[1]),
        ("sys", "system", found[2]),
        ("elapsed", "elapsed", found[3]),
    ):
        out.add(quantity, number, native, raw, parse_duration(raw))
    return out


def _verbose(lines: Sequence[str], at: int) -> tuple[Timing | None, int]:
    """GNU time -v: a block of `Label: value` lines."""
    out, place = Timing(at + 1, "gnu"), at
    while place < len(lines) and place < at + 30:
        line = lines[place]
        if place > at and "Command being timed" in line:
            break
        found = _VERBOSE.match(line)
        if found and found.lastgroup:
            key, raw = found.lastgroup, found[found.lastgroup]
            if key in out.parts:
                break
            if key in ("user", "sys", "elapsed"):
                native = line.strip().rsplit(": ", 1)[0]
                out.add(key, place + 1, native, raw, parse_duration(raw))
            else:
                out.told.append(place + 1)
                out.command = raw if key == "command" else out.command
                out.cpu = raw if key == "cpu" else out.cpu
                out.status = int(raw[:9]) if key == "exit" else out.status
        elif line.strip() and not _OTHER.match(line):
            break
        place += 1
        if found and found.lastgroup == "exit":
            break
    return out, place


def _measured(lines: Sequence[str], at: int) -> Timing | None:
    """PowerShell's Measure-Command: a list of the same span in several units, of which the seconds are taken."""
    seconds = _MEASURED.match(lines[at])
    below = _MEASURED.match(lines[at + 1]) if at + 1 < len(lines) else None
    if not seconds or not below or below[1] != "Milliseconds":
        return None
    out = Timing(at + 1, "powershell")
    out.add("elapsed", at + 1, "TotalSeconds", seconds[2], parse_plain_number(seconds[2]))
    for number in range(at, max(0, at - 16), -1):
        if asked := _MEASURE.search(lines[number - 1]):
            out.told, out.command = [number], asked[1]
            break
    return out


def _fish(lines: Sequence[str], at: int) -> tuple[Timing | None, int]:
    out, place = Timing(at + 1, "fish"), at
    names = {"Executed in": "elapsed", "usr time": "user", "sys time": "sys"}
    while place < len(lines) and (found := _FISH.match(lines[place])):
        seconds = parse_plain_number(found[2])
        out.add(
            names[found[1]],
            place + 1,
            found[1],
            found[2],
            None if seconds is None else round(seconds * _FISH_UNIT[found[3]], 9),
        )
        place += 1
    return out, max(place, at + 1)
