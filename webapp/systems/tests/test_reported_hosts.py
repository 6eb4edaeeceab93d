"""A host of which a table reports numbers is a system by itself, whatever is known of it; a measured one is its hardware."""

from __future__ import annotations

import csv
import importlib
import io

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.http.data_version import data_version
from webapp.models import Configuration, ConfigurationCount, System
from webapp.scorecard.sides import read_side
from webapp.storage import consistency
from webapp.tests import caches, making

pytestmark = pytest.mark.django_db
EPYC = {"cpu.model": "AMD EPYC 7763 64-Core Processor", "cpu.cores": 64}
TABLES = [
    ([{"host": "alpha"}, {"host": "beta"}, {"host": "gamma"}], ["alpha", "beta", "gamma"]),
    ([{"host": "alpha", **EPYC}, {"host": "beta", **EPYC}], ["alpha · EPYC 7763 · 64 cores", "beta · EPYC 7763 · 64 cores"]),
    ([{"host": "server"}, {"host": "laptop"}, {"host": "raspberrypi"}], ["laptop", "raspberrypi", "server"]),
    ([{"host": "Wolf #1", "x.year": "2019"}, {"host": "Wolf #1", "x.year": "2020"}, {"host": "Wolf #2"}], ["Wolf #1", "Wolf #2"]),
    ([{"host": "Sol #642", "fs.type": "beegfs"}, {"host": "Wolf #1"}], ["Sol", "Wolf"]),
    ([{"host": "Node #7"}, {"host": "Node #7", "memory": 2**34}], ["Node #7", "Node #7 · 16\u00a0GiB"]),
    ([{"host": "Xeon 2.4 A"}, {"host": "Xeon 2.4 B"}], ["Xeon 2.4 A", "Xeon 2.4 B"]),
    ([{"host": "Größe #3"}, {"host": "größe #3"}, {"host": "b"}], ["Größe", "b"]),
    ([{"fs.type": "zfs"}, {"fs.type": "xfs"}], ["Hardware not recorded"]),
    ([{"host": "localhost"}, {"host": "localhost", "fs.type": "xfs"}], ["Hardware not recorded"]),
]


def reported(configs, origin="reported", **archive):
    records = [
        record
        for at, config in enumerate(configs)
        for record in making.file_records(
            f"{at}.csv", f"{configs}{at}{archive}", [1.0 + at], config=config, origin=origin, params={"nodes": 10 + at}
        )
    ]
    return making.archive(records=records, **{"public": True} | archive)


def names(client, query="") -> list[str]:
    rows = client.get(f"/systems?{query}").context["systems"]
    return sorted(", ".join(filter(None, (row.name, row.apart))) for row in rows)


@pytest.mark.parametrize(("configs", "expected"), TABLES)
def test_each_named_host_of_a_table_is_a_system(client, configs, expected):
    reported(configs)
    found = client.get("/systems").context["systems"]
    assert sorted(row.name for row in found) == expected
    assert len({(row.name, row.apart) for row in found}) == len(found)
    for row in found:
        page = client.get(f"/systems/{row.system.pk}")
        assert page.status_code == 200 and (not row.system.host or row.name in page.context["name"])
    assert [*consistency.find_problems()] == []


@pytest.mark.parametrize("configs", [configs for configs, _ in TABLES])
def test_measured_hosts_are_their_hardware(client, configs):
    reported(configs, "measured")
    assert System.objects.filter(host__isnull=False).count() == 0


def test_strangers_machines_of_one_name_are_two_systems_told_apart(client):
    reported([{"host": "stor01"}])
    reported([{"host": "stor01"}], owner="bob")
    reported([{"host": "stor01", "x.rack": "7"}], owner="cleo")
    found = names(client)
    assert len({*found}) == 3 and all(name.startswith("stor01") for name in found)


