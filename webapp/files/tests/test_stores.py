"""Bytes in a folder that are lent while they may move to another store."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
import time

import pytest

from webapp.files import blobs, stores


@pytest.fixture
def lent(settings, tmp_path):
    """The folder where borrowed links are; what `stores.local` gives is borrowed."""
    settings.POOLMARK_STORE, settings.POOLMARK_STORE_BEFORE = str(tmp_path / "new"), str(tmp_path / "old")
    return tmp_path / "old" / "blobs" / "incoming"


def kept(tmp_path) -> str:
    key = stores.make_key("blobs", hashlib.sha256(b"data").hexdigest())
    (tmp_path / "file").write_bytes(b"data")
    stores.find_store(str(tmp_path / "old")).put(key, tmp_path / "file")
    return key


@pytest.mark.parametrize("number", [None, errno.EPERM, errno.ENOTSUP])
def test_bytes_are_lent_where_the_file_system_has_no_links(lent, tmp_path, monkeypatch, number):
    key = kept(tmp_path)

    def refuse(*args):
        raise OSError(number, os.strerror(number))

    if number:
        monkeypatch.setattr(os, "link", refuse)
    with stores.local(key) as path:
        assert path.read_bytes() == b"data" and (lent in path.parents) == (number is None)
    assert list(lent.iterdir()) == [] and list(stores.find_store(str(tmp_path / "old")).keys()) == [key]


def test_what_processes_that_died_had_borrowed_is_deleted_after_a_day(lent):
    old, new, upload = lent / "borrowed-old", lent / "borrowed-new", lent / "tmpupload"
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "link").write_bytes(b"data")
    upload.write_bytes(b"data")
    for path in (old, upload):
        os.utime(path, (time.time() - 2 * 24 * 3600,) * 2)
    stores.sweep()
    assert sorted(lent.iterdir()) == [new, upload]


@pytest.mark.parametrize("call", ["mkstemp", "fsync"])
def test_a_disk_without_room_or_inodes_is_named_and_keeps_nothing(call, data_folder, monkeypatch):
    def full(*args, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((tempfile, "mkstemp") if call == "mkstemp" else (os, "fsync")), full)
    with pytest.raises(blobs.DiskFull, match="no space left"):
        blobs.write_incoming([b"some bytes"])
    assert list((blobs.folder() / "incoming").iterdir()) == []
