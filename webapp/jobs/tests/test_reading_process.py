"""Each archive is read in a process of its own: what a file does there costs that file, and no other one."""

from __future__ import annotations

import faulthandler
import os
import signal
import time

import pytest

import ingest
from webapp.archives import upload
from webapp.files import blobs
from webapp.infrastructure import reading_limits
from webapp.infrastructure.reading_limits import ReadingLimits
from webapp.jobs import reading, reading_process, state, tasks
from webapp.models import Archive, Note
from webapp.storage.locks import is_archive_locked
from webapp.tests import making, samples
from webapp.tests.serving import wait_for

LIMITS = ReadingLimits(cpu=60, wall=60, values=1000)


def spin() -> None:
    while True:
        pass


def die(number: int) -> None:
    faulthandler.disable()
    os.kill(os.getpid(), number)
    time.sleep(60)


def waiting(files: dict[str, bytes]) -> Archive:
    return upload.receive(blobs.write_incoming([samples.tar(files)]), making.user("ann"), "three.tar", send=lambda pk: None)[0]


@pytest.fixture
def hostile(monkeypatch):
    """Has the analysis of `bad.txt` do what is given."""

    def arrange(act) -> None:
        from ingest.pipeline import read

        analyse = read._analyse_content

        def analyse_or_act(findings, *rest):
            act() if findings.path.endswith("bad.txt") else analyse(findings, *rest)

        monkeypatch.setattr(read, "_analyse_content", analyse_or_act)

    return arrange


FILES = {"a.txt": samples.dd(2.5), "bad.txt": samples.dd(3.5), "c.txt": samples.dd(4.5)}
CASES = {
    "takes too long": (spin, "more than 3 s of CPU time"),
    "is killed": (lambda: die(signal.SIGKILL), "ended its process twice (SIGKILL)"),
    "crashes": (lambda: die(signal.SIGSEGV), "ended its process twice (SIGSEGV)"),
    "is beyond the limit of the kernel": (lambda: die(signal.SIGXCPU), "s of CPU time"),
}


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("case", CASES)
def test_a_file_that_hits_a_limit_is_reported_and_the_others_are_kept(case, hostile, settings):
    act, sentence = CASES[case]
    hostile(act)
    if act is spin:
        ingest.load_parsers()  # as a worker does; the limit is that of the file, not of the start
        settings.POOLMARK_READ_SECONDS = 3
    archive = waiting(FILES)
    assert tasks._read_apart(archive.pk, as_small=False) == "read"
    archive.refresh_from_db()
    assert (archive.state, archive.files_total) == ("read", 3)
    assert set(archive.files.exclude(measurements=0).values_list("path", flat=True)) == {"a.txt", "c.txt"}
    note = Note.objects.get(archive=archive, code="limit")
    assert note.path == "bad.txt" and sentence in note.message and "Upload it in parts" in note.message


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_as_many_files_as_may_be_left_out_are_one_attempt(hostile):
    hostile(lambda: die(signal.SIGXCPU))
    bad = {f"{number}-bad.txt": samples.dd(3.5 + number) for number in range(reading_process.MAX_SKIPPED)}
    archive = waiting({"a.txt": samples.dd(2.5), **bad})
    assert tasks._read_apart(archive.pk, as_small=False) == "read"
    assert set(Note.objects.filter(archive=archive, code="limit").values_list("path", flat=True)) == set(bad)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_one_that_ends_every_process_outside_of_files_is_interrupted_and_waits(monkeypatch):
    archive = waiting(FILES)
    monkeypatch.setattr(tasks.load, "store", lambda *rest: die(signal.SIGKILL))
    for attempt in range(1, state.MAX_ATTEMPTS + 1):
        wait_for(lambda: not is_archive_locked(archive.pk))  # the server notices later that the session of a dead process has ended
        assert tasks.take_turn(state.SMALL) == "interrupted"
        archive.refresh_from_db()
        assert (archive.state, archive.attempts) == ("reading", attempt)
    wait_for(lambda: not is_archive_locked(archive.pk))
    assert tasks.take_turn(state.SMALL) == "failed"
    archive.refresh_from_db()
    assert "interrupted 5 times" in archive.failure


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_small_archive_that_takes_long_is_read_with_the_large_ones(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks, "send_archive", sent.append)
    monkeypatch.setattr(reading_limits, "SMALL_SECONDS", 0.3)
    read = ingest.read
    monkeypatch.setattr(ingest, "read", lambda *rest, **more: time.sleep(2) or read(*rest, **more))
    archive = waiting(FILES)
    assert tasks.take_turn(state.SMALL) == "slow"
    archive.refresh_from_db()
    assert (archive.state, archive.is_slow, archive.attempts, sent) == ("received", True, 0, [archive.pk])
    assert tasks.take_turn(state.SMALL) == "nothing-to-do"
    assert tasks.take_turn(state.LARGE) == "read"


def test_too_many_values_for_its_size_are_refused():
    with pytest.raises(ingest.errors.TooLarge, match="too many for its size"):
        reading.Progress(1, most=10)(1, None, 11)


def test_limits_grow_with_the_size():
    small, large = reading_limits.archive_limits(1000), reading_limits.archive_limits(2**30)
    assert (small.cpu, small.wall, small.values) == (120, pytest.approx(480, rel=0.01), 2_002_000)
    assert large.cpu > 300 * small.cpu and large.values > small.values
    as_small = reading_limits.archive_limits(1000, as_small=True)
    assert (as_small.wall, as_small.starved) == (5, 15)


@pytest.mark.thorough
def test_the_result_comes_back_and_nothing_else_stays():
    ended = reading_process.run_reader(lambda guard: {"pid": os.getpid()}, LIMITS)
    assert ended.result is not None and ended.result["pid"] != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(ended.result["pid"], 0)


@pytest.mark.thorough
def test_one_beyond_its_wall_time_is_ended():
    ended = reading_process.run_reader(lambda guard: time.sleep(60), ReadingLimits(cpu=60, wall=0.2, values=1))
    assert ended.result is None and ended.is_late


@pytest.mark.thorough
def test_one_that_got_little_cpu_time_is_waited_for_longer():
    limits = ReadingLimits(cpu=60, wall=0.2, values=1, starved=60)
    assert reading_process.run_reader(lambda guard: time.sleep(1) or "read", limits).result == "read"
    assert reading_process.run_reader(lambda guard: spin(), limits).is_late
