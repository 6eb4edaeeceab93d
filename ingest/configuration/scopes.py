"""Scopes of evidence: which files apply to which, nearest first."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from ingest.configuration.clues import LocatedClue, are_compatible
from ingest.detect.findings import FileFindings
from ingest.keys import is_key
from ingest.lazy_regex import lazy
from ingest.normalise import DEFAULT_LEVEL
from ingest.records import ARCHIVE, FILE, FOLDER, RUNS, Clue, MissingValue, StatedFact, Value

# Configuration that a person states about the files of an upload, by scope.


class StatementIndex:
    """Statements in the order in which they were made: of two about one key and scope the later one is valid."""

    def __init__(self, stated: Iterable[StatedFact], is_wanted: Callable[[str], bool] = is_key) -> None:
        """`is_wanted`: by name, which statements are held; all others are ignored."""
        valid = [fact for fact in stated if is_wanted(fact.key)]
        self.of_archive: dict[str, Any] = {fact.key: fact.value for fact in valid if fact.reach == ARCHIVE}
        # The nearest last: folders before files, shallow folders before deep ones.
        self.of_places = sorted((fact for fact in valid if fact.reach in (FOLDER, FILE)), key=_depth)
        self.of_runs: dict[str, list[StatedFact]] = {}
        for fact in valid:
            if fact.reach == RUNS:
                self.of_runs.setdefault(fact.path, []).append(fact)
        self._runs: dict[str, dict[int | str, set[Any]]] = {}
        self._has_ignored = any(fact.value is None for fact in valid)

    def of_scope(self, scope: str, path: str) -> dict[str, Any]:
        """Key -> value stated in that scope of the file `path`: `file`, or `folder:` for the upload itself."""
        if scope == "folder:":
            return _values(self.of_archive)
        if scope != "file":
            return {}
        return _values({fact.key: fact.value for fact in self.of_places if _reaches(fact, path)})

    def ignored_keys(self, findings: FileFindings, value: Value | MissingValue) -> list[str]:
        """The keys whose evidence is ignored for the run of the value: the nearest statement about them says so."""
        if not self._has_ignored:
            return []
        of_places = {fact.key: fact.value for fact in self.of_places if _reaches(fact, findings.path)}
        stated = {**self.of_archive, **of_places, **self._of_run(findings, value)}
        return [key for key, value in stated.items() if value is None]

    def of_run(self, findings: FileFindings, value: Value | MissingValue) -> dict[str, Any]:
        """Key -> value stated for the run of the value."""
        return _values(self._of_run(findings, value))

    def _of_run(self, findings: FileFindings, value: Value | MissingValue) -> dict[str, Any]:
        stated = self.of_runs.get(findings.path)
        if not stated:
            return {}
        runs = self._runs.get(findings.path)
        if runs is None:
            runs = self._runs[findings.path] = {}
            for item in chain[Value | MissingValue](findings.values, findings.missing):
                runs.setdefault(item.line, set()).add((item.tool, item.run))
        run = (value.tool, value.run)
        return {item.key: item.value for item in stated if any(run in runs.get(line, ()) for line in item.lines)}


def _values(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in stated.items() if value is not None}


def _depth(fact: StatedFact) -> tuple[bool, int]:
    return fact.reach == FILE, fact.path.count("/")


def _reaches(fact: StatedFact, path: str) -> bool:
    return path == fact.path if fact.reach == FILE else path.startswith(fact.path.rstrip("/") + "/")


_SUFFIXES = frozenset("txt log csv out json xls xml dat tsv md toml yaml yml err gz terse terse5 conf cfg".split())


def name_parts(path: str) -> frozenset[str]:
    """The parts of a file's name between dots, without suffixes: `zfs-off.zfs-get-all.txt` -> zfs-off, zfs-get-all."""
    parts = path.rsplit("/", 1)[-1].split(".")
    return frozenset(part for part in parts if part and part.lower() not in _SUFFIXES)


def _words(path: str) -> frozenset[str]:
    """The words of a file's name: `zfs-get-gzip_9.txt` -> zfs, get, gzip, 9."""
    return frozenset(re.split(r"[-_. ]+", path.rsplit("/", 1)[-1].lower())) - _SUFFIXES - {""}


