"""What becomes public is found with its places; the work grows with the length of the text, and what is kept is bounded."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.archives import exposure, exposure_patterns
from webapp.archives.exposure_patterns import KINDS, PATTERNS, find_exposures
from webapp.models import Exposure
from webapp.tests import samples

FOUND = [
    ("root@node1:~# uname -a", [("login", "node1")]),
    ("[ann@web01 ~]$ ls", [("login", "web01"), ("user", "ann")]),
    ("cat /home/ann/results/run.txt", [("home", "/home/ann/results/run.txt"), ("user", "ann")]),
    ("Volumes: /Users/Bo/tank", [("home", "/Users/Bo/tank"), ("user", "Bo")]),
    ("Serial Number:    WD-WCC4N1234567", [("serial", "WD-WCC4N1234567")]),
    ("serial: S3Z1NB0K", [("serial", "S3Z1NB0K")]),
    ("Serial Number: Not Specified", []),
    ("LU WWN Device Id: 5 000c50 0a1b2c3d4", [("wwn", "5 000c50 0a1b2c3d4")]),
    ("50:01:43:80:12:34:56:78", [("wwn", "50:01:43:80:12:34:56:78")]),
    ("c0t5000C5001234ABCDd0s0  ONLINE", [("wwn", "5000C5001234ABCD")]),
    ("/dev/disk/by-id/wwn-0x5000c5001234abcd", [("wwn", "wwn-0x5000c5001234abcd")]),
    ("  ata-WDC_WD40EFRX-68N32N0_WD-WCC7K1234567  ONLINE", [("serial", "ata-WDC_WD40EFRX-68N32N0_WD-WCC7K1234567")]),
    ("ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff", [("mac", "52:54:00:12:34:56")]),
    ("Physical Address: 00-1B-44-11-3A-B7", [("mac", "00-1B-44-11-3A-B7")]),
    ("inet 192.168.1.5/24", [("ip", "192.168.1.5")]),
    ("inet6 fe80::5054:ff:fe12:3456/64", [("ip", "fe80::5054:ff:fe12:3456")]),
    ("2001:db8:0:0:0:0:0:1", [("ip", "2001:db8:0:0:0:0:0:1")]),
    ("Contact ann.rae@example.org, please", [("mail", "ann.rae@example.org")]),
    ("Linux 5.10.0-8, zfs 0.6.5.11-1, at 10:20:30", []),
    ("inet 127.0.0.1 netmask 255.0.0.0 and ::1", []),
    ("1,2,3@4 10240+0 records in, 54.1 s, 197 MB/s", []),
    ("export GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a", [("token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a")]),
    ("github_pat_11ABCDEFG0aBcDeFgHiJkL_abc", [("token", "github_pat_11ABCDEFG0aBcDeFgHiJkL_abc")]),
    ("token glpat-Ab12Cd34Ef56Gh78Ij90", [("token", "glpat-Ab12Cd34Ef56Gh78Ij90")]),
    (
        "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
        [("token", "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx")],
    ),
    ("aws_access_key_id = AKIAIOSFODNN7EXAMPLE", [("token", "AKIAIOSFODNN7EXAMPLE")]),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", [("password", "wJalrXUtnFEMI/K7MDENG")]),
    ("?key=AIzaSyA1234567890abcdefghijklmnopqrstuv", [("token", "AIzaSyA1234567890abcdefghijklmnopqrstuv")]),
    (f"AccountName=x;AccountKey={'Zm9vYmFy' * 10}MTIzNA==;", [("token", f"{'Zm9vYmFy' * 10}MTIzNA==")]),
    ("sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc", [("token", "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc")]),
    (
        "//registry.example.org/:_authToken=npm_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
        [("token", "npm_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789")],
    ),
    (f"pypi-AgEIcHlwaS5vcmc{'CJDAwMDA' * 7}", [("token", f"pypi-AgEIcHlwaS5vcmc{'CJDAwMDA' * 7}")]),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3", [("token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3")]),
    ("Authorization: Bearer abcdef1234567890abcdef", [("token", "abcdef1234567890abcdef")]),
    *(
        (f"-----BEGIN {kind}-----", [("private_key", f"-----BEGIN {kind}-----\n")])
        for kind in ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "ENCRYPTED PRIVATE KEY")
    ),
    ("-----BEGIN PUBLIC KEY-----", []),
    ("PGPASSWORD=hunter2 psql -h db", [("password", "hunter2")]),
    ("MYSQL_PWD=s3cr3t mysql", [("password", "s3cr3t")]),
    ("tool --password=geheim1 x", [("password", "geheim1")]),
    ("tool --password geheim2", [("password", "geheim2")]),
    ("mysql -u root -pGeheim33 db", [("password", "Geheim33")]),
    ('{"db_password": "abc def 1"}', [("password", "abc def 1")]),
    ("postgres://bench:pa55w0rd@db:5432/x", [("password", "pa55w0rd")]),
    ("-o username=ann,password=Winter2024", [("password", "Winter2024")]),
    ("-o name=admin,secret=AQATSKdNGBnwLhAAnNDKnH65FmVKpX==", [("password", "AQATSKdNGBnwLhAAnNDKnH65FmVKpX==")]),
    ("node.session.auth.password = chapsecret1", [("password", "chapsecret1")]),
    ("echo 'correct horse' | zfs load-key tank", [("password", "correct horse")]),
    ("curl -u ann:pw1234 https://x", [("password", "pw1234")]),
    ("password=$PASS --password=<x> Password: **** secret: none token: unexpected", []),
    ("max_tokens=4, tokens = 100, key = value, passed: 100 %", []),
    ("pool_guid: 15466813455122391828", [("guid", "15466813455122391828")]),
    ("UUID=3f1b2c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d /data", [("guid", "3f1b2c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d")]),
    ("zfs set compression=lz4 tank/customers/acme", [("dataset", "tank/customers/acme")]),
    ("tank/ann  compression  lz4  local", [("dataset", "tank/ann")]),
    ("tank/vm-acme   1.2G  3.4T  1.2G  /tank/vm-acme", [("dataset", "tank/vm-acme")]),
    ("CORP\\jdoe C:\\Users", [("user", "CORP\\jdoe")]),
    ("call +49 30 1234567 or (555) 123-4567", [("phone", "(555) 123-4567"), ("phone", "+49 30 1234567")]),
    ("tel: 030/1234567", [("phone", "030/1234567")]),
    ("the disk with serial WD-WCC4N1234567 was slow", [("serial", "WD-WCC4N1234567")]),
    ("2021-01-02 12:00:00.000 +0200, BW=48.2MiB/s (50.5MB/s)(2893MiB/60001msec); 0 zone resets", []),
]


@pytest.mark.parametrize(("line", "expected"), FOUND, ids=[line for line, _ in FOUND])
def test_each_kind_is_found_and_nothing_else(line, expected):
    assert sorted((kind, value) for kind, value, _ in find_exposures(f"{line}\n".encode())) == sorted(expected)
    assert {kind for kind, _ in expected} <= KINDS.keys()


class _Steps:
    """Counts bytes that patterns are given, in place of time: an anchor the block, a value the window around an anchor."""

    def __init__(self, pattern: re.Pattern[bytes], counter: list[int]) -> None:
        self._pattern, self._counter, self.groups = pattern, counter, pattern.groups

    def finditer(self, text: bytes, start: int = 0, end: int | None = None):
        end = len(text) if end is None else min(end, len(text))
        self._counter[0] += end - start
        return self._pattern.finditer(text, start, end)


_PIECES = st.sampled_from(
    [
        b"@",
        b"key",
        b"password=",
        b"ghp_",
        b":",
        b"::",
        b".",
        b"-",
        b"/home/",
        b"a",
        b"1.2.3.4",
        b"serial",
        b"0x5",
        b"aa:bb:",
        b"\n",
        b" ",
        b"ann@",
        b"x" * 40,
        b"1.2.",
    ]
)


@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(_PIECES, min_size=1, max_size=150))
def test_twice_the_text_takes_twice_the_steps(pieces):
    text = b"".join(pieces) + b"\n"

    def steps(block: bytes) -> int:
        counter = [0]
        counted = tuple(replace(p, anchor=p.anchor and _Steps(p.anchor, counter), value=_Steps(p.value, counter)) for p in PATTERNS)
        whole, exposure_patterns.PATTERNS = exposure_patterns.PATTERNS, counted
        try:
            list(find_exposures(block))
        finally:
            exposure_patterns.PATTERNS = whole
        return counter[0]

    window = sum(p.back + p.ahead for p in PATTERNS) * 4  # the windows at the seam see the other half
    assert steps(text * 2) <= 2.2 * steps(text) + window


def test_no_pattern_repeats_without_a_bound():
    """A regular expression without `*` and `+` takes a bounded number of steps at each place, whatever the text."""
    for pattern in PATTERNS:
        for regex in filter(None, (pattern.anchor, pattern.value)):
            written = re.sub(rb"\\.|\[(?:\\.|[^\]\\])*\]", b"x", regex.pattern)
            assert not re.search(rb"(?<!\})[*+]|\{\d*,\}", written), regex.pattern


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=3000))
def test_no_bytes_stop_the_search(data):
    assert all(kind in KINDS and 0 <= at < len(data) for kind, _, at in find_exposures(data))


@pytest.mark.django_db
class TestSearch:
    def test_values_are_counted_with_their_first_places(self):
        text = samples.dd(2.5) + b"# ann@web01:~$ x\nann@web01:~$ dd\nann@web01:~$ dd\n192.168.1.5\n"
        archive = samples.received(samples.tar({"a/dd.txt": text, "b.txt": b"10.1.2.3 and 192.168.1.5\n"}))
        kinds = {kind.title: kind for kind in exposure.list_kinds(archive, exposure.read_exposure(archive))}
        [ip, other] = kinds["IP addresses"].values
        assert (ip.text, ip.count, other.text, other.count) == ("192.168.1.5", 2, "10.1.2.3", 1)
        line = text.decode().count("\n")
        assert ip.places == [
            (f"a/dd.txt:{line}", f"/archives/{archive.pk}/raw/a/dd.txt#L{line}"),
            ("b.txt:1", f"/archives/{archive.pk}/raw/b.txt#L1"),
        ]
        assert [(value.text, value.count) for value in kinds["User names"].values] == [("ann", 2)]

    def test_what_is_kept_is_bounded(self):
        lines = b"".join(b"10.%d.%d.7\n" % (n // 250, n % 250 + 1) for n in range(5000))
        archive = samples.received(samples.tar({"dd.txt": samples.dd(2.5), "many.txt": lines}))
        found = exposure.search(archive).found
        assert len(found["kinds"]["ip"]) == exposure.MAX_VALUES and found["full"] == ["ip"]

    def test_memory_does_not_grow_with_a_file(self, monkeypatch):
        monkeypatch.setattr(exposure, "BLOCK", 1 << 14)
        text = samples.dd(2.5) + b"nothing to see here at all, move along\n" * 40_000
        archive = samples.received(samples.tar({"dd.txt": text}))
        sizes: list[int] = []
        exposure.search(archive, sizes.append)
        assert sum(sizes) == len(text) and max(sizes) <= 2 << 14

    def test_pictures_are_named_and_utf16_is_searched(self):
        archive = samples.received(
            samples.tar(
                {"dd.txt": samples.dd(2.5), "w.txt": "\ufeffx\nip 10.1.2.3\n".encode("utf-16-le"), "p.png": b"\1\0\2\3\0\4" * 900}
            )
        )
        found = exposure.search(archive).found
        assert found["kinds"]["ip"] == {"10.1.2.3": [1, [["w.txt", 2]]]} and found["not_searched"] == ["p.png"]

    def test_a_large_archive_is_left_to_the_worker(self, monkeypatch):
        archive = samples.received(samples.tar({"dd.txt": samples.dd(2.5)}))
        monkeypatch.setattr(exposure, "SEARCHED_AT_ONCE", 10)
        assert exposure.read_exposure(archive) is None
        exposure.search(archive)
        assert exposure.read_exposure(archive) == Exposure.objects.get()
        archive.delete()
        assert not Exposure.objects.exists()


def test_a_line_longer_than_a_block_is_searched_in_parts(monkeypatch):
    import io

    monkeypatch.setattr(exposure, "BLOCK", 100)
    data = b"x" * 950 + b"\n" + b"y\n" * 10
    blocks = list(exposure._blocks(io.BytesIO(data)))
    assert b"".join(blocks) == data and max(map(len, blocks)) <= 200
