"""The block of each run: the round of its session, as a comparison of all configurations of that session finds it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from webapp.claims.observations import Observed
from webapp.claims.rounds import find_rounds


class PlacedRun(NamedTuple):
    """A run with what decides its round; `session`: as in `Observed`; `round`: as the manifest states it."""

    id: int
    session: int
    configuration: int
    tool: str
    path: str
    line: str
    started_at: str | None
    round: str | None


def find_blocks(archive: int, runs: Iterable[PlacedRun]) -> dict[int, str]:
    """Id of the run -> name of its round, without runs that are in none. Runs of unlike tools are no repetitions."""
    sessions: dict[tuple[int, str], dict[int, list[PlacedRun]]] = {}
    for run in runs:
        sessions.setdefault((run.session, run.tool), {}).setdefault(run.configuration, []).append(run)
    blocks: dict[int, str] = {}
    for configurations in sessions.values():
        sides = list(configurations.values())
        observed = [[_observe(archive, run) for run in side] for side in sides]
        for side, names in zip(sides, find_rounds(observed), strict=True):
            blocks.update((run.id, name) for run, name in zip(side, names, strict=True) if name)
    return blocks


def _observe(archive: int, run: PlacedRun) -> Observed:
    return Observed(
        run.session, 0, archive, run.id, run.path, line=run.line, started_at=run.started_at, stated=False, round=run.round
    )
