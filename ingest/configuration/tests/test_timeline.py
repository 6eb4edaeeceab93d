"""Which clue of a file is valid on a line."""

from __future__ import annotations

import pytest

from ingest.configuration.places import UNKNOWN
from ingest.configuration.timeline import ClueTimeline
from ingest.records import Clue


def clue(line: int, value: str, kind: str = "dump", effect: str = "sets") -> Clue:
    return Clue(line, "kernel.swappiness", value, value, kind, effect)


@pytest.mark.parametrize(
    ("clues", "by_line"),
    [
        # of one line the best kind, wherever it stands; a better one of a further line does not hold before it
        ([clue(1, "command", "command"), clue(1, "dump"), clue(1, "name", "name")], {1: "dump", 9: "dump"}),
        ([clue(1, "command", "command"), clue(5, "dump")], {1: "command", 4: "command", 5: "dump"}),
        ([clue(1, "dump"), clue(5, "command", "command")], {4: "dump", 5: "command", 6: "command"}),
        ([clue(1, "first"), clue(1, "second")], {2: "first"}),
        # one that only shows holds before its line too, unless the next sets
        ([clue(5, "name", "name", "shows"), clue(8, "dump", effect="shows")], {1: "name", 7: "name", 8: "dump"}),
        ([clue(5, "set"), clue(8, "shown", effect="shows")], {1: None, 5: "set", 8: "shown"}),
    ],
)
def test_the_valid_clue_is_the_best_of_the_nearest_line(clues, by_line):
    timeline = ClueTimeline.of(clues)
    found = {line: timeline.at("kernel.swappiness", line, UNKNOWN) for line in by_line}
    assert {line: one and one.value for line, one in found.items()} == by_line
