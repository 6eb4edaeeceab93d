"""The capture kit: what it runs in which order, what it keeps, and that an interrupted capture goes on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.tests.running import KIT, SHELLS, START, Stage, manifest_of, shell_command, unpack
from ingest import read
from ingest.analysis.run_chain import CODE
from ingest.records import Measurement, Warning
from ingest.tests.thinning import examples, some
from ingest.tests.tools import needed

_WHOLE = re.compile(r" (?:[hsv]d[a-z]|xvd[a-z]|nvme\d+n\d+|mmcblk\d+) ")
QUICK = ("--no-evidence", "--no-drop")
SETTINGS = ("--set", "true compression=lz4", "--set", "true compression=off", "--set", "echo third", "--as", "third")


@pytest.fixture(params=some(SHELLS))
def stage(request, tmp_path):
    made = Stage(tmp_path, request.param)
    made.turn_clock()
    return made


@pytest.fixture
def plain(tmp_path):
    """In one shell."""
    made = Stage(tmp_path)
    made.turn_clock()
    return made


def _order(archive) -> list[list[str]]:
    """The names of the settings of each round, in the order of time."""
    rounds: dict[tuple[int, int], list[tuple[object, str]]] = {}
    for run in manifest_of(archive)["runs"]:
        rounds.setdefault((run["session"], run["round"]), []).append((run["started_at"], run["setting"]))
    return [[name for _, name in sorted(runs)] for _, runs in sorted(rounds.items())]


def test_shellcheck_finds_nothing():
    own = shutil.which("shellcheck", path=str(Path(sys.executable).parent))  # that of requirements/test.txt
    if own is None:
        needed("shellcheck")
    assert subprocess.run([own or "shellcheck", str(KIT)], capture_output=True, text=True, check=False).stdout == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_parses_it(shell):
    done = subprocess.run([*shell_command(shell), "-n", str(KIT)], capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "warning" not in line]  # ksh has opinions on style
    assert (done.returncode, errors) == (0, [])


def test_each_round_has_every_setting_once_in_the_order_of_the_seed(stage):
    archive = stage.capture(*QUICK, "-n", "4", "--sessions", "2", "--blocks", "--seed", "17", *SETTINGS, "--", "echo", "done")
    order = _order(archive)
    assert [sorted(one) for one in order] == [["lz4", "off", "third"]] * 8
    first, turned = ["off", "third", "lz4"], ["lz4", "third", "off"]  # the same in every shell
    assert order == [first, turned, first, turned, turned, first, turned, first]
    assert manifest_of(archive)["capture"]["seed"] == 17


@pytest.mark.slow
def test_orders_are_even(plain):
    """Of many rounds each order of two settings comes about as often as the other, whatever the seed."""
    firsts = Counter()
    for seed in range(6):
        options = ("-n", "8", "--blocks", "--seed", str(seed), *SETTINGS[:4], "--run", ":")
        firsts.update(one[0] for one in _order(plain.capture(*QUICK, *options, name=f"c{seed}")))
    assert min(firsts.values()) >= 14, firsts


def test_without_blocks_a_setting_runs_wholly_before_the_next(plain):
    archive = plain.capture(*QUICK, "-n", "2", "--no-blocks", *SETTINGS[:4], "--run", "echo x")
    runs = sorted(manifest_of(archive)["runs"], key=lambda run: run["started_at"])
    assert [run["setting"] for run in runs] == ["lz4", "lz4", "off", "off"]


def test_outputs_are_kept_with_times_and_status(stage):
    stage.program("bench", 'echo out; echo err >&2; echo more >"$POOLMARK_RUN/extra.csv"; exit 3')
    archive = stage.capture(*QUICK, "--set", "echo set to=x", "--show", "echo shown", "--run", "bench 'a b'", "--run", "printf end")
    [first, second, extra] = manifest_of(archive)["runs"]
    assert (first["status"], second["status"], first["setting"], first["caches"]) == (3, 0, "x", "not dropped: --no-drop")
    assert first["started_at"] < first["ended_at"] <= second["started_at"]
    assert first["seconds"] == (first["ended_at"] - first["started_at"]).total_seconds()
    assert (extra["file"], extra["started_at"]) == ("session-1/round-1/1-setting-1/extra.csv", first["started_at"])
    transcript = (unpack(archive) / first["file"]).read_text()
    assert transcript == "$ echo set to=x\nset to=x\n$ echo shown\nshown\n$ bench 'a b'\nout\nerr\n$ printf end\nend\n"
    lines = transcript.splitlines()
    assert [lines[run["line"] - 1] for run in (first, second)] == ["$ bench 'a b'", "$ printf end"]
    assert manifest_of(archive)["settings"] == [{"name": "x", "command": "echo set to=x"}]


@pytest.mark.parametrize("word", ["it's", 'a "b"', "$HOME", "a\\b", "*", "é", "-x", "a;b", ""])
def test_words_after_the_dashes_reach_the_command_as_they_are(stage, word):
    stage.program("show", 'printf "%s|" "$@"')
    transcript = unpack(stage.capture(*QUICK, "--", "show", word, "end")) / "session-1/round-1/1-setting-1/transcript.txt"
    assert transcript.read_text().splitlines()[-1] == f"{word}|end|"


def test_sessions_wait_and_are_told_apart_by_their_times(stage):
    archive = stage.capture(*QUICK, "--sessions", "3", "--pause", "61m", "-n", "2", "--run", "echo x")
    runs = manifest_of(archive)["runs"]
    by_session = [[run for run in runs if run["session"] == number] for number in (1, 2, 3)]
    assert [len(one) for one in by_session] == [2, 2, 2]
    for earlier, later in pairwise(by_session):
        assert (later[0]["started_at"] - earlier[-1]["ended_at"]).total_seconds() > 3600


def test_it_ends_for_a_reboot_and_goes_on_after_it(stage):
    said = stage.run("--out", "c", *QUICK, "--sessions", "2", "--reboot-between", "--run", "echo x")
    assert "Reboot, then" in said
    assert "Reboot, then" in stage.run("--resume", "c"), "nothing was rebooted"
    ended = stage.folder / "c/ended-1"
    ended.write_text(f"{ended.read_text().split()[0]} another-boot\n")
    stage.run("--resume", "c")
    assert [run["session"] for run in manifest_of(stage.folder / "c.tar.gz")["runs"]] == [1, 2]


def test_boots_are_numbered(plain):
    plain.run("--out", "c", *QUICK, "--sessions", "2", "--reboot-between", "--run", "echo x")
    for name in ("boots", "ended-1"):
        note = plain.folder / "c" / name
        note.write_text(re.sub(r"\S+$", "another-boot", note.read_text()))
    plain.run("--resume", "c")
    assert [run["boot"] for run in manifest_of(plain.folder / "c.tar.gz")["runs"]] == [1, 2]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--colour", "red"), "not an option"),
        (("-n",), "lacks its value"),
        (("-n", "many", "--run", "x"), "number"),
        (("-n", "0", "--run", "x"), "at least one"),
        (("--set", "true"), "without a command"),
        (("--as", "x", "--run", "x"), "--set before it"),
        (("--set", "true", "--as", "a b", "--run", "x"), "letters"),
        (("--pause", "soon", "--run", "x"), "61m"),
        (("--",), "no command"),
        (("--resume", "nowhere"), "no capture"),
        (("--out", "bin", "--run", "x"), "there already"),
        (("--host", "a b", "--run", "x"), "letters"),
    ],
)
def test_misuse_is_told_and_makes_nothing(plain, options, said):
    before = sorted(plain.folder.iterdir())
    assert said in plain.run(*options, fails=True)
    assert sorted(plain.folder.iterdir()) == before


def test_sessions_too_near_each_other_are_told(plain):
    assert "count as one" in plain.run("--out", "c", *QUICK, "--sessions", "2", "--pause", "30m", "--run", "echo x")


def test_a_setting_that_fails_stops_the_capture_which_goes_on_when_it_is_mended(stage):
    options = ("--blocks", "--seed", "1", "--set", "test -e mended", "--as", "a", "--set", "true", "--as", "b", "--run", "echo x")
    said = stage.run("--out", "c", *QUICK, *options, fails=True)
    assert "test -e mended" in said and "--resume" in said
    (stage.folder / "mended").touch()
    stage.run("--resume", "c")
    assert sorted(run["setting"] for run in manifest_of(stage.folder / "c.tar.gz")["runs"]) == ["a", "b"]


def test_it_writes_in_its_folder_only_and_deletes_nothing_else(plain):
    stage = plain
    (stage.folder / "mine").mkdir()
    (stage.folder / "mine/file").write_text("kept")
    before = {path: path.stat().st_mtime_ns for path in stage.folder.rglob("*")}
    stage.capture("--no-drop", "--beside", "1", *SETTINGS, "--blocks", "--", "echo", "x")
    after = {path: path.stat().st_mtime_ns for path in stage.folder.rglob("*")}
    ours = {path for path in after if path.relative_to(stage.folder).parts[0] in ("capture", "capture.tar.gz", "clock")}
    assert {path for path in after if path not in ours} | {stage.folder / "clock"} == set(before)


def test_samples_stand_beside_the_results(tmp_path):
    stage = Stage(tmp_path)
    for name in ("iostat", "vmstat"):
        stage.program(name, f"while :; do echo {name} sample; sleep 0.1; done")
    folder = unpack(stage.capture(*QUICK, "--beside", "1", "--run", "sleep 0.5")) / "session-1/round-1/1-setting-1"
    for name in ("iostat", "vmstat"):
        assert f"{name} sample" in (folder / f"{name}.txt").read_text()
    time.sleep(1.5)
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in left, "no sampler goes on"


def _kill_at(stage: Stage, delay: float, *options: str) -> None:
    """Start, kill with SIGKILL after that many seconds: the kit alone, as the system does when memory is short."""
    running = stage.start(*options)
    time.sleep(delay)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    if running.stdout:
        running.stdout.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(2), deadline=None)
@given(delays=st.lists(st.floats(0.02, 1.2), min_size=1, max_size=3), shell=st.sampled_from(SHELLS))
def test_killed_at_any_point_it_goes_on_and_has_each_run_once(tmp_path_factory, delays, shell):
    stage = Stage(tmp_path_factory.mktemp("killed"), shell)
    stage.program("bench", 'echo "$1" >>"$DONE"; sleep 0.05; echo result of $1')
    stage.environment["DONE"] = str(stage.folder / "done")
    options = ("--out", "c", "--no-drop", "-n", "2", "--blocks", *SETTINGS, "--run", "bench one", "--run", "bench two")
    for number, delay in enumerate(delays):
        started = (stage.folder / "c/plan").exists()
        if not started and (stage.folder / "c").exists():
            (stage.folder / "c").rename(stage.folder / f"stopped-{number}")  # nothing had begun
        _kill_at(stage, delay, *(("--resume", "c") if started else options))
        time.sleep(0.5)  # a mkdir that the killed shell had begun still ends
    if (stage.folder / "c/plan").exists():
        stage.run("--resume", "c")
    else:
        (stage.folder / "c").rename(stage.folder / "stopped") if (stage.folder / "c").exists() else None
        stage.run(*options)
    archive = stage.folder / "c.tar.gz"
    manifest = manifest_of(archive)
    kept = [run for run in manifest["runs"] if "-stopped-" not in run["file"]]  # what was begun before is there too
    runs = Counter((run["round"], run["setting"], run["command"]) for run in kept)
    assert set(runs.values()) == {1}
    assert [run["number"] for run in manifest["runs"]] == [*range(1, manifest["chain"]["made"] + 1)]
    assert [one.message for one in read([archive]) if isinstance(one, Warning) and one.code == CODE] == []
    assert len(runs) == 2 * 3 * 2
    folder = unpack(archive)
    for file in {run["file"] for run in kept}:
        assert re.findall(r"result of \w+", (folder / file).read_text()) == ["result of one", "result of two"]


def test_two_captures_never_work_in_one_folder(tmp_path):
    stage = Stage(tmp_path)
    running = stage.start("--out", "c", *QUICK, "--run", "sleep 3")
    while not (stage.folder / "c/running").exists():
        time.sleep(0.05)
    assert "works in" in stage.run("--resume", "c", fails=True)
    said, _ = running.communicate(timeout=30)
    assert running.returncode == 0, said


def test_a_signal_stops_it_at_once_between_sessions_and_it_says_how_to_go_on(tmp_path):
    stage = Stage(tmp_path, "dash")
    running = stage.start("--out", "c", *QUICK, "--sessions", "2", "--run", "echo x")
    while not (stage.folder / "c/ended-1").exists():
        time.sleep(0.05)
    time.sleep(0.3)
    running.terminate()
    said, _ = running.communicate(timeout=10)
    assert running.returncode == 130 and "--resume" in said
    assert not (stage.folder / "c/lock").exists()


@pytest.mark.parametrize(
    ("name", "script", "said"),
    [
        ("date", "exit 1", "date failed"),
        ("date", "exit 0", "printed no time"),
        ("date", "echo 1 2 3 4 5 6", "printed no time"),
        ("date", "echo 2027 010 aa bb cc 2027-01-10Taa:bb:cc", "printed no time"),
        ("date", 'exec /bin/date -u -d "@$BEGAN" "$2"', "did not go on"),
        ("sleep", "exit 1", "sleep failed"),
        ("sleep", "kill -9 $$", "sleep failed"),
        ("sleep", "exit 0", None),
    ],
)
def test_it_ends_where_the_clock_or_a_rest_fails_and_goes_on_when_that_is_mended(stage, name, script, said):
    real, mended = stage.folder / "bin" / f"real-{name}", stage.folder / "mended"
    shutil.copy(stage.folder / "bin" / name, real)
    stage.program(name, f'[ -e {mended} ] || [ ! -e {stage.folder}/c/ended-1 ] && exec {real} "$@"\n{script}')
    options = ("--out", "c", *QUICK, "--sessions", "2", "--pause", "100s", "--run", "echo x")
    if said is None:  # the clock of this stage goes on by each look at it
        stage.run(*options)
    else:
        text = stage.run(*options, fails=True)
        assert said in text and "--resume" in text
        mended.touch()
        stage.run("--resume", "c")
    assert [run["session"] for run in manifest_of(stage.folder / "c.tar.gz")["runs"]] == [1, 2]


def test_it_begins_nothing_without_a_time_and_no_second_run_while_the_clock_stands_still(plain):
    plain.program("sleep", "exit 0")
    plain.program("date", "exit 1")
    assert "date failed" in plain.run("--out", "c", *QUICK, "--run", "echo x", fails=True)
    assert not (plain.folder / "c").exists()
    plain.program("date", 'exec /bin/date -u -d "@$BEGAN" "$2"')
    assert "stands still" in plain.run("--out", "c", *QUICK, "-n", "2", "--run", "echo x", fails=True)


def test_what_watches_beside_a_capture_does_not_move_the_clock(plain):
    plain.program("vmstat", "exec /bin/sleep 60")
    archive = plain.capture(*QUICK, "--beside", "1", "-n", "2", "--run", "/bin/sleep 1.5")
    assert [run["seconds"] for run in manifest_of(archive)["runs"]] == [1, 1]


def test_the_first_instant_is_that_of_the_clock(plain):
    [run] = manifest_of(plain.capture(*QUICK, "--run", "echo x"))["runs"]
    assert START < run["started_at"].timestamp() < START + 60


def test_what_disks_moved_around_a_benchmark_is_read_back(plain, tmp_path):
    """A real write of a few MiB and two real reads, of which the second comes from memory."""
    file = tmp_path / "data"
    runs = (f"dd if=/dev/urandom of={file} bs=1M count=4 conv=fdatasync", f"dd if={file} of=/dev/null bs=1M")
    archive = plain.capture("--no-drop", "--run", runs[0], "--run", runs[1], "--run", runs[1])
    transcript = next(unpack(archive).rglob("transcript.txt")).read_text().split("\n")
    readings = [at for at, line in enumerate(transcript) if line.startswith("$ ") and line.endswith("/proc/diskstats")]
    commands = [at for at, line in enumerate(transcript) if line.startswith("$ dd ")]
    assert transcript.index("$ uptime") < readings[0]
    assert len(readings) == 6 and all(readings[2 * at] < one < readings[2 * at + 1] for at, one in enumerate(commands))
    if not any(map(_WHOLE.search, Path("/proc/diskstats").read_text().split("\n"))):
        return  # a system without disks of its own
    moved = {record.line: record.moved for record in read([archive]) if isinstance(record, Measurement)}
    size = 4 * 2**20
    claims = [(one.claimed_read, one.claimed_written) for one in moved.values()]
    assert claims == [(0, size), (size, 0), (size, 0)]
