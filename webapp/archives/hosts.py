"""The hosts of an archive, and its files with evidence that was ignored since it is of another host than the results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, Sum

from ingest import distinct_hosts, same_host
from ingest.records import FILE
from webapp.files.addresses import file_address
from webapp.models import Archive, ArchiveConfiguration
from webapp.storage.profile import ArchiveProfile

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
    """The hosts of an archive in which evidence was ignored; None without such a warning. Four queries at most."""
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
