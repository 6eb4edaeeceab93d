"""Runs that a manifest states: whose values they are, and what these take from them."""

from __future__ import annotations

import pytest

from ingest.records import Evidence, Measurement, Warning
from ingest.tests.whole import read_upload

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {} s, 429 MB/s\n"
COMMAND = "$ dd if=/tank/f of=/dev/null bs=1M\n"
TWICE = COMMAND + DD.format(2) + COMMAND + DD.format(3)  # commands on lines 1 and 5
STARTED = "started_at = 2026-05-01T10:0{}:00Z\n"


def _records(manifest: str, files: dict[str, str] | None = None, folder: str = "") -> list:
    files = {f"{folder}{name}": body for name, body in (files or {"out.txt": TWICE}).items()}
    return list(read_upload({**files, f"{folder}poolmark.toml": manifest}))


def _told(records: list, *names: str) -> list[tuple]:
    """File, line and started_at of each throughput, and these parameters."""
    return [
        (m.file, m.line, m.started_at, *[m.params.get(name) for name in names])
        for m in records
        if isinstance(m, Measurement) and m.metric.endswith("throughput")
    ]


def _codes(records: list) -> list[tuple]:
    return [(w.file, w.line, w.code) for w in records if isinstance(w, Warning)]


@pytest.mark.parametrize("folder", ["", "one/two/"])
def test_a_run_holds_from_its_line_to_the_next_one(folder):
    manifest = "".join(
        f'[[runs]]\nfile = "out.txt"\nline = {line}\nround = {line}\nsetting = "lz4"\n{STARTED.format(line)}' for line in (1, 5)
    )
    records = _records(manifest, folder=folder)
    assert _told(records, "round", "setting") == [
        (f"{folder}out.txt", 4, "2026-05-01T10:01:00+00:00", 1, "lz4"),
        (f"{folder}out.txt", 8, "2026-05-01T10:05:00+00:00", 5, "lz4"),
    ]
    assert _codes(records) == []
    assert not [one for one in records if isinstance(one, Evidence) and one.key.startswith("runs")]


def test_values_above_the_first_run_take_nothing_from_it():
    records = _records(f'[[runs]]\nfile = "out.txt"\nline = 5\n{STARTED.format(1)}')
    assert [started for _, _, started in _told(records)] == [None, "2026-05-01T10:01:00+00:00"]


@pytest.mark.parametrize("name", ["lz4/", "lz4/*", "lz4", "*/out.txt"])
def test_a_run_may_be_a_folder_or_a_glob(name):
    records = _records(f'[[runs]]\nfile = "{name}"\nround = 2\n', {"lz4/out.txt": TWICE, "off.txt": COMMAND + DD.format(4)})
    assert [(file, told) for file, _, _, told in _told(records, "round")] == [
        ("lz4/out.txt", 2),
        ("lz4/out.txt", 2),
        ("off.txt", None),
    ]


def test_a_name_that_matches_no_file_is_told():
    assert _codes(_records('title = "x"\n[[runs]]\nfile = "outs.txt"\n')) == [("poolmark.toml", 2, "bad-manifest")]


def test_stated_times_win_over_printed_ones():
    printed = "fdtree-1.0.2: starting at LEVEL 1\nstart: Tue Jun  1 10:00:00 CEST 2010\n"
    mdtest = (
        "mdtest-3.4.0+dev was launched with 1 total task(s) on 1 node(s)\n\n1 tasks, 10 files/directories\n\n"
        "SUMMARY rate: (of 1 iterations)\n   Operation                      Max            Min           Mean        Std Dev\n"
        "   ---------                      ---            ---           ----        -------\n"
        "   File creation             :       1000.000       1000.000       1000.000          0.000\n"
        "-- started at 11/24/2026 10:00:00 --\n-- finished at 11/24/2026 10:00:01 --\n"
    )
    files = {"mdtest.txt": "-- started at 11/24/2026 10:00:00 --\n" + mdtest, "other.txt": printed}
    records = _records('[[runs]]\nfile = "mdtest.txt"\nstarted_at = 2026-11-24T09:00:00Z\n', files)
    assert {m.started_at for m in records if isinstance(m, Measurement)} == {"2026-11-24T09:00:00+00:00"}


@pytest.mark.parametrize(
    ("status", "codes"),
    [(0, []), (1, [("out.txt", 8, "failed-run")]), (137, [("out.txt", 8, "cut")])],
)
def test_the_exit_status_is_told_where_a_command_failed(status, codes):
    records = _records(f'[[runs]]\nfile = "out.txt"\nstatus = {status}\n')
    assert _codes(records) == codes
    assert [told for *_, told in _told(records, "exit_status")] == [status, status], "the values are kept"


def test_equal_outputs_of_two_runs_stay_two_repetitions():
    """The same bytes are one file; runs that a manifest states are two."""
    files = {f"{name}.txt": COMMAND + DD.format(2.5) for name in ("a", "b")}
    alone = [m.duplicate_of for m in _records("", files) if isinstance(m, Measurement)]
    stated = _records("".join(f'[[runs]]\nfile = "{name}.txt"\nround = 1\n' for name in ("a", "b")), files)
    assert any(alone)
    assert not any(m.duplicate_of for m in stated if isinstance(m, Measurement))


def test_what_stands_beside_no_run_is_as_without_a_manifest():
    files = {"out.txt": TWICE}
    records = _records('[[runs]]\nfile = "other.txt"\n', {**files, "other.txt": "nothing\n"})
    assert _told(records, "round") == _told(_records("", files), "round")
