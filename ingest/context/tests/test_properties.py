"""Properties of the whole way from an archive to configurations: order, bystanders and missing evidence."""

from __future__ import annotations

import io
import tarfile
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import read
from ingest.records import Measurement, Record
from ingest.tests.thinning import examples

DD = (
    "root@box:~# dd if=/dev/zero of=/tank/f bs=1M count=100\n"
    "100+0 records in\n100+0 records out\n104857600 bytes (105 MB) copied, {} s, 1.0 MB/s\n"
)
UNAME = "Linux box 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29) x86_64 GNU/Linux\n"
LSCPU = (
    "Architecture: x86_64\nCPU(s): 4\nThread(s) per core: 1\nCore(s) per socket: 4\nSocket(s): 1\n"
    "Model name: Intel(R) Xeon(R) CPU E3110 @ 3.00GHz\n"
)
FREE = (
    "               total        used        free      shared  buff/cache   available\n"
    "Mem:      8254390272  1000000000  7000000000     1000000   254390272  7000000000\n"
    "Swap:              0           0           0\n"
)
STATUS = (
    "  pool: tank\n state: ONLINE\nconfig:\n\n"
    "\tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n"
    "\t  mirror-0  ONLINE       0     0     0\n\t    sda     ONLINE       0     0     0\n"
    "\t    sdb     ONLINE       0     0     0\n\n"
    "errors: No known data errors\n"
)
RELEASE = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n'
ZFS = (
    "NAME  PROPERTY     VALUE  SOURCE\ntank  compression  lz4    local\ntank  recordsize   128K   default\n"
    "tank  sync         standard  default\n"
)
EVIDENCE = {
    "uname.txt": UNAME,
    "lscpu.txt": LSCPU,
    "free-b.txt": FREE,
    "zpool-status.txt": STATUS,
    "os-release": RELEASE,
    "a/zfs-get-all.txt": ZFS,
}
RESULTS = {"a/one.txt": DD.format(1.5), "a/two.txt": DD.format(2.5), "b/three.txt": DD.format(3.5)}
FILES = {**EVIDENCE, **RESULTS}
quick = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def upload(names: list[str], files: dict[str, str] = FILES) -> list[Record]:
    """The records of a tar whose entries have this order."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "upload.tar")
        with tarfile.open(target, "w") as tar:
            for name in names:
                entry = tarfile.TarInfo(name)
                data = files[name].encode()
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
        return list(read([target]))


def configurations(records: list[Record]) -> dict[tuple, tuple[dict, dict]]:
    """(file, line, metric) -> configuration and where each key was read."""
    return {(r.file, r.line, r.metric): (dict(r.config), dict(r.config_from)) for r in records if isinstance(r, Measurement)}


WHOLE = upload(list(FILES))
CONFIGURED = configurations(WHOLE)


def test_the_whole_tells_everything_that_the_evidence_does():
    assert len({file for file, _, _ in CONFIGURED}) == 3
    for config, _ in CONFIGURED.values():
        assert {"os.name", "kernel", "cpu.model", "memory", "pool.layout"} <= config.keys()


@quick
@given(st.permutations(list(FILES)))
def test_the_order_of_the_files_changes_nothing(names):
    assert upload(names) == WHOLE


@quick
@given(
    st.from_regex(r"[a-z]{4,8}\.(md|dat)", fullmatch=True),
    st.sampled_from(["", "a/", "b/", "c/d/"]),
    st.text("abcdefghij klmnop\n.,", max_size=200),
)
def test_a_file_that_tells_nothing_changes_nothing(name, folder, content):
    files = {**FILES, folder + name: content}
    assert configurations(upload(list(files), files)) == CONFIGURED


@quick
@given(st.sets(st.sampled_from(sorted(EVIDENCE)), min_size=1))
def test_without_evidence_files_exactly_the_keys_that_only_they_told_are_absent(gone):
    left = configurations(upload([name for name in FILES if name not in gone]))
    assert left.keys() == CONFIGURED.keys()
    for place, (config, told) in CONFIGURED.items():
        less, told_less = left[place]
        # What another file told stays as it was, line for line; nothing that no file told appears.
        stays = {key: value for key, value in config.items() if told[key].rsplit(":", 1)[0] not in gone}
        assert {key: less[key] for key in stays} == stays
        assert all(told_less[key].rsplit(":", 1)[0] not in gone for key in less)
        again = {key for key in less if key not in stays}
        assert all(_also_told_by(key, gone) for key in again)


def _also_told_by(key: str, gone: set[str]) -> bool:
    """Whether a file that is left tells the key as well, worse or farther: then that one holds now."""
    return any(getattr(r, "key", None) == key and r.file not in gone for r in WHOLE)


@quick
@given(st.sampled_from(["a/", "b/"]))
def test_evidence_of_one_folder_says_nothing_of_another(folder):
    files = {**FILES, folder + "lscpu.txt": LSCPU.replace("E3110", "X5650")}
    found = configurations(upload(list(files), files))
    for (file, line, metric), (config, _) in found.items():
        near = file.startswith(folder)
        assert config["cpu.model"] == ("Xeon X5650" if near else CONFIGURED[file, line, metric][0]["cpu.model"])
