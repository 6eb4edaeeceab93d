"""IOR's `-O summaryFormat=JSON` (3.2 and later): `tests[].Results[]` are repetitions, `summary[]` aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ingest.parsers.ior._options import IorTest, parse_date, set_command, set_machine, set_option
from ingest.parsers.ior._result_rows import NUMBER, make_value
from ingest.parsers.ior._summary import check_aggregate
from ingest.records import Doubt, Found
from ingest.text.located_json import LocatedDocument, LocatedValue

_FIGURES = {
    "bwMiB": "bw(MiB/s)",
    "iops": "IOPS",
    "latency": "Latency(s)",
    "openTime": "open(s)",
    "wrRdTime": "wr/rd(s)",
    "closeTime": "close(s)",
    "totalTime": "total(s)",
}
_PARAMETERS = {
    "segmentCount": "segments",
    "transferSize": "transfer_size",
    "blockSize": "block_size",
    "nodes": "nodes",
    "repetitions": "repetitions",
}
_SUMMARY = {
    "bwMaxMIB": ("max", "bwMiB"),
    "bwMinMIB": ("min", "bwMiB"),
    "bwMeanMIB": ("mean", "bwMiB"),
    "MeanTime": ("mean", "totalTime"),
}


def read_document(document: LocatedDocument) -> Iterator[Found]:
    """The values of one JSON log, then a warning for each place that cannot be parsed (five at most)."""
    root = document.root
    tests: dict[str, IorTest] = {}
    for node in (root.get("tests") or LocatedValue(0, "", [])).items():
        if not node.raw:
            yield Doubt(node.line, "no-header", "the beginning of this test is missing; none of its results were recorded")
            continue
        test = _read_test(root, node)
        tests[node.text("TestID") or ""] = test
        for result in _results(node.get("Results") or node.get("Options", "Results")):  # some builds leave Options open
            yield from _read_result(test, result)
    for node in (root.get("summary") or LocatedValue(0, "", [])).items():
        summed_up = tests.get(node.text("TestID") or "")
        if summed_up is not None:
            yield from _check_summary(summed_up, node)
    for line, message in document.faults[:5]:
        yield Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}")


def _results(node: LocatedValue | None) -> Iterator[LocatedValue]:
    """Results in a list, or in lists of a list."""
    for item in node.items() if node else []:
        if isinstance(item.value, list):
            yield from _results(item)
        else:
            yield item


def _read_test(root: LocatedValue, node: LocatedValue) -> IorTest:
    test = IorTest(node.line, version=root.text("Version"))
    for part in (root.get("Version"), root.get("Began"), node.get("StartTime"), root.get("Machine"), root.get("tests")):
        if part:
            test.depends[f"line {part.line}"] = part.line
    test.started = parse_date(node.text("StartTime") or root.text("Began") or "")
    _read_run(test, root)
    for name in ("Options", "Parameters"):
        if section := node.get(name):
            test.depends[f"{name} "] = section.line
            test.depends |= {f"{name} {key}": value.line for key, value in _members(section)}
    for key, value in _members(node.get("Options")):
        if not isinstance(value.value, dict | list):
            set_option(test, key, str(value.value) if isinstance(value.value, str) else value.raw, value.line)
    _read_parameters(test, node)
    return test


def _members(node: LocatedValue | None) -> Iterable[tuple[str, LocatedValue]]:
    """The members of an object; none of any other value."""
    return node.value.items() if node and isinstance(node.value, dict) else ()


def _read_run(test: IorTest, root: LocatedValue) -> None:
    """Command line and machine, which all tests of a run share."""
    if command := root.get("Command line"):
        set_command(test, str(command.value))
        test.depends["command"] = command.line
    machine = root.get("Machine")
    if machine and (words := str(machine.value).split()) and len(words) > 1:
        rest = (words[2], " ".join(words[3:])) if len(words) > 2 else (None, None)
        set_machine(test, (words[0], words[1], *rest), machine.line)


def _read_parameters(test: IorTest, node: LocatedValue) -> None:
    """The exact values of the section Parameters."""
    for key, name in _PARAMETERS.items():
        raw = node.text("Parameters", key)
        if raw and raw.isdecimal():
            test.params[name] = int(raw)
    if node.text("Parameters", "randomOffset") not in (None, "0"):
        test.random = True
    if node.text("Parameters", "fsync") == "1":
        test.params["fsync"] = "on"


def _read_result(test: IorTest, node: LocatedValue) -> Iterator[Found]:
    access = node.text("access")
    if access not in ("read", "write", "remove"):
        yield Doubt(node.line, "short-row", "a result without its access (read or write); nothing in it was recorded")
        return
    access_node = node.get("access")
    depends = tuple(sorted({*test.depends.values(), *((access_node.line,) if access_node else ())}))
    for key, column in _FIGURES.items():
        cell = node.get(key)
        if cell is None:
            continue
        if not NUMBER.match(cell.raw):
            yield Doubt(cell.line, "bad-number", f"{access} {key}: {cell.raw[:40]!r} is not a number")
            continue
        yield make_value(test, access, column, cell.raw, cell.line, test.params, depends=depends, native=key)


def _check_summary(test: IorTest, node: LocatedValue) -> Iterator[Doubt]:
    access = node.text("operation") or ""
    for key, (stat, source) in _SUMMARY.items():
        cell = node.get(key)
        values = [value for value, _ in test.repetitions.get((access, _FIGURES[source]), [])]
        if cell is not None and NUMBER.match(cell.raw) and values:
            repetitions = test.params.get("repetitions")
            yield from check_aggregate(stat, values, float(cell.raw), cell.line, f"{access} {key}", repetitions)
