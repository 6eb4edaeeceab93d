"""All constructed uploads in one database, each through the pages as a person does it; and every address of the site."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import quote

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client, override_settings
from django.urls import URLPattern, get_resolver, reverse

from ingest.tests.hostile import containers, names
from webapp.bulk import editions
from webapp.bulk.whole import NAMES as WHOLE_FILES
from webapp.files import addresses
from webapp.jobs import tasks
from webapp.models import Archive, Collection, Measurement, Note, Permalink, PublicData, Run, Statement, Withdrawal
from webapp.systems.hardware import slugify
from webapp.tests import frozen, making
from webapp.tests.hostile import contents, headers
from webapp.views import collection_pages
from webapp.views.archives import owner_actions


def _one_of_each_kind() -> dict[str, contents.Case]:
    """The containers that differ in what pages show of them: every kind of damage of one compression, all others.

    That all of them are read alike is tested in `ingest.tests.hostile`.
    """
    alike = ("tar-gz-", "log-bz2-", "tar-bz2-", "log-xz-", "tar-xz-", "log-zst-", "tar-zst-", "zip-streamed-", "zip-stored-")
    return {name: case for name, case in containers.CASES.items() if not name.startswith(alike) or name.endswith("-cut")}


def _one_of_each_name() -> dict[str, contents.Case]:
    """Each name in a tar; in a zip those that a tar does not hold."""
    cases = names.CASES
    return {name: case for name, case in cases.items() if not (name.startswith("zip-") and f"tar-{name[4:]}" in cases)}


CONTAINERS, NAMES, CONTENTS = (
    {f"{kind}/{name}": case for name, case in cases.items()}
    for kind, cases in (("containers", _one_of_each_kind()), ("names", _one_of_each_name()), ("contents", contents.CASES))
)
EVERY = 8


def some_of_each() -> dict[str, contents.Case]:
    """Each eighth container, name and content."""
    return {case: make for kind in (CONTAINERS, NAMES, CONTENTS) for case, make in list(kind.items())[::EVERY]}


SHARED = [
    "metric=write.throughput&x=fs&os=" + "&os=".join(map(quote, (contents.CONTROLS, contents.TEX, contents.HTML))),
    "metric=write.throughput&x=host",
    "metric=write.throughput&x=cpu&series=os&stat=mean",
    "x=access&facet=fs&baseline=plain",
    "metric=write.throughput&x=archive&scale=log&sort=value",
    "metric=read.throughput&x=layout&kind=box&stat=bootstrap",
]
EDITION = date(2026, 11, 24)
"""Day of the public data as files."""
READERS = ("nobody", "stranger", "owner", "staff")


@dataclass
class World:
    """Archives by case; the permalinks of each; the clients by reader; what was answered with 500 on the way."""

    archives: dict[str, Archive] = field(default_factory=dict)
    permalinks: dict[str, list[str]] = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)
    collection: str = ""
    readers: dict[str, Client] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    answers: int = 0
    faults: list[str] = field(default_factory=list)

    def ask(self, reader: str, address: str, method: str = "get", **data):
        """One answer, counted; a fault is noted with the reader and the address."""
        answer = getattr(self.readers[reader], method)(address, **data)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        self.answers += 1
        self.faults += [f"{reader} {address[:200]}: {missing}" for missing in headers.find_missing(answer)]
        is_meant = (answer.status_code == 501 and "oembed" in address) or (
            answer.status_code == 503 and address.startswith("/data/") and "Retry-After" in answer.headers  # being made again
        )
        if answer.status_code >= 500 and not is_meant:
            self.faults.append(f"{answer.status_code} {reader} {address[:200]}: {getattr(answer, 'exc_info', '')!r}"[:400])
        return answer, body


@contextmanager
def pages_without_build() -> Iterator[None]:
    """Pages need no built style sheet."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
        yield


