"""The commands of a terminal log: prompt, command, and the lines of its output."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from sys import intern

from ingest.lazy_regex import lazy
from ingest.text.lines import ShownCommand, Text
from ingest.toml_tables import expand_fragments, read_table

# The host on which each command of a transcript ran, if not in its prompt: `ssh HOST COMMAND`, `ssh HOST`, `hostname`.

_SSH = lazy(
    r"(?:(?:time|sudo|sshpass -p ?\S+|timeout \S+)\s+)*ssh"
    r"(?:\s+-(?:[46AaCfGgKkMNnqsTtVvXxYy]+(?=\s)|[BbcDEeFIiJLlmOoPpQRSWw]\s*\S+))*"
    r"\s+(?:[\w.-]+@)?(?P<host>[A-Za-z0-9][\w.-]*|\S*\$\S*)(?P<rest>\s.*)?\Z"
)
_LOOP = lazy(r"\A(?:for|while)\b[^;]*;[ \t]*do[ \t]+(.*?)[ \t]*;[ \t]*done[ \t]*\Z")
_QUOTED = lazy(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_HOSTNAME = lazy(r"(?:hostname(?: -[fs])?|uname -n)\Z")
_NAME = lazy(r"[A-Za-z0-9][\w.-]{0,80}\Z")
_EXIT = lazy(r"(?:exit|logout)\b")
_REFUSED = lazy(r"(?i)refused|timed out|denied|could not|no route|failed")
ELSEWHERE = "?"  # a host given by a shell variable


def assign_hosts(commands: list[ShownCommand], lines: Sequence[str]) -> list[ShownCommand]:
    """The commands with the host on which each ran; '' is the local host, if its name is unknown and others ran elsewhere."""
    if not any(_HOSTNAME.match(command.text) or "ssh " in command.text for command in commands):
        return commands
    remote_hosts = [_remote_host(command) for command in commands]
    has_hosts = any(command.host for command in commands)
    if not has_hosts:
        return _follow_shells(commands, remote_hosts, lines)
    followers: list[ShownCommand | None] = [*commands[1:], None]
    return [
        replace(command, host=host) if command.host and (host := remote or _host_of_login(command, following)) else command
        for command, following, remote in zip(commands, followers, remote_hosts, strict=True)
    ]


def _host_of_login(command: ShownCommand, following: ShownCommand | None) -> str | None:
    """The host whose shell `ssh HOST` opened, by the prompt after it: what is printed between them is its greeting."""
    is_login = following and following.host and command.host != following.host and _SSH.match(command.text)
    return following.host if following and is_login else None


def _remote_host(command: ShownCommand) -> str | None:
    """The host on which `ssh HOST COMMAND` ran the whole command line, None if it did not."""
    match = _SSH.match(_LOOP.sub(r"\1", command.text))
    if not match or not (match["rest"] or "").strip() or re.search(r"[|<>;&]", _QUOTED.sub("", match["rest"])):
        return None
    return _host(match["host"])


def _host(word: str) -> str:
    return ELSEWHERE if "$" in word else word


def _follow_shells(commands: list[ShownCommand], remote_hosts: list[str | None], lines: Sequence[str]) -> list[ShownCommand]:
    """For prompts without hosts: hosts from the output of `hostname`, and from shells that ssh opened, until they exit."""
    shells = [_Shell()]
    shell_of_command: list[_Shell] = []
    for command, remote in zip(commands, remote_hosts, strict=True):
        if remote:
            shell_of_command.append(_Shell(remote))
            continue
        output = [line.strip() for line in lines[command.first - 1 : min(command.last, command.first + 4)] if line.strip()]
        if _HOSTNAME.match(command.text) and output and _NAME.match(output[0]):
            if shells[-1].name not in ("", output[0]):
                shells[-1] = _Shell()  # another host, though no command changed it
            shells[-1].name = output[0]
        shell_of_command.append(shells[-1])
        match = _SSH.match(command.text)
        if match and not (match["rest"] or "").strip() and not any(map(_REFUSED.search, output)):
            shells.append(_Shell(_host(match["host"])))
        elif _EXIT.match(command.text) and len(shells) > 1:
            shells.pop()
    return [replace(command, host=shell.name) for command, shell in zip(commands, shell_of_command, strict=True)]


@dataclass
class _Shell:
    """A shell on some host, whose name may become known only after its first commands."""

    name: str = ""


# What stands in front of a command, and a shell that is given the command as a text.
FRONT = (
    r"(?:(?:sudo|doas|pfexec|run0|(?:/usr/bin/)?time|nice|ionice|nohup|env|command|exec)"
    r"(?:[ \t]+(?:-[ug][ \t]+[\w.-]+|-[nc][ \t]+-?\d+|--?\w[\w=-]*|[A-Za-z_]\w*=\S*))*[ \t]+)"
)
SHELL_START = r"(?:(?:(?:ba|z|k|da)?sh|su(?:[ \t]+(?:-|-l|[a-z][\w-]*))*)[ \t]+-l?c[ \t]+[\"'])"
_FRONTS = lazy(rf"[ \t]*(?:{FRONT})*")
_SHELL_COMMAND = lazy(rf"{SHELL_START}(?P<inner>.*)(?:(?<=')|(?<=\"))(?:[ \t]+[a-z][\w-]*)?[ \t]*\Z", re.DOTALL)


def unwrap(command: str) -> str:
    """The command without `sudo`, `doas`, `time` and the like in front of it, also that of `su -c "..."` and `sh -c '...'`."""
    command = _FRONTS.sub("", command, count=1)
    inner = _SHELL_COMMAND.match(command)
    return unwrap(inner["inner"][:-1]) if inner else command


_TABLES = read_table(__file__)
_FRAGMENTS = {name: "".join(parts) for name, parts in _TABLES["fragments"].items()}
_TIME, _USER, _HOST = (_FRAGMENTS[name] for name in ("TIME", "USER", "HOST"))
_PROMPT = lazy("|".join(expand_fragments(prompt, _FRAGMENTS) for prompt in _TABLES["prompts"]["expressions"]), re.M)
# The first line of a prompt in two: ┌──(user㉿host)-[~]   ┌─[user@host]─[~]
_FIRST_LINE = lazy(
    rf"[┌╭][─╴-]{{1,3}}[^\w\n]{{0,3}}{_USER}[^\w\s()\[\]]{{1,2}}(?P<host>{_HOST})(?:[)\]]|(?=\s|\Z))"
    r"(?:[^\w\n]{0,2}\[(?P<cwd>[~/][^\]\n]{0,200})\])?"
)
_SCRIPT_PART = lazy(r"^(?:#!|[ \t]*(?:```|~~~))", re.M)
_SHELL = lazy(r"(?:n|ba|z|tc|c|k|a|da|mk|fi)?sh(?:-[\d.]+)?\Z|root\Z")  # `bash-4.2$`, `root:~#`: no host
_ANY_MARK = lazy(r"[#$%>+➜❯»→λ▶☠⟩└╰]|^\[[\w.-]+@", re.M)
# Lines on which a prompt of two lines may begin.
_MAY_CONTINUE = lazy(rf"[ \t]{{0,12}}{_TIME}\[?{_USER}@{_HOST}")
_GROUPS_BY_NUMBER = {
    number: [name for name in _PROMPT.groupindex if name.rstrip("0123456789") + number == name]
    for number in {name.lstrip("abcdefghijklmnopqrstuvwxyz") for name in _PROMPT.groupindex}
}


def find_commands(text: Text) -> list[ShownCommand]:
    """The commands in the text, in line order. An empty prompt is a command without text: it ends an output."""
    if not _ANY_MARK.search(text.distinct_lines or text.body):
        return []
    commands: list[ShownCommand] = []
    # One prompt ahead: a match takes as much memory as many lines.
    for (line, match), (following, _) in pairwise(chain(_without_comments(text), [(len(text.lines) + 1, None)])):
        end = following - 1
        assert match is not None
        groups = _GROUPS_BY_NUMBER[match.lastgroup.lstrip("abcdefghijklmnopqrstuvwxyz")] if match.lastgroup else ()
        words = {name.rstrip("0123456789"): match[name] for name in groups if match[name] is not None}
        command = words.get("cmd", "").strip()
        prompt = match[0][: len(match[0]) - len(words.get("cmd", ""))]
        if "cmd" in words and match[0][:1] in "└╰" and line > 1 and (first_line := _FIRST_LINE.match(text.lines[line - 2])):
            words.update({name: value for name, value in first_line.groupdict().items() if value})
        host, cwd = words.get("host"), words.get("cwd")
        commands.append(
            ShownCommand(
                line,
                command,
                end,
                intern(prompt.rstrip()),
                None if host is None or _SHELL.match(host) else intern(host),
                None if cwd is None else intern(cwd),
            )
        )
    return assign_hosts(commands, text.lines)


def _without_comments(text: Text) -> Iterator[tuple[int, re.Match[str]]]:
    """The prompts, but for the comments of a script, from `#!` to a fence or a prompt of another kind, that look like commands."""
    parts = [match.start() for match in _SCRIPT_PART.finditer(text.body)] if "#!" in text.body else []
    shown, ended = False, -1
    for line, match in _prompts(text):
        is_comment = match[0].lstrip().startswith("# ")
        at = bisect_right(parts, match.start()) - 1
        if shown or not is_comment or at < 0 or parts[at] <= ended or text.body[parts[at] : parts[at] + 2] != "#!":
            shown |= is_comment
            ended = ended if is_comment else match.start()
            yield line, match


def _prompts(text: Text) -> Iterator[tuple[int, re.Match[str]]]:
    """(line, match) of every prompt, as `_PROMPT.finditer` finds them in the body; only lines of candidate shapes are searched."""
    if not isinstance(text.lines, list):
        yield from ((text.line_at(match.start()), match) for match in _PROMPT.finditer(text.body))
        return
    previous_end = 0
    for index in text.find_lines(_may_begin_prompt):
        start = text.offset(index)
        match = _PROMPT.match(text.body, start) if start >= previous_end else None
        if match:
            yield index + 1, match
            previous_end = match.end()


def _may_begin_prompt(shape: str) -> bool:
    """Whether a prompt may be on lines of that shape, or begin there and continue on the next line."""
    return bool(_PROMPT.match(shape) or _MAY_CONTINUE.match(shape))
