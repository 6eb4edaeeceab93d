"""What the start says where a site is meant for several machines and something is of this one alone."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.contrib.auth import get_user_model

from webapp.infrastructure import checks
from webapp.management.commands import prepare
from webapp.tests.serving import ROOT, environment

ALL = {"DATABASE_URL": "postgresql://host/db", "REDIS_URL": "redis://host", "SECRET_KEY": "text"}
BUCKET, FOLDER = "s3://bucket/site", "/mnt/store"
EVERYTHING = ["web", "worker", "scheduler"]


@pytest.mark.parametrize(
    ("store", "roles", "named", "said"),
    [
        ("", EVERYTHING, {}, []),
        (FOLDER, EVERYTHING, {}, []),
        ("", EVERYTHING, ALL, []),
        (BUCKET, EVERYTHING, ALL, []),
        (BUCKET, ["worker"], ALL, []),
        (FOLDER, ["worker"], ALL, []),
        (BUCKET, EVERYTHING, {**ALL, "REDIS_URL": ""}, ["the queue is a folder of this machine (REDIS_URL is not set)"]),
        (BUCKET, EVERYTHING, {}, ["DATABASE_URL", "REDIS_URL", "SECRET_KEY"]),
        ("", ["web"], ALL, ["bytes of archives are in a folder of this machine (POOLMARK_STORE is not set)"]),
        (FOLDER, ["web", "scheduler"], {**ALL, "SECRET_KEY": ""}, ["SECRET_KEY"]),
    ],
)
def test_what_other_machines_lack_is_said(settings, monkeypatch, store, roles, named, said):
    settings.POOLMARK_STORE, settings.POOLMARK_ROLES = store, roles
    for name in ALL:
        monkeypatch.setenv(name, named.get(name, ""))
    found = checks.find_missing()
    assert len(found) == bool(said)
    for word in said:
        assert word in found[0]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("POOLMARK_ROLES", "web,reader", "should be some of web, worker, scheduler"),
        ("POOLMARK_DRAIN_SECONDS", "soon", "should be a number of seconds"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(tmp_path, name, value, said):
    done = subprocess.run(
        [sys.executable, "script/supervise.py", "--port", "0"],
        cwd=ROOT,
        env=environment(tmp_path, **{name: value}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and said in done.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(("roles", "made"), [(EVERYTHING, 1), (["web"], 1), (["worker"], 0), (["scheduler", "worker"], 0)])
def test_the_owner_is_made_where_somebody_can_sign_in(settings, monkeypatch, capsys, roles, made):
    """The link works once, and is not to be lost in the log of a worker."""
    settings.POOLMARK_ROLES = roles
    monkeypatch.setattr(prepare, "call_command", lambda *args, **options: None)
    monkeypatch.setattr(prepare.Command, "_collect", lambda self: None)
    prepare.Command().handle(address="http://localhost:1/", link_to=None)
    assert get_user_model().objects.count() == made
    assert capsys.readouterr().out.count("/sign-in/") == made
