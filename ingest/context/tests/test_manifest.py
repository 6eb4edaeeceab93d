"""poolmark.toml: what it states, for which files, and what is wrong with it."""

from __future__ import annotations

import json

import pytest

from ingest import read as upload
from ingest.records import Clue, Doubt, Measurement, Warning
from ingest.tests.context_reading import read_items

MANIFEST = """title = "A sweep"
authors = ["A. Author", "B. Author"]
licence = "CC-BY-4.0"
doi = "10.5281/zenodo.0"

[configuration]
cpu.model = "Intel(R) Xeon(R) CPU E3110 @ 3.00GHz"
"cpu.cores" = 2
memory = "8 GiB"

[configuration.pool]
compression = "gzip"
atime = false

[files."freebsd/"]
os.name = "FreeBSD"
pool.recordsize = "128K"
"""


def read(content: str, path: str = "poolmark.toml") -> tuple[dict[tuple[str, str], tuple[object, int]], list[Doubt]]:
    clues, doubts = {}, []
    for one in read_items(content, path, "poolmark.toml"):
        if isinstance(one, Clue):
            assert one.kind == "stated"
            clues[one.subject, one.key] = (one.value, one.line)
        else:
            doubts.append(one)
    return clues, doubts


def test_all_that_it_states():
    clues, doubts = read(MANIFEST)
    assert not doubts
    assert clues == {
        ("", "title"): ("A sweep", 1),
        ("", "authors"): ("A. Author, B. Author", 2),
        ("", "licence"): ("CC-BY-4.0", 3),
        ("", "doi"): ("10.5281/zenodo.0", 4),
        ("", "cpu.model"): ("Xeon E3110", 7),
        ("", "cpu.cores"): (2, 8),
        ("", "memory"): (8 * 2**30, 9),
        ("", "pool.compression"): ("gzip-6", 12),
        ("", "pool.atime"): ("off", 13),
        ("freebsd/", "os.name"): ("FreeBSD", 16),
        ("freebsd/", "pool.recordsize"): (131072, 17),
    }


def test_no_other_file_is_a_manifest():
    assert read(MANIFEST, "settings.toml") == ({}, [])


def test_in_a_folder_it_is_one_too():
    assert ("", "title") in read(MANIFEST, "archive/run1/poolmark.toml")[0]


def test_what_is_not_understood_is_warned_about_and_the_rest_is_read():
    clues, doubts = read('[configuration]\ncolour = "red"\nmemory = "lots"\nhost = "vm"\n[other]\nx = 1\n')
    assert clues == {("", "host"): ("vm", 4)}
    assert sorted((doubt.line, doubt.code) for doubt in doubts) == [
        (2, "bad-manifest"),
        (3, "bad-manifest"),
        (5, "bad-manifest"),
    ]


def test_broken_toml_is_a_warning_with_its_line():
    clues, doubts = read('title = "x"\n[configuration\nmemory = 1\n')
    assert clues == {}
    assert [(doubt.line, doubt.code) for doubt in doubts] == [(2, "bad-manifest")]


def test_configurations_without_results_are_kept_one_by_one_and_no_file_takes_them_up():
    clues, doubts = read(
        '[[configurations]]\nname = "Sweep, 1 of 2"\npool.compression = "GZIP9"\nmemory = "8 GiB"\n\n'
        '[[configurations]]\npool.dedup = true\ncolour = "red"\n'
    )
    assert clues == {
        ("", "configuration.001"): ('{"name": "Sweep, 1 of 2", "pool.compression": "gzip-9", "memory": 8589934592}', 1),
        ("", "configuration.002"): ('{"pool.dedup": "on"}', 6),
    }
    assert [(doubt.line, doubt.code) for doubt in doubts] == [(6, "bad-manifest")]


DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 4.26588 s, 252 MB/s\n"


