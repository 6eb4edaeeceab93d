"""Reading an archive takes no more memory than it may: what needs more is told of, and the rest is read."""

from __future__ import annotations

import ctypes
import gc
import resource

import pytest

from webapp.infrastructure import reading_limits
from webapp.models import Archive, Measurement
from webapp.tests import samples

MIB = 2**20


def test_whoever_asks_for_more_is_refused_and_afterwards_nobody_is():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with reading_limits.limit_memory(64 * MIB):
        assert len(bytearray(32 * MIB)) == 32 * MIB
        with pytest.raises(MemoryError):
            bytearray(128 * MIB)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert len(bytearray(128 * MIB)) == 128 * MIB


@pytest.mark.thorough
@pytest.mark.django_db
def test_a_file_that_needs_more_is_told_of_and_the_others_are_read(settings):
    # Twice what unpacking takes, and less than the text alone: one in which this sign stands takes four bytes for each letter.
    settings.POOLMARK_READ_MEMORY = 120 * MIB
    wide = "\U0001f4be\n".encode()
    large = wide + samples.dd(2) * (32 * MIB // len(samples.dd(2)))
    # The limit is above what the process has now: memory that tests before have freed, and that goes back meanwhile, would be room.
    gc.collect()
    getattr(ctypes.CDLL(None), "malloc_trim", int)(0)  # of glibc
    row = samples.received(samples.tar({"a.txt": samples.dd(2.5), "large.txt": large, "z.txt": samples.dd(3)}))
    assert row.state == Archive.State.READ, row.failure
    assert set(Measurement.objects.values_list("run__file__path", flat=True)) == {"a.txt", "z.txt"}
    assert list(row.notes.filter(code="limit").values_list("file__path", flat=True)) == ["large.txt"]


@pytest.mark.django_db
def test_an_archive_that_needs_more_as_a_whole_says_so_and_keeps_its_bytes(monkeypatch):
    def read(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr("ingest.read", read)
    row = samples.received(samples.dd(2.5), "dd.txt")
    assert row.state == Archive.State.FAILED
    assert "2048 MiB of memory" in row.failure and "upload is kept" in row.failure
