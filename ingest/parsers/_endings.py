"""How shells and tools tell that a command was ended before it was through."""

from __future__ import annotations

from ingest.lazy_regex import lazy

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
