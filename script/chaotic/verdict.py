"""Whether what was promised holds: seen while it happens, and counted at the end."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import threading
from typing import TYPE_CHECKING

import psycopg
from chaotic.clients import SAME
from chaotic.site import LiveSite

if TYPE_CHECKING:
    from chaotic.clients import Clients
    from chaotic.faults import Faults

_STORED = """
SELECT a.id, a.sha256, a.state, a.measurements, a.failure,
       (SELECT count(*) FROM webapp_measurement m JOIN webapp_run r ON r.id = m.run_id WHERE r.archive_id = a.id),
       (SELECT coalesce(sum(n), 0) FROM webapp_metriccount c WHERE c.scope = a.id)
FROM webapp_archive a"""
"""One statement, so one state of the database."""


class Sampler:
    """Looks, again and again, for archives that have some of their values and not all."""

    def __init__(self, site: LiveSite) -> None:
        self.site, self.half, self.looks = site, dict[int, str](), 0

    def watch(self, stop: threading.Event) -> None:
        while not stop.wait(0.5):
            with contextlib.suppress(psycopg.Error):
                for pk, _, state, stated, _, stored, counted in self.site.rows(f"{_STORED} ORDER BY a.id DESC LIMIT 40"):
                    self.look(pk, state, stated, stored, counted)
                self.looks += 1

    def look(self, pk: int, state: str, stated: int, stored: int, counted: int) -> None:
        """Nothing of an archive is re-read here, so one that is not read has no values."""
        if state == "read" and not stated == stored == counted:
            self.half[pk] = f"{state}: {stated} stated, {stored} stored, {counted} counted"
        elif state != "read" and (stored or counted):
            self.half[pk] = f"{state}: {stored} stored, {counted} counted"


def judge(site: LiveSite, clients: Clients, sampler: Sampler, faults: Faults) -> int:
    """Print the numbers; 1 where a promise was broken."""
    rows = site.rows(_STORED)
    for pk, _, state, stated, _, stored, counted in rows:
        sampler.look(pk, state, stated, stored, counted)
    by_id = {row[0]: row for row in rows}
    lost, doubled = dict[int, str](), dict[str, str]()
    for upload in clients.uploads:
        of_bytes = [row[0] for row in rows if row[1] == upload.sha256]
        if len({*of_bytes, *upload.ids}) > 1:
            doubled[upload.sha256] = f"archives {of_bytes}, answered {upload.ids}"
        for pk in set(upload.ids):
            if problem := _problem(site, by_id.get(pk), upload.sha256, upload.results):
                lost[pk] = problem
    clients.compare_all()
    for title, found in (("doubled", doubled), ("lost", lost), ("half-read", sampler.half)):
        for key, problem in list(found.items())[:10]:
            print(f"  {title}: {key}: {problem}")
    unlike = _count_unlike(site, clients)
    check = site.manage("check_data")
    print(f"check_data: exit {check.returncode}; {(check.stdout + check.stderr).strip().splitlines()[-1:]}")
    taken = sum(bool(upload.ids) for upload in clients.uploads)
    print(
        f"{clients.torn} torn uploads, {clients.same} archives from {SAME} connections at once, "
        f"{len(clients.permalinks)} permalinks, {site.starts} starts, {sampler.looks} looks; {taken} archives answered as taken"
    )
    print(
        f"faults {sum(faults.counts.values())}, uploads {clients.sent}, archives {len(rows)}, doubled {len(doubled)}, "
        f"lost {len(lost)}, half-read {len(sampler.half)}, changed permalinks {len(clients.changed)}, untrue pages {unlike}",
        flush=True,
    )
    return int(bool(doubled or lost or sampler.half or clients.changed or unlike or check.returncode))


def _count_unlike(site: LiveSite, clients: Clients) -> int:
    """Pages that say something else once all processes and all files of columns are made anew from the database."""
    before = clients.read_compared()
    shutil.rmtree(site.data / "cache" / "columns", ignore_errors=True)
    site.restart()
    site.wait_ready(300)
    return sum(one != other for one, other in zip(before, clients.read_compared(), strict=True))


def _problem(site: LiveSite, row: tuple | None, sha256: str, results: int) -> str:
    """What is wrong with an archive that was answered as taken, '' for nothing."""
    if row is None:
        return "no row"
    _, stored_sha256, state, _, failure, stored, _ = row
    path = site.data / "blobs" / stored_sha256[:2] / stored_sha256
    if stored_sha256 != sha256 or not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        return "other bytes, or none"
    if state != "read":
        return f"{state} {failure}"
    return "" if stored >= results else f"{stored} values of {results} results"