def _files_by_variant(speakers: dict[str, list[str]], results: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    """Files of one folder whose names differ only in words that distinguish the results of the folder, with these words.

    `zfs-get-lz4.txt` and `zfs-get-gzip.txt` beside `dd-lz4.txt` and `dd-gzip.txt`: each applies to its own results.
    """
    variants: dict[str, frozenset[str]] = {}
    for folder, files in speakers.items():
        result_words = [_words(path) for path in results.get(folder, ())] if len(files) > 1 else []
        distinguishing = (
            frozenset[str]().union(*result_words) - result_words[0].intersection(*result_words)
            if len(result_words) > 1
            else frozenset[str]()
        )
        by_other_words: dict[frozenset[str], dict[str, frozenset[str]]] = {}
        for path in files if distinguishing else ():
            words = _words(path)
            if key := words & distinguishing:
                by_other_words.setdefault(words - key, {})[path] = key
        for group in by_other_words.values():
            if len(set(group.values())) == len(group) > 1:
                variants |= group
    return variants


# A folder of system information: `sysinfo/lscpu.txt` beside the results applies to all of them.
_SYSTEM_INFO_FOLDER = lazy(
    r"(?i)(?:sys|system|hw|hardware|machine|env|environment|platform|specs?|info|inventory|metadata)"
    r"|(?:sys|system|hw|hardware|machine|env|platform|host|node|server)[-_. ]?(?:info|information|details|data|specs?)"
)


# A copy of a machine's own folders: `run1/sys/block/sda/queue/scheduler` applies to run1.
_MACHINE_TREE = lazy(r"(?:\A|(?<=/))(?:sys/(?:block|class|devices|kernel|module)|proc/sys|proc|etc|boot)(?=/|\Z)")


def _folder_of_scope(path: str, measured: Collection[str]) -> str:
    """The folder to which the clues of a file apply: its own, or the one around it. `measured`: folders with results in or below
    them.
    """
    folder = _folders(path)[0]
    tree = _MACHINE_TREE.search(folder) if folder not in measured else None
    if tree and folder[: tree.end()] not in measured:
        folder = folder[: tree.start()].rstrip("/")
    while folder and folder not in measured and _SYSTEM_INFO_FOLDER.fullmatch(folder.rpartition("/")[2]):
        folder = folder.rpartition("/")[0]
    return folder


def _folders(path: str) -> list[str]:
    """The folders around a file, nearest first, '' for the upload itself."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n]) for n in range(len(parts), -1, -1)]


class EvidenceScopes:
    """Files by folder and name part. The clues of a file with results apply to itself, those of others to the files around them."""

    def __init__(self, findings_list: list[FileFindings]) -> None:
        self._paths = [findings.path for findings in findings_list]
        self.with_values = {findings.path for findings in findings_list if findings.values}
        self.context_files: dict[str, list[str]] = {}
        self.shared_parts: dict[str, frozenset[str]] = {}
        result_parts: dict[str, frozenset[str]] = {}
        results: dict[str, list[str]] = {}
        tools: dict[str, set[str]] = {}
        for findings in findings_list:
            if findings.values:
                folder = _folders(findings.path)[0]
                result_parts[folder] = result_parts.get(folder, frozenset()) | name_parts(findings.path)
                results.setdefault(folder, []).append(findings.path)
                tools.setdefault(folder, set()).update(parser.name for parser in findings.parsers)
        # Another run of the same tool without values: its clues apply to itself, as those of the others.
        self.failed_runs = {
            findings.path
            for findings in findings_list
            if not findings.values and any(parser.name in tools.get(_folders(findings.path)[0], ()) for parser in findings.parsers)
        }
        measured = {folder for path in self.with_values for folder in _folders(path)}
        self._root: set[str] = set()
        for findings in findings_list:
            if findings.values or not findings.clues or findings.path in self.failed_runs:
                continue
            folder = _folder_of_scope(findings.path, measured)
            if not folder:
                self._root.add(findings.path)
            self.context_files.setdefault(folder, []).append(findings.path)
            # The part that names a run, not the one for the content of the file.
            shared = name_parts(findings.path) & result_parts.get(folder, frozenset())
            if shared and len(name_parts(findings.path)) > 1:
                self.shared_parts[findings.path] = shared
        others = {folder: [path for path in files if path not in self.shared_parts] for folder, files in self.context_files.items()}
        self.variants = _files_by_variant(others, results)

    def around(self, path: str) -> list[tuple[str, list[str]]]:
        """(scope, files) outside the file's own lines, nearest first."""
        scopes: list[tuple[str, list[str]]] = [("file", [path, *self._manifests(path)])]
        own_parts, words, folders = name_parts(path), _words(path), _folders(path)
        for folder in folders:
            files = self.context_files.get(folder, [])
            matching = [
                context_file
                for context_file in files
                if self.shared_parts.get(context_file, frozenset()) & own_parts
                or (context_file in self.variants and self.variants[context_file] <= words)
            ]
            if matching:
                scopes.append(("name", matching))
            scopes.append(
                (
                    "folder:" + folder,
                    [
                        context_file
                        for context_file in files
                        if context_file not in self.shared_parts and context_file not in self.variants
                    ],
                )
            )
        return scopes

    def _manifests(self, path: str) -> list[str]:
        return [
            context_file for folder in _folders(path) for context_file in self.context_files.get(folder, []) if context_file != path
        ]

    def depth(self, scope: str, members: list[str]) -> int:
        """Depth of a folder scope; -1 for others."""
        if not scope.startswith("folder:"):
            return -1
        folder = scope.removeprefix("folder:")
        return folder.count("/") + 1 if folder else 0

    def applies_to(self, manifest: str, glob: str, scope: str, depth: int, path: str) -> bool:
        """Whether the statements of a manifest for that glob apply in this scope of the file `path`."""
        base = manifest.rsplit("/", 1)[0] + "/" if "/" in manifest else ""
        if not glob:
            return scope == "folder:" + base.rstrip("/")
        return scope == "file" and path.startswith(base) and matches_glob(path.removeprefix(base), glob)

    def unmatched_globs(self, findings: FileFindings) -> Iterator[Clue]:
        """The first clue of each glob of a manifest that matches no file of the upload."""
        base = findings.path.rsplit("/", 1)[0] + "/" if "/" in findings.path else ""
        first_by_glob: dict[str, Clue] = {}
        for clue in findings.clues:
            if clue.kind == "stated" and clue.subject:
                first_by_glob.setdefault(clue.subject, clue)
        for glob, clue in first_by_glob.items():
            if not any(path.startswith(base) and matches_glob(path.removeprefix(base), glob) for path in self._paths):
                yield clue

    def scope_of(self, findings: FileFindings) -> str:
        """The scope of the file's clues in an evidence record."""
        if findings.values or findings.path in self.failed_runs:
            return "file"
        if findings.path in self.shared_parts or findings.path in self.variants:
            return "name"
        return "folder" if "/" in findings.path and findings.path not in self._root else "archive"


class Definitions:
    """What documents say that names stand for, for results whose path or title has the name as a word: `zstd` in dd_zstd2."""

    def __init__(self, findings_list: Iterable[FileFindings]) -> None:
        self._by_name: dict[str, dict[tuple[str, int], dict[str, LocatedClue]]] = {}
        for findings in findings_list:
            for clue in findings.clues:
                if clue.effect == "defines":
                    of_line = self._by_name.setdefault(clue.subject, {}).setdefault((findings.path, clue.line), {})
                    of_line[clue.key] = LocatedClue(findings.path, clue)
        self._words = {name: _word_of(name) for name in sorted(self._by_name, key=len, reverse=True)}

    def __bool__(self) -> bool:
        return bool(self._by_name)

    def of(self, path: str, title: str, nearer: Mapping[str, LocatedClue]) -> dict[str, LocatedClue]:
        """Those of the longest name that the title, or else the path, has; none where `nearer` labels contradict them, an algorithm
        without its level aside, or where two documents do."""
        for name in (name for words in (title, path) for name, word in self._words.items() if word.search(words)):
            lines = [clues for (file, _), clues in self._by_name[name].items() if path.startswith(file.rpartition("/")[0])]
            are_alike = len({repr([(key, clues[key].clue.value) for key in sorted(clues)]) for clues in lines}) == 1
            if are_alike and not any(key in nearer and _contradicts(key, clue, nearer[key]) for key, clue in lines[0].items()):
                return lines[0]
        return {}


def _word_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z])", re.I if len(name) > 2 else 0)


def _contradicts(key: str, defined: LocatedClue, label: LocatedClue) -> bool:
    value = str(label.clue.value)
    return not are_compatible(key, defined.clue.value, value) and value not in (DEFAULT_LEVEL.get(value.partition("-")[0]), "on")


@lru_cache(10_000)
def matches_glob(path: str, glob: str) -> bool:
    """Shell matching; a glob of a folder matches everything below it."""
    return fnmatch.fnmatchcase(path, glob) or fnmatch.fnmatchcase(path, glob.rstrip("/") + "/*")
