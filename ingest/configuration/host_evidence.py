"""Evidence of one host never applies to results that name another host.

Results name their host in the tool's output, a prompt, a header or their path. A file without results (a context file) is of
the host that it names itself, else of the one host that its folder, or one above it, knows. Its evidence about the system
(operating system, processor, memory, disks) is ignored for results of another host, with the warning `other-host`. File systems
and pools may be those of a server: they apply to results of other hosts as well, unless there is evidence of these for the host
itself (see `ingest.transcript.hosts`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ingest.configuration.clues import LocatedClue
from ingest.configuration.host_names import identifies, names_host, same_host, short_name
from ingest.configuration.path_clues import clues_of_path
from ingest.detect.findings import FileFindings
from ingest.open_keys import OF_FILE_SYSTEMS, OF_MACHINES
from ingest.records import Clue, Doubt, MissingValue, Value
from ingest.spill import find_printed_hosts
from ingest.transcript.hosts import HostTimeline, expand_host_list

SYSTEM_KEYS = ("os.", "kernel", "arch", "cpu.", "memory", "disk.", *OF_MACHINES)
_STORAGE_KEYS = ("fs.", "pool.", *OF_FILE_SYSTEMS)
_NUMBER = re.compile(r"\d{2,}")  # of a node: node017, nid00012, r03n11
_LABELLED_BY = "bonnie++"  # several names of the machine below one prompt are labels
_MAX_WARNINGS = 20  # of one file
_WORD = re.compile(r"[^\W_]+")
_MAX_PATH, _MAX_WORDS = 1000, 12  # characters of a path, words of one of its parts that are compared with names of hosts


@dataclass(frozen=True, slots=True)
class ResultHost:
    """The host of results. `is_named`: they name it themselves; otherwise evidence nearer to them than that in question does."""

    name: str
    is_named: bool
    file: str


@dataclass(slots=True)
class _ContextFile:
    """A context file. `hosts`: those that it names; `line`: of the first of its clues about a system."""

    hosts: tuple[str, ...]
    line: int
    timeline: HostTimeline | None
    warned: set[str] = field(default_factory=set)


class EvidenceHosts:
    """The host of each context file of one upload, and of results."""

    def __init__(
        self, findings_list: Sequence[FileFindings], with_values: set[str], stated_host: Callable[[str], str | None]
    ) -> None:
        self._stated_host = stated_host
        self.spellings = set[str]()
        """All names of hosts, as they are spelled."""
        self._with_labels: set[str] = set()
        self._hosts_of_paths: dict[str, str | None] = {}
        named = self._hosts_of_files(findings_list, with_values)
        for findings in findings_list:
            if (stated := stated_host(findings.path)) and not (named[findings.path] and findings.path in with_values):
                named[findings.path] = (stated,)
                self.spellings.add(stated)
        names = {host for hosts in named.values() for host in hosts}
        self._names_in_paths = {short_name(host): host for host in sorted(names) if _may_name_path(host)}
        for path, hosts in named.items():
            if not hosts and (host := self.host_of_path(path)):
                named[path] = (host,)
        self.hosts_of: dict[str, tuple[str, ...]] = named
        """The hosts that each file names, or its path does."""
        self._known: dict[str, set[str]] = {}
        for path, hosts in named.items():
            for folder in _folders(path) if hosts else ():
                self._known.setdefault(folder, set()).update(map(_group, hosts))
        self._with_storage: set[str] = set()
        self._files: dict[str, _ContextFile] = {}
        for findings in findings_list:
            if findings.clues:
                self._add_file(findings, named[findings.path], findings.path in with_values)

    def _hosts_of_files(self, findings_list: Iterable[FileFindings], with_values: set[str]) -> dict[str, tuple[str, ...]]:
        """The different hosts that each file names, in the output of a tool too. Files of the same bytes share their clues."""
        by_id: dict[int, tuple[str, ...]] = {}
        named = {}
        for findings in findings_list:
            own = by_id.get(id(findings.clues))
            if own is None:
                clues = list(_hosts_of_clues(findings.clues))
                self.spellings.update(clues)
                own = by_id[id(findings.clues)] = distinct_hosts(clues)
            if findings.path in with_values:
                printed = find_printed_hosts(findings.values)
                if own and len({short_name(host) for tool, host in printed if tool == _LABELLED_BY}) > 1:
                    self._with_labels.add(findings.path)
                    printed = frozenset([(tool, host) for tool, host in printed if tool != _LABELLED_BY])
                # A label such as xfs.noatime is no name with a domain.
                self.spellings.update([host for tool, host in printed if tool != _LABELLED_BY or host.count(".") != 1])
                own = distinct_hosts((*own, *sorted(host for _, host in printed)))
            named[findings.path] = own
        return named

    def _add_file(self, findings: FileFindings, hosts: tuple[str, ...], has_values: bool) -> None:
        if len(hosts) == 1 and any(clue.key.startswith(_STORAGE_KEYS) for clue in findings.clues):
            self._with_storage.add(short_name(hosts[0]))
        if not has_values:
            line = min([clue.line for clue in findings.clues if clue.key.startswith(SYSTEM_KEYS)], default=1)
            timeline = HostTimeline(findings.commands, findings.clues) if len(hosts) > 1 else None
            self._files[findings.path] = _ContextFile(hosts, line, timeline)

    def host_of_path(self, path: str) -> str | None:
        """The host of this upload whose name the path has as a word, the last one of several."""
        if path not in self._hosts_of_paths:
            names = self._names_in_paths
            found = (names[words] for words in _words_of_path(path) if words in names) if names else iter(())
            self._hosts_of_paths[path] = next(found, None)
        return self._hosts_of_paths[path]

    def host_of_results(
        self, findings: FileFindings, value: Value | MissingValue, own: Mapping[str, LocatedClue]
    ) -> ResultHost | None:
        """The host that a value names. `own`: the clues of the file's own lines that are valid for it."""
        own_host = str(own["host"].clue.value) if "host" in own else ""
        printed = str(value.printed_config["host"][0]) if "host" in value.printed_config else ""
        if own_host and value.tool == _LABELLED_BY and findings.path in self._with_labels:
            printed = ""
        candidates = (printed, own_host, self._stated_host(findings.path), self.host_of_path(findings.path))
        host = next((host for host in candidates if host and names_host(host)), None)
        return ResultHost(host, True, findings.path) if host else None

    def host_of_scope(self, path: str, clues: Mapping[str, LocatedClue]) -> ResultHost | None:
        """The host that the clues of a scope give to the results at `path`, which name none themselves."""
        host = str(clues["host"].clue.value) if "host" in clues else ""
        return ResultHost(host, False, path) if names_host(host) else None

    def select(self, path: str, clues: list[LocatedClue], results: ResultHost | None, doubts: list[Doubt]) -> list[LocatedClue]:
        """Those of the clues of a context file that may apply to results of a host; a warning among `doubts` if others do not."""
        file = self._files.get(path)
        if results is None or file is None or self._is_of(file, path, results):
            return clues
        is_rejected = self._rejection(file, clues, results)
        kept = [source for source in clues if not is_rejected(source.clue)]
        if any(is_rejected(source.clue) and source.clue.key.startswith(SYSTEM_KEYS) for source in clues):
            _warn(file, results, doubts)
        return kept

    def _is_of(self, file: _ContextFile, path: str, results: ResultHost) -> bool:
        """Whether all clues of the file apply to the host of the results."""
        if file.hosts:
            return all(same_host(host, results.name) for host in file.hosts)
        groups = next((groups for folder in _folders(path) if (groups := self._known.get(folder))), set[str]())
        return groups <= {_group(results.name)} if len(groups) < 2 else not results.is_named

    def _rejection(self, file: _ContextFile, clues: Iterable[LocatedClue], results: ResultHost) -> Callable[[Clue], bool]:
        """Which clues of a file of other hosts do not apply."""
        keys = (*SYSTEM_KEYS, "host", *(_STORAGE_KEYS if file.hosts and short_name(results.name) in self._with_storage else ()))
        own_lines = {
            source.clue.line for source in clues if source.clue.key == "host" and same_host(str(source.clue.value), results.name)
        }

        def is_rejected(clue: Clue) -> bool:
            if clue.kind == "stated" or not clue.key.startswith(keys) or clue.line in own_lines:
                return False
            prompt_host = file.timeline.host_at(clue.line) if file.timeline else None
            return not (prompt_host and any(same_host(host, results.name) for host in expand_host_list(prompt_host)))

        return is_rejected


