"""Workload parameters that a person states of an upload, a folder, a file or runs: they fill what no output shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ingest.configuration.scopes import StatementIndex
from ingest.detect.findings import FileFindings
from ingest.keys import is_identity
from ingest.options import is_option
from ingest.records import NO_PARAMS, STATED, Doubt, MissingValue, StatedFact, Value

_Item = Value | MissingValue
_Merged = tuple[Mapping[str, Any], Mapping[str, str] | None, Mapping[str, Any], Mapping[str, str]]


class StatedParams:
    """The statements about workload parameters of one upload."""

    def __init__(self, stated: Iterable[StatedFact]) -> None:
        facts = [fact for fact in stated if is_identity(fact.key)]
        self._index = StatementIndex(facts, is_identity)
        self._is_empty = not facts

    def apply(self, findings: FileFindings) -> None:
        """Give the values of a file what is stated of them. What their output shows stays, with a warning where it differs."""
        if self._is_empty:
            return
        of_file = {**self._index.of_scope("folder:", findings.path), **self._index.of_scope("file", findings.path)}
        doubts = dict[str, Doubt]()

        def fill(items: Iterable[_Item]) -> None:
            merged = dict[tuple[int, int, tuple[str, Any], str], _Merged]()
            for item in items:
                stated = {**of_file, **self._index.of_run(findings, item)}
                stated = {name: value for name, value in stated.items() if not is_option(name) or name.startswith(f"{item.tool}.")}
                if not stated:
                    continue
                key = id(item.params), id(item.params_from), (item.tool, item.run), repr(stated)
                if key not in merged:
                    merged[key] = (item.params, item.params_from, *_merge(item, stated, doubts))
                _, _, item.params, item.params_from = merged[key]

        findings.change(fill)
        if doubts:
            findings.doubts = [*findings.doubts, *doubts.values()]


def _merge(item: _Item, stated: Mapping[str, Any], doubts: dict[str, Doubt]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The parameters of a value with those that are stated, and where those stand that are apart from it."""
    apart = item.params_from or NO_PARAMS
    taken = {name: value for name, value in stated.items() if name not in item.params or name in apart}
    for name in stated.keys() - taken.keys():
        if item.params[name] != stated[name] and name not in doubts:
            text = f"{name} is {item.params[name]} here, and was entered by hand as {stated[name]}; what the output shows was kept."
            doubts[name] = Doubt(item.line, "disagree", text)
    return {**item.params, **taken}, {**apart, **dict.fromkeys(taken, STATED)}
