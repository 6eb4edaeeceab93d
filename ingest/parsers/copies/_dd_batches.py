"""Assignment of summaries to dd commands, where several commands precede their outputs.

A page or script may list its commands first and then the outputs in the same order. A summary whose size contradicts its
command belongs to a command that is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ingest.parsers.copies._dd_command import DdCommandLine
from ingest.parsers.copies._dd_output import DdSummary

_MAX_DISTANCE = 4  # lines of comments and other commands between two commands of one list
_MAX_EVIDENCE = 100


class CollectedSummary(NamedTuple):
    """A summary with what surrounds it.

    `has_counts`: both record counts precede it. `count_lines`: lines of those counts. `evidence`: lines that decided which
    command it belongs to. `printed`: its text, where its line has several outputs.
    """

    summary: DdSummary
    has_counts: bool
    command: DdCommandLine | None
    count_lines: tuple[int, ...]
    evidence: tuple[int, ...] = ()
    printed: str = ""


def assign_commands(
    lines: Sequence[str], commands: Sequence[DdCommandLine], collected: Sequence[CollectedSummary]
) -> list[CollectedSummary]:
    """The summaries, each with the command at its position in a list of commands; without one where its size contradicts it."""
    assigned: list[CollectedSummary] = []
    for group, outputs in _groups(commands, collected):
        evidence = _evidence(group, outputs)
        if _is_list(lines, group, outputs):
            outputs = [output._replace(command=group[i % len(group)]) for i, output in enumerate(outputs)]
        elif len(group) > 1:
            by_size = _group_by_size(group)
            outputs = [output._replace(command=_find_by_size(by_size, group[-1], output)) for output in outputs]
        assigned += (output._replace(evidence=evidence) if evidence else output for output in _drop_contradicted(outputs))
    return assigned


def _evidence(group: Sequence[DdCommandLine], outputs: Sequence[CollectedSummary]) -> tuple[int, ...]:
    """The lines from the first to the last command and of the outputs, the first `_MAX_EVIDENCE`; () for a single pair."""
    if not group or len(group) + len(outputs) < 3:
        return ()
    return tuple([*range(group[0].line, group[-1].last_line + 1), *(o.summary.line for o in outputs)][:_MAX_EVIDENCE])


def _groups(
    commands: Sequence[DdCommandLine], collected: Sequence[CollectedSummary]
) -> Iterator[tuple[list[DdCommandLine], list[CollectedSummary]]]:
    """Commands without a summary between them, and the summaries below them up to the next command."""
    group: list[DdCommandLine] = []
    outputs: list[CollectedSummary] = []
    position = 0
    for output in collected:
        while position < len(commands) and commands[position].line <= output.summary.line:
            if outputs:
                yield group, outputs
                group, outputs = [], []
            group.append(commands[position])
            position += 1
        outputs.append(output)
    if outputs:
        yield group, outputs


def _is_list(lines: Sequence[str], group: Sequence[DdCommandLine], outputs: Sequence[CollectedSummary]) -> bool:
    """Whether the commands form one list and its summaries follow in order, complete and of the right sizes."""
    if len(group) < 2 or len(outputs) % len(group) or any(len(c.dds) != 1 or c.is_loop or c.is_background for c in group):
        return False
    if any(o.summary.whole_seconds or o.summary.progress or o.command is not group[-1] for o in outputs):
        return False
    if group[-1].shows_progress and any(not before.has_counts and after.has_counts for before, after in pairwise(outputs)):
        return False  # a progress line and the result of the last command alone
    if not all(group[i % len(group)].total in (None, output.summary.octets) for i, output in enumerate(outputs)):
        return False
    return all(
        after.line - before.last_line <= _MAX_DISTANCE
        and not any("```" in line for line in lines[before.last_line : after.line - 1])
        for before, after in pairwise(group)
    )


def _group_by_size(group: Sequence[DdCommandLine]) -> dict[int | None, list[DdCommandLine]]:
    """The commands of a group by the bytes they copy."""
    by_size: dict[int | None, list[DdCommandLine]] = {}
    for command in group:
        by_size.setdefault(command.total, []).append(command)
    return by_size


def _find_by_size(
    by_size: Mapping[int | None, Sequence[DdCommandLine]], last: DdCommandLine, output: CollectedSummary
) -> DdCommandLine | None:
    """The only command of a group with the size of a summary that contradicts the `last` one; None where several have it."""
    command = output.command
    if command is not last or command.total in (None, output.summary.octets):
        return command
    same_size = by_size.get(output.summary.octets, ())
    return command if not same_size else same_size[0] if len(same_size) == 1 else None


def _drop_contradicted(outputs: Sequence[CollectedSummary]) -> Iterator[CollectedSummary]:
    """The outputs; once a command has its summary, later ones of another size are left without a command."""
    finished: DdCommandLine | None = None
    for output in outputs:
        command = output.command
        if command and command is finished and command.total != output.summary.octets:
            command = None
        elif command and command.total and command.total == output.summary.octets:
            finished = command
        yield output if command is output.command else output._replace(command=command)
