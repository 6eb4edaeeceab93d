"""A part that fails on purpose: the page answers, with a note in its place, a line in the log and the counter."""

from __future__ import annotations

import logging

import pytest

from webapp.files import addresses
from webapp.formats.sheets import escape_formula
from webapp.http import isolation
from webapp.models import Archive
from webapp.pages import drawings
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def _two() -> None:
    for at in (1, 2):
        records = making.file_records(f"{at}.txt", f"{at}", [1.0 * at, 2.0], config={"os.name": f"System {at}"})
        making.archive(public=True, name=f"upload {at}.tar", records=records)


@pytest.fixture
def broken_name(monkeypatch):
    """The first upload cannot be named."""
    usual = Archive.__str__

    def name(archive):
        if archive.name == "upload 1.tar":
            raise RuntimeError("on purpose")
        return usual(archive)

    monkeypatch.setattr(Archive, "__str__", name)


@pytest.mark.parametrize("address", ["/", "/archives"])
def test_a_row_that_fails_is_left_out_of_its_list(client, broken_name, caplog, address):
    _two()
    before = isolation.FAILURE_COUNTS.total()
    with caplog.at_level(logging.ERROR):
        page = client.get(address)
    assert page.status_code == 200
    assert isolation.FAILURE_NOTE in page.text and "upload 2.tar" in page.text
    assert isolation.FAILURE_COUNTS.total() == before + 1
    assert "is left out of the page" in caplog.text and "on purpose" in caplog.text


def test_a_group_that_fails_is_left_out_of_the_comparison(client, monkeypatch, caplog):
    _two()
    usual = drawings.naming.verdict_words

    def words(group):
        if group.x == "System 1":
            raise OverflowError("on purpose")
        return usual(group)

    monkeypatch.setattr(drawings.naming, "verdict_words", words)
    page = client.get("/compare?metric=write.throughput&x=os&control=off")
    assert page.status_code == 200
    assert isolation.FAILURE_NOTE in page.text and "System 2" in page.text and "on purpose" in caplog.text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("-1.5", "-1.5"),
        ("+3", "+3"),
        ("-2e-9", "-2e-9"),
        ("-1.5 MB/s", "'-1.5 MB/s"),
        ("-2+3", "'-2+3"),
        ("", ""),
        ("a=b", "a=b"),
        ("-1\n", "'-1\n"),
    ],
)
def test_no_cell_is_a_formula(text, cell):
    assert escape_formula(text) == cell


ODD = [
    "a\nb.log",
    "run/./x",
    "run/../x",
    "..",
    "n" * 4096,
    "a?b#c%d&e.log",
    " a ",
    "\u202egol",
    "\x1b[31m",
    "a/%2e%2e/b",
    "a//b",
    "/a",
]


@pytest.mark.parametrize("path", ODD)
def test_every_path_has_an_address_that_opens_it_and_withdraws_it(ann, path):
    archive = making.archive(public=True, records=making.file_records(path, path, [1.0, 2.0]))
    for what in (addresses.RAW, addresses.WITHDRAW):
        address = addresses.file_address(archive.pk, path, what)
        assert len(address) < 4000 and address.isprintable() and "/../" not in address and "/./" not in address
        answer = ann.get(address)
        assert answer.status_code == (200 if what == addresses.WITHDRAW else 404), answer.text
    # The bytes of a row that was made up are not there; that the file is known is told by the other sentence.
    assert "The files of this archive" in ann.get(addresses.line_address(archive.pk, path, 2)).text


def test_a_file_with_a_line_feed_is_shown(ann):
    archive = samples.received(samples.tar({"a\nb.log": samples.dd(2.5)}))
    page = ann.get(f"/archives/{archive.pk}")
    assert 'href="/archives/' in page.text and "a\u27e8LF\u27e9b.log" in page.text
    file = archive.files.get()
    assert "2.5" in ann.get(addresses.line_address(archive.pk, file.path, 4)).text
