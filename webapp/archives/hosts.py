"""The hosts of an archive: which there are, files with evidence of another one, and what a person enters of each at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q, Sum

from ingest import distinct_hosts, same_host
from ingest.keys import KEYS, Key
from ingest.records import FILE
from webapp.archives.statements import StatementScope, scopes_of_runs
from webapp.files.addresses import file_address
from webapp.models import Archive, ArchiveConfiguration, Configuration, Machine, Run
from webapp.storage.archive_rows import ArchiveProfile
from webapp.storage.machines import STATED as MACHINE
from webapp.storage.machines import machine_host

# What a person enters of each host of an archive at once: a table of hosts and keys; a value applies to the runs of its host.

MOST_HOSTS, MOST_CONFIGURATIONS = 24, 200
"""Hosts and configurations up to which there is a table of them."""
_PARTS = ("system", "os")


@dataclass(frozen=True, slots=True)
class HostField:
    """A field of the table: `name` of its input, its `value` as typed; `known`: every run of the host has the key."""

    name: str
    label: str
    value: str
    known: bool


@dataclass(frozen=True, slots=True)
class HostTable:
    """Keys that some run lacks, and the fields of each host."""

    keys: list[Key]
    rows: list[tuple[str, list[HostField]]]


def read_table(archive: Archive, missing: Iterable[str], typed: Mapping[str, str]) -> HostTable | None:
    """The table; None where the archive has one host or very many, or where all is known of them. One query."""
    wanted = [KEYS[name] for name in missing if KEYS[name].part in _PARTS and name != "arch"]
    if not wanted:
        return None
    found = ArchiveConfiguration.objects.filter(archive=archive, configuration__host__isnull=False).order_by("configuration_id")
    known: list[Any] = list(
        found.values_list("configuration__host", *(f"configuration__{key.column}" for key in wanted))[: MOST_CONFIGURATIONS + 1]
    )
    by_host: dict[str, list[tuple]] = {}
    for host, *values in known:
        by_host.setdefault(host, []).append(tuple(values))
    if not 1 < len(by_host) <= MOST_HOSTS or len(known) > MOST_CONFIGURATIONS:
        return None
    rows = []
    for host, of_host in sorted(by_host.items()):
        fields = [
            HostField(
                name := field_name(key.name, host),
                f"{key.label} of {host}",
                typed.get(name, ""),
                all(values[at] is not None for values in of_host),
            )
            for at, key in enumerate(wanted)
        ]
        rows.append((host, fields))
    return HostTable(wanted, rows)


def field_name(key: str, host: str) -> str:
    """The name of the input of a key of a host."""
    return f"of:{key}:{host}"


def read_typed(posted: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Host -> key -> text, of the fields of the table that have one."""
    typed: dict[str, dict[str, str]] = {}
    for name, text in posted.items():
        kind, _, rest = name.partition(":")
        key, _, host = rest.partition(":")
        if kind == "of" and key in KEYS and host and text.strip():
            typed.setdefault(host, {})[key] = text.strip()
    return typed


def scopes_of_hosts(archive: Archive, typed: Mapping[str, Mapping[str, str]]) -> dict[StatementScope, Mapping[str, str]]:
    """What was typed by the scope that it applies to: a file that has runs of one host alone, else the host's runs in it."""
    runs = Run.objects.filter(archive=archive)
    of_hosts = runs.filter(configuration__host__in=list(typed))
    paths = of_hosts.values_list("file__path", flat=True).distinct()
    hosts_of: dict[str, set[str | None]] = {}
    for path, host in runs.filter(file__path__in=list(paths)).values_list("file__path", "configuration__host").distinct():
        hosts_of.setdefault(path, set()).add(host)
    scopes: dict[StatementScope, Mapping[str, str]] = {}
    shared: dict[str | None, list[tuple[str, str]]] = {}
    for path, hosts in sorted(hosts_of.items()):
        if len(hosts) == 1:
            scopes[StatementScope(FILE, path)] = typed[str(*hosts)]
    lines = of_hosts.filter(file__path__in=[path for path, hosts in hosts_of.items() if len(hosts) > 1])
    for path, line, host in lines.order_by("id").values_list("file__path", "first_line", "configuration__host"):
        shared.setdefault(host, []).append((path, line))
    for host, places in shared.items():
        scopes |= dict.fromkeys(scopes_of_runs(places), typed[str(host)])
    return scopes


