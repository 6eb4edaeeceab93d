"""Bytes that wait in a temporary file, and what becomes of them where the disk is full."""

from __future__ import annotations

import io

import pytest

from ingest.containers import spool


class _Full(io.FileIO):
    """A file that takes so many bytes and no more."""

    def write(self, data):
        if self.tell() + len(data) > 10:
            raise OSError(28, "No space left on device")
        return super().write(data)


@pytest.mark.parametrize("room", [True, False])
@pytest.mark.parametrize("after", [0, 1, 3, 9])
def it_gives_back_what_it_took(monkeypatch, tmp_path, room, after):
    if not room:
        monkeypatch.setattr(spool.tempfile, "TemporaryFile", lambda **_: _Full(tmp_path / "full", "w+"))
    took = spool.Spool()
    for at in range(8):
        took.write(b"block%d" % at)
        if at == after:
            took.spill()
            assert took.is_spilled == (room or after < 1)
    assert took.is_spilled == (room and after < 8)
    with took.stream() as stream:
        assert stream.seekable() and stream.read() == b"".join(b"block%d" % at for at in range(8))
