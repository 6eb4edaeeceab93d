"""Columns in files: the same answers as from PostgreSQL, whatever became of a file."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison.dimensions import configuration_texts, workload_texts
from webapp.comparison.summary import column_files, dimension_tables, reader
from webapp.models import Configuration, OpenProperties, Workload
from webapp.tests import making

pytestmark = pytest.mark.django_db
KEYS = ("zfs.primarycache", "mount.discard")


@pytest.fixture(autouse=True, params=[10**9, 1], ids=["in memory", "in files"])
def filed(request, monkeypatch):
    monkeypatch.setattr(dimension_tables, "MIN_FILED", request.param)
    monkeypatch.setattr(reader, "MIN_FILED", request.param)
    return request.param == 1


def make_configurations(first: int, count: int) -> list[int]:
    ids = list(range(first, first + count))
    making.configurations(*ids)
    for pk in ids:
        opened = None if pk % 3 else OpenProperties.objects.create(digest=f"o{pk}", values={KEYS[pk % 2]: f"value {pk}"}).pk
        named = {"host": f"host{pk % 7}", "cpu_model": None if pk % 2 else "EPYC", "chosen": [KEYS[0]] * (pk % 4 == 0)}
        Configuration.objects.filter(pk=pk).update(open_id=opened, **named)
    return ids


def expected(pk: int) -> dict[str, str]:
    row = Configuration.objects.filter(pk=pk).values().get()
    texts = configuration_texts(row)
    opened = OpenProperties.objects.filter(pk=row["open_id"]).values_list("values", flat=True)
    return {**texts, **({name: str(value) for name, value in opened[0].items()} if opened else {})}


def it_has_the_dimensions_of_every_row_in_any_process(filed):
    """A process that reads some, another that maps what the first wrote, and one that met others first."""
    some, others = make_configurations(10, 25), make_configurations(100, 12)
    Workload.objects.bulk_create(Workload(pk, f"w{pk}", tool="fio", params={"threads": pk, "fio.direct": "1"}) for pk in (1, 2, 3))
    for order in ((some, others), (others + some,), (others, some[::-1])):
        dimension_tables.clear()
        for ids in order:
            configurations, workloads = reader.read_texts(ids, [1, 3])
            for pk in ids:
                texts = configurations[pk]
                assert {**texts, **texts.open} == expected(pk)
                assert texts.chosen == frozenset([KEYS[0]] * (pk % 4 == 0))
            assert workloads == {
                pk: workload_texts(row, row["params"]) for pk in (1, 3) for row in Workload.objects.filter(pk=pk).values()
            }
    assert (column_files.read("configurations") is not None) == filed
    assert dimension_tables._tables["configurations"].ids.flags.writeable != filed


def it_encodes_a_dimension_as_the_rows_have_it():
    ids = make_configurations(1, 30)
    [configurations, _] = dimension_tables.read_rows([np.array(ids[::-1]), np.zeros(0, np.int64)])
    for name in ("configuration", "host", "cpu", *KEYS):
        column = configurations.column(name)
        texts = [expected(pk).get(name, "~") for pk in ids[::-1]]
        assert [column.values[code] for code in column.codes.tolist()] == texts
        assert set(column.values) == set(texts)
    assert configurations.open_names == tuple(sorted(KEYS)) and configurations.chosen_names == {KEYS[0]}


@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "one byte", "gone", "a folder", "another release"])
def it_reads_from_the_database_what_a_file_does_not_give(damage, filed):
    ids = make_configurations(1, 20)
    reader.read_texts(ids, [])
    before = reader.read_texts(ids, [])[0]
    for place in [*column_files.folder().glob("*")] if filed else []:
        data = place.read_bytes()
        place.unlink()
        if damage == "a folder":
            place.mkdir()
        elif damage != "gone":
            half = len(data) // 2
            place.write_bytes(
                {
                    "cut": data[:half],
                    "empty": b"",
                    "garbage": b"\0" * len(data),
                    "one byte": data[:half] + bytes([data[half] ^ 1]) + data[half + 1 :],
                    "another release": data.replace(b"columns-1", b"columns-0"),
                }[damage]
            )
    dimension_tables.clear()
    again = reader.read_texts(ids, [])[0]
    assert {pk: dict(texts) for pk, texts in again.items()} == {pk: dict(texts) for pk, texts in before.items()}


def it_answers_where_no_file_can_be_written(settings, tmp_path):
    settings.POOLMARK_DATA = tmp_path / "a file"
    settings.POOLMARK_DATA.write_text("")
    ids = make_configurations(1, 20)
    assert [*reader.read_texts(ids, [])[0]] == ids
    assert [*reader.read_texts(ids, [])[0]] == ids


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(0, 3)), max_size=12), st.data())
def it_merges_rows_as_a_dictionary_does(entries, data):
    at = data.draw(st.integers(0, len(entries)))

    def to_rows(some) -> np.ndarray:
        latest = {(configuration, workload): n for configuration, workload, n in some}
        return np.array([(*pair, n) for pair, n in sorted(latest.items())], np.int64).reshape(-1, 3).T

    rows, more = to_rows([one for one in entries[:at] if one[2]]), to_rows(entries[at:])
    told = {tuple(one[:2]): one[2] for one in rows.T.tolist()}
    new = {tuple(one[:2]): one[2] for one in more.T.tolist()}
    added = {pair: told.get(pair, 0) + new.get(pair, 0) for pair in {*told, *new}}
    for add, want in ((False, told | new), (True, added)):
        merged = reader._merge(rows, more, add=add)
        assert merged.T.tolist() == [[*pair, n] for pair, n in sorted(want.items()) if n]


def it_removes_the_files_of_old_releases(filed):
    folder = column_files.folder()
    for name, age in (("old", column_files.FORGOTTEN_AFTER + 60), ("of last week", 60)):
        other = folder.parent / name
        other.mkdir(parents=True)
        (other / "configurations").write_bytes(b"")
        os.utime(other, (time.time() - age,) * 2)
    reader.read_texts(make_configurations(1, 20), [])
    assert {path.name for path in folder.parent.iterdir()} == ({folder.name, "of last week"} if filed else {"old", "of last week"})
