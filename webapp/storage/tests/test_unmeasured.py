"""Values that could not be measured: stored with their run, counted, shown with reason, bound and line, and exported."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest

import ingest
from webapp.formats.export import write_csv, write_jsonl
from webapp.models import Archive, Run, UnmeasuredValue
from webapp.storage import load, withdrawals
from webapp.tests import making

pytestmark = pytest.mark.django_db

SLOW = "box,2G,20123,66,41234,12,15321,4,21432,55,48765,5,188.3,0,16,2711,99,2700,90,31870,96,2688,98,2222,90,9120,97"
FAST = SLOW.replace("41234,12", "+++++,+++")
FDTREE = """fdtree-1.0.2: starting at /tank/t/
\tfor a total of 3 directories
mkdir: cannot create directory: No space left on device
DIRECTORY CREATE TIME IN, OUT, TOTAL = 5, 5, 0
"""


def read(folder, **files: str) -> list:
    for name, content in files.items():
        (folder / f"{name}.txt").write_text(content)
    return list(ingest.read([folder]))


def exported() -> list[dict]:
    out = StringIO()
    write_jsonl(out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_it_is_stored_with_its_run_and_counted_once(tmp_path):
    row = making.archive(public=True, records=read(tmp_path, a=SLOW + "\n" + FAST, b=FAST))
    assert row.unmeasured == 2  # throughput and CPU; b repeats the second line of a
    found = list(UnmeasuredValue.objects.select_related("run", "metric").order_by("id"))
    assert [(v.metric.name, v.line, v.raw, v.reason, v.bound, v.side, v.duplicate_of) for v in found] == [
        ("write.throughput", "2", "+++++", "too_fast", 2**32, "above", None),
        ("write.cpu", "2", "+++", "too_fast", None, None, None),
        ("write.throughput", "1", "+++++", "too_fast", 2**32, "above", "a.txt:2"),
        ("write.cpu", "1", "+++", "too_fast", None, None, "a.txt:2"),
    ]
    assert [v.run.first_line for v in found] == ["2", "2", "1", "1"]
    assert UnmeasuredValue.objects.counted().count() == 2


def test_a_run_without_any_value_is_stored(tmp_path):
    row = making.archive(public=True, records=read(tmp_path, a=FDTREE))
    run = Run.objects.get()
    assert (row.measurements, row.unmeasured, run.measurements, run.tool) == (0, 1, 0, "fdtree")
    assert [(r["type"], r["metric"], r["reason"], r["params"]["dirs"]) for r in exported()] == [
        ("unmeasured", "dir_create.elapsed", "failed", 3)
    ]


def test_it_goes_with_its_archive_and_its_file(tmp_path):
    row = making.archive(public=True, records=read(tmp_path, a=FAST, b=SLOW))
    owner = row.owner
    withdrawals.withdraw_file(row.pk, "a.txt", "wrong disk", owner)
    assert not [r for r in exported() if r["type"] == "unmeasured"] and not UnmeasuredValue.objects.counted().exists()
    load.withdraw(row.pk, "wrong")
    assert exported() == []
    load.delete(row.pk)
    assert not UnmeasuredValue.objects.exists()


def test_reading_again_replaces_it(tmp_path):
    row = making.archive(records=read(tmp_path, a=FAST))
    load.store(row.pk, read(tmp_path, a=SLOW))
    assert not UnmeasuredValue.objects.exists() and Archive.objects.get().unmeasured == 0


def test_what_went_in_comes_out(tmp_path):
    records = read(tmp_path, a=FAST)
    making.archive(public=True, records=records)
    given = [r for r in records if type(r).__name__ == "Unmeasured"]
    found = [r for r in exported() if r["type"] == "unmeasured"]
    names = [name for name in found[0] if name not in ("type", "config_from")]
    assert [{name: r[name] for name in names} for r in found] == [
        {name: list(u.implied) if name == "implied" else getattr(u, name) for name in names} for u in given
    ]
    assert {"value", "raw_unit"}.isdisjoint(found[0])
    out = StringIO()
    assert write_csv(out) == 22
    rows = list(csv.DictReader(StringIO(out.getvalue())))
    assert [(r["value"], r["reason"], r["bound"], r["side"]) for r in rows[-2:]] == [
        ("", "too_fast", "4294967296.0", "above"),
        ("", "too_fast", "", ""),
    ]
    assert all(r["value"] and not r["reason"] for r in rows[:-2])


def test_pages_tell_reason_bound_and_line(client, tmp_path):
    row = making.archive(public=True, records=read(tmp_path, a=FAST))
    page = client.get(f"/archives/{row.pk}").content.decode()
    assert "2 values could not be measured" in page
    run = client.get(f"/runs/{Run.objects.get().pk}").content.decode()
    for words in ("Could not be measured", "too fast to be measured", "above 4", f"/archives/{row.pk}/raw/a.txt#L1"):
        assert words in run, words
