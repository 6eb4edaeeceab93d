"""Which runs were made on which machine."""

from __future__ import annotations

import pytest
from django.db.models import CharField, F, Value
from django.db.models.functions import Concat
from hypothesis import given
from hypothesis import strategies as st

import ingest
from webapp.archives import reparse
from webapp.management.commands import prepare
from webapp.models import Configuration, File, Machine, Run, Summary
from webapp.storage import load, machines
from webapp.storage.batch import Batch
from webapp.tests import making

XEON, EPYC, ARM = {"arch": "x86_64", "cpu.model": "Xeon E5-1620"}, {"arch": "x86_64", "cpu.model": "EPYC 7302"}, {"arch": "aarch64"}
GIB = 2**30


def place(*runs: tuple[str, dict], archive: int = 1, owner: int = 1) -> list[str]:
    """The digest of the machine of each run, of runs with path and configuration."""
    records = [
        record for at, (path, config) in enumerate(runs) for record in making.file_records(f"{path}", f"{at}", [1.0], config=config)
    ]
    batch = Batch.from_records(records, 1)
    found = machines.find_machines(archive, owner, batch.configurations, batch.files.values())
    rows = {path: [found.find(digest, path).digest for digest, _ in file.placed] for path, file in batch.files.items()}
    return [rows[path].pop(0) for path, _ in runs]


def numbered(digests: list[str]) -> str:
    """`ABA`: which are the same."""
    letters: dict[str, str] = {}
    return "".join(letters.setdefault(digest, chr(65 + len(letters))) for digest in digests)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([("a.txt", {}), ("b/c.txt", {"pool.compression": "lz4"})], "AA", id="nothing known is one machine"),
        pytest.param([("a", {"os.name": "Debian"}), ("b", {"os.name": "FreeBSD"})], "AA", id="two systems on one machine"),
        pytest.param([("a", {"host": "tank1"}), ("b", {"host": "tank2"})], "AB", id="hosts"),
        pytest.param([("a", {"host": "Tank1"}), ("b", {"host": "tank1.example.com"})], "AA", id="with and without domain"),
        pytest.param([("a", {"host": "n1.x.org"}), ("b", {"host": "n1.y.org"}), ("c", {"host": "n1"})], "ABC", id="two domains"),
        pytest.param([("a", {"host": "tank1", **XEON}), ("b", {"host": "tank1", **EPYC})], "AA", id="a host is one machine"),
        pytest.param([("a", {"host": "localhost"}), ("b", {"host": "debian"}), ("c", {})], "AAA", id="names that identify nothing"),
        pytest.param([("a", {"host": "tank1", **XEON}), ("b", {}), ("c", XEON)], "AAA", id="no host, of the only one"),
        pytest.param([("a", {"host": "tank1"}), ("b", XEON)], "AA", id="no host, of the only one, of which nothing is known"),
        pytest.param([("a", {"host": "tank1", **XEON}), ("b", EPYC)], "AB", id="no host, of another processor"),
        pytest.param(
            [("a", {"host": "tank1", "cpu.cores": 4}), ("b", {"cpu.cores": 8})], "AB", id="no host, of another number of cores"
        ),
        pytest.param(
            [("a", {"host": "tank1"}), ("b", {"memory": 8 * GIB}), ("c", {"memory": 16 * GIB}), ("d", {})],
            "ABCA",
            id="of two that exclude each other neither is of the host",
        ),
        pytest.param([("a", {"host": "t1"}), ("b", {"host": "t2"}), ("c", {})], "ABC", id="no host beside two"),
        pytest.param([("x/1", XEON), ("x/2", {}), ("y/1", EPYC), ("y/2", {})], "AABB", id="a folder each"),
        pytest.param([("in/x/1", XEON), ("in/x/2", XEON), ("in/y/1", EPYC)], "AAB", id="below a common folder"),
        pytest.param([("x/1", XEON), ("y/1", XEON)], "AA", id="folders alone show nothing"),
        pytest.param([("x/1", XEON), ("2", EPYC), ("3", EPYC)], "ABB", id="files beside a folder"),
        pytest.param(
            [("in/x/a/1", XEON), ("in/x/b/2", XEON), ("in/3", EPYC), ("in/4", EPYC)], "AABB", id="files of a common folder"
        ),
        pytest.param([("in/x/1", XEON), ("in/x/2", EPYC), ("in/x/3", EPYC)], "ABB", id="all in one folder"),
        pytest.param([("x/1", XEON), ("x/2", EPYC), ("y/1", ARM)], "ABC", id="several in one folder"),
        pytest.param([("a", {"memory": 16 * GIB}), ("b", {"memory": 16 * GIB - 300 * 2**20})], "AA", id="memory is nominal"),
    ],
)
def test_runs_are_of_machines(runs, expected):
    assert numbered(place(*runs)) == expected


def test_a_configuration_is_placed_once_on_each_of_its_machines():
    runs = [
        ("x/1", {"cpu.model": "Xeon"}),
        ("x/2", {"cpu.model": "Xeon"}),
        ("y/1", {"cpu.model": "EPYC"}),
        ("y/2", {}),
        ("x/3", {}),
    ]
    records = [record for path, config in runs for record in making.file_records(path, path, [1.0, 2.0], config=config)]
    batch = Batch.from_records(records, 1)
    found = machines.find_machines(1, 1, batch.configurations, batch.files.values())
    placed = list(machines.place_configurations(found, batch.configurations, batch.files.values()))
    expected = [("EPYC", "y"), ("Xeon", "x"), ("~", "x"), ("~", "y")]
    assert sorted((one.row.columns["cpu.model"] or "~", one.machine.folder) for one in placed) == expected


