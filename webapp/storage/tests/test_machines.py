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


Own = machines.OwnMachines


def place(*runs: tuple[str, dict], archive: int = 1, own: Own | None = None, entered: dict[str, str] | None = None) -> list[str]:
    """The digest of the machine of each run, of runs with path and configuration."""
    records = [
        record for at, (path, config) in enumerate(runs) for record in making.file_records(f"{path}", f"{at}", [1.0], config=config)
    ]
    batch = Batch.from_records(records, 1)
    found = machines.find_machines(archive, own or Own(1), batch.configurations, batch.files.values(), entered or {})
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
    found = machines.find_machines(1, Own(1), batch.configurations, batch.files.values())
    placed = list(machines.place_configurations(found, batch.configurations, batch.files.values()))
    expected = [("EPYC", "y"), ("Xeon", "x"), ("~", "x"), ("~", "y")]
    assert sorted((one.row.columns["cpu.model"] or "~", one.machine.folder) for one in placed) == expected


TANK = {"host": "tank1"}
SERIAL, BOARD = {"machine.serial": "CZJ1234ABC"}, {"machine.board": "PQW99"}


@pytest.mark.parametrize(
    ("archives", "expected"),
    [
        pytest.param([TANK | XEON, TANK | XEON], "AA", id="name and hardware"),
        pytest.param([TANK | XEON, {"host": "TANK1.example.org", **XEON}], "AA", id="short and full name"),
        pytest.param([{"host": "n1.x.org"}, {"host": "n1.y.org"}], "AB", id="two domains"),
        pytest.param([TANK | XEON | {"kernel": "5.10"}, TANK | XEON | {"kernel": "6.1"}], "AA", id="a new kernel"),
        pytest.param([TANK | XEON | {"pool.name": "a"}, TANK | XEON | {"pool.name": "b"}], "AA", id="a new pool"),
        pytest.param([TANK | XEON, TANK | EPYC], "AB", id="another processor"),
        pytest.param([TANK | EPYC, TANK | {"cpu.model": "EPYC"}], "AA", id="a processor of which less is known"),
        pytest.param([TANK | {"arch": "x86_64"}, TANK | ARM], "AB", id="another architecture"),
        pytest.param([TANK | {"memory": 8 * GIB}, TANK | {"memory": 16 * GIB}], "AB", id="other memory"),
        pytest.param([TANK | {"cpu.cores": 4}, TANK | {"cpu.cores": 8}], "AB", id="other cores"),
        pytest.param([TANK, TANK], "AA", id="no hardware is known"),
        pytest.param([TANK, TANK | XEON], "AA", id="hardware is known of the second"),
        pytest.param([TANK | {"memory": 8 * GIB}, TANK | XEON, TANK | XEON | {"memory": 16 * GIB}], "AAB", id="of both together"),
        pytest.param([TANK | XEON, TANK | EPYC, TANK], "ABC", id="two would fit"),
        pytest.param([TANK | XEON, TANK | EPYC, TANK | EPYC | {"memory": GIB}], "ABB", id="one fits"),
        pytest.param([{"host": "debian", **XEON}, {"host": "debian", **XEON}], "AB", id="a name of many machines"),
        pytest.param([{"host": "ubuntu2204"}, {"host": "ubuntu2204"}], "AB", id="a name that an image gives"),
        pytest.param([XEON, XEON], "AB", id="no name"),
        pytest.param([TANK | SERIAL, {"host": "new-name", **SERIAL}], "AA", id="serial number, another name"),
        pytest.param([SERIAL | XEON, SERIAL], "AA", id="serial number, no name"),
        pytest.param([{"host": "vm", **SERIAL}, {"host": "debian", **SERIAL}], "AA", id="serial number, names of many machines"),
        pytest.param([SERIAL | XEON, SERIAL | EPYC], "AB", id="serial number, another processor"),
        pytest.param([TANK | SERIAL, TANK | BOARD, {"host": "x", **BOARD}], "AAA", id="name, then the serial number of a board"),
    ],
)
def test_archives_of_an_owner_share_a_machine_where_something_agrees_and_nothing_contradicts(archives, expected):
    own = Own(1)
    assert numbered([place(("a", config), archive=at, own=own)[0] for at, config in enumerate(archives)]) == expected


def test_archives_of_two_owners_share_no_machine():
    assert place(("a", TANK | XEON | SERIAL), own=Own(1)) != place(("a", TANK | XEON | SERIAL), own=Own(2))


def test_a_serial_number_of_two_hosts_of_one_archive_is_that_of_an_image():
    own = Own(1)
    first, second = place(("a", {"host": "n1", **SERIAL}), ("b", {"host": "n2", **SERIAL}), own=own)
    [third] = place(("a", {"host": "n3", **SERIAL}), archive=2, own=own)
    assert len({first, second, third}) == 3


@pytest.mark.parametrize(
    ("config", "entered", "same"),
    [
        pytest.param({"host": "old-name"}, {"old-name": "tank1"}, True, id="a name of before"),
        pytest.param({"host": "old-name"}, {"old-name": "Tank1.example.org"}, True, id="spelled otherwise"),
        pytest.param({}, {"": "tank1"}, True, id="no name"),
        pytest.param({"host": "vm"}, {"": "tank1"}, True, id="a name of many machines"),
        pytest.param({"host": "tank1", **EPYC}, {"tank1": "tank1"}, True, id="a new processor"),
        pytest.param({"host": "tank1", **XEON}, {"tank1": "other"}, False, id="another machine of this name"),
        pytest.param({"host": "old-name"}, {"": "tank1"}, False, id="of other runs"),
    ],
)
def test_an_owner_says_which_machine_it_is(config, entered, same):
    own = Own(1)
    [one] = place(("a", TANK | XEON), own=own)
    [other] = place(("a", config), archive=2, own=own, entered=entered)
    assert (one == other) is same
    assert place(("a", TANK | EPYC), archive=3, own=own) != [one]  # what is entered says nothing about the hardware


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
