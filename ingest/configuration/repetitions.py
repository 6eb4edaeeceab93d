"""Repetition numbers of values: counted in line order, for display only."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from ingest.detect.findings import FileFindings
from ingest.keys import is_identity
from ingest.lazy_regex import lazy
from ingest.records import Doubt, MissingValue, Value

# What runs read and wrote, as far as paths tell it: runs on two devices or mount points are no repetitions of each other.

_PARAMS = ("path", "directory", "test_dir", "mount", "filename", "file_name", "destination")
_LIKELY_MOUNT = lazy(r"(?:[\w.@-]+:)?(?:/(?:run/media/[^/]+|mnt|media|Volumes|net|srv/nfs)/[^/]+|/[^/]+|(?<=:))")
_OPERAND = lazy(r"(?:(?:if|of)=|-[oefdFCt]|--(?:directory|filename|target-directory)=)?((?:[\w.@-]+:)?/.*)")
_NO_TARGETS = ("/proc/", "/sys/", "/usr/", "/bin/", "/opt/", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full")
_READS = ("read", "reread", "random_read", "cached_read", "list", "stat_", "file_stat", "file_read", "seek")
_MAX_DOUBTS = 20  # about one file

Targets = tuple[str, ...]
_Counts = Mapping[tuple[str, str], int]


@lru_cache(4096)
def targets_of(path: str | None, command: str | None) -> tuple[str, ...]:
    """The devices and likely mount points that a run read or wrote, by the path that its output names or the words of its command.

    `/mnt/old` of /mnt/old/set1, `/tank` of /tank/a/b, a device whole, `host:` of another machine; empty where none is known.
    """
    if path is not None and path.startswith("/"):
        return (_likely_mount(path),)
    try:
        words = shlex.split(command or "", comments=False)
    except ValueError:
        words = (command or "").split()
    paths = [match[1] for word in words[1:] if (match := _OPERAND.match(word)) and not match[1].startswith(_NO_TARGETS)]
    return tuple(map(_likely_mount, paths))


def _likely_mount(path: str) -> str:
    if path.startswith("/dev/"):
        return path
    match = _LIKELY_MOUNT.match(path)
    return match[0] if match else path


class RunTargets:
    """The targets of the runs of a file, and which of them count as repetitions of a run on another one."""

    def __init__(self) -> None:
        self._first: dict[tuple[int, str, str], tuple[Targets, int | str, _Counts]] = {}
        self._last: tuple[Mapping[str, Any], Targets] = {}, ()
        self.doubts: dict[object, Doubt] = {}

    def check(self, value: Value, counts: _Counts) -> None:
        """Doubt the next value that is no duplicate if its run had another target than the first one with these `counts`, those of
        all values of the same configuration and workload."""
        params: Mapping[str, Any] = value.params
        known, targets = self._last
        if params is not known:  # values of a run follow each other
            path = next((path for name in _PARAMS if (path := params.get(name)) is not None), None)
            targets = targets_of(str(path) if path is not None else None, params.get("command"))
            self._last = params, targets
        if not targets:
            return
        group = id(counts), value.metric, value.stat
        first, line, _ = self._first.setdefault(group, (targets, value.line, counts))  # keeps `counts` alive: its id() stays unique
        run = value.tool, value.run
        if first != targets and run not in self.doubts and len(self.doubts) < _MAX_DOUBTS:
            verb = "read" if value.metric.startswith(_READS) else "wrote"
            here, there = (
                ", ".join(one for one in ones if one not in others) for ones, others in ((targets, first), (first, targets))
            )
            places = f"{here or ', '.join(targets)} here, {there or ', '.join(first)} there"
            self.doubts[run] = Doubt(
                value.line,
                "unlike-targets",
                f"This {value.tool} run counts as a repetition of line {line}, which {verb} elsewhere ({places}).",
            )


NO_ROUND = "none"
"""The round of values whose file has a number in its name that is known to be none."""
_NUMBER = lazy(r"(\d{1,6})\D*\Z")


def mark_numbers_of_runs(findings_list: Sequence[FileFindings]) -> None:
    """Say of values without a time that the number in the name of their file is that of no round, where it is none in the names
    beside it: by their times one setting ran wholly before the next."""
    times: dict[tuple[str, str], dict[str, list[str]]] = {}
    numbered = [(findings, found[1]) for findings in findings_list if (found := _NUMBER.search(findings.path.rpartition("/")[2]))]
    for findings, number in numbered:
        first = next(iter(findings.values), None)
        if first is not None and first.started_at:
            times.setdefault((findings.path.rpartition("/")[0], first.tool), {}).setdefault(number, []).append(first.started_at)
    are_rounds: dict[str, set[bool]] = {}
    for (folder, _), of_tool in times.items():
        spans = sorted((min(starts), max(starts)) for starts in of_tool.values() if len(starts) > 1)
        if len(spans) > 1:
            are_rounds.setdefault(folder, set()).add(all(end <= begin for (_, end), (begin, _) in pairwise(spans)))
    for findings, _ in numbered:
        if are_rounds.get(findings.path.rpartition("/")[0]) == {False}:
            findings.change(_without_rounds)


def _without_rounds(items: Iterable[Value | MissingValue]) -> None:
    marked: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}
    for item in items:
        if not item.started_at and "round" not in item.params:
            item.params = marked.setdefault(id(item.params), (item.params, {**item.params, "round": NO_ROUND}))[1]


Counts = dict[tuple[str, str], int]
_Work = int | bytes  # what stands for a workload
_Group = tuple[int, str, str | None, str, _Work]
_Packed = tuple[tuple[tuple[str, str], int], ...]
_MAX_LIVE = 2_000  # groups, and workloads, kept as they are; of further ones a digest of 16 bytes is kept


class RepetitionCounter:
    """Counts the values of one file per configuration, workload and metric."""

    def __init__(self) -> None:
        self._groups: dict[_Group, Counts] = {}
        # The counts of groups not used recently. Almost all of a file have equal counts, which share one object.
        self._packed: dict[bytes, _Packed] = {}
        self._shapes: dict[_Packed, _Packed] = {}
        # By identity of the parameters, which the values keep alive.
        self._workloads: dict[int, _Work] = {}
        self._workload_ids: dict[tuple[tuple[str, str], ...], int] = {}

    def counts(self, value: Value | MissingValue, config: Mapping[str, Any]) -> Counts:
        """(metric, stat) -> number of values of that configuration and workload so far. `config`: the flat configuration, for which
        the resolver returns the same object for equal ones.
        """
        workload = self._workloads.get(id(value.params))
        if workload is None:
            workload = self._workloads[id(value.params)] = self._workload_id(value.params)
        group = id(config), value.tool, value.tool_version, value.origin, workload
        counts = self._groups.get(group)
        if counts is None:
            if len(self._groups) >= _MAX_LIVE:
                self._pack()
            counts = self._groups[group] = dict(self._packed.get(_digest(group), ()) if self._packed else ())
        return counts

    def _pack(self) -> None:
        """Pack the counts of all groups, since a file whose every value has its own workload would need a table for each."""
        for group, counts in self._groups.items():
            shape = tuple(counts.items())
            self._packed[_digest(group)] = self._shapes.setdefault(shape, shape)
        self._groups.clear()

    def clear_identities(self) -> None:
        """The counted values were freed: forget their parameters' id(), which may be reused."""
        self._workloads.clear()

    def _workload_id(self, params: Mapping[str, Any]) -> _Work:
        """A number or digest that is the same for equal workloads."""
        workload = tuple(sorted([(key, str(item)) for key, item in params.items() if is_identity(key)]))
        workload_id = self._workload_ids.get(workload)
        if workload_id is not None:
            return workload_id
        return (
            _digest(workload)
            if len(self._workload_ids) >= _MAX_LIVE
            else self._workload_ids.setdefault(workload, len(self._workload_ids))
        )


def _digest(item: object) -> bytes:
    return blake2b(repr(item).encode("utf-8", "backslashreplace"), digest_size=16).digest()
