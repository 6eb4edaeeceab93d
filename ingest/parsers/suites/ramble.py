"""Ramble, and Benchpark upon it: `results.*.json` of `ramble workspace analyze --format json`.

    {"experiments": [{"name": "ior.single-file.exp", "RAMBLE_STATUS": "SUCCESS", ..., "CONTEXTS": [{"name": "write", "foms": [
        {"value": "596.63", "units": "MiB", "origin": "ior", "origin_type": "application", "name": "bw_Mean"}, ...

A figure is read where the application is IOR and the context is its summary of writes or of reads: the bandwidths, whose unit
the application writes as the table of IOR does (`Mean(MiB)`, which is MiB/s). The contexts `iter N` do not say whether they wrote
or read, and hold the later of both. Other figures are named as unread, as are those of experiments that did not succeed, and
the statistics of repeats (`N_REPEATS`), which are recorded themselves as repetitions.

Shapes of Ramble (name | versions | units | traps):
    RAMBLE_STATUS | 0.3 to 0.5 | MiB of bandwidths is 2^20 B/s | no origin before July 2023, no N_REPEATS before November 2023
    EXPERIMENT_STATUS | later | the same | objects, software and variants beside it

Source: lib/ramble/ramble/experiment_result.py, application.py (calculate_statistics), and the application ior of Ramble
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers._figures import PrintedFigure
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.text.lines import Text
from ingest.text.located_json import LocatedValue, find_documents

_STATUS = ("EXPERIMENT_STATUS", "RAMBLE_STATUS")
_UNITS = ("MiB", "MiB/s")
_STATS = {"bw_Max": "max", "bw_Min": "min", "bw_Mean": "mean"}
_PARAMS = {
    "num_Tasks": "processes",
    "tPN": "tasks_per_node",
    "reps": "repetitions",
    "segcnt": "segments",
    "blksiz": "block_size",
    "xsize": "transfer_size",
}
_ACCESS = {"0": "single-shared-file", "1": "file-per-process"}
_SETTINGS = ("fPP", "API", "Test_num", "RefNum", "aggs", "reord", "reordoff", "reordrand", "seed")
"""Figures of the summary that are no results."""
_REPEAT = lazy(r"(.+)\.\d+")
_MOST = 12
"""Figures that a warning names."""


def parse(text: Text) -> Iterator[Found]:
    """The bandwidths of every experiment with IOR, and what of the others is not read, in the order of lines."""
    for document in find_documents(text, "experiments"):
        experiments = [one for one in _items(document.root, "experiments") if one.raw and one.get("CONTEXTS")]
        bases = {one.text("name") or "": one for one in experiments if one.text("N_REPEATS") not in (None, "0")}
        found = [item for one in experiments for item in _read_experiment(one, bases)]
        for line, message in document.faults[:5]:
            found.append(Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}"))
        yield from sorted(found, key=lambda item: int(item.line))


def _items(node: LocatedValue, name: str) -> list[LocatedValue]:
    found = node.get(name)
    return found.items() if found else []


def _lines(*nodes: LocatedValue | None) -> list[int]:
    return [node.line for node in nodes if node]


def _read_experiment(experiment: LocatedValue, bases: Collection[str]) -> Iterator[Found]:
    name, status = experiment.text("name") or "?", next(filter(None, map(experiment.text, _STATUS)), "?")
    contexts = _items(experiment, "CONTEXTS")
    if status != "SUCCESS" or name in bases:
        if any(_items(context, "foms") for context in contexts):
            why = "statistics of repeats" if name in bases else f"figures of an experiment with the status {status[:20]}"
            yield Doubt(experiment.line, "unread", f"{name[:120]} has {why}, which are not recorded")
        return
    base = match[1] if (match := _REPEAT.fullmatch(name)) and match[1] in bases else name
    depends = _lines(experiment, *map(experiment.get, ("name", *_STATUS, "N_REPEATS", "CONTEXTS")))
    for context in contexts:
        yield from _read_context(context, base[:200], experiment.line, depends)


def _read_context(context: LocatedValue, experiment: str, run: int, depends: list[int]) -> Iterator[Found]:
    """The figures of a context; one warning names those that are not read."""
    access, foms = context.text("name") or "?", {fom.text("name") or "?": fom for fom in _items(context, "foms") if fom.raw}
    is_ior = access in ("write", "read") and all(_is_of_ior(fom, experiment) for fom in foms.values())
    params, lines = _read_workload(foms) if is_ior else ({}, [])
    unread = []
    for name, fom in foms.items():
        unit, stat, raw = fom.text("units") or "", _STATS.get(name), fom.get("value")
        if params and stat and unit in _UNITS and raw:
            figure = PrintedFigure(f"{access}.throughput", "MiB/s", 2.0**20, stat)
            evidence = {*depends, *lines, *_lines(context, context.get("name"), context.get("foms"), fom), *_lines_of(fom)}
            more = {"run": run, "tool": "ior", "params": params | {"experiment": experiment}, "depends": tuple(sorted(evidence))}
            if value := figure.value(raw.line, f"{access} {name}", fom.text("value") or "", **more):
                yield value
                continue
        if not params or name not in (*_PARAMS, *_SETTINGS):
            unread.append(f"{name} ({unit})" if unit else name)
    if unread:
        named = ", ".join(one[:60] for one in unread[:_MOST]) + (f" and {len(unread) - _MOST} more" if len(unread) > _MOST else "")
        yield Doubt(context.line, "unread", f"{experiment[:120]}, {access[:60]}: {named} without a known meaning or workload")


def _is_of_ior(fom: LocatedValue, experiment: str) -> bool:
    """Whether the application is IOR; before origins were written an experiment's name begins with that of the application."""
    if fom.get("origin") is None:
        return fom.get("origin_type") is None and experiment.startswith("ior.")
    return fom.text("origin") == "ior" and fom.text("origin_type") == "application"


def _read_workload(foms: dict[str, LocatedValue]) -> tuple[dict[str, Any], list[int]]:
    """The workload that the summary tells, and its lines; nothing where a part is missing, as in a file that is cut."""
    texts = {name: foms[name].text("value") or "" for name in (*_PARAMS, "fPP", "API") if name in foms}
    numbers = {param: int(texts[name]) for name, param in _PARAMS.items() if texts.get(name, "").isdecimal()}
    access, api = _ACCESS.get(texts.get("fPP", "")), texts.get("API", "")
    if len(numbers) < len(_PARAMS) or access is None or not api.isalnum() or api.isdecimal():
        return {}, []
    return {**numbers, "access": access, "api": api}, [line for name in texts for line in _lines_of(foms[name])]


def _lines_of(fom: LocatedValue) -> list[int]:
    return _lines(fom, *map(fom.get, ("name", "value", "units", "origin", "origin_type")))


PARSER = Parser(
    name="Ramble",
    version=1,
    anchor=Anchor(lazy(r"\"(?:RAMBLE|EXPERIMENT)_STATUS\" ?:"), '"ramble_status"|"experiment_status"'),
    parse=parse,
)
