"""A download ends before the first block that is not what was uploaded; ranges too, whoever keeps the bytes."""

from __future__ import annotations

import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from webapp.archives.upload import receive
from webapp.files import blobs, stores
from webapp.models import Archive
from webapp.tests import making

pytestmark = pytest.mark.django_db
MIB = 1 << 20
DATA = random.Random(1).randbytes(3 * MIB + 5)


@pytest.fixture
def archive(settings, tmp_path) -> Archive:
    settings.POOLMARK_DATA = tmp_path
    sizes = iter((1, 7, MIB - 1, MIB, 2 * MIB))
    at, parts = 0, []
    while at < len(DATA):
        size = next(sizes, len(DATA))
        parts.append(DATA[at : at + size])
        at += size
    return receive(blobs.write_incoming(parts), making.user("ann"), "a.bin", public=True, send=lambda pk: None)[0]


def flip(archive: Archive, at: int) -> None:
    path = blobs.path(archive.sha256)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def get(client, archive: Archive, wanted: str = "") -> tuple[int, int, bytes, bool]:
    """Status, promised length, bytes, and whether all came."""
    answer = client.get(f"/archives/{archive.pk}/download", **({"headers": {"Range": f"bytes={wanted}"}} if wanted else {}))
    found = b""
    try:
        for block in answer.streaming_content if answer.streaming else [answer.content]:
            found += block
    except stores.DamagedBytes:
        return answer.status_code, int(answer["Content-Length"]), found, False
    return answer.status_code, int(answer.get("Content-Length", len(found))), found, True


RANGES = [(0, 0), (0, MIB - 1), (MIB - 1, MIB), (MIB, 2 * MIB - 1), (5, 3 * MIB + 4), (3 * MIB, 3 * MIB + 4)]


def it_sends_what_was_uploaded_and_parts_of_it(client, archive):
    assert get(client, archive) == (200, len(DATA), DATA, True)
    for first, last in RANGES:
        assert get(client, archive, f"{first}-{last}") == (206, last - first + 1, DATA[first : last + 1], True)
    assert get(client, archive, "-5")[2] == DATA[-5:] and get(client, archive, f"{len(DATA)}-")[0] == 416


@pytest.mark.parametrize("at", [0, MIB - 1, MIB, 2 * MIB + 9, len(DATA) - 1])
def it_never_completes_what_has_changed(client, archive, at, caplog):
    flip(archive, at)
    block = at // MIB
    status, promised, found, is_whole = get(client, archive)
    assert (status, promised, is_whole) == (200, len(DATA), False) and found == DATA[: block * MIB]
    for first, last in RANGES:
        _, promised, found, is_whole = get(client, archive, f"{first}-{last}")
        is_touched = first // MIB <= block <= last // MIB
        assert is_whole is not is_touched and DATA[first:].startswith(found) and (len(found) == promised) is is_whole
    assert archive.sha256 in caplog.text and archive.sha256 in client.get("/status").content.decode()
    flip(archive, at)
    blobs.verify(archive.sha256)
    assert get(client, archive)[3] and blobs.list_damaged() == []


@pytest.mark.parametrize("size", [0, 31, 10 * MIB])
def it_never_completes_what_is_cut_or_longer(client, archive, size):
    blobs.path(archive.sha256).write_bytes((DATA * 4)[:size])
    assert get(client, archive)[0] == 404 and blobs.list_damaged() == [archive.sha256]


def it_makes_the_digests_of_older_archives_once_all_bytes_are_right(client, archive, settings):
    kept = blobs._blocks_path(archive.sha256)
    before = kept.read_bytes()
    kept.unlink()
    assert get(client, archive)[3] and kept.read_bytes() == before and len(before) == 4 * 32
    kept.unlink()
    flip(archive, 7)
    assert get(client, archive)[0] == 404 and not kept.exists()


def it_is_named_by_check_data(archive):
    flip(archive, 7)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("check_data", stdout=out)
    assert f"archives/{archive.pk}: its bytes have not the digest {archive.sha256}" in out.getvalue()
    assert blobs.list_damaged() == [archive.sha256]


def it_forgets_what_is_deleted(archive):
    blobs.delete_blob(archive.sha256)
    assert not blobs._blocks_path(archive.sha256).exists()
