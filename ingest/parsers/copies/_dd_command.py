"""Command lines of dd: operands, direction, pipes and loops.

POSIX dd; GNU coreutils manual, dd invocation; BSD dd.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy

DD_CALL = lazy(r"(?:^|[\s;|&(`\"'/$#>])g?dd(?=\s+(?:[^|;&\n]{0,200}?\s)?(?:if|of|bs|ibs|obs|count|conv|status)=\S)")
_OPERAND = lazy(r"(?<!\S)(if|of|bs|ibs|obs|count|conv|iflag|oflag|status)=(\"[^\"]*\"|'[^']*'|(?:\\.|[^\s\\])+\\?)")
_GLUED = lazy(r"(?<=/dev/zero|/dev/null)(?=(?:if|of|bs|count)=)")  # blanks that a page lost
_CODE_ENDS = lazy(r"(?<=[^`])`[.,;:)]*\Z")
_PRODUCT = lazy(r"\$(?:\(\(|\[)(\d{1,9}(?:\*\d{1,9}){1,4})(?:\)\)|\])(?=[kKMG]?\Z)")
_REDIRECT = lazy(r"(?<![\d&<>])1?>{1,2}\s*(\"[^\"]*\"|[^\s&>|;]+)")
_INPUT = lazy(r"(?<![<\d])<\s*([^\s<(|;]+)")
_ASIDE = lazy(r"(?<![>&<])&(?![>&])")  # the shell does not wait for what stands before it
_SEQUENCES = lazy(r";|&&|\|\||\n|" + _ASIDE.pattern)
_LOOP = lazy(r"\b(?:for|while|until|repeat|seq|xargs|foreach)\b|\bdo\b")
_DEVICES = {"/dev/zero", "/dev/urandom", "/dev/random", "/dev/frandom", "/dev/erandom", "/dev/full"}
_NOWHERE = {"/dev/null", "nul", "NUL", "/dev/zero"}
_FLAGS = {"direct": ("direct", "on"), "sync": ("sync_mode", "sync"), "dsync": ("sync_mode", "dsync")}
_GOES_ON = lazy(r"(?:if|of|i?bs|obs|count|conv|[io]flag|status|seek|skip)=\S")
_JOB = lazy(  # `[1]+  Done    dd if=...`, in any language, and `[1]  + 2345 done    dd if=...`
    r"[\s>|]{0,12}\[\d{1,3}\](?:\s{0,2}[-+])?\s+(?:\d{1,8}\s+)?[^\W\d]\w{2,20}(?:\s\d{1,3})?\s+(?P<command>[^\s=].*)"
)
_OPEN_END = lazy(r"(?:[^->]>|\\)\s*\Z")
MARGIN = " \t>|*#"
MAX_COMMAND = 400
_SOON = 10  # lines until the shell tells that a job ended
LOST = "\ufffd"  # damaged bytes


@dataclass(slots=True)
class DdInvocation:
    """One dd of a command line. `piped_in`, `piped_out`: it stands behind or before a pipe. `torn`: damage hides operands."""

    operands: dict[str, str]
    stdin: str | None
    stdout: str | None
    piped_in: bool
    piped_out: bool
    torn: bool = False

    @property
    def source(self) -> str | None:
        """Where it reads from, None where that is a pipe or a terminal."""
        return self.operands.get("if") or self.stdin

    @property
    def target(self) -> str | None:
        """Where it writes to, None where that is a pipe or a terminal."""
        return self.operands.get("of") or self.stdout

    @property
    def operation(self) -> str:
        """`write` to a file or device, `parse_dd_command` to nowhere or into a pipe, `transfer` where no storage is told."""
        source, target = self.source, self.target
        if self.torn and not (source and target):
            return "transfer"
        if target is None or target in _NOWHERE:
            return "read" if source not in _DEVICES and (source or (self.piped_in and target)) else "transfer"
        return "write"

    @property
    def total(self) -> int | None:
        """The bytes that it was told to copy, None where it was not told or counts otherwise."""
        count = units.parse_dd_operand(self.operands.get("count", ""))
        block = units.parse_dd_operand(self.operands.get("bs", "512"))
        plainly = not self.torn and not {"ibs", "obs"} & self.operands.keys() and "_bytes" not in self.operands.get("iflag", "")
        return count * block if count and block and plainly else None

    @property
    def path(self) -> str | None:
        """The file or device that was measured."""
        path = self.target if self.operation == "write" else self.source if self.operation == "read" else None
        return path if path and LOST not in path else None

    def params(self) -> dict[str, Any]:
        """Workload parameters that the operands tell."""
        out: dict[str, Any] = {}
        size = self.operands.get("bs") or (self.operands.get("obs") if self.operation == "write" else self.operands.get("ibs"))
        block = units.parse_dd_operand(size) if size else 0 if self.torn else 512
        if block:
            out["block_size"] = block
        for flag in f"{self.operands.get('iflag', '')},{self.operands.get('oflag', '')}".split(","):
            if flag in _FLAGS:
                out[_FLAGS[flag][0]] = _FLAGS[flag][1]
        for conv in self.operands.get("conv", "").split(","):
            if conv in ("fsync", "fdatasync"):
                out["fsync"] = conv
        if self.path:
            out["path"] = self.path
        return out


@dataclass(slots=True)
class DdCommandLine:
    """A command line with dd in it: `line` 1-based, `last` where it is wrapped, `dds` its invocations in order; how many
    summaries it has given."""

    line: int
    text: str
    dds: list[DdInvocation] = field(default_factory=list)
    given: int = 0
    last: int = 0

    @property
    def loop(self) -> bool:
        """Whether it runs dd more often than it names it."""
        return bool(_LOOP.search(self.text))

    @property
    def total(self) -> int | None:
        """The bytes of its one dd that runs once, None where it is another or nothing tells them."""
        return self.dds[0].total if len(self.dds) == 1 and not self.loop else None

    @property
    def progress(self) -> bool:
        """Whether dd was told to show its progress."""
        return any(dd.operands.get("status", "").startswith("progress") for dd in self.dds)

    @property
    def quiet(self) -> bool:
        """Whether dd was told to print no summary."""
        return any(dd.operands.get("status") in ("none", "noxfer") for dd in self.dds)

    @property
    def pipe(self) -> bool:
        """Whether two dds stand in one pipe."""
        return len(self.dds) == 2 and self.dds[0].piped_out and self.dds[1].piped_in

    @property
    def background(self) -> bool:
        """Whether the shell went on while it ran."""
        return self.text.rstrip().endswith("&")

    @property
    def together(self) -> bool:
        """Whether several dds run at the same time, so that nobody knows whose summary is printed first."""
        rests = [self.text[aside.end() :] for aside in _ASIDE.finditer(self.text)] if len(self.dds) > 1 else []
        return any((dd := DD_CALL.search(rest)) and "wait" not in rest[: dd.start()] for rest in rests)

    def alike(self) -> tuple[str, dict[str, Any]]:
        """(operation, parameters) as far as all its dds have them alike."""
        operations = {dd.operation for dd in self.dds}
        first, *others = (dd.params() for dd in self.dds)
        same = {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
        return operations.pop() if len(operations) == 1 else "transfer", same

    def next(self) -> DdInvocation:
        """The invocation whose summary comes next; a loop begins again."""
        found = self.dds[self.given % len(self.dds)]
        self.given += 1
        return found


def parse_dd_command(text: str, line: int) -> DdCommandLine | None:
    """The dds of a command line, or None where there is none."""
    text = text[:4000]
    dds = _dds(text)
    return (
        DdCommandLine(line, text.strip()[-MAX_COMMAND:] if len(text) > MAX_COMMAND else text.strip(), list(dds), last=line)
        if dds
        else None
    )


def join_wrapped_command(lines: Sequence[str], at: int, line: str) -> tuple[str, int]:
    """The command with the lines that it goes on in, as mail wraps it or a backslash says; and the last of them, 1-based."""
    last = at + 1
    for _ in range(3):
        rest = next_text_line(lines, last)
        more = lines[rest - 1].strip(MARGIN) if rest and DD_CALL.search(line) else ""
        if not more or not (_GOES_ON.match(more) or _OPEN_END.search(line)) or DD_CALL.search(more):
            break
        line, last = line.rstrip(" \t\\") + " " + more, rest
    return line, last


def find_finished_job(lines: Sequence[str], number: int) -> DdCommandLine | None:
    """The dd that the shell tells to have ended, below the summary on a line, where it tells of no other one."""
    jobs: list[DdCommandLine] = []
    for at in range(number, min(number + _SOON, len(lines))):
        job = _JOB.match(lines[at])
        found = parse_dd_command(job["command"] if job else lines[at], at + 1)
        if found and not job:
            break
        jobs += [found] if found else []
    return jobs[0] if len({job.text for job in jobs}) == 1 else None


def next_text_line(lines: Sequence[str], number: int) -> int:
    """The next line with text after the line of that number, at most one blank line between; 0 where there is none."""
    return next((n for n in range(number + 1, min(number + 3, len(lines) + 1)) if lines[n - 1].strip(MARGIN)), 0)


@lru_cache(1000)
def _dds(text: str) -> tuple[DdInvocation, ...]:
    """Scripts give the same command again and again: it is taken apart once, and nobody changes what is found."""
    if not DD_CALL.search(text):
        return ()
    out = []
    for sequence in _SEQUENCES.split(text):
        stages = sequence.split("|")
        for place, stage in enumerate(stages):
            for dd in re.finditer(r"(?:^|[\s(`\"'/$#>])g?dd(?=\s)", stage):
                out.append(_invocation(stage[dd.end() :], place > 0, place + 1 < len(stages), stages[place + 1 :]))
    return tuple(out)


def _bare(value: str) -> str:
    """Without quotes around it, without the end of the code that it stands in; a product of the shell's as dd writes one."""
    value = _CODE_ENDS.sub("", value) if value.count("`") == 1 else value
    return _PRODUCT.sub(r"\1", value.strip("\"'"))


def _invocation(text: str, piped_in: bool, piped_out: bool, later: list[str]) -> DdInvocation:
    text = _GLUED.sub(" ", text)
    operands = {key: _bare(value).replace("\\ ", " ") for key, value in _OPERAND.findall(text)}
    into = _REDIRECT.search(text) or next((found for stage in later if (found := _REDIRECT.search(stage)) and "pv" in stage), None)
    start = _INPUT.search(text)
    stdin, stdout = start[1] if start else None, into[1].strip('"') if into else None
    return DdInvocation(operands, stdin, stdout, piped_in, piped_out, LOST in text)
