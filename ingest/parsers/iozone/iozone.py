"""iozone 3.x: automatic table, throughput mode, and the spreadsheet reports that -R prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers.iozone import _csv_grids as csv_grids
from ingest.parsers.iozone._text_output import IozoneOutput
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Found
from ingest.spill.by_line import by_line
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

ANCHOR = Anchor(
    lazy(
        r"(?i:Iozone: Performance Test)|(?i:(?:Children|Parent) sees? throughput)|(?i:throughput per (?:process|thread))"
        r"|(?i:kb[`*\"]*[^\S\n|]*[|,;]?[^\S\n]*[`*\"]*reclen)"
        r"|(?:Children|Parent) sees? t[a-z]{0,9}[^\S\n]*$|(?:Min|Max|Avg) throughput per ?[a-z]{0,7}[^\S\n]*$"
        r'|(?i:"[a-z -]{3,30} report")|(?i:"Throughput report Y-axis)|"[ ]{1,12}Initial write "'
        rf"|{csv_grids.TITLE}",
        re.M,
    ),
    "iozone:",
    "children see",
    "parent see",
    "throughput per",
    "reclen",
    " report",
    "initial write",
) | Anchor(lazy(r"^[^\w\n\"]*\d{2,12}[ \t]+\d{1,5}(?:[ \t]+\d{2,12}){2,13}[ \t]*$", re.M))
_CSV_GRID = lazy(rf"{csv_grids.TITLE}\n{csv_grids.SIZES_BELOW}", re.M)


def parse(text: Text) -> Iterator[Found]:
    """Every figure of every iozone run in the text, in line order."""
    if _CSV_GRID.search(text.body):
        return by_line(chain(IozoneOutput(text).read(), csv_grids.read_sheets(text)))
    return IozoneOutput(text).read()


# Lines wider than many terminals.
_WIDE = (
    WideLine(
        lazy(r"\s*[kK]B\s+reclen\s+write\b"),
        lazy(r"\s*[kK]B\s+reclen(?:\s+(?:re)?(?:write|read)|\s+f(?:re)?(?:write|read)|\s+p(?:write|read)v?){3,24}\s*"),
    ),
    WideLine(lazy(r'\s{5,}"\d+"\s+"\d'), lazy(r'\s*"\d+"(?:\s+"\d+"){4,40}\s*')),
    WideLine(lazy(r"\s{20,}random"), lazy(r"\s{20,}random\s+random\s+bkwd\s+record\s+stride\s*")),
    WideLine(
        lazy(r"\s*CPU [Uu]tilization: Wall time"),
        lazy(r"\s*CPU [Uu]tilization: Wall time\s+[\d.]+\s+CPU time\s+[\d.]+\s+CPU utilization\s+\d+\.\d\d\s*%\s*"),
    ),
    WideLine(
        lazy(r"\s*Child\[\d+\] xfer count"),
        lazy(r"\s*Child\[\d+\] xfer count =[^=]*= [^=]*/(?:sec|op), wall=[^=]*, cpu=[^=]*, %=\s*\d+\.\d\d\s*"),
    ),
)

PARSER = Parser(
    wide=_WIDE,
    brief=True,
    name="iozone",
    version=26,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "automatic table (-a, -s, -i)",
            "3.x",
            "kBytes/sec = 1024 B/s; -O operations/s; -N microseconds/operation",
            "blank columns keep their place; values are never shifted; a table that a mailer wrapped is read where complete; "
            "text before a row becomes its part",
        ),
        Shape(
            "automatic table in Markdown or CSV", "3.x", "kBytes/sec = 1024 B/s", "headings as iozone's two header lines, joined"
        ),
        Shape(
            "throughput mode (-t, -+m)",
            "3.x",
            "kB/sec = 1024 B/s; ops/sec; usec/op",
            "Children is the result; Parent, Min and Max are parts; Avg is only checked",
        ),
        Shape(
            "spreadsheet (-b) saved as CSV",
            "3.x",
            "as the run: kBytes/sec = 1024 B/s",
            "blank or 0 where a record is larger than the file",
        ),
        Shape("spreadsheet report as text (-R)", "3.x", "as the run", "repeats the table of the same run"),
    ),
    source="iozone documentation (IOzone_msword_98), options -a -R -O -N -t; iozone 3.471's own output",
)
