"""What a text shows of fio's input: the command over results whose line of options is missing, or the job file.

    fio -ioengine=libaio -bs=4k -rw=randwrite -name=test
    write: io=352204KB, bw=5869.9KB/s, iops=1467, runt= 60002msec

It holds up to the next command, or up to a heading or label that speaks of a pattern: what follows that was another run.
Options before the first name are those of every job; `stonewall` and `new_group` begin another group (fio documentation).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.parsers.fio._job import FioJob, parse_options

_COMMAND = lazy(r"(?:^|[\s$#>;|&(`\"'/])fio\s+(?=-|\w+=)(.{1,2000})")
_OPTION = lazy(
    r"(?:^|\s)--?([a-z_]{2,30})(?![\w-])(?:(?:=|\s+(?!-))(?:\"([^\"]{0,200})\"|'([^']{0,200})'|([^\s\"'\\-]\S{0,200})))?"
)
_WRITTEN = lazy(r"[\s>|*_`-]*((?:rw|readwrite) ?= ?[a-z]+(?:, ?[a-z_]{2,30} ?= ?[\w.]+)+)[\s*_`]*$")
_FILE = lazy(r"\s[\w./~-]+\.(?:fio|job|ini|cfg|conf|txt)\b")
_SECTION = lazy(r"[\s>|]*\[([\w.-][\w .-]{0,60})\]$")
_SETTING = lazy(r"[\s>|]*(?:([a-z_]{2,30})[ \t]*(?:=[ \t]*(\S.{0,200})?)?|[#;].*)$")
_MORE = lazy(r"[\s>|]*--?[a-z_]{2,30}[= ]")  # as mail breaks a long command
_ANOTHER = lazy(r"^\s{0,3}#{1,6}\s|(?i:\b(?:rand(?:om)?|seq(?:uential)?)[ _-]?(?:read|write|rw)?)\b|随机|顺序")
_OWN = lazy(r": Laying out IO file|^\W*Jobs: \d")  # fio's own lines hold names of jobs
_MOVES = {
    "read": ("read",),
    "write": ("write",),
    "trim": ("trim",),
    "rw": ("read", "write"),
    "readwrite": ("read", "write"),
    "trimwrite": ("trim", "write"),
}

_ALL = "All clients"  # what client mode calls the sum over its servers
_ANY = ""  # a job whose options somebody wrote above its result: `rw = randread, bs = 4k, iodepth = 1`

Told = tuple[str | None, str | None, dict[str, object]]


def pattern_moves(pattern: str | None, direction: str) -> bool:
    """Whether jobs of that pattern move data in that direction."""
    return direction in _MOVES.get((pattern or "").removeprefix("rand"), ())


@dataclass(slots=True)
class FioCommand:
    """The last command or job file that the text shows, or the options that somebody wrote.

    Its first and last line, its words so far, the jobs that it tells of (name, options), and the line of the label that ended it.
    """

    line: int = 0
    last: int = 0
    words: str = ""
    goes_on: bool = False
    in_file: bool = False
    of_file: bool = False
    ended: int = 0
    jobs: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def listens(self) -> bool:
        """Whether a line that begins nothing may still be of the command, or end it."""
        return self.in_file or self.goes_on or (self.line > 0 and not self.ended)

    def take(self, line: str, number: int) -> bool:
        """Whether the line is a command of fio, or goes on with one (`\\` at the end, or options at the start of the next)."""
        if self._takes_file(line, number):
            return True
        if self.goes_on or (self.words and number == self.last + 1 and _MORE.match(line)):
            self.words = f"{self.words} {line.strip(' >|')}"
        elif "fio " in line and (found := _COMMAND.search(line)):
            if self.of_file and not self.ended and _FILE.search(found[1]):
                return False  # it runs the file that is shown above
            self.line, self.words, self.ended, self.of_file = number, found[1], 0, False
        elif "rw" in line and (written := _WRITTEN.match(line)):
            self.line = self.last = number
            self.words, self.ended, self.of_file, self.goes_on = "", 0, False, False
            self.jobs = [(_ANY, dict(re.split(" ?= ?", pair) for pair in re.split(", ?", written[1])))]
            return True
        else:
            if self.line and not self.ended and _ANOTHER.search(line) and not _OWN.search(line):
                self.ended = number
            return False
        self.last = number
        self.goes_on = self.words.endswith("\\") and len(self.words) < 4000
        self.words = self.words.removesuffix("\\").rstrip("`")
        self.jobs = _of_words(self.words)
        return True

    def _takes_file(self, line: str, number: int) -> bool:
        """Whether the line is one of a job file: `[name]` and the settings below it."""
        if line.endswith("]") and (section := _SECTION.match(line)):
            if not self.in_file:
                self.line, self.words, self.goes_on, self.ended, self.jobs = number, "", False, 0, []
            self.in_file = self.of_file = True
            self.jobs.append((section[1], _everyones(self.jobs)))
        elif self.in_file and (setting := _SETTING.match(line)):
            if setting[1]:
                self.jobs[-1][1][setting[1]] = (setting[2] or "").strip()
        else:
            self.in_file = False
            return False
        self.last = number
        return True

    def named(self, name: str) -> Told | None:
        """What it tells of the job of that name, or of all clients'; None where there is none, or two that differ."""
        if self.ended:
            return None
        return _agreed([given for own, given in self.jobs if own in (name, _ANY) or (name == _ALL and own != "global")])

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that it stands on, and the one that ended it."""
        return (*range(self.line, self.last + 1), *((self.ended,) if self.ended else ())) if self.line else ()

    def job(self, direction: str, number: int, group: str = "") -> FioJob:
        """The job of a picked result: as the command tells it, or unnamed with a pattern that is not known."""
        jobs = [given for name, given in self.jobs if name != "global"] or [given for _, given in self.jobs]
        told = None if self.ended else _agreed(self._of_group(group) or jobs)
        if told is None or not pattern_moves(told[0], direction):
            return FioJob("unnamed", number, depends=self.lines)
        return FioJob(told[1] or "unnamed", number, None, told[0], params=dict(told[2]), depends=self.lines)

    def _of_group(self, group: str) -> list[dict[str, str]]:
        """The job of a group that has but one."""
        at, found = -1, list[tuple[str, dict[str, str]]]()
        for name, given in self.jobs:
            if name != "global":
                at += not found or "stonewall" in given or "new_group" in given or at < 0
                found.append((str(at), given))
        own = [given for number, given in found if number == group]
        return own if len(own) == 1 and len(found) > 1 else []


def _everyones(jobs: list[tuple[str, dict[str, str]]]) -> dict[str, str]:
    """The options that hold for every job."""
    return {key: value for name, given in jobs if name == "global" for key, value in given.items()}


def _of_words(words: str) -> list[tuple[str, dict[str, str]]]:
    """The jobs of a command, each with its name and all its options; options without a name are those of `global`."""
    jobs: list[tuple[str, dict[str, str]]] = [("global", {})]
    for key, *values in _OPTION.findall(words):
        one = next((value for value in values if value), "")
        if key == "name" and one and one != "global":
            jobs.append((one, {**_everyones(jobs), "name": one}))
        elif key != "name":
            jobs[-1][1][key] = one
    return jobs


def _agreed(jobs: list[dict[str, str]]) -> Told | None:
    """Pattern, name and parameters of jobs; None where they differ."""
    told = [parse_options(given) for given in jobs]
    if not told or any(other != told[0] for other in told[1:]):
        return None
    names = {given.get("name") for given in jobs}
    return told[0][0], names.pop() if len(names) == 1 else None, told[0][1]
