"""The host on which each command of a transcript ran, if not in its prompt: `ssh HOST COMMAND`, `ssh HOST`, `hostname`.

Source: ssh(1), `ssh [options] [user@]host [command]`: with a command it runs that there and returns; without one, it opens
a shell there until that exits.
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
    return [
        replace(command, host=host) if host and command.host else command
        for command, host in zip(commands, remote_hosts, strict=True)
    ]


def _remote_host(command: ShownCommand) -> str | None:
    """The host on which `ssh HOST COMMAND` ran the whole command line, None if it did not."""
    match = _SSH.match(command.text)
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
