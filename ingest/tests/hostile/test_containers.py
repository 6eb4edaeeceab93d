"""Every constructed archive is read: members doubled and oddly named, containers cut and damaged.

What the usual tools recover of them is read as well.
"""

from __future__ import annotations

import subprocess
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import Limits, open_file, open_files, read
from ingest.containers.paths import shorten_path
from ingest.records import FileReport, Measurement, Warning
from ingest.tests.hostile import build, containers, names
from ingest.tests.hostile.content import dd
from ingest.tests.thinning import examples, some
from ingest.tests.tools import needed
from ingest.warning_codes import CODES

EVERY = {**containers.CASES, **{f"name-{case}": make for case, make in names.CASES.items()}}
COMPRESSED = [case for case in containers.CASES if case.startswith(("log-", "tar-gz-", "tar-bz2-", "tar-xz-", "tar-zst-"))]
TOOLS = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}


def _put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / f"upload.{name.rpartition('.')[2][:8]}"
    path.write_bytes(data)
    return path


def _read(folder: Path, name: str, data: bytes) -> list:
    path = _put(folder, name, data)
    return list(read([path], names={str(path): name}))


def _values(records: list) -> Counter:
    """How often each figure was read."""
    return Counter((r.metric, r.raw) for r in records if isinstance(r, Measurement))


def _of_folder(folder: Path) -> Counter:
    return _values(list(read([folder]))) if any(folder.rglob("*")) else Counter()


def _run(tool: str, *arguments: str, data: bytes = b"", cwd: Path | None = None) -> bytes:
    """What a tool gives on standard output, whatever its exit status."""
    needed(tool)
    return subprocess.run([tool, *arguments], input=data, capture_output=True, cwd=cwd, check=False).stdout


def _true() -> Counter:
    """The figures of all that the containers hold."""
    return Counter(
        {
            ("transfer.elapsed", f"{line.split(b' copied, ')[1].split()[0].decode()}"): 1
            for line in containers.log().splitlines()
            if b" copied, " in line
        }
    )


def _of_what_was_packed(found: Counter) -> Counter:
    """Without figures that damage made, which no container held."""
    return found & _true()


@pytest.mark.thorough
@pytest.mark.parametrize("case", some(EVERY, 4))
def it_reads_every_case_twice_alike_and_opens_its_files(tmp_path, case):
    name, data = EVERY[case]()
    records = _read(tmp_path, name, data)
    assert records == _read(tmp_path, name, data)
    files = [r for r in records if isinstance(r, FileReport)]
    assert len({file.file for file in files}) == len(files)
    assert {r.code for r in records if isinstance(r, Warning)} <= CODES.keys()
    opened = {path: stream.read() for path, stream in open_files(_put(tmp_path, name, data), name, [file.file for file in files])}
    assert opened.keys() == {file.file for file in files}
    lines = {path: content.decode("utf-8", "replace").split("\n") for path, content in opened.items()}
    for measured in (r for r in records if isinstance(r, Measurement)):
        assert measured.raw in lines[measured.file][measured.line - 1]


@pytest.mark.parametrize("case", [case for case in EVERY if "doubled" in case or "name-" in case])
def it_gives_every_member_a_path_and_its_own_figures(tmp_path, case):
    name, data = EVERY[case]()
    records = _read(tmp_path, name, data)
    assert not [r for r in records if isinstance(r, Warning) and r.code in ("limit", "skipped-entry")]
    for file in (r for r in records if isinstance(r, FileReport)):
        assert file.measurements
        parts = file.file.split("/") if not case.startswith("name-upload") else ["file"]
        assert "" not in parts and "." not in parts and ".." not in parts and "\0" not in file.file
        assert file.file.encode("utf-8").decode("utf-8") == file.file
        assert len(file.file.encode()) <= 2400 + len(" (2)")


def it_numbers_members_of_the_same_name_in_their_order(tmp_path):
    name, data = containers.CASES["doubled-tar-thrice-and-own-number"]()
    path = _put(tmp_path, name, data)
    wanted = {"a.log": dd(1), "a.log (2)": dd(2), "a.log (2) (2)": dd(3), "a.log (3)": dd(4), "a.log (2) (3)": dd(5)}
    assert {file: open_file(path, name, file).read() for file in wanted} == wanted
    assert {r.file for r in read([path]) if isinstance(r, FileReport)} == wanted.keys()


@pytest.mark.parametrize("case", names.NAMES)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def it_makes_a_path_of_every_name(tmp_path, kind, case):
    name, data = names.CASES[f"{kind}-{case}"]()
    told, wanted = names.NAMES[case]
    if kind == "zip" and "\ufffd" in wanted:
        wanted = told.decode("cp437")
    wanted = shorten_path(wanted, Limits().path)
    assert {r.file for r in _read(tmp_path, name, data) if isinstance(r, FileReport)} == {wanted, "plain.log"}
    assert open_file(_put(tmp_path, name, data), name, wanted).read() == names.content(case)