def drop_system_of_other_host(own: dict[str, LocatedClue], results: ResultHost | None) -> None:
    """Remove evidence about the system of a transcript's own host, if the tool prints that it ran on another one."""
    source = own.get("host")
    if (
        results is None
        or source is None
        or not names_host(str(source.clue.value))
        or same_host(str(source.clue.value), results.name)
    ):
        return
    for key in [key for key, source in own.items() if key.startswith(SYSTEM_KEYS) and source.clue.kind != "stated"]:
        del own[key]


def _hosts_of_clues(clues: Iterable[Clue]) -> Iterable[str]:
    for clue in clues:
        if clue.key == "host" and clue.effect != "ends" and not (clue.kind == "stated" and clue.subject):
            yield from sorted(expand_host_list(clue.value)) if re.search(r"[\[,]", str(clue.value)) else (str(clue.value),)


def distinct_hosts(hosts: Iterable[str]) -> tuple[str, ...]:
    """The hosts, one name of each: with its domain where it is known."""
    distinct: dict[str, list[str]] = {}
    for host in hosts:
        others = distinct.setdefault(short_name(host), [])
        same = next((at for at, other in enumerate(others) if same_host(host, other)), None)
        if same is not None:
            others[same] = max(others[same], host, key=len)
        elif names_host(host):
            others.append(host)
    return tuple([host for names in distinct.values() for host in names])