@pytest.mark.parametrize(
    ("first", "second", "owners", "same"),
    [
        ({"host": "tank1", **XEON}, {"host": "tank1", **XEON}, (1, 1), True),
        ({"host": "tank1", **XEON}, {"host": "TANK1", **XEON}, (1, 1), True),
        ({"host": "tank1", **XEON}, {"host": "tank1", **XEON}, (1, 2), False),
        ({"host": "tank1", **XEON}, {"host": "tank1", **EPYC}, (1, 1), False),
        ({"host": "tank1"}, {"host": "tank1"}, (1, 1), False),
        ({"host": "debian", **XEON}, {"host": "debian", **XEON}, (1, 1), False),
        (XEON, XEON, (1, 1), False),
        ({}, {}, (1, 1), False),
    ],
)
def test_archives_share_a_machine_where_name_and_hardware_agree(first, second, owners, same):
    [one] = place(("a", first), archive=1, owner=owners[0])
    [other] = place(("a", second), archive=2, owner=owners[1])
    assert (one == other) is same


CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "host": st.sampled_from(["tank1", "tank2.x.org", "localhost", "vm"]),
        "arch": st.sampled_from(["x86_64", "aarch64"]),
        "cpu.model": st.sampled_from(["Xeon", "EPYC"]),
        "memory": st.sampled_from([8 * GIB, 16 * GIB]),
        "pool.compression": st.sampled_from(["lz4", "off"]),
    },
)


@given(
    st.lists(st.tuples(st.sampled_from(["a", "x/a", "x/b", "y/a"]), CONFIGS), min_size=1, max_size=8, unique_by=lambda run: run[0])
)
def test_no_machine_has_two_names_or_two_processors_without_a_name(runs):
    digests = place(*runs)
    for digest in set(digests):
        of_machine = [config for (_, config), found in zip(runs, digests, strict=True) if found == digest]
        names = {config["host"] for config in of_machine if config.get("host", "vm") not in ("vm", "localhost")}
        assert len(names) < 2
        if not names:
            for key in machines.SEPARATING_KEYS:
                assert len({config[key] for config in of_machine if key in config}) < 2
    assert place(*reversed(runs)) == digests[::-1]


@pytest.mark.django_db
def test_rows_have_their_machine_and_whether_a_person_stated_them():
    records = list(making.file_records("a.txt", "a", [1.0], config={"host": "tank1", **XEON}))
    records += making.file_records("b.txt", "b", [2.0, 3.0], config={"host": "tank1", **XEON, "pool.sync": "off"})
    for record in records[3:5]:
        record.config_from = record.config_from | {"pool.sync": "stated"}
    first = making.archive(records=records)
    making.archive(records=making.file_records("a.txt", "other", [4.0], config={"host": "tank1", **XEON}))
    making.archive(owner="bob", records=making.file_records("a.txt", "a", [1.0], config={"host": "tank1", **XEON}))
    ann, bob = Machine.objects.order_by("pk")
    assert (ann.name, ann.folder, ann.archive_id, ann.owner_id) == ("tank1", "", None, first.owner_id)
    rows = Configuration.objects.order_by("pk").values_list("machine", "stated", "pool_sync")
    assert sorted(rows, key=str) == sorted([(ann.pk, False, None), (ann.pk, True, "off"), (bob.pk, False, None)], key=str)
    # The same bytes with the same keys are the same file on whatever machine.
    assert len(set(File.objects.filter(path="a.txt").values_list("config_digest"))) == 1


@pytest.mark.django_db
def test_public_archives_of_the_same_file_on_two_machines_count_it_once():
    first, second = (
        making.archive(owner=owner, public=True, records=making.file_records("a.txt", "a", [1.0, 2.0], config=XEON))
        for owner in ("ann", "bob")
    )
    assert Machine.objects.count() == 2 == Configuration.objects.count()
    assert File.objects.get(archive=second).duplicate_of == File.objects.get(archive=first)
    assert [row.n for row in Summary.objects.filter(scope=0)] == [2]


@pytest.mark.django_db
def test_reading_again_keeps_the_machine():
    def records():
        return making.file_records("a.txt", "a", [1.0], config=XEON)

    archive = making.archive(records=records())
    before = Run.objects.get().configuration_id
    load.store(archive.pk, records())
    assert Run.objects.get().configuration_id == before and Machine.objects.count() == 1


@pytest.mark.django_db
def test_archives_without_machines_are_counted_until_they_are_read_again(capsys, monkeypatch):
    def records():
        return making.file_records("a.txt", "a", [1.0], config=XEON)

    archives = [making.archive(owner=owner, records=records()) for owner in ("ann", "bob")]
    monkeypatch.setattr(ingest, "versions", dict)  # making's parser is none of ours, whatever its version
    assert reparse.describe_outdated() == ""
    Configuration.objects.update(machine=None, digest=Concat(Value("old"), F("pk"), output_field=CharField()))
    monkeypatch.setattr(prepare, "call_command", lambda *args, **options: None)
    monkeypatch.setattr(prepare.Command, "_collect", lambda self: None)
    prepare.Command().handle(address="", link_to=None)
    assert "2 archives were read under older rules: manage.py reread" in capsys.readouterr().out
    for archive in archives:
        load.store(archive.pk, records())
    assert reparse.describe_outdated() == ""
    assert Summary.objects.filter(configuration__machine=None).count() == 0
