"""manage.py archive and manage.py block: what staff does in the web, on the command line."""

from __future__ import annotations

import json
import os
import platform
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from webapp.accounts import audit
from webapp.models import Archive, AuditEntry, Block
from webapp.storage.load import write_beginning
from webapp.storage.locks import lock_archive
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def run(*args: str) -> str:
    out = StringIO()
    call_command(*args, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def archive() -> Archive:
    return samples.received(samples.tar({"a.txt": samples.dd(2.5)}))


def test_the_list_is_aligned(archive):
    waiting = making.archive(owner="a-rather-long-name", name="waiting.tar")
    Archive.objects.filter(pk=waiting.pk).update(size=123_456_789, title="two\nlines \x1b[31m\u202e")
    head, *lines = run("archive", "list").splitlines()
    assert head.split() == ["ID", "STATE", "OWNER", "BYTES", "TITLE"] and len(lines) == 2
    assert {line.index(word) for line, word in ((head, "TITLE"), (lines[0], "results.tar"), (lines[1], "two"))} == {
        head.index("TITLE")
    }
    end = head.index("BYTES") + len("BYTES")
    assert lines[1][:end].endswith("123456789") and lines[0][:end].endswith(str(archive.size))
    assert lines[1].endswith("two\u27e8LF\u27e9lines \u27e8ESC\u27e9[31m\u27e8U+202E\u27e9")
    assert lines[0].split()[:3] == [str(archive.pk), "public", "ann"]


def test_the_list_as_json_and_by_state(archive):
    making.archive(name="waiting.tar")
    told = json.loads(run("archive", "list", "--json", "--state", "public"))
    assert [(one["id"], one["state"], one["owner"], one["size"], one["title"], one["sha256"]) for one in told] == [
        (archive.pk, "public", "ann", archive.size, "results.tar", archive.sha256)
    ]


def test_what_is_being_read_says_since_when_which_attempt_and_which_process(client):
    stuck, lost = (making.archive(name=name) for name in ("stuck.tar", "lost.tar"))
    for row, attempt in ((stuck, 2), (lost, 1)):
        write_beginning(row.pk, attempt)
    with lock_archive(stuck.pk) as is_locked:
        assert is_locked
        _, *lines = run("archive", "list", "--state", "unread").splitlines()
        told = {one["id"]: one["reading"] for one in json.loads(run("archive", "list", "--json"))}
        status = client.get("/status").text
    began = Archive.objects.get(pk=stuck.pk).began_at
    process = f"process {os.getpid()} on {platform.node()}"
    assert f"stuck.tar (being read since {began:%-d %B %Y, %H:%M:%S} UTC, attempt 2 of 5, by {process} (database" in lines[0]
    assert "attempt 1 of 5, by no process: it will be read again)" in lines[1]
    assert told[lost.pk]["process"] is None and told[stuck.pk]["process"].startswith(process)
    assert (told[stuck.pk]["since"], told[stuck.pk]["attempt"]) == (began.isoformat(), 2)
    assert f"Archive {stuck.pk} since" in status and process in status and "stuck.tar" not in status
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('application_name')")
        assert process not in cursor.fetchone()[0]


def test_an_empty_list_has_its_head():
    assert run("archive", "list").split() == ["ID", "STATE", "OWNER", "BYTES", "TITLE"]
    assert json.loads(run("archive", "list", "--json")) == []


def test_unpublish_withdraw_delete(archive):
    number = str(archive.pk)
    assert run("archive", "unpublish", number, "--reason", "asked") == f"archive {number}, results.tar, is private.\n"
    assert run("archive", "unpublish", number) == f"archive {number}, results.tar, is not public; nothing was changed.\n"
    with pytest.raises(CommandError, match="--reason"):
        run("archive", "withdraw", number)
    run("archive", "withdraw", number, "--reason", "Copied.")
    assert Archive.objects.get().withdrawn_reason == "Copied."
    run("archive", "delete", number)
    assert not Archive.objects.exists()
    told = AuditEntry.objects.order_by("id").values_list("action", "via", "who", "reason", "archive", "sha256")
    who, about = audit.command_line_actor().name, (archive.pk, archive.sha256)
    assert list(told) == [
        (action, "command line", who, reason, *about)
        for action, reason in (("publish", ""), ("unpublish", "asked"), ("withdraw", "Copied."), ("delete", ""))
    ]


@pytest.mark.parametrize("command", [("archive", "accept"), ("accept",)])
def test_accept_and_undo(archive, command):
    number = str(archive.pk)
    assert run(*command, number, "--reason", "Read it.") == f"archive {number}, results.tar, is accepted for front pages.\n"
    archive.refresh_from_db()
    assert archive.is_accepted and (archive.accepted_by, archive.accepted_reason) == (None, "Read it.")
    assert [one["id"] for one in json.loads(run("archive", "list", "--json", "--state", "accepted"))] == [archive.pk]
    assert "nothing was changed" in run(*command, number)
    assert "is no longer accepted for front pages." in run(*command, number, "--undo", "--reason", "A loose cable.")
    archive.refresh_from_db()
    assert not archive.is_accepted and archive.is_public and archive.accepted_reason == ""
    assert [one["id"] for one in json.loads(run("archive", "list", "--json", "--state", "not accepted"))] == [archive.pk]
    assert "is not accepted; nothing was changed" in run(*command, number, "--undo")
    acts = AuditEntry.objects.filter(archive=archive.pk).order_by("id").values_list("action", "via", "reason")
    assert list(acts)[1:] == [
        ("accept", "command line", "Read it."),
        ("revoke-acceptance", "command line", "A loose cable."),
    ]


def test_curators(archive):
    making.user("bob")
    assert run("curator", "bob") == "bob is a curator.\n"
    assert run("curator", "bob") == "bob is a curator; nothing was changed.\n"
    assert run("curator", "bob", "--remove") == "bob is not a curator.\n"
    assert "nothing was changed" in run("curator", "bob", "--remove")
    acts = AuditEntry.objects.filter(about="bob").order_by("id").values_list("action", flat=True)
    assert list(acts) == ["add-curator", "remove-curator"]
    with pytest.raises(CommandError, match="There is no account nobody"):
        run("curator", "nobody")


@pytest.mark.parametrize("number", ["999999999", "0", "x", "9" * 40, "²"])
@pytest.mark.parametrize("action", ["unpublish", "withdraw", "delete", "accept"])
def test_a_wrong_number_is_a_sentence(action, number):
    with pytest.raises(CommandError, match="There is no archive") as error:
        run("archive", action, number, "--reason", "x")
    assert error.value.returncode == 1


def test_block_and_unblock_an_account():
    ann = making.user("ann")
    assert run("block", "ann", "--reason", "spam") == "ann is blocked. The archives of this account stay as they are.\n"
    assert "already" in run("block", "ann")
    ann.refresh_from_db()
    assert not ann.is_active and Block.objects.get().reason == "spam"
    run("block", "--remove", "ann")
    ann.refresh_from_db()
    assert ann.is_active and not Block.objects.exists()
    assert [(one.action, one.about, one.via) for one in AuditEntry.objects.order_by("id")] == [
        ("block", "ann", "command line"),
        ("unblock", "ann", "command line"),
    ]


def test_block_and_unblock_bytes(archive):
    assert run("block", archive.sha256.upper()) == (f"{archive.sha256} is blocked. Archives that became private: 1.\n")
    assert not Archive.objects.get().is_public
    run("block", archive.sha256, "--remove")
    assert not Block.objects.exists()


@pytest.mark.parametrize("args", [("nobody",), ("--remove", "nobody"), ("--remove", "0" * 64)])
def test_what_is_not_there_is_a_sentence(args):
    with pytest.raises(CommandError, match=r"neither an account|is not blocked") as error:
        run("block", *args)
    assert error.value.returncode == 1
