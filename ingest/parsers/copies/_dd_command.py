"""Command lines of dd: operands, direction, pipes and loops.

POSIX dd; GNU coreutils manual, dd invocation; BSD dd.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.options import kind_of, open_params
from ingest.plugin_api import CommandOptions
from ingest.records import LOST

DD_CALL = lazy(r"(?:^|[\s;|&(`\"'/$#>])g?dd(?=\s+(?:[^|;&\n]{0,200}?\s)?(?:if|of|bs|ibs|obs|count|conv|status)=\S)")
_OPERAND = lazy(r"(?<!\S)([a-z]{2,12})=(\"[^\"]*\"|'[^']*'|(?:\\.|[^\s\\])+\\?)")
_GLUED = lazy(r"(?<=/dev/zero|/dev/null)(?=(?:if|of|bs|count)=)")  # a page lost the blank between two operands
_CODE_ENDS = lazy(r"(?<=[^`])`[.,;:)]*\Z")
_PRODUCT = lazy(r"\$(?:\(\(|\[)(\d{1,9}(?:\*\d{1,9}){1,4})(?:\)\)|\])(?=[kKMG]?\Z)")
_REDIRECT = lazy(r"(?<![\d&<>])1?>{1,2}\s*(\"[^\"]*\"|[^\s&>|;]+)")
_INPUT = lazy(r"(?<![<\d])<\s*([^\s<(|;]+)")
BACKGROUND = lazy(r"(?<![>&<])&(?![>&])")  # the shell does not wait for the command before it
_SEQUENCES = lazy(r";|&&|\|\||\n|" + BACKGROUND.pattern)
_LOOP = lazy(r"\b(?:for|while|until|repeat|seq|xargs|foreach)\b|\bdo\b")
_DEVICES = {"/dev/zero", "/dev/urandom", "/dev/random", "/dev/frandom", "/dev/erandom", "/dev/full"}
_NOWHERE = {"/dev/null", "nul", "NUL", "/dev/zero"}
_CONTENTS = {"/dev/zero": "zeros", "/dev/urandom": "random", "/dev/random": "random"}
_FLAGS = {"direct": ("direct", "on"), "sync": ("sync_mode", "sync"), "dsync": ("sync_mode", "dsync")}
_CONTINUATION = lazy(r"(?:if|of|i?bs|obs|count|conv|[io]flag|status|seek|skip)=\S")
_JOB = lazy(  # `[1]+  Done    dd if=...`, in any language, and `[1]  + 2345 done    dd if=...`
    r"[\s>|]{0,12}\[\d{1,3}\](?:\s{0,2}[-+])?\s+(?:\d{1,8}\s+)?[^\W\d]\w{2,20}(?:\s\d{1,3})?\s+(?P<command>[^\s=].*)"
)
_OPEN_END = lazy(r"(?:[^->]>|\\)\s*\Z")
MARGIN = " \t>|*#"
MAX_COMMAND = 400
_MAX_DISTANCE = 10  # lines between a summary and the job message of the shell


@dataclass(slots=True)
class DdInvocation:
    """One dd of a command line, with the files that the shell redirects.

    `piped_in`, `piped_out`: it reads from or writes to a pipe. `damaged`: bytes of its operands are lost.
    """

    operands: dict[str, str]
    stdin: str | None
    stdout: str | None
    piped_in: bool
    piped_out: bool
    damaged: bool = False

    @property
    def source(self) -> str | None:
        """The file or device it reads, None for a pipe or a terminal."""
        return self.operands.get("if") or self.stdin

    @property
    def target(self) -> str | None:
        """The file or device that it writes, by `of=` or a redirection; None for a pipe or a terminal."""
        return self.operands.get("of") or self.stdout

    @property
    def operation(self) -> str:
        """`write` to storage, `read` from storage to /dev/null or a pipe, `transfer` where neither is known."""
        source, target = self.source, self.target
        if self.damaged and not (source and target):
            return "transfer"
        if target is None or target in _NOWHERE:
            return "read" if source not in _DEVICES and (source or (self.piped_in and target)) else "transfer"
        return "write"

    @property
    def total(self) -> int | None:
        """Bytes to copy: count times bs. None without a count, and with operands that change what it counts."""
        count = units.parse_dd_operand(self.operands.get("count", ""))
        block = units.parse_dd_operand(self.operands.get("bs", "512"))
        counts_blocks = not {"ibs", "obs"} & self.operands.keys() and "_bytes" not in self.operands.get("iflag", "")
        return count * block if count and block and counts_blocks and not self.damaged else None

    @property
    def path(self) -> str | None:
        """The file or device that was measured."""
        path = self.target if self.operation == "write" else self.source if self.operation == "read" else None
        return path if path and LOST not in path else None

    @property
    def _measured_flags(self) -> tuple[str, ...]:
        """The operands with the flags of the side that is measured; of both where it is not known."""
        return {"write": ("oflag",), "read": ("iflag",)}.get(self.operation, ("iflag", "oflag"))

    def params(self) -> dict[str, Any]:
        """The workload parameters: block size in bytes (512 by default), flags, fsync, contents, path and other operands."""
        params: dict[str, Any] = {}
        size = self.operands.get("bs") or (self.operands.get("obs") if self.operation == "write" else self.operands.get("ibs"))
        block = units.parse_dd_operand(size) if size else 0 if self.damaged else 512
        if block:
            params["block_size"] = block
        for flag in ",".join(self.operands.get(flags, "") for flags in self._measured_flags).split(","):
            if flag in _FLAGS:
                name, value = _FLAGS[flag]
                params[name] = value
        for conv in self.operands.get("conv", "").split(","):
            if conv in ("fsync", "fdatasync"):
                params["fsync"] = conv
        if self.operation == "write" and (contents := _CONTENTS.get(self.source or "")):
            params["contents"] = contents
        if self.path:
            params["path"] = self.path
        return params | self._open_params()

    def _open_params(self) -> dict[str, str]:
        """What counts of the operands that no named parameter holds: lists of flags, offsets, the kinds of both files."""
        options = {name: value for name, value in self.operands.items() if name not in ("if", "of")}
        for flags in self._measured_flags:
            options[flags] = ",".join(flag for flag in options.get(flags, "").split(",") if flag not in _FLAGS)
        usual = {"write": ("zeros", "file"), "read": ("file", "null")}.get(self.operation, ("", ""))
        for name, path, kind in zip(("if", "of"), (self.source, self.target), usual, strict=True):
            if path and not path.startswith("$") and LOST not in path and (found := kind_of(path)) != kind:
                options[name] = found
        return open_params("dd", {name: value for name, value in options.items() if value})


@dataclass(slots=True)
class DdCommandLine:
    """A command line with its dds in order; `line` and `last_line` 1-based; `printed`: number of summaries so far."""

    line: int
    text: str
    dds: list[DdInvocation] = field(default_factory=list)
    printed: int = 0
    last_line: int = 0

    @property
    def is_loop(self) -> bool:
        """Whether it may run each dd more than once."""
        return bool(_LOOP.search(self.text))

    @property
    def total(self) -> int | None:
        """Bytes of its only dd; None for several dds, a loop or an unknown size."""
        return self.dds[0].total if len(self.dds) == 1 and not self.is_loop else None

    @property
    def shows_progress(self) -> bool:
        """Whether a dd has status=progress."""
        return any(dd.operands.get("status", "").startswith("progress") for dd in self.dds)

    @property
    def is_quiet(self) -> bool:
        """Whether a dd prints no summary (status=none or noxfer)."""
        return any(dd.operands.get("status") in ("none", "noxfer") for dd in self.dds)

    @property
    def is_pipe(self) -> bool:
        """Whether it is one dd piped into another."""
        return len(self.dds) == 2 and self.dds[0].piped_out and self.dds[1].piped_in

    @property
    def is_background(self) -> bool:
        """Whether the shell did not wait for it."""
        return self.text.rstrip().endswith("&")

    @property
    def is_concurrent(self) -> bool:
        """Whether several dds run at the same time, so that the order of their summaries is unknown."""
        rests = [self.text[match.end() :] for match in BACKGROUND.finditer(self.text)] if len(self.dds) > 1 else []
        return any((dd := DD_CALL.search(rest)) and "wait" not in rest[: dd.start()] for rest in rests)

    def common_workload(self) -> tuple[str, dict[str, Any]]:
        """The operation (`transfer` if they differ) and the parameters that all its dds share."""
        operations = {dd.operation for dd in self.dds}
        first, *others = (dd.params() for dd in self.dds)
        common = {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
        return operations.pop() if len(operations) == 1 else "transfer", common

    def next_dd(self) -> DdInvocation:
        """The dd that prints the next summary; after the last one the first again, as in a loop."""
        dd = self.dds[self.printed % len(self.dds)]
        self.printed += 1
        return dd


def parse_dd_command(text: str, line: int) -> DdCommandLine | None:
    """The command line with its dds, None without a dd."""
    text = text[:4000]
    dds = _parse_dds(text)
    if not dds:
        return None
    return DdCommandLine(line, text.strip()[-MAX_COMMAND:] if len(text) > MAX_COMMAND else text.strip(), list(dds), last_line=line)


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output: of its only dd."""
    parsed = parse_dd_command(command, 0)
    if parsed is None or len(parsed.dds) != 1 or parsed.is_quiet:
        return ()
    dd = parsed.dds[0]
    params = dd.params() | ({"file_size": dd.total} if dd.total else {})
    implied = imply_no_sync(dd.operation, params, dd)
    return [CommandOptions(params, operations=frozenset((dd.operation,)), implied=implied)]


