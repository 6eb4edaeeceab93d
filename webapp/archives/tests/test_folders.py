"""Whole folders as people bring them, through the whole way of an upload: configurations, sessions, repetitions, doubts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ingest import read
from ingest.records import Measurement, Unmeasured
from webapp.models import Note, Run, Session
from webapp.tests import samples

FOLDERS = Path(__file__).parents[2] / "tests" / "folders"
SETTINGS = {("ext4", "off"), ("xfs", "off"), ("btrfs", "zstd-3")}
FIGURES = {"bonnie++": "write.latency", "iozone": "write.throughput", "fio": "random_read.rate", "dd": "write.elapsed"}


def setting_of(record):
    return record.config["fs.type"], record.config.get("pool.compression")


@pytest.mark.parametrize(("name", "plain"), [("student", None), ("captured", "off")])
def test_each_test_ran_six_times_on_each_of_four_settings(name, plain):
    values = [one for one in read([FOLDERS / f"{name}.tar.xz"]) if isinstance(one, Measurement | Unmeasured)]
    counts = Counter(
        (one.tool, one.metric, one.stat, one.params.get("part"), setting_of(one))
        for one in values
        if not one.duplicate_of and one.params.get("part") != "interval"  # the shortest runs print none
    )
    assert set(counts.values()) == {6}
    settings = SETTINGS | {("btrfs", plain)}
    tools = {tool: {setting for of_tool, *_, setting in counts if of_tool == tool} for tool in {key[0] for key in counts}}
    assert tools == dict.fromkeys(FIGURES if name == "student" else FIGURES.keys() - {"dd"}, settings)
    assert name == "student" or not [one for one in values if one.config.get("mount.discard") == "on" or "btrfs.data" in one.config]


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "sessions"), [("student", 2), ("captured", 1)])
def test_a_folder_has_four_configurations_and_the_sessions_of_its_times(client, name, sessions):
    archive = samples.received((FOLDERS / f"{name}.tar.xz").read_bytes(), f"{name}.tar.xz")
    runs = Run.objects.filter(archive=archive)
    assert runs.values("configuration").distinct().count() == 4
    assert Session.objects.filter(archive=archive).count() == sessions
    assert set(runs.filter(tool="fio").values_list("session__number", flat=True)) == set(range(1, sessions + 1))
    found = client.get(f"/compare.json?metric=random_read.rate&tool=fio&x=fs&archive={archive.pk}").json()
    groups = [group for panel in found["panels"] for group in panel["groups"]]
    assert found["design"] == "controlled" and {group["n"] for group in groups} == {6}
    assert {group["sessions"] for group in groups} == {sessions}


def test_the_images_of_the_folder_lie_on_the_file_system_that_the_notes_name():
    values = [one for one in read([FOLDERS / "student.tar.xz"]) if isinstance(one, Measurement)]
    assert {one.config["fs.stack"] for one in values} == {"ext4/ext4", "xfs/ext4", "btrfs/ext4"}
    assert {one.config_from["fs.stack"] for one in values} == {"student/notes.txt:25"}


def test_days_that_ran_setting_by_setting_have_no_rounds():
    values = [one for one in read([FOLDERS / "student.tar.xz"]) if isinstance(one, Measurement) and "tuesday" in one.file]
    numbered = [one for one in values if "err.txt" not in one.file]
    assert {(one.started_at is None, one.params.get("round")) for one in numbered} == {(True, "none"), (False, None)}


@pytest.mark.django_db
def test_notes_that_contradict_a_dump_are_doubted():
    archive = samples.received((FOLDERS / "student.tar.xz").read_bytes(), "student.tar.xz")
    [doubt] = Note.objects.filter(archive=archive, code="disagree", message__contains="cpu.model")
    assert "AMD EPYC" in doubt.message and "Intel Xeon" in doubt.message
    assert not Note.objects.filter(archive=archive, code__in=("no-command", "level-or-repetition", "unlike-targets"))
