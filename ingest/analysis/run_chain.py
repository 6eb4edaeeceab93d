"""Whether all runs of a capture are there as they were recorded: the capture kit numbers them and chains their records by SHA-256.

A record (`[[runs]]` of a manifest) has the digests of the files of its run and that of the record before; `[chain]` the number of
runs that were planned and made, and the digest of the last record. A chain proves nothing against who writes a new one; it shows
what was dropped, changed or put in another order afterwards.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ingest.configuration.stated import is_stated_run
from ingest.context.manifest import CHAIN_KEY
from ingest.detect.findings import FileFindings
from ingest.records import CAPTURED, Clue, Doubt

CODE = "run-chain"
_NAMED = 20  # runs of one sentence
_MOST = 10**6  # runs of a capture
_EMPTY = hashlib.sha256(b"").hexdigest()


@dataclass(slots=True)
class _Record:
    """One run of a chain: `folder` of its files, their digests, the digest of the record and of the one before it."""

    number: int
    line: int
    folder: str
    outputs: Mapping[str, str]
    before: str | None
    digest: str
    is_stopped: bool


@dataclass(slots=True)
class _Chain:
    """What one manifest says."""

    line: int
    planned: int
    made: int
    last: str | None
    records: list[_Record]
    unnumbered: list[tuple[int, str]] = field(default_factory=list)  # line and file of the other tables of runs


def check_chains(findings_list: Sequence[FileFindings]) -> None:
    """Give each manifest that has a chain the clue `CAPTURED`, and a doubt about each kind of break."""
    digests: dict[str, str] = {}
    for findings in findings_list:
        if (chain := _read_chain(findings)) is None:
            continue
        digests = digests or {other.path: other.sha256 for other in findings_list}
        sentence, doubts = _Check(chain, digests).result()
        findings.doubts = [*findings.doubts, *doubts]
        findings.clues = [*findings.clues, Clue(chain.line, CAPTURED, sentence, "[chain]", kind="stated")]


def _read_chain(findings: FileFindings) -> _Chain | None:
    stated = [clue for clue in findings.clues if is_stated_run(clue)]
    head = next((clue for clue in stated if clue.key == CHAIN_KEY), None)
    if head is None:
        return None
    base, about = findings.path.rpartition("/")[0], json.loads(head.value)
    chain = _Chain(head.line, about.get("planned", 0), about.get("made", 0), about.get("last"), [])
    for clue in stated:
        run, path = json.loads(clue.value) if clue is not head else {}, f"{base}/{clue.subject}" if base else clue.subject
        if "number" in run:
            chain.records.append(_make_record(run, clue.line, path.rpartition("/")[0]))
        elif clue is not head:
            chain.unnumbered.append((clue.line, path))
    return chain


def _make_record(run: Mapping[str, Any], line: int, folder: str) -> _Record:
    outputs = {f"{folder}/{name}": digest for name, digest in run.get("outputs", {}).items()}
    return _Record(run["number"], line, folder, outputs, run.get("before"), run["record"], "stopped" in run)


def _count(made: int) -> str:
    return "1 run was" if made == 1 else f"{made} runs were"


def _named(numbers: Iterable[int]) -> str:
    """`run 4`, `runs 3 and 8`."""
    words = [str(number) for number in sorted(set(numbers))]
    if len(words) == 1:
        return f"run {words[0]}"
    if len(words) > _NAMED:
        words = [*words[:_NAMED], f"{len(words) - _NAMED} more"]
    return f"runs {', '.join(words[:-1])} and {words[-1]}"


def _were(numbers: Iterable[int]) -> str:
    return "was" if len(set(numbers)) == 1 else "were"


class _Check:
    """One chain beside the files of the upload."""

    def __init__(self, chain: _Chain, digests: Mapping[str, str]) -> None:
        """`digests`: path -> SHA-256 of all files."""
        self._chain, self._digests = chain, digests
        self._known = {path for record in chain.records for path in record.outputs}
        self._strangers = {(digest, path.rpartition("/")[2]): path for path, digest in digests.items() if path not in self._known}
        self._made = max(chain.made, max((record.number for record in chain.records), default=0))
        there = {record.number for record in chain.records if not self._is_gone(record)}
        self._missing = [number for number in range(1, min(self._made, _MOST) + 1) if number not in there]

    def result(self) -> tuple[str, list[Doubt]]:
        """`9 runs were made, 7 are here: runs 3 and 8 are missing`, and the doubts."""
        sentence = self._sentence()
        doubts = [Doubt(self._chain.line, CODE, f"{sentence}.")] if self._missing else []
        return sentence, [*doubts, *self._copied(), *self._links(), *self._changed(), *self._added()]

    def _is_gone(self, record: _Record) -> bool:
        """Whether none of its files is there, under any name."""
        outputs = record.outputs.items()
        return bool(outputs) and not any(path in self._digests or self._elsewhere(path, digest) for path, digest in outputs)

    def _elsewhere(self, path: str, digest: str) -> str | None:
        """A file of this name and content in another folder, that is of no run."""
        return self._strangers.get((digest, path.rpartition("/")[2])) if digest != _EMPTY else None

    def _sentence(self) -> str:
        stopped = sum(record.is_stopped for record in self._chain.records)
        here, missing, planned = self._made - len(self._missing), self._missing, self._chain.planned
        sentence = f"{planned} runs were planned, " if self._made - stopped < planned else ""
        sentence += f"{_count(self._made)} made, {here} {'is' if here == 1 else 'are'} here"
        if missing:
            sentence += f": {_named(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        return f"{sentence}; {stopped} of them {'was' if stopped == 1 else 'were'} stopped before the end" if stopped else sentence

    def _copied(self) -> Iterator[Doubt]:
        counts = Counter(record.number for record in self._chain.records)
        for record in self._chain.records:
            if counts.pop(record.number, 1) > 1:
                yield Doubt(record.line, CODE, f"run {record.number} has several records: a run was copied, or its number changed.")
        for earlier, later in pairwise(self._chain.records):
            if later.number < earlier.number:
                message = f"run {later.number} stands after run {earlier.number}: the records were put in another order."
                yield Doubt(later.line, CODE, message)

    def _links(self) -> Iterator[Doubt]:
        """Where the record before, or the last one, is not the one that was recorded. Gaps are named with the missing runs."""
        records = {record.number: record for record in self._chain.records}
        links = {record.number - 1: record.before for record in self._chain.records} | {self._chain.made: self._chain.last}
        for number, digest in links.items():
            if digest is not None and number in records and records[number].digest != digest:
                message = f"the record of run {number} was changed after it was made, or another one put in its place."
                yield Doubt(records[number].line, CODE, message)

    def _changed(self) -> Iterator[Doubt]:
        """Files that are no more what they were. Runs of one visit share its files, and one sentence."""
        runs: dict[tuple[str, str], list[_Record]] = defaultdict(list)
        for record in self._chain.records:
            for path, digest in record.outputs.items():
                if digest and self._digests.get(path) != digest and not self._is_gone(record):
                    runs[path, digest].append(record)
        for (path, digest), records in runs.items():
            numbers = [record.number for record in records]
            subject, they = f"{_named(numbers)} {_were(numbers)}", "it was" if _were(numbers) == "was" else "they were"
            if path in self._digests:
                message = f"{subject} changed after {they} recorded: {path} is another file."
            elif elsewhere := self._elsewhere(path, digest):
                message = f"{subject} renamed after {they} recorded: {path} stands as {elsewhere}."
            else:
                message = f"{subject} changed after {they} recorded: {path} is not in the archive."
            yield Doubt(records[0].line, CODE, message)

    def _added(self) -> Iterator[Doubt]:
        """Runs and outputs beside those of the chain: what was added to a capture later."""
        for line, path in self._chain.unnumbered:
            if path not in self._known and path in self._digests:
                message = f"{path} is of no recorded run: it was added to the capture, or its record lost its number."
                yield Doubt(line, CODE, message)
        for record in self._chain.records:
            for path, digest in record.outputs.items():
                if self._digests.get(path) == digest and (copy := self._elsewhere(path, digest)):
                    yield Doubt(record.line, CODE, f"run {record.number} is there twice: {copy} is a copy of its output.")
