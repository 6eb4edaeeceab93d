"""Headers that batch systems print into a job's output: the node it ran on.

Source: sbatch(1), output environment variables; scontrol(1), `show job` (NodeList, BatchHost, NumNodes); qstat(1B)
and prologues of PBS (`exec_host = node/0*8+node/1*8`).
`PBS_O_HOST` is where a job was submitted, not where it ran, so it is not read. A list of several nodes gives no host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import line_clue
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_NODE = lazy(
    r"^[ \t]*(?:export )?(SLURMD_NODENAME|SLURM_JOB_NODELIST|SLURM_NODELIST)[ \t]*[=:][ \t]*"
    r"\"?([A-Za-z][\w.-]{0,80})\"?[ \t]*$",
    re.MULTILINE,
)
_RUNS = lazy(
    r"^[ \t]*(?:Starting|Running|Started|Job)\b[^\n/]{0,50}? on (?:host |node )?"
    r"(?P<host>[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)+)[ \t.:]*$",
    re.MULTILINE,
)
_PBS = lazy(r"^[ \t#]*[Ee]xec(?:_|[ \t])[Hh]ost[ \t]*[:=][ \t]*([A-Za-z][\w.-]{0,80}/[\w.*/+-]{1,2000})[ \t]*$", re.MULTILINE)
_SCONTROL = lazy(
    r"^[ \t]*NodeList=(?P<host>[A-Za-z][\w.-]{0,80})[ \t]*\n(?:[ \t]*BatchHost=[^\n]*\n)?[ \t]*NumNodes=1 ", re.MULTILINE
)
_ANCHOR = lazy(r"SLURM|NodeList=|[Ee]xec[_ \t][Hh]ost|on (?<=\bon )(?:host |node )?[A-Za-z][\w.-]+[ \t.:]*$", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """The host of a job on one node: variables, scontrol, PBS; and `Starting ... on HOST` of a script, with a hyphen or dot."""
    for match in _NODE.finditer(text.body):
        line = text.line_at(match.start())
        yield Clue(line, "host", match[2], match[0].strip(), group=line)
    for match in _SCONTROL.finditer(text.body):
        yield line_clue(text, text.line_at(match.start("host")), "host", match["host"])
    for match in _PBS.finditer(text.body):
        nodes = {chunk.split("/")[0] for chunk in match[1].split("+")}
        if len(nodes) == 1:
            line = text.line_at(match.start())
            yield Clue(line, "host", nodes.pop(), match[0].strip(), group=line)
    for match in _RUNS.finditer(text.body):
        yield Clue(text.line_at(match.start()), "host", match["host"], match[0].strip(), kind="label", group="job")


READER = Reader(
    "job header",
    3,
    Anchor(_ANCHOR, "slurm|nodelist=|exec_host|exec host|exec\thost|on "),
    read,
    "sbatch(1), scontrol(1), qstat(1B)",
)