def build(cases: Mapping[str, contents.Case]) -> World:
    """Every case uploaded, read, published and frozen by its owner."""
    world = World()
    for name in READERS:
        client = Client(raise_request_exception=False)
        if name != "nobody":
            user = making.user(name)
            user.is_staff = user.is_superuser = name == "staff"
            user.save()
            client.force_login(user)
        world.readers[name] = client
    for case, make in cases.items():
        _upload(world, case, *make())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    PublicData.objects.create(date=EDITION)
    assert editions.make(EDITION) == "made"
    for name in WHOLE_FILES:
        assert world.ask("nobody", f"/data/latest/{name}")[0].status_code == 200, name
    for query in SHARED:
        world.shared += _frozen(world, "/compare/freeze", query=query)
    world.shared and _collect(world)
    return world


def _upload(world: World, case: str, name: str, data: bytes) -> None:
    answer, _ = world.ask(
        "owner", "/upload", "post", data={"files": [SimpleUploadedFile(name, data)]}, headers={"Accept": "application/json"}
    )
    assert answer.status_code == 201, (case, answer.status_code, answer.text[:300])
    pk = answer.json()["archives"][0]["id"]
    tasks.ingest_archive(pk)
    world.ask("owner", f"/archives/{pk}/publish", "post", data={"licence": "CC0-1.0"})
    archive = world.archives[case] = Archive.objects.get(pk=pk)
    assert archive.published_at and archive.state in ("read", "failed"), (case, archive.state)
    run = next(iter(Run.objects.filter(archive=archive).order_by("id").values_list("pk", flat=True)[:1]), None)
    if run is not None:
        places = f"/archives/{pk}/freeze", f"/runs/{run}/freeze"
        world.permalinks[case] = _frozen(world, places[len(world.archives) % 2]) or _frozen(world, places[1])


def _frozen(world: World, address: str, **data) -> list[str]:
    answer, _ = world.ask(
        "owner", address, "post", data={"title": contents.CONTROLS + contents.HTML, "authors": contents.FORMULA, **data}
    )
    return [answer.url.removeprefix("/p/")] if answer.status_code == 302 else []


def _collect(world: World) -> None:
    for name in world.shared[:1]:  # its bundle needs the drawings of each
        world.ask("owner", "/collections/new", "post", data={"add": name})
    answer, _ = world.ask(
        "owner", "/collections/new", "post", data={"do": "freeze", "title": contents.CONTROLS, "authors": contents.HTML}
    )
    world.collection = answer.url.removeprefix("/c/")


def routes() -> dict[str, URLPattern]:
    """Every named address."""
    found = {}
    for one in get_resolver().url_patterns:
        for pattern in getattr(one, "url_patterns", [one]):
            found[pattern.name if one is pattern else f"{one.namespace}:{pattern.name}"] = pattern
    return found


def _of_api(start: str, **parts: object) -> dict[str, list[str]]:
    """The addresses of the API that begin so, with these parts of their paths."""
    return {
        name: [reverse(name, kwargs=parts)]
        for name, pattern in routes().items()
        if name.startswith("api:") and str(pattern.pattern).startswith(start) and set(pattern.pattern.converters) == {*parts}
    }


