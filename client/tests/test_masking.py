"""`--mask`: nothing that names a host, user, address or device is in any byte of the archive, and pseudonyms stay the same."""

from __future__ import annotations

import os
import re
import tarfile

import pytest

from client.tests.running import SHELLS, Stage, unpack
from ingest.tests.thinning import some

PLANTED = {
    "host": ["storage-kiel-03", "storage-kiel-03.example.net", "filer7.example.net"],
    "user": ["mmustermann", "Erika Mustermann"],
    "address": ["192.0.2.17", "198.51.100.255", "2001:db8:12::7", "fe80::5054:ff:fe12:3456"],
    "mac": ["52:54:00:12:34:56", "52-54-00-12-34-57", "00:11:22:33:44:55:66:77"],
    "serial": ["WD-WCC7K0AB12CD", "S3Z8NB0K123456X", "VK0123QRST", "PHYF0123456789"],
    "wwn": ["5000c500a1b2c3d4", "0x50014ee2b3c4d5e6", "5 000c50 0a1b2c3d9", "naa.600508b1001c5e0f"],
    "uuid": ["0a1b2c3d-1111-2222-3333-444455556666", "Ab1Cd2-Ef3g-Hi4j-Kl5m-No6p-Qr7s-Tu8vWx"],
    "hidden": ["project-bluebird"],
}
_OUTPUT = """Linux storage-kiel-03 6.1.0-18-amd64 #1 SMP x86_64 GNU/Linux
mmustermann@storage-kiel-03:~$ ls /home/mmustermann/project-bluebird
Real name: Erika Mustermann
filer7.example.net:/export on /mnt type nfs (rw,addr=192.0.2.17,clientaddr=198.51.100.255)
inet6 2001:db8:12::7/64 scope global; inet6 fe80::5054:ff:fe12:3456/64
link/ether 52:54:00:12:34:56 brd 52-54-00-12-34-57 port GUID 00:11:22:33:44:55:66:77
Serial Number:    WD-WCC7K0AB12CD
serial: S3Z8NB0K123456X
ada0: Serial Number VK0123QRST
/dev/disk/by-id/ata-WDC_WD40EFRX_WD-WCC7K0AB12CD-part1
    "serial_number" : "PHYF0123456789",
LU WWN Device Id: 5 000c50 0a1b2c3d9
wwn-0x50014ee2b3c4d5e6 c0t5000C500A1B2C3D4d0 scsi-35000c500a1b2c3d4 naa.600508b1001c5e0f
UUID=0a1b2c3d-1111-2222-3333-444455556666 PV Ab1Cd2-Ef3g-Hi4j-Kl5m-No6p-Qr7s-Tu8vWx
STORAGE-KIEL-03 again, and storage-kiel-03.example.net
"""
KEPT = """fio-3.33 6.1.0-18-amd64 2.1.11-1 00:11:22 2026-05-01T10:00:00Z 127.0.0.1 ::1
vm.dirty_ratio = 20 18446744073709551615 9223372036854771712 536870912 bytes (537 MB, 512 MiB) copied, 1.5 s, 358 MB/s
c++ std::string 0000:00:1f.2 1.98,2.00a,x,1,1795543466,512M,,8192,5
"""


@pytest.fixture(params=some(SHELLS))
def stage(request, tmp_path):
    made = Stage(tmp_path, request.param)
    made.program("uname", 'case $1 in -n) echo storage-kiel-03 ;; -s) echo Linux ;; *) exec /bin/uname "$@" ;; esac')
    made.program("hostname", "echo storage-kiel-03.example.net")
    made.program("mount", "echo filer7.example.net:/export on /mnt type nfs '(rw)'")
    made.program("getent", "echo 'mmustermann:x:1000:1000:Erika Mustermann,,,:/home/mmustermann:/bin/sh'")
    (tmp_path / "output").write_text(_OUTPUT + KEPT)
    return made