def imply_no_sync(operation: str, params: dict[str, Any], dd: DdInvocation) -> frozenset[str]:
    """Set `fsync` to none where a write's operands ask for no synchronisation; the parameters that were set."""
    if operation != "write" or dd.damaged or not {"fsync", "sync_mode", "direct"}.isdisjoint(params):
        return frozenset()
    params["fsync"] = "none"
    return frozenset(("fsync",))


def join_wrapped_command(lines: Sequence[str], index: int, command: str) -> tuple[str, int]:
    """The command on `lines[index]` joined with the lines over which mail or backslashes wrap it, and the last line, 1-based."""
    last = index + 1
    for _ in range(3):
        number = next_text_line(lines, last)
        continuation = lines[number - 1].strip(MARGIN) if number and DD_CALL.search(command) else ""
        if not continuation or DD_CALL.search(continuation):
            break
        if not (_CONTINUATION.match(continuation) or _OPEN_END.search(command)):
            break
        command, last = command.rstrip(" \t\\") + " " + continuation, number
    return command, last


def find_finished_job(lines: Sequence[str], number: int) -> DdCommandLine | None:
    """The dd of the job messages below the summary on a 1-based line, None unless they name exactly one."""
    jobs: list[DdCommandLine] = []
    for index in range(number, min(number + _MAX_DISTANCE, len(lines))):
        message = _JOB.match(lines[index])
        command = parse_dd_command(message["command"] if message else lines[index], index + 1)
        if command and not message:
            break
        jobs += [command] if command else []
    return jobs[0] if len({job.text for job in jobs}) == 1 else None


