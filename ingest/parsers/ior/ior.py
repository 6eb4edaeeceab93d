"""IOR 2.x, 3.0 to 4.1: text, JSON and CSV. Each row of the results table is one repetition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers.ior._defaults import imply_defaults
from ingest.parsers.ior._json import read_document
from ingest.parsers.ior._options_from_summary import add_summary_options
from ingest.parsers.ior._result_rows import WIDE_LINES
from ingest.parsers.ior._text_log import TextLog
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Found
from ingest.spill.by_line import by_line
from ingest.text.lines import Text
from ingest.text.located_json import find_documents

ANCHOR = Anchor(
    lazy(
        r"IOR-\d[^\n]{0,60}MPI Coordinated|access(?:[^\S\n]|\|)+bw\(MiB/s\)|access,bw\(MiB/s\)|access,rank,runtime"
        r"|\b(?:read|write|remove),\d"  # every row of CSV, so that none is skipped as noise of a long log
        r'|Max (?:Write|Read):|"bwMiB"|access(?:"[,;]"|;)bw\(MiB/s\)|Operation[^\S\n]+Max ?\(MiB\)'
    ),
    "mpi coordinated",
    "bw(mib/s)",
    "access,rank",
    "read,0",
    "write,0",
    "remove,0",
    "max write:",
    "max read:",
    '"bwmib"',
    "operation",
) | Anchor(
    lazy(r"(?:^[ \t>|#+]*|[\w.]:)(?:read|write)(?:[ \t]+(?:\d[\d.]*|NA)){6,24}(?:[ \t]+[A-Z][\w-]{2,11}[ \t]+\d+)?[ \t]*$", re.M),
    "read ",
    "read\t",
    "write ",
    "write\t",
)


def parse(text: Text) -> Iterator[Found]:
    """Every repetition of every IOR test in the text, in line order."""
    documents = find_documents(text, "tests", "Version") if '"bwMiB"' in text.body else ()
    logged = add_summary_options(text.lines, TextLog(text).read())
    found = chain(logged, chain.from_iterable(map(read_document, documents)))
    return by_line(imply_defaults(text.lines, found))


PARSER = Parser(
    wide=WIDE_LINES,
    brief=True,
    name="ior",
    version=24,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "text log",
            "2.8 to 4.1",
            "MiB = 2^20 B, KiB = 1024 B, MB = 10^6 B",
            "rows are repetitions; Max and Summary lines are only checked where the rows are there",
        ),
        Shape("-O summaryFormat=JSON", "3.2 to 4.1", "bwMiB in 2^20 B/s"),
        Shape("-O summaryFormat=CSV, rank details", "3.2 to 4.1", "as the headings say", "no version inside"),
    ),
    source="IOR user documentation, chapters Options and Output; IOR 2.10.3, 3.0.1, 3.3.0 and 4.0.0's own output",
)