def test_what_a_table_says_of_a_host_is_shown_searched_and_filtered(client):
    reported(
        [
            {"host": f"box{at}", "x.institution": f"Institute {'ABC'[at]}", "x.year": str(2018 + at), "fs.type": "daos"}
            for at in range(3)
        ]
    )
    page = client.get("/systems")
    assert {"nodes", "x.institution", "x.year"} <= {head.name for head in page.context["heads"]}
    assert names(client, "q=instituteb") == names(client, "x.year=2019") == names(client, "nodes=11") == ["box1"]
    by_year = [row.name for row in client.get("/systems?sort=-x.year").context["systems"]]
    assert by_year == ["box2", "box1", "box0"]
    [told] = client.get("/systems.json?x.year=2020").json()["systems"]
    facts = {"fs": ["daos"], "nodes": ["12"], "x.institution": ["Institute C"], "x.year": ["2020"]}
    assert (told["name"], told["cpu"], told["facts"]) == ("box2", None, facts)
    [line] = csv.DictReader(io.StringIO(client.get("/systems.csv?x.year=2020").content.decode()))
    assert (line["id"], line["x.institution"], line["nodes"]) == (str(told["id"]), "Institute C", "12")
    own = client.get(f"/systems/{told['id']}").content.decode()
    assert all(text in own for text in ("<h1>box2</h1>", "Institute C", "2020", "daos"))


def test_private_hosts_and_what_is_told_of_them_are_their_owners(client):
    reported([{"host": "open"}])
    reported([{"host": "hidden", "x.secret": "shy"}], owner="bob", public=False)
    assert names(client) == ["open"] and "shy" not in client.get("/systems.json").content.decode()
    client.force_login(making.user("bob"))
    assert names(client) == ["hidden", "open"] and names(client, "q=shy") == ["hidden"]


def test_queries_do_not_grow_with_the_hosts(client):
    counts = []
    for hosts in (2, 40):
        reported([{"host": f"m{at}of{hosts}", "x.year": str(at)} for at in range(hosts)])
        caches.clear()
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/systems").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_migration_moves_what_was_stored_and_old_addresses_answer(client):
    """As if stored before hosts were systems: configurations and their addresses stay, as do those of the system that all were."""
    reported([{"host": "Alpha", "os.name": "Debian"}, {"host": "Größe #3"}, {"host": "localhost"}])
    reported([{"host": "measured"}], "measured")
    rows = {one.pk: (one.digest, one.system_id) for one in Configuration.objects.all()}
    listed = names(client)
    plain = {}
    for one in Configuration.objects.filter(system__hardware__isnull=False).select_related("system"):
        plain[one.pk] = making.digest(str(one.pk))
        Configuration.objects.filter(pk=one.pk).update(digest=plain[one.pk], system=one.system.hardware)
    move_counts([*rows])
    System.objects.filter(hardware__isnull=False).delete()
    old = System.objects.get()
    migration = importlib.import_module("webapp.migrations.0039_reported_hosts")
    with connection.schema_editor() as editor:
        migration.place(None, editor)
    assert {one.pk: one.digest for one in Configuration.objects.all()} == {
        pk: migration.digest_of(plain[pk], ":reported") if pk in plain else digest for pk, (digest, _) in rows.items()
    }
    assert names(client) == listed and [*consistency.find_problems()] == []
    moved = {one.system.digest for one in Configuration.objects.select_related("system")}
    reported([{"host": "Alpha", "os.name": "Debian"}, {"host": "Größe #3"}])
    assert {one.system.digest for one in Configuration.objects.select_related("system")} == moved
    assert client.get(f"/systems/{old.pk}").status_code == 200


def move_counts(configurations) -> None:
    """Let the triggers place the counts of these configurations again."""
    rows = list(ConfigurationCount.objects.filter(configuration__in=configurations))
    ConfigurationCount.objects.filter(configuration__in=configurations).delete()
    ConfigurationCount.objects.bulk_create(rows)


def test_the_address_of_the_hardware_leads_to_its_hosts(client):
    """Also where nothing measured is on it, as before these hosts were systems."""
    reported([{"host": "alpha", **EPYC}, {"host": "beta", **EPYC}, {"host": "gamma"}])
    hardware = System.objects.get(cpu_cores=64, host=None)
    answer = client.get(f"/systems/{hardware.pk}", follow=True)
    assert sorted(row.system.host for row in answer.context["systems"]) == ["alpha", "beta"]
    rows = read_side(f"system:{hardware.pk}", AnonymousUser(), data_version()).read_columns(["write.throughput"]).rows
    assert sorted(row.texts["host"] for row in rows) == ["alpha", "beta"]
    assert client.get("/systems/999999").status_code == 404
