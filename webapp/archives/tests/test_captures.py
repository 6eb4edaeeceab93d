"""Archives of the capture kit through the whole way of an upload: their sessions, rounds and settings, and what may be claimed."""

from __future__ import annotations

import random
import tarfile

import pytest

from client.tests.running import Stage, manifest_of, unpack
from ingest.tests.thinning import some
from webapp.models import Note, Run, Session
from webapp.tests import samples

TIB = 2**40
QUERY = "metric=read.throughput&x=recordsize&baseline=recordsize:131072"
# No compression: of a file whose contents nobody knows, no claim about that goes beyond its sessions.
_ZFS = "exit 0"
_DD = """
read -r seconds rate <"$RATES/$(cat "$RATES/at")"
echo $(($(cat "$RATES/at") + 1)) >"$RATES/at"
echo "4194304+0 records in"
echo "4194304+0 records out"
echo "4398046511104 bytes (4.4 TB, 4.0 TiB) copied, $seconds s, $rate GB/s"
"""
_MACHINE = """$ uname -a
Linux tankhost 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 x86_64 GNU/Linux
$ lscpu
Architecture:          x86_64
CPU(s):                8
Model name:            Intel(R) Xeon(R) CPU E5-1620 v2 @ 3.70GHz
$ free -b
               total        used        free      shared  buff/cache   available
Mem:     67424116736  1000000000 60000000000           0  6424116736 60000000000
$ mount
tank on /tank type zfs (rw,relatime,xattr,noacl)
"""
SECONDS = 4000.0
ROUNDS = 3


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path)
    made.turn_clock()
    (tmp_path / "machine").write_text(_MACHINE)
    for name, script in {"zfs": _ZFS, "dd": _DD, "zpool": "exit 1"}.items():
        made.program(name, script)
    return made


def _plan_rates(stage: Stage, seed: int, sessions: int, factor: float, blocks: bool = True) -> None:
    """What each run takes, in the order of a first capture that only says which setting ran when.

    1 MiB takes `factor` as long as 128 KiB, with 1 % of noise, and sessions differ by 2 %.
    """
    rates = stage.folder / "rates"
    rates.mkdir(exist_ok=True)
    stage.environment["RATES"] = str(rates)
    noise = random.Random(seed)
    of_sessions = [noise.gauss(0, 0.02) for _ in range(sessions)]
    for number in range(2 * ROUNDS * sessions):
        (rates / str(number)).write_text("4000 1.1\n")
    (rates / "at").write_text("0\n")
    first = manifest_of(_capture(stage, seed, sessions, blocks, name="order"))
    order = sorted(first["runs"], key=lambda run: run["started_at"])
    for number, run in enumerate(order):
        length = SECONDS * (factor if run["setting"] == "1M" else 1) * (1 + of_sessions[run["session"] - 1] + noise.gauss(0, 0.01))
        (rates / str(number)).write_text(f"{length:.3f} {4 * TIB / length / 1e9:.1f}\n")
    (rates / "at").write_text("0\n")


def _capture(stage: Stage, seed: int, sessions: int, blocks: bool = True, name: str = "capture"):
    stage.turn_clock()
    settings = [word for value in ("128K", "1M") for word in ("--set", f"zfs set recordsize={value} tank")]
    plan = ["--no-evidence", "--no-drop", "--evidence", "cat machine", "-n", str(ROUNDS), "--seed", str(seed)]
    plan += ["--sessions", str(sessions), *([] if blocks else ["--no-blocks"])]
    return stage.capture(*plan, *settings, "--run", "dd if=/tank/file of=/dev/null bs=1M", name=name)


def _group(client, archive, value: str = "1048576"):
    found = client.get(f"/compare.json?{QUERY}&archive={archive.pk}").json()
    [group] = [group for panel in found["panels"] for group in panel["groups"] if group["x"] == value]
    return found, group


def _uploaded(path):
    return samples.received(path.read_bytes(), path.name)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", some(range(6), every=3))
@pytest.mark.parametrize(
    ("sessions", "claim"), [(3, "faster on this system"), (1, "faster in this session")], ids=["three sessions", "one session"]
)
def test_ten_percent_are_seen_and_the_claim_goes_as_far_as_the_sessions(client, stage, seed, sessions, claim):
    _plan_rates(stage, seed, sessions, factor=0.9)
    archive = _uploaded(_capture(stage, seed, sessions))
    assert Session.objects.filter(archive=archive).count() == sessions
    found, group = _group(client, archive)
    assert found["design"] == "controlled"
    assert (group["claim"], group["n"], group["sessions"], group["doubts"]) == (claim, ROUNDS * sessions, sessions, [])


@pytest.mark.django_db
def test_settings_that_never_alternated_do_not_exclude_drift(client, stage):
    _plan_rates(stage, 4, 1, 0.9, blocks=False)
    archive = _uploaded(_capture(stage, 4, 1, blocks=False))
    _, group = _group(client, archive)
    assert group["claim"] == "faster in this session"
    [doubt] = group["doubts"]
    assert doubt.endswith("ran first every time: drift not excluded")


@pytest.mark.django_db
def test_equal_settings_show_no_difference(client, stage):
    _plan_rates(stage, 5, 3, factor=1.0)
    _, group = _group(client, _uploaded(_capture(stage, 5, 3)))
    assert group["claim"] == "no difference seen"


@pytest.mark.django_db
def test_a_run_has_its_session_round_setting_and_times(stage):
    _plan_rates(stage, 6, 1, factor=0.9)
    archive = _uploaded(_capture(stage, 6, 1))
    runs = list(Run.objects.filter(archive=archive, tool="dd"))
    assert len(runs) == 2 * ROUNDS
    for run in runs:
        assert {"128K": 2**17, "1M": 2**20}[run.details["setting"]] == run.configuration.pool_recordsize
        assert (run.details["session"], run.details["exit_status"]) == (1, 0)
        assert run.started_at and run.started_at.endswith("+00:00")
    assert {run.details["round"] for run in runs} == {1, 2, 3}
    assert not Note.objects.filter(archive=archive, code__in=("bad-manifest", "disagree", "conflict")).exists()


@pytest.mark.django_db
def test_the_page_says_how_many_runs_were_made_and_are_here(client, stage, tmp_path):
    _plan_rates(stage, 5, 1, 0.9)
    whole = _capture(stage, 5, 1)
    folder = unpack(whole)
    dropped = next(folder.glob("session-1/round-2/1-*/transcript.txt"))
    dropped.unlink()
    with tarfile.open(tmp_path / "dropped.tar.gz", "w:gz") as tar:
        tar.add(folder, folder.name)
    made = 2 * ROUNDS
    for path, sentence in (
        (whole, f"{made} runs were made, {made} are here"),
        (tmp_path / "dropped.tar.gz", f"{made} runs were made, {made - 1} are here: run 3 is missing"),
    ):
        archive = _uploaded(path)
        page = client.get(f"/archives/{archive.pk}").content.decode()
        assert f"<dt>Runs</dt><dd>{sentence}</dd>" in page
        assert ("run-chain" in page) == (path != whole)
