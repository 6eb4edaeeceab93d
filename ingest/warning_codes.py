"""The closed list of warnings: what happened, what it may mean, what to do (`warning_codes.toml`)."""

from __future__ import annotations

from typing import NamedTuple

from ingest.toml_tables import read_table

CLOCK_SET = "clock-set"


class Explanation(NamedTuple):
    """What happened, what it may mean, what to do."""

    what: str
    may_mean: str
    to_do: str


CODES = {code: Explanation(**sentences) for code, sentences in read_table(__file__).items()}

BY_HAND = "entered by hand"
"""The place of a value that a person entered."""

BAD_INPUT = (
    "broken-archive", "encrypted", "not-unpacked", "empty-file", "picture", "document", "binary-file", "only-scripts",
    "not-read-yet", "limit",
)  # fmt: skip
"""Codes of warnings that say what is wrong with a file as a whole, and what to do: shown first, and by the command line too."""

UNMEASURED_REASONS: dict[str, tuple[str, str]] = {
    "too_fast": (
        "The tool prints a mark instead, because the measurement took too little time.",
        "bonnie++'s +++++ below 0.5 s: amount / 0.5 s",
    ),
    "zero_time": (
        "The tool printed 0 or infinity, because the true value is below its clock or its last digit.",
        "fdtree's rate of 0 within one second: amount / 1 s; a last digit of 0.01: 0.01",
    ),
    "failed": ("The tool reported an error, or an invalid phase.", "none"),
    "not_finished": (
        "The run was killed, interrupted or cut off before its result.",
        "the time so far: the full run would have taken longer",
    ),
}
"""Why a value could not be measured -> what happened, and examples of bounds."""
