"""On which host each command of a transcript ran, where its prompt does not tell: `ssh HOST COMMAND`, `ssh HOST`, `hostname`.

Source: ssh(1), `ssh [options] [user@]host [command]`: with a command it runs that there and comes back; without one, a shell
there goes on until it is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.lazy_regex import lazy
from ingest.text.lines import ShownCommand

_SSH = lazy(
    r"(?:(?:time|sudo|sshpass -p ?\S+|timeout \S+)\s+)*ssh"
    r"(?:\s+-(?:[46AaCfGgKkMNnqsTtVvXxYy]+(?=\s)|[BbcDEeFIiJLlmOoPpQRSWw]\s*\S+))*"
    r"\s+(?:[\w.-]+@)?(?P<host>[A-Za-z0-9][\w.-]*|\S*\$\S*)(?P<rest>\s.*)?\Z"
)
_QUOTED = lazy(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_HOSTNAME = lazy(r"(?:hostname(?: -[fs])?|uname -n)\Z")
_NAME = lazy(r"[A-Za-z0-9][\w.-]{0,80}\Z")
_LEFT = lazy(r"(?:exit|logout)\b")
_REFUSED = lazy(r"(?i)refused|timed out|denied|could not|no route|failed")
ELSEWHERE = "?"  # a host that a variable of the shell names


def assign_hosts(commands: list[ShownCommand], lines: Sequence[str]) -> list[ShownCommand]:
    """The commands, with the host on which each ran; '' is the host of those who name none, where others ran elsewhere."""
    if not any(_HOSTNAME.match(command.text) or "ssh " in command.text for command in commands):
        return commands
    remote = [_remote(command) for command in commands]
    named = any(command.host for command in commands)
    if not named:
        return _followed(commands, remote, lines)
    return [
        replace(command, host=host) if host and command.host else command for command, host in zip(commands, remote, strict=True)
    ]


def _remote(command: ShownCommand) -> str | None:
    """The host on which `ssh HOST COMMAND` ran all of the command line."""
    found = _SSH.match(command.text)
    if not found or not (found["rest"] or "").strip() or re.search(r"[|<>;&]", _QUOTED.sub("", found["rest"])):
        return None
    return _host(found["host"])


def _host(word: str) -> str:
    return ELSEWHERE if "$" in word else word


def _followed(commands: list[ShownCommand], remote: list[str | None], lines: Sequence[str]) -> list[ShownCommand]:
    """Where no prompt names a host: what `hostname` prints, and shells that ssh opens until they are left."""
    shells = [_Shell()]
    at: list[_Shell] = []
    for command, elsewhere in zip(commands, remote, strict=True):
        if elsewhere:
            at.append(_Shell(elsewhere))
            continue
        output = [line.strip() for line in lines[command.first - 1 : min(command.last, command.first + 4)] if line.strip()]
        if _HOSTNAME.match(command.text) and output and _NAME.match(output[0]):
            if shells[-1].name not in ("", output[0]):
                shells[-1] = _Shell()  # somebody went on without a word of it
            shells[-1].name = output[0]
        at.append(shells[-1])
        opened = _SSH.match(command.text)
        if opened and not (opened["rest"] or "").strip() and not any(map(_REFUSED.search, output)):
            shells.append(_Shell(_host(opened["host"])))
        elif _LEFT.match(command.text) and len(shells) > 1:
            shells.pop()
    return [replace(command, host=shell.name) for command, shell in zip(commands, at, strict=True)]


@dataclass
class _Shell:
    """A shell on some host, whose name is often told only after its first commands."""

    name: str = ""
