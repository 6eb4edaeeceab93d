"""The command over results that somebody picked out of fio's output: its options tell the pattern and the workload.

    fio -ioengine=libaio -bs=4k -rw=randwrite -name=test
    write: io=352204KB, bw=5869.9KB/s, iops=1467, runt= 60002msec

It holds up to the next command, or up to a heading or label that speaks of a pattern: what follows that was another run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ingest.parsers._fio_job import Job, options

_COMMAND = re.compile(r"(?:^|[\s$#>;|&(`\"'/])fio\s+(?=-|\w+=)(.{1,2000})")
_OPTION = re.compile(r"(?:^|\s)--?([a-z_]{2,30})(?:=|\s+)(?:\"([^\"]{0,200})\"|'([^']{0,200})'|([^\s\"'\\-]\S{0,200}))")
_MORE = re.compile(r"[\s>|]*--?[a-z_]{2,30}[= ]")  # as mail breaks a long command
_ANOTHER = re.compile(r"^\s{0,3}#{1,6}\s|(?i:\b(?:rand(?:om)?|seq(?:uential)?)[ _-]?(?:read|write|rw)?)\b|随机|顺序")
_MOVES = {"read": ("read",), "write": ("write",), "trim": ("trim",), "rw": ("read", "write"), "readwrite": ("read", "write")}


@dataclass(slots=True)
class Command:
    """The last command that the text shows: its first and last line, its words so far, and the line of the label that ended it."""

    line: int = 0
    last: int = 0
    words: str = ""
    goes_on: bool = False
    ended: int = 0
    told: tuple[str | None, str | None, dict[str, object]] | None = field(default=None)

    def take(self, line: str, number: int) -> bool:
        """Whether the line is a command of fio, or goes on with one (`\\` at the end, or options at the start of the next)."""
        if self.goes_on or (self.line and number == self.last + 1 and _MORE.match(line)):
            self.words = f"{self.words} {line.strip(' >|')}"
        elif "fio " in line and (found := _COMMAND.search(line)):
            self.line, self.words, self.ended = number, found[1], 0
        else:
            if self.line and not self.ended and _ANOTHER.search(line):
                self.ended = number
            return False
        self.last = number
        self.goes_on = self.words.endswith("\\") and len(self.words) < 4000
        self.words = self.words.removesuffix("\\").rstrip("`")
        self.told = _told(self.words)
        return True

    def job(self, direction: str, number: int) -> Job:
        """The job of a picked result: as the command tells it, or unnamed with a pattern that is not known."""
        lines = (*range(self.line, self.last + 1), *((self.ended,) if self.ended else ())) if self.line else ()
        if not lines or self.ended or self.told is None:
            return Job("unnamed", number, depends=lines)
        pattern, name, params = self.told
        if not pattern or direction not in _MOVES.get(pattern.removeprefix("rand"), ()):
            return Job("unnamed", number, depends=lines)
        return Job(name or "unnamed", number, None, pattern, params=dict(params), depends=lines)


def _told(words: str) -> tuple[str | None, str | None, dict[str, object]] | None:
    """Pattern, name and parameters; None where several jobs with options of their own stand in one command."""
    given: dict[str, str] = {}
    names = []
    for key, *values in _OPTION.findall(words):
        one = next((value for value in values if value), "")
        if key == "name":
            names += [one] if one != "global" else []
        elif given.setdefault(key, one) != one:
            return None
    pattern, params = options(given)
    return pattern, names[0] if len(names) == 1 else None, params