CODE = "other-host"
_LISTED = 10  # hosts, and files
_NOTES = 1000  # from which the files are taken, and lines that name their hosts
_RESULT_HOSTS = 5000


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file whose evidence was ignored for results of other hosts. `hosts`: those that it is of; none: it names none."""

    path: str
    address: str
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostReview:
    """`hosts`: the first ones, `more` further. `without_cpu`: measurements without a CPU of hosts that no file of `files` is of."""

    hosts: list[str]
    more: int
    files: list[EvidenceFile]
    without_cpu: int

    @property
    def total(self) -> int:
        return len(self.hosts) + self.more

    @property
    def known(self) -> bool:
        """Whether every file is of some host, so that the hosts without a CPU are the others."""
        return all(file.hosts for file in self.files)


def read_hosts(archive: Archive, profile: ArchiveProfile) -> HostReview | None:
    """The hosts of an archive in which evidence was ignored; None without such a warning. Five queries at most."""
    if not profile.notes.get(CODE):
        return None
    notes = archive.notes.filter(code=CODE).order_by("id").values_list("path", flat=True)[:_NOTES]
    paths = list(dict.fromkeys(notes))[:_LISTED]
    stated = _stated_hosts(archive, paths)
    named: dict[str, list[str]] = {path: [] for path in paths}
    for path, host in archive.evidence.filter(key="host", path__in=paths).order_by("id").values_list("path", "value")[:_NOTES]:
        named[path].append(host)
    files = [
        EvidenceFile(path, file_address(archive.pk, path), distinct_hosts([stated[path]] if path in stated else hosts)[:_LISTED])
        for path, hosts in named.items()
    ]
    of_files = [host for file in files for host in file.hosts]
    of_results = _hosts_of_results(archive)
    without_cpu = sum(missing for host, missing in of_results if not any(same_host(host, other) for other in of_files))
    hosts = distinct_hosts([*(host for host, _ in of_results), *of_files])
    return HostReview(list(hosts[:_LISTED]), max(0, len(hosts) - _LISTED), files, without_cpu)


def _stated_hosts(archive: Archive, paths: Iterable[str]) -> dict[str, str]:
    """The hosts that the owner stated for these files, the latest of each."""
    rows = archive.statements.filter(key="host", reach=FILE, path__in=paths, undone_at__isnull=True).order_by("pk")
    return {path: str(host) for path, host in rows.values_list("path", "value")}


def _hosts_of_results(archive: Archive) -> list[tuple[str, int]]:
    """Each host with the number of its measurements without a CPU, the most measured first."""
    rows = ArchiveConfiguration.objects.filter(archive=archive, configuration__host__isnull=False).values("configuration__host")
    counted = rows.annotate(
        total=Sum("measurements"), missing=Sum("measurements", filter=Q(configuration__cpu_model__isnull=True), default=0)
    )
    ordered = counted.order_by("-total", "configuration__host")[:_RESULT_HOSTS]
    return [(str(row["configuration__host"]), row["missing"]) for row in ordered]


# Which machines the runs of an archive were made on, and which other archives of its owner share them.

MOST_MACHINES, _OTHER_ARCHIVES, MOST_READ = 24, 5, 1_000


@dataclass(slots=True)
class ReviewedMachine:
    """A machine of an archive. `host`: its name if that identifies it; `generic`: names of its runs that do not; `name`: as other
    archives, or the owner, call it; `namesakes`: other machines of the owner with that name; `others`: archives of the owner that
    share it, and `more` further."""

    number: int
    host: str
    name: str
    folder: str
    generic: list[str]
    entered: str = ""
    others: list[Archive] = field(default_factory=list)
    more: int = 0
    namesakes: int = 0


def read_machines(archive: Archive, names: Mapping[str, int] | None = None) -> list[ReviewedMachine]:
    """The machines of an archive, at most MOST_MACHINES. `names`: as `count_machine_names` gives. Five queries at most."""
    entries = ArchiveConfiguration.objects.filter(archive=archive).values_list("configuration_id", flat=True)[:MOST_READ]
    placed = Configuration.objects.filter(pk__in=list(entries), machine__isnull=False)
    columns = ("host", "machine_id", "machine__name", "machine__folder")
    stated = archive.statements.filter(key=MACHINE, undone_at__isnull=True).order_by("pk")
    entered = dict(stated.values_list("path", "raw")) if archive.stated_version else {}
    machines: dict[tuple[int, str], ReviewedMachine] = {}
    for host, number, name, folder in placed.order_by("pk").values_list(*columns):
        own = machine_host(host or "")
        known = machines.setdefault((number, own), ReviewedMachine(number, own, name, folder, [], entered.get(own, "")))
        if host and not own and host not in known.generic:
            known.generic.append(host)
    shown = list(machines.values())[:MOST_MACHINES]
    of_owner = Archive.objects.of_owner_of(archive.pk).order_by("-pk")
    newest = list(of_owner.values_list("pk", flat=True)[:MOST_READ])
    sharing = ArchiveConfiguration.objects.filter(archive__in=newest).values_list("configuration__machine_id", "archive_id")
    numbers = {one.number for one in shown}
    others: dict[int, list[int]] = {}
    for number, pk in sorted({pair for pair in sharing[: 10 * MOST_READ] if pair[0] in numbers}, key=lambda pair: -pair[1]):
        others.setdefault(number, []).append(pk)
    found = Archive.objects.in_bulk([pk for pks in others.values() for pk in pks[:_OTHER_ARCHIVES]])
    for one in shown:
        one.namesakes = (names or {}).get(one.name, 1) - 1
        pks = others.get(one.number, [])
        one.others, one.more = [found[pk] for pk in pks[:_OTHER_ARCHIVES]], max(0, len(pks) - _OTHER_ARCHIVES)
    return shown


def count_machine_names(archive: Archive) -> dict[str, int]:
    """The names of the machines of the archive's owner, with how many machines have each."""
    named = Machine.named_of(archive.owner_id).order_by("name")
    return dict(named.values_list("name").annotate(n=Count("pk"))[:100])