def next_text_line(lines: Sequence[str], number: int) -> int:
    """The 1-based number of the next line with text, over at most one blank line; 0 without one."""
    return next((n for n in range(number + 1, min(number + 3, len(lines) + 1)) if lines[n - 1].strip(MARGIN)), 0)


@lru_cache(1000)
def _parse_dds(text: str) -> tuple[DdInvocation, ...]:
    """The dds of a command line. Cached, since scripts repeat commands; the result must not be modified."""
    if not DD_CALL.search(text):
        return ()
    dds = []
    for pipeline in _SEQUENCES.split(text):
        stages = pipeline.split("|")
        for position, stage in enumerate(stages):
            later = stages[position + 1 :]
            for name in re.finditer(r"(?:^|[\s(`\"'/$#>])g?dd(?=\s)", stage):
                dds.append(_parse_invocation(stage[name.end() :], piped_in=position > 0, later=later))
    return tuple(dds)


def _unquote(value: str) -> str:
    """An operand without quotes and without the end of inline code; a product of the shell as dd spells one."""
    value = _CODE_ENDS.sub("", value) if value.count("`") == 1 else value
    return _PRODUCT.sub(r"\1", value.strip("\"'"))


def _parse_invocation(text: str, piped_in: bool, later: list[str]) -> DdInvocation:
    """The dd with those operands; `later`: the stages of its pipeline after it."""
    text = _GLUED.sub(" ", text)
    operands = {key: _unquote(value).replace("\\ ", " ") for key, value in _OPERAND.findall(text)}
    output = _REDIRECT.search(text) or next(
        (match for stage in later if (match := _REDIRECT.search(stage)) and "pv" in stage), None
    )
    source = _INPUT.search(text)
    stdin, stdout = source[1] if source else None, output[1].strip('"') if output else None
    return DdInvocation(operands, stdin, stdout, piped_in, bool(later), LOST in text)