def of_archive(archive: Archive) -> dict[str, list[str]]:
    """The addresses of one archive by name, as its pages have them and as they were once linked."""
    pk, paths = archive.pk, list(archive.files.order_by("path").values_list("path", flat=True)[:4])
    value = Measurement.objects.filter(run__archive=archive).first()
    codes = Note.objects.filter(archive=archive).values_list("code", flat=True).distinct()
    found = {
        name: [reverse(name, args=[pk])]
        for name in (
            "archive",
            "archive-review",
            "archive-state",
            "archive-details",
            "archive-freeze",
            "archive-download",
            "archive-readings",
            "archive-numbered",
            "archive-take",
            "archive-table",
            "archive-state-hosts",
            "archive-state-machine",
            "archive-join",
            "archive-atom",
            *(f"archive-{one}" for one in ("publish", *owner_actions.ACTIONS)),
        )
    }
    found |= _of_api("archives/", pk=pk)
    found["archive-notes"] = [reverse("archive-notes", args=[pk, code]) for code in codes]
    found["archive-raw"] = [address for path in paths for address in _both(pk, path, addresses.RAW)]
    found["archive-raw-named"] = [f"/archives/{pk}/raw?name={addresses.path_digest(path)}" for path in paths]
    found["archive-withdraw-file"] = [addresses.file_address(pk, path, addresses.WITHDRAW) for path in paths]
    found["archive-withdraw-file-named"] = [f"/archives/{pk}/withdraw/file?name={addresses.path_digest(path)}" for path in paths]
    found["archive-withdraw-value"] = [reverse("archive-withdraw-value", args=[pk, value.pk])] if value else []
    for name, one in (
        ("archive-restore", Withdrawal.objects.filter(archive=archive).first()),
        ("archive-undo", Statement.objects.filter(archive=archive).first()),
    ):
        found[name] = [reverse(name, args=[pk, one.pk if one else 1])]
    runs = list(Run.objects.filter(archive=archive).order_by("id").select_related("configuration__system")[:1])
    for run in runs:
        found["run"], found["run-freeze"] = [reverse("run", args=[run.pk])], [reverse("run-freeze", args=[run.pk])]
        found |= {name: [reverse(name, args=[run.pk])] for name in ("run-series-csv", "run-series-json", "run-series")}
        found |= {name: [f"{reverse(name)}?run={run.pk}"] for name in CURVES}
        found["archive-series"] = [f"/archives/{pk}/series?file={addresses.quote(path, errors='replace')}" for path in paths[:1]]
        found["run-in-figure"] = [f"{reverse('run-in-figure', args=[run.pk])}?metric=write.throughput"]
        found["configuration"] = [reverse("configuration", args=[run.configuration_id])]
        found |= {name: [reverse(name, args=[run.configuration.system_id])] for name in SYSTEM_ROUTES}
        cpu = run.configuration.system.cpu_model or "none"
        for route in ("hardware-component", "hardware-component-json"):
            found[route] = [reverse(route, args=["cpu", slugify(cpu)]), reverse(route, args=["disk", "\0 " * 99 + "\u202e+"])]
        configuration = f"configuration:{run.configuration_id}"
        found["difference"] = [f"{reverse('difference')}?a={run.configuration_id}&b={run.configuration_id}"]
        found |= {name: [f"{reverse(name)}?a={configuration}&b=archive:{pk}"] for name in ("versus", "versus-json", "versus-csv")}
        found["versus"].append(f"{reverse('versus')}?a={configuration}")
        found |= {name: [f"{reverse(name)}?a=archive:{pk}"] for name in ("normal", "normal-json")}
        found["api:versus"] = [f"{reverse('api:versus')}?a={configuration}&b=archive:{pk}"]
        found["api:normal"] = [f"{reverse('api:normal')}?archive={pk}"]
    found["compare"] = [f"/compare?archive={pk}&x=host&series=compression", f"/compare?archive={pk}&kind=time"] if runs else []
    return found


def _both(pk: int, path: str, what: str) -> set[str]:
    plain = f"/archives/{pk}/{what}/{addresses.quote(path, safe='/', errors='replace')}"
    return {addresses.file_address(pk, path, what), plain}


def of_permalink(name: str, drawn: bool) -> dict[str, list[str]]:
    """The addresses of one permalink by name; those for which figures are drawn only where it is `drawn`. Else its files hold a
    few bytes in place of each drawing, since citations name the digest of all files."""
    found = {}
    if not drawn:
        frozen.with_plain_pictures(Permalink.objects.get(pk=name))
    for route, pattern in routes().items():
        told = str(pattern.pattern)
        if told.startswith("p/<slug:name>") and route not in GONE_ROUTES and (drawn or route not in DRAWN_ROUTES):
            found[route] = [reverse(route, args=[name, *(["citation.txt"] if "<str:file>" in told else [])])]
    found["oembed"] = [f"/oembed?url=http://testserver/p/{name}&format={form}" for form in ("json", "xml")] if drawn else []
    return found


