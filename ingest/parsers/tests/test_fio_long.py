"""Long documents of fio's JSON: read job by job, as if they had been read at once."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from ingest.parsers.fio import _json, fio
from ingest.records import Value
from ingest.text import located_json
from ingest.text.lines import LazyLines, Text

BINS = {str(1000 + 16 * at): at + 1 for at in range(300)}
RAN = '"runtime": 1'
OPTIONS = {"rw": "read", "bs": "4k", "iodepth": "1"}


def job(number: int) -> dict[str, object]:
    section = {
        "io_bytes": 4096,
        "bw_bytes": 2310 + number,
        "iops": 56.5,
        "runtime": 1000 + number,
        "clat_ns": {"min": 3, "max": 9, "mean": 5.5, "stddev": 1, "N": 7, "bins": BINS},
    }
    return {"jobname": f"job{number}", "groupid": 0, "job options": OPTIONS, "read": section}


def document(jobs: int, first: int = 0) -> str:
    head = {"fio version": "fio-3.33", "timestamp": 1700000000 + first, "time": "Sat Nov 21 04:39:18 2026"}
    return json.dumps(head | {"jobs": [job(first + at) for at in range(jobs)]}, indent=2)


DAMAGES = {
    "whole": lambda body: body,
    "cut": lambda body: body[: len(body) * 3 // 5],
    "a line that is none": lambda body: body.replace('"iops": 56.5', "*** lost ***", 1),
    "a brace lost": lambda body: body.replace('"clat_ns": {', '"clat_ns":', 1),
    "a key twice": lambda body: body.replace('"iops": 56.5', '"iops": 56.5, "iops": 57.5', 3),
    "in a list": lambda body: f"[{body},\n{document(2, 90)}]",
    "states": lambda body: f"{body}\n{body.replace(RAN, RAN.replace('1', '9')).replace('4096', '8192')}",
    "terse besides": lambda body: f"{body}\n3;fio-3.33;job0;0;0;4096;2;56;1000" + ";0" * 120 + f"\n{document(1, 70)}",
    "on one line": lambda body: json.dumps(json.loads(body)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_rows_are_read_as_all_at_once(damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = DAMAGES[damage](document(6))
    whole = list(fio.parse(Text("t", body.split("\n"), body)))
    monkeypatch.setattr(located_json, "_LONG", 100)
    assert list(fio.parse(Text("t", body.split("\n"), body))) == whole
    assert any(isinstance(item, Value) for item in whole)


def test_four_times_the_jobs_need_hardly_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(located_json, "_LONG", 100)

    def peak(jobs: int) -> int:
        body = document(jobs)
        text = Text("t", LazyLines(body), body)
        tracemalloc.start()
        (found,) = located_json.find_documents(text, "fio version", rows=("jobs",), counts="bins")
        assert sum(1 for items in _json.read_document(found) for _ in items) == 6 * jobs + 2  # throughput and rate of them all
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(2)
    assert peak(80) < 2 * peak(20)