def _bytes_of(archive) -> bytes:
    with tarfile.open(archive) as tar:
        names = "\n".join(tar.getnames()).encode()
        return names + b"".join(file.read() for member in tar if (file := tar.extractfile(member)))


OPTIONS = ("--no-evidence", "--no-drop", "--mask", "--hide", "project-bluebird", "--run", "cat output")


def test_no_planted_name_is_in_the_archive(stage):
    options = ("--set", "true storage-kiel-03", "--as", "at-storage-kiel-03")
    content = _bytes_of(stage.capture(*OPTIONS, *options, name="by-mmustermann"))
    for kind, words in PLANTED.items():
        for word in words:
            assert word.lower().encode() not in content.lower(), (kind, word)
    for line in KEPT.splitlines():
        assert line.encode() in content, "what is no name stays"


def test_pseudonyms_stay_the_same_and_their_list_stays_here(stage):
    archive = stage.capture(*OPTIONS)
    first = _bytes_of(archive)
    names = (stage.folder / "capture/names").read_text()
    for word in ("storage-kiel-03", "mmustermann", "192.0.2.17", "WD-WCC7K0AB12CD", "project-bluebird"):
        assert f"\t{word}\t" in names
    stage.run("--pack", "capture")
    assert _bytes_of(archive) == first
    with tarfile.open(archive) as tar:
        assert not [name for name in tar.getnames() if name.endswith("/names")]
    transcript = (unpack(archive) / "session-1/round-1/1-setting-1/transcript.txt").read_text()
    host = re.search(r"Linux (host-\d+) 6\.1", transcript)
    assert host and f"@{host[1]}:~$" in transcript and f"{host[1]} again" in transcript
    serial = re.search(r"Serial Number: +(serial-\d+)", transcript)
    assert serial and f"WDC_WD40EFRX_{serial[1]}-part1" in transcript


def test_the_same_name_in_later_sessions_has_the_same_pseudonym(stage):
    stage.turn_clock()
    archive = stage.capture(*OPTIONS, "--sessions", "2")
    folder = unpack(archive)
    assert len({(folder / f"session-{number}/round-1/1-setting-1/transcript.txt").read_text() for number in (1, 2)}) == 1


def test_a_name_of_ones_own_choice(stage):
    content = _bytes_of(stage.capture("--no-evidence", "--no-drop", "--host", "big-filer", "--run", "cat output"))
    assert b"Linux big-filer 6.1" in content and b"storage-kiel-03 " not in content
    assert b"192.0.2.17" in content, "nothing else is masked"


def test_files_that_are_no_text_are_left_out_and_told(stage):
    said = stage.run("--out", "c", *OPTIONS, "--run", 'printf "\\000 storage-kiel-03" >"$POOLMARK_RUN/raw.bin"')
    assert "left out" in said and "raw.bin" in said
    assert b"storage-kiel-03" not in _bytes_of(stage.folder / "c.tar.gz")
    assert (stage.folder / "c/data/session-1/round-1/1-setting-1/raw.bin").exists(), "here it stays"


def test_a_capture_can_be_masked_afterwards(stage):
    archive = stage.capture(*[word for word in OPTIONS if word != "--mask"])
    assert b"192.0.2.17" in _bytes_of(archive)
    stage.run("--pack", "capture", "--mask")
    assert b"192.0.2.17" not in _bytes_of(archive)


@pytest.mark.skipif(os.geteuid() != 0, reason="plants a user by id")
def test_the_evidence_of_this_machine_has_neither_its_name_nor_its_addresses(tmp_path):
    stage = Stage(tmp_path)
    content = _bytes_of(stage.capture("--no-drop", "--mask", "--run", "uname -a; cat /etc/hosts"))
    own = os.uname().nodename.split(".")[0]
    assert len(own) < 4 or re.search(rb"(?<![\w])" + re.escape(own.encode()) + rb"(?![\w])", content) is None
    assert not re.findall(rb"\b(?!127\.|0\.|255\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", content)
