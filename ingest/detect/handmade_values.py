"""What the columns of a handmade table mean: as proposed to its owner, and the values as the owner says.

The meaning of a table is `{"tool": NAME, "columns": [...]}`, a text for each column: `config.KEY` or `params.NAME` for what its
cells say of their rows; `METRIC UNIT` for figures, as in a results table (docs/manifest.md); '' to leave it out. With
`row.QUANTITY UNIT` the words of its row tell the operation of each figure. Figures become rows of a results table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingest import normalise, numbers
from ingest.detect.handmade_tables import HandmadeTable, is_figure
from ingest.keys import KEYS, spell_value
from ingest.lazy_regex import lazy
from ingest.parsers.results_table import ResultsTable, is_known_column, read_row
from ingest.records import Doubt, Found, Value

BY_ROW = "row"
_OF_ROW = ("params.label", "params.part", "native", "value", "raw", "unit")
_NUMBER = lazy(numbers.PATTERN)
_TOOL = lazy(r"(?i)\b(fio|iozone|bonnie|ior|mdtest|dd|hdparm|rsync|cp|tar|sysbench|ioping|elbencho|filebench)\b")
_AROUND_FIO = lazy(r"(?i)Q\d+T\d+|by Threads|\(Read/Write\)")  # fio-cdm, ezFIO, kbench
_RATE_UNIT = lazy(
    r"(?i)(?<![A-Za-z])(?:([kKMGT]?)(i?)(?:b(?:ytes?)?|o)?(?: ?(?:/|per|pro|par) ?|(?<=b)p)s"
    r"|(k?)(?:IOPS?\b|[A-Za-z]+(?: ?/ ?| per )s))"
)
_TIME_UNIT = lazy(r"(?<![A-Za-z])(?:([nmuµμ]?)s|secs?|seconds?|Sekunden|(min)|(h))(?![A-Za-z])")
_LATIN = str.maketrans("кКМГБбси", "kKMGBbsi")
_STAT = lazy(r"(?i)\b(?:(avg|average|mean|mittel|moyenne)|(median|min|max|stddev|p\d\d))\b")
_OPERATIONS = {
    "rewrite": "rewrit", "reread": "reread", "mixed": "mix rw randrw", "write": "writ wrote w wr schreib écri escri запис 写",
    "read": "read r rd les lect чтен 读", "copy": "cop cp rsync kopier", "extract": "extract untar", "remove": "rm delet remov",
    "seek": "seek", "file_create": "creat", "file_stat": "stat",
}  # fmt: skip
_TITLES = {key.label.lower(): f"config.{name}" for name, key in KEYS.items() if name != "fs.type"} | {
    title: column
    for column, titles in {
        "params.threads": "threads", "params.processes": "jobs,numjobs,processes", "params.iodepth": "iodepth,depth,qd",
        "params.block_size": "bs,block size,blocksize", "params.files": "files", "config.host": "host,machine,server,node",
        "config.disk.model": "disk,drive,device,ssd,hdd", "config.pool.layout": "layout,raid,vdev",
        "config.pool.recordsize": "recordsize", "": "run,#,no,no.,nr,rep,repetition,iteration,lauf",
    }.items() for title in titles.split(",")
}  # fmt: skip
_COMPRESSION = lazy(r"(?:off|lz4|lzjb|lzo|zle|zstd|gzip|zlib)(?:[-:=]\d+)?\Z")
_WORK = lazy(r"(?i)\b(?:seq|rand|rnd|sync|total|average|mean)|\d ?[km]i?b?\b|\bq\d|threads|jobs|runs?\b")  # a load, no setting
_REPEATED = lazy(r"(?i)(?:run|try|pass|lauf|rep\w*|iteration)\W*\d+\W*\Z")


def propose(table: HandmadeTable) -> dict[str, Any]:
    """The meaning that words and units of a table suggest."""
    labels = [_label(cells) for _, cells in table.rows]
    words, columns = " ".join((table.caption, *table.titles, *labels)), list[str]()
    tools = set(filter(None, map(_find_tool, labels))) or {_find_tool(words) or ("fio" if _AROUND_FIO.search(words) else "")}
    for index, title in enumerate(table.titles):
        cells = [cells[index] for _, cells in table.rows if index < len(cells)]
        is_label = index == 0 or title.strip(" *_:").lower() in _TITLES or not any(map(is_figure, cells))
        columns.append(_propose_label(title, cells, columns) if is_label else _propose_figures(table, title, cells))
    return {"tool": tools.pop() if len(tools) == 1 else "", "columns": columns}


def _find_tool(words: str) -> str:
    """The first tool that words name, '' for none."""
    tool = _TOOL.search(words)
    return tool[1].lower().replace("bonnie", "bonnie++") if tool else ""


def _label(cells: Sequence[str]) -> str:
    """The words of a row."""
    return " ".join(cell.strip("*_:` ") for index, cell in enumerate(cells) if index == 0 or not is_figure(cell))


def _propose_label(title: str, cells: Sequence[str], before: Sequence[str]) -> str:
    name = title.strip(" *_:").lower()
    column, settings = _TITLES.get(name), {(_find_setting(cell) or ("",))[0] for cell in cells}
    if column == "" or all(map(_REPEATED.match, cells)):
        return ""  # numbers of repetitions
    if column and column.startswith("config.") and not all(_may_be(column, cell) for cell in cells):
        column = ""
    is_setting = len(set(cells)) > 1 and not any(find_operation(cell) or _find_tool(cell) or _WORK.search(cell) for cell in cells)
    if not column and len(settings) == 1:
        column = settings.pop()
    if not column and is_setting:  # rows of a key without a name of ours: no repetitions of each other
        column = f"config.x.{re.sub('[^a-z0-9]+', '_', name).strip('_') or 'row'}"
    return column if column and column not in before else "params.label"


def _may_be(column: str, cell: str) -> bool:
    """Whether a configuration key may have that value; names of devices are no models."""
    key = column.removeprefix("config.")
    return spell_value(key, cell) is not None and (key != "disk.model" or cell != cell.lower())


def _find_setting(words: str) -> tuple[str, str] | None:
    """The column of which words are a value, a file system (beside an operation) or a compression, and the value."""
    if _COMPRESSION.match(words.strip().lower()):
        return "config.pool.compression", words.strip().lower()
    others = [word for word in re.findall(r"[^\s:_*`]+", words) if not (find_operation(word) or _find_tool(word))]
    kind = normalise.file_system_type(others[0]) if len(others) == 1 else None
    return ("config.fs.type", kind) if kind else None


def _propose_figures(table: HandmadeTable, title: str, cells: Sequence[str]) -> str:
    unit = next(filter(None, map(_find_unit, (title, *cells[:1], table.caption, _label(table.rows[0][1])))), None)
    if unit is None or re.search(r"(?i)std|±|dev\b", title):
        return ""
    quantity, name = unit
    if quantity == "elapsed" and re.search(r"(?i)\blat|p\d\d\b", f"{title} {table.caption} {_label(table.rows[0][1])}"):
        quantity = "latency"
    operation, labels = find_operation(title), [_label(cells) for _, cells in table.rows]
    if not operation or any(map(_is_random, labels)):
        operation = BY_ROW if operation or any(map(find_operation, (*labels, table.caption))) else ""
    return f"{operation}.{quantity} {name}" if operation else f" {name}"  # the owner has to say what was measured


def _find_unit(words: str) -> tuple[str, str] | None:
    """Quantity and unit, as a results table spells it, that words name."""
    words = re.sub(r"(?i)_([kmg]i?b)_?p?s\b", r" \1/s", words.translate(_LATIN))
    if match := _RATE_UNIT.search(words):
        prefix, binary, thousands = match.groups()
        if thousands is not None:
            return "rate", "kIOPS" if thousands else "IOPS"
        letter = prefix.upper() if binary else prefix.upper().replace("K", "k")
        return "throughput", f"{letter}{binary.lower()}B/s"
    if match := _TIME_UNIT.search(words):
        return "latency" if match[1] else "elapsed", match[2] or match[3] or f"{match[1] or ''}s".replace("μ", "u").replace(
            "µ", "u"
        )
    return None


def _is_random(words: str) -> bool:
    return re.search(r"(?i)(?<![a-z])(?:rand|rnd|zufäl|al[eé]at|случ)|随机", words) is not None


def find_operation(words: str) -> str:
    """The operation of the catalogue that words name, '' for none or several."""
    tokens = [re.sub(r"^(?:seq|rand|rnd)(?=read|writ)", "", token) for token in re.findall(r"[^\W\d_]+", words.lower())]
    found = {
        operation
        for token in tokens
        for operation, starts in _OPERATIONS.items()
        if any(
            start in token if start > "一" else token.startswith(start) if len(start) > 2 else token == start
            for start in starts.split()
        )
    }
    found -= {"file_stat"} if len(found) > 1 else set()
    operation = "mixed" if "mixed" in found else found.pop() if len(found) == 1 else ""
    return f"random_{operation}" if operation in ("read", "write") and _is_random(words) else operation


def read_taken(table: HandmadeTable, meaning: Mapping[str, Any]) -> Iterator[Found]:
    """The values of a table whose columns mean what its owner says."""
    columns, tool = [str(column) for column in meaning.get("columns") or ()], str(meaning.get("tool") or "")
    found = [(line, row) for line, cells in table.rows for row in _read_cells(table, columns, cells, tool)]
    labels = dict[frozenset[tuple[str, str]], set[str]]()
    for _, row in found:
        labels.setdefault(_alike(row), set()).add(row.get("params.label", ""))
    for line, row in found:
        if len(labels[_alike(row)]) > 1:  # rows with unlike labels are no repetitions
            row["params.part"] = " ".join(filter(None, (row.get("params.label"), row.get("params.part"))))
        if row["metric"].startswith("."):
            yield Doubt(line, "bad-manifest", f"nothing says which operation {row['raw'][:40]!r} is of; it was not recorded")
        else:
            yield from _read(table.line, line, row)


def _read_cells(table: HandmadeTable, columns: Sequence[str], cells: Sequence[str], tool: str) -> Iterator[dict[str, str]]:
    """Cells of a results table for each figure of a row."""
    decimal = "," if any(re.search(r"\d,\d{1,2}(?!\d)", cell) for _, cells in table.rows for cell in cells) else "."
    named = {"tool": tool or _find_tool(_label(cells))}
    for column, cell in zip(columns, cells, strict=False):
        if column.startswith(("config.", "params.")) and is_known_column(column):
            known = dict([_find_setting(cell) or ("", "")]).get(column) or cell.strip("*_:` ")
            named[column] = f"{named[column]} {known}" if column in named else known
    for column, cell, title in zip(columns, cells, table.titles, strict=False):
        if column and cell and not column.startswith(("config.", "params.")):
            row = named | _figure(column, cell, (_label(cells), title, table.caption), decimal)
            if columns.count(column) > 1 and not find_operation(title) and not _REPEATED.match(title):
                row |= dict([_find_setting(title) or ("params.part", title)])
            yield row


def _alike(row: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """What rows that repeat each other share, their labels left out."""
    return frozenset((name, cell) for name, cell in row.items() if name not in _OF_ROW)


def _figure(column: str, cell: str, words: tuple[str, str, str], decimal: str) -> dict[str, str]:
    """Cells of a results table for one figure. `words`: what the row, the column and the table are called."""
    name, _, unit = column.partition(" ")
    label, title, caption = words
    operation, _, quantity = name.partition(".")
    own = _find_unit(cell) or _find_unit(label)
    if own and operation == BY_ROW and own[0] != quantity and {own[0], quantity} != {"elapsed", "latency"}:
        quantity, unit = own
    if operation == BY_ROW:
        operation = next(filter(None, map(find_operation, (title, label, caption))), "")
        if operation in ("read", "write") and _is_random(f"{label} {title} {caption}"):
            operation = f"random_{operation}"
    printed = _NUMBER.search(cell)
    raw, unit = printed[0] if printed else cell, unit or (own or ("", ""))[1]
    if printed and unit == "IOPS" and re.match(r" ?[kK](?![A-Za-z])", cell[printed.end() :]):
        unit = "kIOPS"
    number = numbers.parse_number(raw, decimal)
    if quantity in ("elapsed", "latency") and re.search(r"\d[mh] ?\d|\d:\d", cell) and (seconds := numbers.parse_duration(cell)):
        number, raw, unit = numbers.Number(seconds), cell, "s"
    stat = _STAT.search(f"{title} {caption}")
    return {
        "metric": f"{operation}.{quantity}" if operation else ".",
        "value": repr(number.value) if number else raw,
        "unit": unit,
        "native": " ".join(filter(None, (label, title))),
        "stat": ("mean" if stat[1] else stat[2].lower()) if stat else "",
        "raw": raw,
    }


def _read(title_line: int, line: int, row: Mapping[str, str]) -> Iterator[Found]:
    cells = {name: cell for name, cell in row.items() if cell and name != "raw"}
    cells |= {"origin": "reported", "source_note": "typed by hand, or summed up by a script"}
    for item in read_row(ResultsTable(title_line, ";", list(cells)), list(cells.values()), line):
        yield replace(item, raw=row["raw"]) if isinstance(item, Value) else item
