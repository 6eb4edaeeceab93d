"""What each page takes: the first after a change of the data, further ones, its queries and the rows that they read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benches.growing.facts import METRIC, Busiest
from benches.growing.meter import Meter
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from webapp.models import Archive, Run
from webapp.storage.locks import lock_writes
from webapp.tests.reading import rows_read


def addresses(of: Busiest, own: Archive, frozen: str, whole: str = "") -> dict[str, str]:
    """Name -> address. `own`: the archive that is the same in every database, `frozen` of it; `of`: what is measured
    most often, `whole` of everything, empty where that is not frozen."""
    run = Run.objects.filter(archive_id=own.pk).order_by("pk").first()
    path = own.files.filter(measurements__gt=0).order_by("pk").first().path
    return {
        "home": "/",
        "/compare": f"/compare?metric={METRIC}&x=compression",
        "/compare, series, baseline, hold equal": f"/compare?metric={METRIC}&x=compression&series=os_family&baseline=off&hold=cpu",
        "/compare, one tool's sizes": "/compare?metric=read.throughput&tool=iozone&x=record_size",
        "/compare.csv": "/compare.csv?metric=seek.rate&x=compression",
        "/archives": "/archives",
        "/archives, searched": "/archives?q=batch",
        "an archive of 50 runs": f"/archives/{own.pk}",
        "its warnings": f"/archives/{own.pk}/notes/{code}" if (code := _code(own)) else "",
        "its review (its owner)": f"/archives/{own.pk}/review",
        "raw view of a file of it": f"/archives/{own.pk}/raw/{path}",
        "an archive of the database": f"/archives/{of.archive}",
        "/systems": "/systems",
        "the system measured most": f"/systems/{of.system}",
        "the configuration measured most": f"/configurations/{of.configuration}",
        "two configurations side by side": f"/versus?a=configuration:{of.configuration}&b=configuration:{of.other}",
        "a run": f"/runs/{run.pk}",
        "the first archive beside the second (/versus)": f"/versus?a=archive:{own.pk}&b=archive:{of.archive}",
        "two systems beside each other": f"/versus?a=system:{of.system}&b=system:{of.other_system}",
        "is it normal": f"/normal?archive={own.pk}&metric={METRIC}",
        "a search": "/compare?q=sequential+write+lz4",
        "/rankings": "/rankings",
        "/hardware": "/hardware",
        "/configurations": "/configurations",
        "/studies": "/studies",
        "/honesty": "/honesty",
        "a permalink of one archive": f"/p/{frozen}",
        "a permalink of everything": f"/p/{whole}" if whole else "",
        "own permalinks (their owner)": "/permalinks",
        "/upload (signed in)": "/upload",
    }


def _code(own: Archive) -> str:
    return own.notes.order_by("code").values_list("code", flat=True).first() or ""


def figures(meter: Meter, wanted: dict[str, str], owner, requests: int) -> Iterator[tuple[str, dict[str, object]]]:
    """(name, {cold and warm: {cpu, clock} in ms, queries, rows}); pages that want an owner are asked for by one."""
    stranger, signed_in = Client(), Client()
    signed_in.force_login(owner)
    for name, address in wanted.items():
        if address:
            client = signed_in if "owner)" in name or "signed in" in name else stranger
            yield name, _one(meter, client, address, requests)


def _one(meter: Meter, client: Client, address: str, requests: int) -> dict[str, object]:
    def ask() -> None:
        answer = client.get(address)
        if answer.status_code != 200:
            raise SystemExit(f"{address} answers {answer.status_code}")
        for _ in answer if answer.streaming else ():
            pass

    def after(change: Callable[[], object]) -> Iterator[Callable[[], None]]:
        for _ in range(requests):
            change()
            yield ask

    def cold() -> None:
        cache.clear()
        lock_writes()

    ask()
    found: dict[str, object] = {"cold": meter.several(after(cold)), "warm": meter.several(after(cache.clear))}
    cold()
    with CaptureQueriesContext(connection) as caught:
        ask()
    return {**found, "queries": len(caught), "rows": rows_read(caught.captured_queries, indexes=False)}