def test_a_glob_that_matches_nothing_is_warned_about_and_nobody_else_reads_the_manifest(tmp_path):
    (tmp_path / "zfs").mkdir()
    (tmp_path / "zfs" / "dd.txt").write_text(DD)
    globs = '[files."zsf/"]\nhost="typo"\n[files."zfs/"]\nmemory="8GiB"\n'
    (tmp_path / "poolmark.toml").write_text(f'caveat = """\n{DD}"""\n{globs}')
    records = list(upload([str(tmp_path)]))
    values = [one for one in records if isinstance(one, Measurement)]
    assert {one.file.rpartition("/")[2] for one in values} == {"dd.txt"}
    assert {(one.config.get("host"), one.config["memory"]) for one in values} == {(None, 8 << 30)}
    told = [(one.line, one.code) for one in records if isinstance(one, Warning) and one.file.endswith("toml")]
    assert told == [(7, "bad-manifest")]


RUNS = """[capture]
rounds = 3
[[settings]]
name = "lz4"
[[runs]]
file = "out.txt"
line = 3
session = 1
round = 2
setting = "lz4"
started_at = 2026-05-01T10:00:00Z
ended_at = 2026-05-01T10:00:09Z
status = 0
boot = 1
"""


def test_runs():
    clues, doubts = read(RUNS)
    assert not doubts
    [((subject, key), (value, line))] = clues.items()
    assert (subject, key, line) == ("out.txt", "runs.00001", 5)
    assert json.loads(value) == {
        "line": 3,
        "session": 1,
        "round": 2,
        "setting": "lz4",
        "started_at": "2026-05-01T10:00:00+00:00",
        "ended_at": "2026-05-01T10:00:09+00:00",
        "status": 0,
        "boot": 1,
        "seconds": 9.0,
    }


@pytest.mark.parametrize(
    ("run", "kept"),
    [
        ("", None),
        ('file = ""', None),
        ("file = 3", None),
        ('file = "a"\nsession = "one"', {}),
        ('file = "a"\nround = -1\nsession = 2', {"session": 2}),
        ('file = "a"\nstatus = true', {}),
        ('file = "a"\nstarted_at = "yesterday"', {}),
        ('file = "a"\nstarted_at = 2026-05-01', {}),
        ('file = "a"\nseconds = inf', {}),
        ('file = "a"\nseconds = nan', {}),
        ('file = "a"\ncolour = "red"\nsetting = "x"', {"setting": "x"}),
    ],
)
def test_what_is_wrong_with_a_run_is_told_and_the_rest_is_kept(run, kept):
    clues, doubts = read(f"[[runs]]\n{run}\n[[runs]]\nfile = 'b'\n")
    assert [(doubt.line, doubt.code) for doubt in doubts] == [(1, "bad-manifest")]
    assert {subject: json.loads(value) for (subject, _), (value, _) in clues.items()} == (
        {"b": {}} if kept is None else {"a": kept, "b": {}}
    )


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        ("started_at = 2026-05-01T10:00:00Z\nended_at = 2026-05-01T09:00:00Z", None),
        ("started_at = 2026-05-01T10:00:00\nended_at = 2026-05-01T10:01:00Z", None),
        ('started_at = "2026-05-01T10:00:00+02:00"\nended_at = 2026-05-01T08:01:00Z', 60.0),
        ("ended_at = 2026-05-01T08:01:00Z\nseconds = 3", 3),
    ],
)
def test_the_length_of_a_run_follows_from_its_times(times, seconds):
    clues, _ = read(f"[[runs]]\nfile = 'a'\n{times}\n")
    [(value, _)] = clues.values()
    assert json.loads(value).get("seconds") == seconds


def test_runs_that_are_no_tables():
    assert [doubt.code for doubt in read("runs = 3\n")[1]] == ["bad-manifest"]


@pytest.mark.parametrize(
    "content", ["runs = [1]\n", "runs = [[]]\n", "settings = 1\n", "capture = []\n[[runs]]\nfile='a'\nline = 1e99\n"]
)
def test_no_form_of_runs_breaks_the_rest(content):
    clues, _ = read(f'title = "x"\n{content}')
    assert ("", "title") in clues
