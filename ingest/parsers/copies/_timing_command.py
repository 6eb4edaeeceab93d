"""Timed commands: the command itself, its tool and the operation of the catalogue that it performs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.options import TOOLS, command_params
from ingest.parsers.copies._dd_command import BACKGROUND, MAX_COMMAND, DdInvocation, parse_dd_command

# How shells and tools tell that a command was ended before it was through.

# timeout(1) and, as the shell adds 128, SIGINT, SIGKILL, SIGTERM.
ENDED_STATUSES = frozenset({124, 130, 137, 143})
_MARGIN = r"^[\s>|#]{0,12}"
# Before the mark the job or the script (`[1]+  Killed`, `run.sh: line 3:  4711 Killed`), behind it the command.
_JOB = r"(?:\S{1,60}: line \d{1,6}:\s+\d{1,8} |\[\d{1,3}\][-+]?\s+(?:\d{1,8}\s+)?)?"
_COMMAND = r"(?:: \d{1,2})?(?:\s+\(core dumped\))?(?:\s{2,}\S.{0,300})?\s*$"
_STATUS = r"(?:exit(?:ed)?(?: with)?|return(?:ed)?)[ _-]?(?:status|code|value)?\W{1,3}(?:124|130|137|143)"
ENDED = lazy(
    rf"{_MARGIN}{_JOB}(?P<mark>Killed|Terminated|Interrupted|Interrupt|Hangup|\^C){_COMMAND}"
    rf"|{_MARGIN}timeout: (?P<sent>sending signal [A-Z]{{3,6}} to command)"
    rf"|{_MARGIN}(?:\S{{1,40}}: )?(?P<status>{_STATUS})\b"
)
CRASHED = lazy(rf"{_MARGIN}{_JOB}(?P<mark>Aborted|Segmentation fault|Bus error){_COMMAND}")  # by a fault of its own


_TIMERS = r"(?:\\|(?:/usr)?/bin/)?(?:time|gtime|ptime|timex)"
# At a prompt that no space follows: `# `, `$ ` or `host:/dir# ` without the space. An address with a fragment is none.
_GLUED_PROMPT = r"(?:[\w.@~-]{1,40}(?::(?!//)[\w./~-]{0,60})?[#%]|[#$%])"
TIMER = lazy(rf"(?:^{_GLUED_PROMPT}?|[\s;|&(`'\"])({_TIMERS})(?=\s+\S)")
_TIMED_LINE = lazy(
    rf"^(?:[\s>+]{{0,12}}{_GLUED_PROMPT}|[\s>+#]{{0,12}}(?:\d{{1,2}}[.)]\s{{1,3}})?(?:`\s?(?=[^`\n]*(?:`[\s:.]{{0,3}})?\Z))?"
    r"|[^\n]{0,100}?(?:[$#%>\u276f\u279c\u00bb]|\])\s{1,4}|[^\n]{0,160}?(?:[|;&(]|\bdo\b|\bthen\b)\s*)"
    r"(?:(?:sudo|busybox|command|env|exec|doas)\s+(?:-\w\s+)?)?(?:[A-Za-z_]\w{0,60}=[^\s=]{0,200}\s+){0,4}" + _TIMERS + r"\s+(?=\S)"
)
_PROSE = set(
    """
    to of is was in the it and for that this on at as spent taken took limit per when will needed needs between
    with a an series stamp zone output
    """.split()
)
_OPTION = lazy(
    r"(?:-[pvlhaVqmF]+|--(?:portability|verbose|append|quiet)|-[fo]\s*(?:\"[^\"]*\"|'[^']*'|\S+)|"
    r"--(?:format|output)[= ](?:\"[^\"]*\"|'[^']*'|\S+))(?:\s+|$)"
)
_WRAPPER = lazy(
    r"(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)\s+|(?:sudo|doas)(?:\s+-[ugh]\s*\S+|\s+-[A-Zbn]+)*\s+|nice(?:\s+-n?\s*-?\d+)?\s+|"
    r"ionice(?:\s+-\w\s*\d*)*\s+|(?:busybox|toybox|nohup|env|command|exec|builtin|eatmydata|stdbuf\s+-\S+|setsid|unbuffer)\s+|"
    r"(?:timeout|chrt|taskset|numactl)(?:\s+-\S+)*\s+\S+\s+|[({]\s*|cd\s+[^;&\n]*(?:;|&&)\s*|(?:ba|z|k|da|)sh\s+-l?c\s+['\"])"
)
_TOOLS = {
    "gcp": "cp", "gtar": "tar", "bsdtar": "tar", "star": "tar", "grm": "rm", "gfind": "find", "bfs": "find", "gdd": "dd",
    "gdu": "du",
}  # fmt: skip
_OPERATIONS = {"cp": "copy", "rsync": "copy", "openrsync": "copy", "rm": "remove", "find": "list"}
_VIEWERS = set(
    """
    cat less more head tail grep vi vim nano sh bash zsh ksh csh tcsh ssh source . exit cd ls export unset su
    script screen tmux make sleep watch echo clear exec
    """.split()
)
_HELPERS = ("for", "do", "sync", "echo", "cd", "sleep", "cat", "pv")  # not what is measured
# Variables of one run, except those of language and format, which change only what `time` prints.
_VARIABLES = lazy(r"(?<!\S)(?:(?!LANG|LC_|TIME)[A-Za-z_]\w{0,60}=(?:\"[^\"]*\"|'[^']*'|[^\s'\"]*)[ \t]+)+\Z")
_LOOP_WORD = lazy(r"\b(?:do|done)\b")
_LOOP = lazy(r"\b(?:for|while|until|foreach|repeat)\b|\bdo\b")


@dataclass(slots=True)
class TimedCommand:
    """A timed command: name of its `tool`, `operation` of the catalogue, `params` from its operands.

    `timer`: the word that times it, without its path; empty without one. `ambiguous`: it stands for different commands that ran
    at the same time. `evidence`: further lines that identified it.
    """

    text: str
    line: int
    tool: str
    operation: str
    params: dict[str, Any] = field(default_factory=dict)
    ambiguous: bool = False
    evidence: tuple[int, ...] = ()
    timer: str = ""


def shows_timed_command(line: str) -> bool:
    """Whether a line outside a transcript shows a timed command, not prose."""
    match = _TIMED_LINE.match(line) if "time" in line else None
    if not match:
        return False
    rest = line[match.end() :]
    return rest.split(None, 1)[0].strip(",.:").lower() not in _PROSE or bool(re.match(r"for\s+\w+\s+in\s", rest))


def has_loop(text: str) -> bool:
    """Whether a command line may time its command more than once."""
    return bool(_LOOP.search(text))


class LoopOrder(NamedTuple):
    """The numbers of the timers that print before a loop, in each of its rounds, and after it."""

    before: tuple[int, ...]
    inside: tuple[int, ...]
    after: tuple[int, ...]


@lru_cache(1000)
def order_in_loop(text: str) -> LoopOrder | None:
    """The timers of command lines with a loop in the order in which they print: before it, in each round of it, after it.

    None where nested loops time several commands, since how often each one prints is not known.
    """
    words = [(match.start(), match[0]) for match in _LOOP_WORD.finditer(text[:4000])]
    start = next((at for at, word in words if word == "do"), 0)
    end = max((at for at, word in words if word == "done"), default=len(text))
    before, inside, after = list[int](), list[int](), list[int]()
    for number, match in enumerate(TIMER.finditer(text[:4000])):
        is_of_loop = bool(_LOOP.match(text[match.end() :].lstrip()))  # `time for ...` prints after its last round
        (after if match.start() > end or is_of_loop else before if match.start() < start else inside).append(number)
    is_nested = sum(word == "do" for _, word in words) > 1
    return None if is_nested and len(before + inside + after) > 1 else LoopOrder(tuple(before), tuple(inside), tuple(after))


@lru_cache(1000)
def count_timers(text: str) -> int:
    """The number of timers (`time`, /usr/bin/time ...) in a command line."""
    return len(TIMER.findall(text[:4000]))


def is_concurrent(text: str) -> bool:
    """Whether a command line times several commands at once: `&` between two timers without a `wait` after it."""
    starts = [match.start() for match in TIMER.finditer(text[:4000])]
    between = [text[start:end] for start, end in pairwise(starts)]
    return any((background := BACKGROUND.search(part)) and "wait" not in part[background.end() :] for part in between)


def is_background(text: str) -> bool:
    """Whether the shell did not wait for the command."""
    return text.rstrip().endswith("&") and not text.rstrip().endswith("&&")


def merge_concurrent(texts: Sequence[str], line: int) -> TimedCommand | None:
    """One command for the timed commands that ran at the same time, with what they have in common; None without any.

    Which of them printed a timing is unknown, since the first to end prints first.
    """
    commands = [
        command
        for text in texts
        for position in range(max(count_timers(text), 1))
        if (command := parse_timed_command(text, line, position))
    ]
    if not commands:
        return None
    first, *others = commands
    if not others:
        return first
    same_tool = all(other.tool == first.tool for other in others)
    same_operation = same_tool and all(other.operation == first.operation for other in others)
    params = {name: value for name, value in first.params.items() if all(other.params.get(name) == value for other in others)}
    tool, operation = first.tool if same_tool else "time", first.operation if same_operation else "run"
    merged = operation, tool, params, _scope(first.text).strip()
    ambiguous = any((c.operation, c.tool, c.params, _scope(c.text).strip()) != merged for c in commands)
    return TimedCommand(" ".join(text.strip() for text in texts)[:MAX_COMMAND], line, tool, operation, params, ambiguous)


def parse_timed_command(text: str, line: int, position: int = 0) -> TimedCommand | None:
    """The command after the timer at a 0-based position of a command line; the whole line where it has no timer."""
    command = _parse(text[:4000], position)
    if command is None:
        return None
    return TimedCommand(command.text, line, command.tool, command.operation, dict(command.params), timer=command.timer)


@lru_cache(1000)
def _parse(text: str, position: int) -> TimedCommand | None:
    """The command on line 0. Cached, since scripts repeat commands; the result must not be modified."""
    timers = list(TIMER.finditer(text))
    if not timers:
        return _identify(text.strip()) if text.strip() else None
    timer = timers[min(position, len(timers) - 1)]
    before = text[: timer.start()]
    rest = text[timer.end() :].lstrip()
    while option := _OPTION.match(rest):
        rest = rest[option.end() :]
    if variables := _VARIABLES.search(before + timer[0][:1]):
        rest = variables[0] + rest
    if before.count("(") > before.count(")"):
        rest = rest.split(")")[0]
    if (before + timer[0]).count("`") % 2:
        rest = rest.split("`")[0]  # inline code in prose
    command = _identify(rest) if rest.strip() else None
    if command:
        command.timer = timer[1].lstrip("\\").rpartition("/")[2]
    return command


@lru_cache(1000)
def may_be_timed(text: str) -> bool:
    """Whether a command without a timer may have been timed (pasted without it, or by csh's `set time`)."""
    tool = _find_tool(_strip(text))
    return bool(tool) and tool not in _VIEWERS and not text.lstrip().startswith(("./", "/", "source ", ". "))


def _identify(rest: str) -> TimedCommand | None:
    """The command with tool and operation; None where the name of the program is missing.

    The operation is that of its parts where they have a single one (copy, extract ...), else `run`.
    """
    scope = _scope(rest)
    parts = [part for part in map(_strip, re.split(r"\|\||&&|[|;&\n]", scope)) if part.strip()]
    if not parts or not re.search(r"\w", parts[0].split()[0]):  # `$ ... -n 2 ...`
        return None
    tool, operation = _tool_and_operation(parts)
    text = rest.strip()
    while text[-1:] in ("'", '"') and text.count(text[-1]) % 2:
        text = text[:-1]  # of the quotes around `sh -c '... '`
    command = TimedCommand(text[:MAX_COMMAND], 0, tool, operation)
    if tool == "dd" and (dd_command := parse_dd_command(scope, 0)) and len(dd_command.dds) == 1:
        dd = dd_command.dds[0]
        command.params.update(dd.params(), operation=dd.operation)
        size = _copied_bytes(dd)
        if size:
            command.params["file_size"] = size
    elif tool in TOOLS:
        command.params.update(command_params(tool, scope))
    if tool != "sync" and any(part.split()[0] == "sync" for part in parts):
        command.params["fsync"] = "sync"  # sync(1) within the time that is measured
    return command


def _tool_and_operation(parts: Sequence[str]) -> tuple[str, str]:
    """The tool and the operation of the parts of a pipeline, group or loop."""
    tools = [tool for part in parts if (tool := _find_tool(part))]
    known = [(tool, operation) for part in parts if (tool := _find_tool(part)) and (operation := _find_operation(tool, part))]
    if known and len({operation for _, operation in known}) == 1 and not {"dd", "ssh"}.intersection(tools):
        return known[0]
    first = next((tool for tool in tools if tool not in _HELPERS), _find_tool(parts[0])) or "sh"
    return known[0][0] if len(known) == 1 and first in ("sh", "for") else first, "run"


def _copied_bytes(dd: DdInvocation) -> int | None:
    """Bytes that dd copies by its operands count and bs; None where they do not give them."""
    count, block_size = dd.operands.get("count"), dd.operands.get("bs", "512")
    if not count:
        return None
    blocks, block = units.parse_dd_operand(count), units.parse_dd_operand(block_size)
    return blocks * block if blocks and block else None


def _scope(rest: str) -> str:
    """The part of a command line that the timer covers: a group, a quoted shell command or a loop, else one pipeline."""
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
    """A command without keywords of the shell and without wrappers such as sudo and nice."""
    part = part.strip()
    part = re.sub(r"^(?:(?:for|while|until)\s[^;\n]*$|do\s+|then\s+|!\s+)", "", part)
    for _ in range(8):
        wrapper = _WRAPPER.match(part)
        if not wrapper:
            break
        part = part[wrapper.end() :].lstrip()
    return part


def _find_tool(part: str) -> str | None:
    """The usual name of the program that a command calls: base name without ending."""
    word = re.match(r"['\"]?([^\s'\"<>|;&()]{1,200})", part)
    if not word:
        return None
    name = word[1].rstrip("/").rsplit("/", 1)[-1]
    name = re.sub(r"\.(?:bash|sh|exe|py|pl)\Z", "", name)
    return _TOOLS.get(name, name) or None


def _find_operation(tool: str, part: str) -> str | None:
    """The operation of the catalogue that a command performs, None where there is none for it."""
    if tool in _OPERATIONS:
        return _OPERATIONS[tool]
    return _tar_operation(part.split()[1:]) if tool == "tar" else None


def _tar_operation(words: list[str]) -> str | None:
    """`extract` or `archive` by the options of tar, else None."""
    if any(word in ("--extract", "--get") for word in words):
        return "extract"
    if "--create" in words:
        return "archive"
    clusters = [word[1:] for word in words if re.fullmatch(r"-[A-Za-z]{1,12}", word)]
    if words and re.fullmatch(r"[A-Za-z]{1,12}", words[0]):
        clusters.append(words[0])
    for letters in clusters:
        if "x" in letters:
            return "extract"
        if "c" in letters:
            return "archive"
    return None