_PAGES = ("permalink", "permalink-csv", "permalink-datacite")
DISTRIBUTIONS = tuple(f"distribution{ending}" for ending in ("", "-svg", "-png", "-csv", "-json", "-pdf"))
CURVES = (*DISTRIBUTIONS, "series", "series-svg", "series-png", "series-csv", "series-json", "series-pdf")
GONE_ROUTES = {"permalink-script", "permalink-vega", "series-tex", "distribution-tex"}
"""Of forms that are not drawn any more: they answer 410."""
SYSTEM_ROUTES = ("system", "system-json", "system-csv", "system-atom")
DRAWN_ROUTES = {"permalink-svg", "permalink-pdf", "permalink-png", "permalink-tex", "permalink-zip", "permalink-embed", "oembed"}


def of_collection(name: str) -> dict[str, list[str]]:
    """The addresses of a collection."""
    found = {
        route: [reverse(route, args=[name])]
        for route in (
            "collection",
            "collection-json",
            "collection-zip",
            "collection-doi",
            *(one for *_, one in collection_pages.CITED),
        )
    }
    return {**found, "collection-cite": [reverse("collection-cite", args=[name, "citation.txt"])]}


def shared() -> dict[str, list[str]]:
    """The addresses that show what many have uploaded, and those that show nobody's."""
    queries = [
        "",
        *SHARED,
        "metric=write.throughput&x=kernel&series=tool",
        "x=threads&overlay=stranger",
        "x=host&kind=histogram&scale=log",
        "q=%0a&host=%01&archive=x",
        "metric=write.throughput&x=host&normalise=baseline&baseline=" + "n" * 300,
    ]
    compared = (
        "compare",
        "compare-json",
        "compare-csv",
        "compare-svg",
        "compare-png",
        "compare-pdf",
        "compare-xlsx",
        "compare-arrange",
        *(f"api:{name}" for name in ("compare", "measurements", "runs", "configurations", "systems", "metrics", "sets")),
    )
    found = (
        _of_api("") | _of_api("uploads/", pk=uuid.UUID(int=1)) | _of_api("webhooks/", pk=1) | _of_api("permalinks/", name="none")
    )
    found |= {name: [f"{reverse(name)}?{query}" for query in queries] for name in compared}
    plain = (
        "home",
        "honesty",
        "log",
        "log-json",
        "verify",
        "capture-kit",
        "capture-kit-digest",
        "robots",
        "llms",
        "sitemap-index",
        "archives-atom",
        "permalinks",
        "collection-new",
        "upload",
        "archives",
        "rankings",
        "systems",
        "systems-json",
        "systems-csv",
        "hardware",
        "hardware-json",
        "hardware-csv",
        "configurations",
        "runs",
        "studies",
        "sign-in",
        "tokens",
        "webhooks",
        "healthz",
        "readyz",
        "metrics",
        "status",
        "raidz",
        "data",
        "compare-freeze",
        "versus-freeze",
        "series-freeze",
        "oembed",
        "staff",
        "staff-archives",
        "staff-users",
        "staff-blocks",
        "staff-block",
        "staff-unblock",
        "staff-audit",
    )
    found |= {name: [reverse(name)] for name in plain}
    found["runs"] += ["/runs?q=%0a&tool=%01&after=x", "/runs?archive=x", "/runs?configuration=" + "9" * 30]
    found["distribution"] = ["/series/distribution", "/series/distribution?run=x&kind=%00&round=-1&load=%01"]
    found["series"] = ["/series", "/series?run=x&from=%00&metric=%01", "/series?run=999999999999"]
    asked = ("write.throughput", "io500.score", "%00", "none")
    found |= {
        f"ranking{end}": [f"/rankings/{one}{end.replace('-', '.')}?workload=%00&q=%01" for one in asked]
        for end in ("", "-json", "-csv")
    }
    found["archives"] += ["/archives?mine=1", "/archives?before=x"]
    found["archives-atom"] += ["/archives.atom?q=%0a&tool=%01", "/archives.atom?os=~&q=Linux"]
    found["staff-block"] += ["/staff/block?what=owner", "/staff/block?what=" + "0" * 64]
    found["token-revoke"] = ["/settings/tokens/1/revoke", f"/settings/tokens/{'9' * 30}/revoke"]
    found |= {
        name: [reverse(name, args=[pk]) for pk in (1, int("9" * 30))]
        for name in ("webhook", "webhook-test", "webhook-on", "webhook-delete")
    }
    found["staff-unpublish-all"] = [f"/staff/users/{making.user('owner').pk}/unpublish"]
    found["sitemap"] = [reverse("sitemap", args=[section]) for section in ("pages", "archives", "permalinks", "none")]
    found["data-latest"] = [reverse("data-latest", args=[name]) for name in ("datapackage.json", "none", "archives.parquet")]
    found["data-file"] = [
        f"/data/{day}/{name}" for day in (EDITION.isoformat(), "none", "9999-99-99") for name in ("SHA256SUMS", "%00")
    ]
    asked = ("dimension=os", "dimension=metric&find=%00", "dimension=none")
    found["compare-values"] = [f"/compare/values?{query}" for query in asked]
    return {**found, "study": ["/studies/none"], "study-atom": ["/studies/none.atom"], "sign-in-link": ["/sign-in/none"]}