@lru_cache(4096)
def _group(host: str) -> str:
    """Nodes of one cluster, whose names differ in numbers of several digits, are one group; so are those shown by IP address."""
    short = short_name(host)
    return "" if "." in short or ":" in short else _NUMBER.sub("#", short)


def _may_name_path(host: str) -> bool:
    """Whether the name in a path is that of the host: no usual name, and no word for a setting (`lz4`, `zfs`)."""
    return len(short_name(host)) > 2 and identifies(host) and not clues_of_path(short_name(host))


def _words_of_path(path: str) -> Iterator[str]:
    """Each sequence of words of the parts of a path in lower case, the last part first, the longest sequence first."""
    for part in reversed(path[:_MAX_PATH].lower().split("/")):
        words = [match.span() for match in _WORD.finditer(part)][:_MAX_WORDS]
        for count in range(len(words), 0, -1):
            for first in range(len(words) - count + 1):
                yield part[words[first][0] : words[first + count - 1][1]]


def _folders(path: str) -> list[str]:
    """The folders around a file, nearest first, '' for the upload itself."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]


def _warn(file: _ContextFile, results: ResultHost, doubts: list[Doubt]) -> None:
    """One warning for each host whose results do not take the evidence of the file."""
    if short_name(results.name) in file.warned or len(file.warned) >= _MAX_WARNINGS:
        return
    file.warned.add(short_name(results.name))
    if not file.hosts:
        whose = "names no host, and this upload has several"
    else:
        more = f" and {len(file.hosts) - 3} more hosts" if len(file.hosts) > 3 else ""
        whose = f"is of {', '.join(file.hosts[:3])}{more}"
    message = f"This file {whose}, so it was not used for results of {results.name}, such as those in {results.file}."
    last = " Further hosts are not listed." if len(file.warned) == _MAX_WARNINGS else ""
    doubts.append(Doubt(max(file.line, 1), "other-host", message[:300] + last))
