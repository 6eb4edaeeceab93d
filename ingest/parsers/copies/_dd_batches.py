"""Which of several dd commands a summary belongs to, where the commands stand together and their outputs below them.

A page or script lists its commands first and shows what they printed afterwards: each output is that of the command at
its place. Where somebody ran something else below a command, its size tells that it is not the command's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ingest.parsers.copies._dd_command import DdCommandLine
from ingest.parsers.copies._dd_output import DdSummary

_APART = 4  # lines of comments and other commands between two commands of one list
_FOLLOWED = 100


class CollectedSummary(NamedTuple):
    """A summary, whether both counts stand above it, its command, the lines of the counts, and those that told its command."""

    found: DdSummary
    whole: bool
    command: DdCommandLine | None
    counts: tuple[int, ...]
    told: tuple[int, ...] = ()


def assign_commands(
    lines: Sequence[str], commands: Sequence[DdCommandLine], taken: Sequence[CollectedSummary]
) -> list[CollectedSummary]:
    """The summaries, each with the command at its place in a list of commands, or none where its size belies its command."""
    out: list[CollectedSummary] = []
    for group, outputs in _groups(commands, taken):
        told = _told(group, outputs)
        if _listed(lines, group, outputs):
            outputs = [one._replace(command=group[at % len(group)]) for at, one in enumerate(outputs)]
        elif len(group) > 1:
            sizes = _by_size(group)
            outputs = [one._replace(command=_of_size(sizes, group[-1], one.command, one.found.octets)) for one in outputs]
        out += (one._replace(told=told) if told else one for one in _while_it_fits(outputs))
    return out


def _told(group: Sequence[DdCommandLine], outputs: Sequence[CollectedSummary]) -> tuple[int, ...]:
    """The lines of several commands or outputs, and those between the commands: of many the first, since each output has them."""
    if not group or len(group) + len(outputs) < 3:
        return ()
    return tuple([*range(group[0].line, group[-1].last + 1), *(one.found.line for one in outputs)][:_FOLLOWED])


def _groups(
    commands: Sequence[DdCommandLine], taken: Sequence[CollectedSummary]
) -> Iterator[tuple[list[DdCommandLine], list[CollectedSummary]]]:
    """Commands with no summary between them, and the summaries below them up to the next command."""
    group: list[DdCommandLine] = []
    outputs: list[CollectedSummary] = []
    at = 0
    for one in taken:
        while at < len(commands) and commands[at].line <= one.found.line:
            if outputs:
                yield group, outputs
                group, outputs = [], []
            group.append(commands[at])
            at += 1
        outputs.append(one)
    if outputs:
        yield group, outputs


def _listed(lines: Sequence[str], group: Sequence[DdCommandLine], outputs: Sequence[CollectedSummary]) -> bool:
    """Whether the commands stand in one list, and as many summaries below as they print, each of a fitting size."""
    if len(group) < 2 or len(outputs) % len(group) or any(len(one.dds) != 1 or one.loop or one.background for one in group):
        return False
    if any(one.found.whole_seconds or one.found.progress or one.command is not group[-1] for one in outputs):
        return False
    if group[-1].progress and any(not before.whole and after.whole for before, after in pairwise(outputs)):
        return False  # the last command alone: a line of its progress, and its result
    if not all(total in (None, outputs[at].found.octets) for at in range(len(outputs)) for total in [group[at % len(group)].total]):
        return False
    return all(
        after.line - before.last <= _APART and not any("```" in line for line in lines[before.last : after.line - 1])
        for before, after in pairwise(group)
    )


def _by_size(group: Sequence[DdCommandLine]) -> dict[int | None, list[DdCommandLine]]:
    """The commands of a group by the bytes they copy."""
    sizes: dict[int | None, list[DdCommandLine]] = {}
    for one in group:
        sizes.setdefault(one.total, []).append(one)
    return sizes


def _of_size(
    sizes: Mapping[int | None, Sequence[DdCommandLine]], last: DdCommandLine, command: DdCommandLine | None, octets: int
) -> DdCommandLine | None:
    """The one command of a group whose size a summary has; none where several have it, and the last of them another."""
    if command is not last or command.total in (None, octets):
        return command
    fits = sizes.get(octets, ())
    return command if not fits else fits[0] if len(fits) == 1 else None


def _while_it_fits(outputs: Sequence[CollectedSummary]) -> Iterator[CollectedSummary]:
    """Summaries after the one that a command was told to give, of another size, are of something that is not shown."""
    done: DdCommandLine | None = None
    for one in outputs:
        command = one.command
        if command and command is done and command.total != one.found.octets:
            command = None
        elif command and command.total and command.total == one.found.octets:
            done = command
        yield one if command is one.command else one._replace(command=command)