def last() -> dict[str, list[str]]:
    """What ends a session."""
    return {"sign-out": [reverse("sign-out")]}


Part = tuple[Mapping[str, Iterable[str]], tuple[str, ...]]
"""Addresses by name, and who asks for them."""


def whole(world: World) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(name, address, readers) of every address of every archive and permalink, for everybody.

    Figures are drawn for the first permalink of each kind of case: the first word of its name.
    """
    parts, kinds = [], set()
    for case, archive in world.archives.items():
        parts.append((of_archive(archive), READERS))
        for name in world.permalinks.get(case, ()):
            kind = case.split("-")[0]
            parts.append((of_permalink(name, kind not in kinds), READERS))
            kinds.add(kind)
    return _flat(
        [
            *parts,
            (shared(), READERS),
            *((of_permalink(name, False), READERS) for name in world.shared),
            (of_collection(world.collection) if world.collection else {}, READERS),
            (last(), READERS),
        ]
    )


def sample(world: World) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(name, address, readers) of every address of the site with what was uploaded in it.

    Everybody asks for what is shared, for each twentieth archive with its permalinks, and for a drawn one in a collection;
    `nobody` and `owner` ask for each other archive, `nobody` for the page of each other permalink.
    """
    parts = [
        (shared(), READERS),
        *((of_permalink(name, at < 1), READERS) for at, name in enumerate(world.shared)),
        (of_collection(world.collection), READERS),
    ]
    for at, (case, archive) in enumerate(world.archives.items()):
        often = at % 20 == 0
        parts.append((of_archive(archive), READERS if often else ("nobody", "owner")))
        for name in world.permalinks.get(case, ()):
            found = of_permalink(name, False)
            parts.append((found, READERS) if often else ({key: found[key] for key in _PAGES}, ("nobody",)))
    return _flat([*parts, (last(), READERS)])


def _flat(parts: Iterable[Part]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    return ((name, address, readers) for part, readers in parts for name, several in part.items() for address in several)


def exists() -> tuple[int, int, int]:
    """Archives, permalinks and collections that there are."""
    return Archive.objects.count(), Permalink.objects.count(), Collection.objects.count()
