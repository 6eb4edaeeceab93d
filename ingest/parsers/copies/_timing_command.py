"""Which command was timed, which tool that is and which operation of the catalogue it performs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.parsers.copies import _dd_command

LONGEST = 400
TIMER = lazy(r"(?:^|[\s;|&(`'\"])(?:\\?time|(?:/usr)?/bin/time|gtime|ptime|timex)(?=\s+\S)")
_PROMPTED = lazy(
    r"^(?:[\s>+#]{0,12}(?:\d{1,2}[.)]\s{1,3})?(?:`\s?(?=[^`\n]*(?:`[\s:.]{0,3})?\Z))?"
    r"|[^\n]{0,100}?(?:[$#%>\u276f\u279c\u00bb]|\])\s{1,4}|[^\n]{0,160}?(?:[|;&(]|\bdo\b|\bthen\b)\s*)"
    r"(?:(?:sudo|busybox|command|env|exec|doas)\s+(?:-\w\s+)?)?(?:[A-Za-z_]\w{0,60}=[^\s=]{0,200}\s+){0,4}(?:\\?time|(?:/usr)?/bin/time|gtime|ptime|timex)\s+(?=\S)"
)
_PROSE = {
    "to",
    "of",
    "is",
    "was",
    "in",
    "the",
    "it",
    "and",
    "for",
    "that",
    "this",
    "on",
    "at",
    "as",
    "spent",
    "taken",
    "took",
    "limit",
    "per",
    "when",
    "will",
    "needed",
    "needs",
    "between",
    "with",
    "a",
    "an",
    "series",
    "stamp",
    "zone",
    "output",
}
_OPTION = lazy(
    r"(?:-[pvlhaVq]+|--(?:portability|verbose|append|quiet)|-[fo]\s*(?:\"[^\"]*\"|'[^']*'|\S+)|"
    r"--(?:format|output)[= ](?:\"[^\"]*\"|'[^']*'|\S+))(?:\s+|$)"
)
_WRAPPER = lazy(
    r"(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)\s+|(?:sudo|doas)(?:\s+-[ugh]\s*\S+|\s+-[A-Zbn]+)*\s+|nice(?:\s+-n?\s*-?\d+)?\s+|"
    r"ionice(?:\s+-\w\s*\d*)*\s+|(?:busybox|toybox|nohup|env|command|exec|builtin|eatmydata|stdbuf\s+-\S+|setsid|unbuffer)\s+|"
    r"(?:timeout|chrt|taskset|numactl)(?:\s+-\S+)*\s+\S+\s+|[({]\s*|cd\s+[^;&\n]*(?:;|&&)\s*|(?:ba|z|k|da|)sh\s+-l?c\s+['\"])"
)
_TOOLS = {
    "gcp": "cp",
    "gtar": "tar",
    "bsdtar": "tar",
    "star": "tar",
    "grm": "rm",
    "gfind": "find",
    "bfs": "find",
    "gdd": "dd",
    "gdu": "du",
}
_PLAIN = {"cp": "copy", "rsync": "copy", "openrsync": "copy", "rm": "remove", "find": "list"}
_VIEWERS = {
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "vi",
    "vim",
    "nano",
    "sh",
    "bash",
    "zsh",
    "ksh",
    "csh",
    "tcsh",
    "ssh",
    "source",
    ".",
    "exit",
    "cd",
    "ls",
    "export",
    "unset",
    "su",
    "script",
    "screen",
    "tmux",
    "make",
    "sleep",
    "watch",
    "echo",
    "clear",
    "exec",
}
_ASIDE = lazy(r"(?<![>&<])&(?![>&])")
# What is set for one run; languages and formats change what `time` prints, not what it times.
_VARIABLES = lazy(r"(?<!\S)(?:(?!LANG|LC_|TIME)[A-Za-z_]\w{0,60}=(?:\"[^\"]*\"|'[^']*'|[^\s'\"]*)[ \t]+)+\Z")
_LOOP = lazy(r"\b(?:for|while|until|foreach|repeat)\b|\bdo\b")


@dataclass(slots=True)
class TimedCommand:
    """A timed command. `operation` of the catalogue, `tool` its name; `params` what its operands tell.

    `unsure`: it stands for several different ones that ran at the same time. `beside`: further lines by which it was told.
    """

    text: str
    line: int
    tool: str
    operation: str
    params: dict[str, Any] = field(default_factory=dict)
    unsure: bool = False
    beside: tuple[int, ...] = ()


def shows_timed_command(line: str) -> bool:
    """Whether a line of no transcript shows a command that is timed."""
    found = _PROMPTED.match(line) if "time" in line else None
    if not found:
        return False
    rest = line[found.end() :]
    return rest.split(None, 1)[0].strip(",.:").lower() not in _PROSE or bool(re.match(r"for\s+\w+\s+in\s", rest))


def has_loop(text: str) -> bool:
    """Whether a command line may time its command more than once."""
    return bool(_LOOP.search(text))


@lru_cache(1000)
def count_timers(text: str) -> int:
    """How many times a command line names a timer."""
    return len(TIMER.findall(text[:4000]))


def is_concurrent(text: str) -> bool:
    """Whether a command line times several commands at once: a shell does not wait for what stands before `&`."""
    starts = [found.start() for found in TIMER.finditer(text[:4000])]
    between = [text[one:two] for one, two in pairwise(starts)]
    return any((aside := _ASIDE.search(part)) and "wait" not in part[aside.end() :] for part in between)


def is_background(text: str) -> bool:
    """Whether the shell went on while the command ran."""
    return text.rstrip().endswith("&") and not text.rstrip().endswith("&&")


def merge_concurrent(texts: Sequence[str], line: int) -> TimedCommand | None:
    """What the commands of command lines that ran at the same time have alike: who ends first prints first."""
    every = [one for text in texts for nth in range(max(count_timers(text), 1)) if (one := parse_timed_command(text, line, nth))]
    if not every:
        return None
    first, *others = every
    if not others:
        return first
    tool = first.tool if all(one.tool == first.tool for one in others) else "time"
    operation = first.operation if all((one.tool, one.operation) == (first.tool, first.operation) for one in others) else "run"
    params = {name: value for name, value in first.params.items() if all(one.params.get(name) == value for one in others)}
    whole = operation, tool, params, _scope(first.text).strip()
    differ = any((one.operation, one.tool, one.params, _scope(one.text).strip()) != whole for one in every)
    return TimedCommand(" ".join(text.strip() for text in texts)[:LONGEST], line, tool, operation, params, differ)


def parse_timed_command(text: str, line: int, nth: int = 0) -> TimedCommand | None:
    """The command behind the nth timer of a command line; the whole line where it names no timer."""
    found = _timed(text[:4000], nth)
    return TimedCommand(found.text, line, found.tool, found.operation, dict(found.params)) if found else None


@lru_cache(1000)
def _timed(text: str, nth: int) -> TimedCommand | None:
    """Scripts give the same command again and again: it is taken apart once. On which line it stands is not told."""
    timers = list(TIMER.finditer(text))
    if timers:
        at = timers[min(nth, len(timers) - 1)]
        before = text[: at.start()]
        rest = text[at.end() :].lstrip()
        while found := _OPTION.match(rest):
            rest = rest[found.end() :]
        if of_run := _VARIABLES.search(before + at[0][:1]):
            rest = of_run[0] + rest
        if before.count("(") > before.count(")"):
            rest = rest.split(")")[0]
        if (before + at[0]).count("`") % 2:
            rest = rest.split("`")[0]  # quoted in a text
    else:
        rest = text.strip()
    return _named(rest, bool(timers)) if rest.strip() else None


@lru_cache(1000)
def may_be_timed(text: str) -> bool:
    """Whether a command without a timer before it can be what was timed (pasted without, or csh's `set time`)."""
    tool = _tool(_strip(text))
    return bool(tool) and tool not in _VIEWERS and not text.lstrip().startswith(("./", "/", "source ", ". "))


def _named(rest: str, timer: bool) -> TimedCommand | None:
    """A command by what its parts do: one that copies, unpacks ... gives the operation, several different a run."""
    whole = _scope(rest)
    parts = [_strip(part) for part in re.split(r"\|\||&&|[|;&\n]", whole)]
    parts = [part for part in parts if part.strip()]
    if not parts or not re.search(r"\w", parts[0].split()[0]):  # `$ ... -n 2 ...`: the program itself was left out
        return None
    known = [(tool, op) for part in parts if (tool := _tool(part)) and (op := _operation(tool, part))]
    first = (
        next(
            (
                tool
                for part in parts
                if (tool := _tool(part)) and tool not in ("for", "do", "sync", "echo", "cd", "sleep", "cat", "pv")
            ),
            _tool(parts[0]),
        )
        or "sh"
    )
    if known and len({op for _, op in known}) == 1 and not any(_tool(p) in ("dd", "ssh") for p in parts):
        tool, operation = known[0]
    else:
        tool, operation = (known[0][0] if len(known) == 1 and first in ("sh", "for") else first), "run"
    text = rest.strip()
    while text[-1:] in ("'", '"') and text.count(text[-1]) % 2:
        text = text[:-1]  # of the quotes around `sh -c '... '`
    out = TimedCommand(text[:LONGEST], 0, tool, operation)
    if tool == "dd" and (invoked := _dd_command.parse_dd_command(whole, 0)) and len(invoked.dds) == 1:
        dd = invoked.dds[0]
        out.params.update(dd.params(), operation=dd.operation)
        total = _dd_total(dd)
        if total:
            out.params["file_size"] = total
    return out


def _dd_total(dd: _dd_command.DdInvocation) -> int | None:
    count_, size = dd.operands.get("count"), dd.operands.get("bs", "512")
    if not count_:
        return None
    number, block = units.parse_dd_operand(count_), units.parse_dd_operand(size)
    return number * block if number and block else None


def _scope(rest: str) -> str:
    """What the timer covers: a group, a quoted shell command or loop whole; else up to the end of its pipeline."""
    rest = rest.strip()
    if rest.startswith(("(", "{")):
        closing = ")" if rest[0] == "(" else "}"
        return rest[1:].split(closing)[0]
    quoted = re.match(r"(?:\S+\s+)*?(?:ba|z|k|da|)sh\s+-l?c\s+(?:'([^']*)'?|\"([^\"]*)\"?)", rest)
    if quoted:
        return quoted[1] or quoted[2] or ""
    if re.match(r"(?:for|while|until)\b", rest):
        return re.split(r"\bdone\b", rest)[0]
    return re.split(r";|&&|\|\||\n|(?<![>&<])&(?![>&])", rest)[0]


def _strip(part: str) -> str:
    part = part.strip()
    part = re.sub(r"^(?:(?:for|while|until)\s[^;\n]*$|do\s+|then\s+|!\s+)", "", part)
    for _ in range(8):
        found = _WRAPPER.match(part)
        if not found:
            break
        part = part[found.end() :].lstrip()
    return part


def _tool(part: str) -> str | None:
    found = re.match(r"['\"]?([^\s'\"<>|;&()]{1,200})", part)
    if not found:
        return None
    name = found[1].rstrip("/").rsplit("/", 1)[-1]
    name = re.sub(r"\.(?:bash|sh|exe|py|pl)\Z", "", name)
    return _TOOLS.get(name, name) or None


def _operation(tool: str, part: str) -> str | None:
    if tool in _PLAIN:
        return _PLAIN[tool]
    if tool != "tar":
        return None
    words = part.split()[1:]
    if any(w in ("--extract", "--get") for w in words):
        return "extract"
    if "--create" in words:
        return "archive"
    clusters = [w[1:] for w in words if re.fullmatch(r"-[A-Za-z]{1,12}", w)] + (
        [words[0]] if words and re.fullmatch(r"[A-Za-z]{1,12}", words[0]) else []
    )
    for letters in clusters:
        if "x" in letters:
            return "extract"
        if "c" in letters:
            return "archive"
    return None
