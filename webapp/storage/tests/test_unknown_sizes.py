"""Workloads of which a needed size is unknown equal only themselves."""

from __future__ import annotations

from itertools import count

import pytest

from ingest.records import FileReport, Record
from webapp.comparison.dimensions import APART, UNKNOWN, workload_texts
from webapp.models import Workload
from webapp.storage import configuration_rows, load
from webapp.storage.configuration_rows import json_digest
from webapp.tests import making

_contents = count()


@pytest.mark.parametrize(
    ("command", "normalised"),
    [
        ("cp -a /srv/src /tank/src", "cp -a PATH PATH"),
        ("/usr/bin/cp -a /srv/src /mnt/ext4/src", "cp -a PATH PATH"),
        ("dd if=/dev/zero of=/tank/file bs=1M", "dd if=PATH of=PATH bs=1M"),
        ("dd if=/dev/zero of=/tank/file bs=2M", "dd if=PATH of=PATH bs=2M"),
        ("rsync -a ann@nas:data/ .", "rsync -a PATH ."),
        ("rsync -a nas:data/ .", "rsync -a PATH ."),
        ("rsync -a node7:data .", "rsync -a PATH ."),
        ("bonnie++ -d /tank -m node7 -n 64", "bonnie++ -d PATH -m PATH -n 64"),
        ("mpirun -np 4 -H a,b /opt/ior -t 1m", "mpirun -np 4 PATH -t 1m"),
        ("tar -H ustar -cf /tank/x.tar linux", "tar -H ustar -cf PATH linux"),
        ("iozone -a -b /tmp/zfs.xls > /tmp/zfs.txt 2>&1", "iozone -a -b PATH"),
        ("iozone -a | tee zfs.log", "iozone -a"),
        ("", ""),
    ],
)
def it_leaves_paths_and_hosts_out_of_a_command(command, normalised):
    assert configuration_rows.normalise_command(command, "node7") == normalised
    assert configuration_rows.normalise_command(normalised, "node7") == normalised


@pytest.mark.parametrize(
    ("note", "table"),
    [
        ("Slide 11, first table of single disks, column FhGFS/ZFS, remote node", "Slide 11, first table of single disks"),
        ("Table 1, page 24, row LZ4", "Table 1, page 24"),
        ("Slide 12, second table, printed value 2 of 5", "Slide 12, second table"),
        ("Page 28, in the text", "Page 28, in the text"),
    ],
)
def it_takes_all_columns_of_a_table_as_one(note, table):
    assert configuration_rows.table_name(note) == table


def _records(path: str, *, tool: str = "tar", metric: str = "extract.elapsed", **told) -> list[Record]:
    params, note, config = told.pop("params", {}), told.pop("note", None), told.pop("config", {"os.family": "Linux"})
    made = making.file_records(
        path, f"{path}{next(_contents)}", [1.5, 2.5], metric=metric, params=params, config=config, tool=tool, source_note=note
    )
    return list(made)


def _store(*files: list[Record]) -> list[set[str | None]]:
    """Stores the files as one archive; what tells the workloads of each file apart."""
    archive = making.archive()
    load.store(archive.pk, [record for file in files for record in file])
    found = []
    for file in files:
        [path] = [record.file for record in file if isinstance(record, FileReport)]
        stored = Workload.objects.filter(measurement__run__file__archive=archive, measurement__run__file__path=path)
        found.append(set(stored.values_list("apart", flat=True)))
    return found


@pytest.mark.django_db
def test_a_command_is_one_workload_within_one_archive():
    ours = [
        _records("zfs", params={"command": "tar xf /src.tar -C /zfs"}),
        _records("ext4", params={"command": "tar xf /src.tar -C /ext4"}),
        _records("all", params={"command": "tar xvf /src.tar -C /ext4"}),
        _records("other", params={"total_size": 2**30, "command": "tar xf /src.tar -C /zfs"}),
    ]
    first, second, verbose, known = _store(*ours)
    assert first == second and len(first) == 1 and None not in first
    assert verbose.isdisjoint(first) and known == {None}
    [elsewhere] = _store(_records("zfs", params={"command": "tar xf /src.tar -C /zfs"}))
    assert elsewhere.isdisjoint(first) and None not in elsewhere


@pytest.mark.django_db
def test_a_table_is_one_workload_and_a_file_that_names_nothing_is_its_own():
    zfs, ufs, other, unnamed, again = _store(
        _records("a", note="Table 2, column ZFS"),
        _records("b", note="Table 2, column UFS"),
        _records("c", note="Table 3, column UFS"),
        _records("d"),
        _records("e"),
    )
    assert zfs == ufs and len({*zfs, *other, *unnamed, *again}) == 4


@pytest.mark.django_db
def test_the_needs_of_each_metric_decide():
    params = {"file_size": 2**30}
    throughput, files = _store(
        _records("a", tool="bonnie++", metric="write.throughput", params=params),
        _records("b", tool="bonnie++", metric="create_seq.rate", params=params),
    )
    assert throughput == {None} and None not in files


@pytest.mark.django_db
def test_a_workload_of_known_sizes_keeps_its_digest():
    _store(_records("a", tool="bonnie++", metric="write.throughput", params={"file_size": 2**30}))
    stored = Workload.objects.get()
    assert stored.apart is None
    assert stored.digest == json_digest(("bonnie++", "2.00", "sample", "measured", {"file_size": 2**30}))


@pytest.mark.django_db
def test_an_unmeasured_value_is_of_the_workload_of_its_command():
    measured = _records("a", params={"command": "tar xf /src.tar"})
    missing = making.unmeasured_record(
        "a", metric="extract.elapsed", tool="tar", params={"command": "tar xf /other.tar"}, config={"os.family": "Linux"}
    )
    [apart] = _store([*measured, missing])
    assert len(apart) == 1
    assert set(Workload.objects.filter(unmeasuredvalue__isnull=False).values_list("apart", flat=True)) == apart


def test_it_is_a_dimension_that_rows_packed_earlier_lack():
    columns = {"tool": "tar", "tool_version": None, "origin": "measured", "stat": "sample", "month": None}
    assert workload_texts(columns, {})[APART] == UNKNOWN
    assert workload_texts(columns | {"apart": "0123456789ab"}, {})[APART] == "0123456789ab"
