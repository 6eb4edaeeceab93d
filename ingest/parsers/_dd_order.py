"""Which of several dd commands a summary belongs to, where the commands stand together and their outputs below them.

A page or script lists its commands first and shows what they printed afterwards: each output is that of the command at
its place. Where somebody ran something else below a command, its size tells that it is not the command's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ingest.parsers._dd_command import Invoked
from ingest.parsers._dd_lines import Summary

Taken = tuple[Summary, bool, Invoked | None, tuple[int, ...]]  # summary, whether with counts, its command, lines of counts
_APART = 4  # lines of comments and other commands between two commands of one list


def in_order(lines: Sequence[str], commands: Sequence[Invoked], taken: Sequence[Taken]) -> list[Taken]:
    """The summaries, each with the command at its place in a list of commands, or none where its size belies its command."""
    out: list[Taken] = []
    for group, outputs in _groups(commands, taken):
        if _listed(lines, group, outputs):
            outputs = [(found, whole, group[at % len(group)], counts) for at, (found, whole, _, counts) in enumerate(outputs)]
        elif len(group) > 1:
            sizes = _by_size(group)
            outputs = [(found, whole, _of_size(sizes, group[-1], command, found.octets), counts)
                       for found, whole, command, counts in outputs]
        out += _while_it_fits(outputs)
    return out


def _groups(commands: Sequence[Invoked], taken: Sequence[Taken]) -> Iterator[tuple[list[Invoked], list[Taken]]]:
    """Commands with no summary between them, and the summaries below them up to the next command."""
    group: list[Invoked] = []
    outputs: list[Taken] = []
    at = 0
    for one in taken:
        while at < len(commands) and commands[at].line <= one[0].line:
            if outputs:
                yield group, outputs
                group, outputs = [], []
            group.append(commands[at])
            at += 1
        outputs.append(one)
    if outputs:
        yield group, outputs


def _listed(lines: Sequence[str], group: Sequence[Invoked], outputs: Sequence[Taken]) -> bool:
    """Whether the commands stand in one list, and as many summaries below as they print, each of a fitting size."""
    if len(group) < 2 or len(outputs) % len(group) or any(len(one.dds) != 1 or one.loop or one.background for one in group):
        return False
    if any(found.whole_seconds or found.progress or command is not group[-1] for found, _, command, _ in outputs):
        return False
    if group[-1].progress and any(not before[1] and after[1] for before, after in pairwise(outputs)):
        return False  # the last command alone: a line of its progress, and its result
    if not all(total in (None, outputs[at][0].octets) for at in range(len(outputs)) for total in [group[at % len(group)].total]):
        return False
    return all(
        after.line - before.last <= _APART and not any("```" in line for line in lines[before.last : after.line - 1])
        for before, after in pairwise(group)
    )


def _by_size(group: Sequence[Invoked]) -> dict[int | None, list[Invoked]]:
    """The commands of a group by the bytes they copy."""
    sizes: dict[int | None, list[Invoked]] = {}
    for one in group:
        sizes.setdefault(one.total, []).append(one)
    return sizes


def _of_size(sizes: Mapping[int | None, Sequence[Invoked]], last: Invoked, command: Invoked | None, octets: int) -> Invoked | None:
    """The one command of a group whose size a summary has; none where several have it, and the last of them another."""
    if command is not last or command.total in (None, octets):
        return command
    fits = sizes.get(octets, ())
    return command if not fits else fits[0] if len(fits) == 1 else None


def _while_it_fits(outputs: Sequence[Taken]) -> Iterator[Taken]:
    """Summaries after the one that a command was told to give, of another size, are of something that is not shown."""
    done: Invoked | None = None
    for found, whole, command, counts in outputs:
        if command and command is done and command.total != found.octets:
            command = None
        elif command and command.total and command.total == found.octets:
            done = command
        yield found, whole, command, counts