@pytest.mark.thorough
@pytest.mark.parametrize("case", some(COMPRESSED, 3))
def it_reads_all_that_the_tool_unpacks(tmp_path, case):
    name, data = containers.CASES[case]()
    unpacked = _run(TOOLS[name.rpartition(".")[2]], "-dc", data=data)
    ours = _values(_read(tmp_path, name, data))
    if name.endswith(f".tar.{name.rpartition('.')[2]}"):
        (tmp_path / "out").mkdir()
        _run("tar", "-xf", "-", data=unpacked, cwd=tmp_path / "out")
        theirs = _of_folder(tmp_path / "out")
    else:
        theirs = _values(_read(tmp_path, "bench.log", unpacked))
    if "flipped" in case or "damaged" in case:
        theirs = _of_what_was_packed(theirs)
    assert not theirs - ours


@pytest.mark.parametrize("tool", ["tar", "bsdtar", "busybox"])
@pytest.mark.parametrize("case", some(case for case in containers.CASES if case.startswith("tar-") and case not in COMPRESSED))
def it_reads_all_that_tar_unpacks(tmp_path, case, tool):
    name, data = containers.CASES[case]()
    if name.endswith(".gz"):
        data = _run("gzip", "-dc", data=data)
    (tmp_path / "out").mkdir()
    _run(tool, *(["tar"] if tool == "busybox" else []), "-x", "-f", "-", data=data, cwd=tmp_path / "out")
    theirs = _of_folder(tmp_path / "out")
    ours = _values(_read(tmp_path, *containers.CASES[case]()))
    assert not theirs - ours


@pytest.mark.parametrize("case", some(case for case in containers.CASES if case.startswith("zip-") and "tar" not in case))
def it_reads_all_that_zip_repairs(tmp_path, case):
    name, data = containers.CASES[case]()
    path = _put(tmp_path, name, data)
    fixed = tmp_path / "fixed.zip"
    _run("zip", "-FF", str(path), "--out", str(fixed), data=b"y\n" * 100)
    (tmp_path / "out").mkdir()
    if fixed.exists():
        _run("unzip", "-o", str(fixed), cwd=tmp_path / "out")
    (tmp_path / "bsd").mkdir()
    _run("bsdtar", "-xf", str(path), cwd=tmp_path / "bsd")
    ours = _values(_read(tmp_path, name, data))
    for folder in ("out", "bsd"):
        theirs = _of_folder(tmp_path / folder)
        assert not (_of_what_was_packed(theirs) if "flipped" in case else theirs) - ours


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("tar-gz-cut", "The archive is truncated after 5.75 KB. 17 files could be read, 1 of them in part (1968 results)"),
        ("tar-header-damaged", "The archive is damaged (a header is damaged). 23 files could be read (3414 results)"),
        ("zip-wrong-sum", "The archive is damaged. 11 of 12 files could be read (824 results)"),
        ("log-bz2-cut-early", "The file is truncated after 919 bytes. No result could be read from it"),
    ],
)
def it_says_how_much_was_read(tmp_path, case, message):
    said = f"{message}; upload a complete copy to get the rest."
    assert said in [r.message for r in _read(tmp_path, *containers.CASES[case]()) if isinstance(r, Warning)]


_WHOLE = {
    "bench.tar": containers.tree,
    "bench.zip": containers.zip_tree,
    **{f"bench.tar.{suffix}": lambda pack=pack: pack(containers.tree()) for suffix, pack in containers.PACKERS.items()},
    "streamed.zip": lambda: containers.zip_tree(zipfile.ZIP_DEFLATED, True),
    "stored.zip": lambda: containers.zip_tree(zipfile.ZIP_STORED),
}


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(sorted(_WHOLE)), share=st.floats(0, 1))
def test_a_cut_anywhere_gives_no_wrong_figure(tmp_path, name, share):
    whole = _WHOLE[name]()
    assert not _values(_read(tmp_path, name, build.cut(whole, share))) - _values(_read(tmp_path, name, whole))


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(sorted(_WHOLE)), share=st.floats(0, 0.999), count=st.integers(1, 40))
def test_flipped_bytes_never_raise_and_bzip2_gives_no_wrong_figure(tmp_path, name, share, count):
    whole = _WHOLE[name]()
    found = _values(_read(tmp_path, name, build.flipped(whole, share, count)))
    if name.endswith(".bz2"):  # the checksum of each block is known before it is given away; elsewhere only the end tells
        assert not found - _values(_read(tmp_path, name, whole))
