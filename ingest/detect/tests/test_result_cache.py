"""Files of the same bytes are looked at once, and tell what each of them would tell alone."""

import io
import tarfile
from pathlib import Path

from ingest import read
from ingest.detect.findings import FindingsCache
from ingest.records import Evidence, FileReport, Measurement, Warning

UNAME = "Linux node1 6.1.0-18-amd64 #1 SMP Debian 6.1.76-1 x86_64 GNU/Linux\n"
DD = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.5 s, 429 MB/s\n"
MODULE = "2.1.11-1\n"


def _archive(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "a.tar"
    with tarfile.open(path, "w") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


def _evidence(records, file: str) -> list[tuple]:
    return [(r.key, r.value, r.line) for r in records if isinstance(r, Evidence) and r.file == file]


def it_gives_every_copy_of_a_file_its_own_records(tmp_path):
    files = {f"run{n}/{name}": text for n in range(3) for name, text in (("uname.txt", UNAME), ("dd.txt", DD))}
    records = list(read([_archive(tmp_path, files)]))
    assert [r.config.get("kernel") for r in records if isinstance(r, Measurement)] == ["6.1.0-18-amd64"] * 6
    assert {r.config_from["kernel"] for r in records if isinstance(r, Measurement)} == {f"run{n}/uname.txt:1" for n in range(3)}
    assert len({tuple(_evidence(records, f"run{n}/uname.txt")) for n in range(3)}) == 1
    assert _evidence(records, "run2/uname.txt")
    assert [r.status for r in records if isinstance(r, FileReport)] == ["parsed", "context"] * 3


def it_repeats_the_warnings_of_a_copy(tmp_path):
    text = "real\t1m0.0s\nuser\n" + "\x00" + UNAME
    records = list(read([_archive(tmp_path, {"a/x.txt": text, "b/x.txt": text})]))
    told = [[(r.line, r.code) for r in records if isinstance(r, Warning) and r.file == file] for file in ("a/x.txt", "b/x.txt")]
    assert told[0] and told[0] == told[1]


def it_does_not_confuse_equal_bytes_in_folders_that_tell_something(tmp_path):
    files = {"a/version": MODULE, "sys/module/zfs/version": MODULE, "z/version": MODULE}
    records = list(read([_archive(tmp_path, files)]))
    assert ("fs.version", "2.1.11-1", 1) in _evidence(records, "sys/module/zfs/version")
    assert not _evidence(records, "a/version") and not _evidence(records, "z/version")


def it_carries_over_from_one_call_to_the_next(tmp_path):
    path, known = _archive(tmp_path, {"uname.txt": UNAME, "dd.txt": DD}), FindingsCache()
    assert list(read([path], cache=known)) == list(read([path], cache=known)) == list(read([path]))
