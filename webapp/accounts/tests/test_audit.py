"""The audit log: every act has its entry, in the act's own transaction, and no entry is ever changed."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from webapp.accounts import audit
from webapp.archives import lifecycle
from webapp.models import Archive, AuditEntry, Measurement, Withdrawal
from webapp.storage import load, withdrawals
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def entries() -> list[tuple[str, str, str]]:
    return [(one.by, one.action, one.reason) for one in AuditEntry.objects.order_by("id")]


@pytest.mark.thorough
def test_an_owner_s_acts_are_logged(ann):
    archive = samples.received(samples.tar({"a.txt": samples.dd(2.5)}), public=False)
    value = Measurement.objects.of(archive.files.get())[0]

    def post(name: str, *args, **told):
        assert ann.post(reverse(name, args=[archive.pk, *args]), {"sure": 1} | told).status_code == 302

    post("archive-publish", licence="CC0-1.0")
    post("archive-withdraw", reason="wrong disk")
    post("archive-unwithdraw")
    post("archive-unpublish")
    post("archive-withdraw-file", "a.txt", reason="one cable")
    post("archive-restore", Withdrawal.objects.get(what="file").pk)
    post("archive-withdraw-value", value.pk, reason="one spike", shown=withdrawals.fingerprint(value))
    post("archive-delete")
    assert entries() == [
        ("ann", "publish", "Licence: CC0 1.0"),
        ("ann", "withdraw", "wrong disk"),
        ("ann", "unwithdraw", ""),
        ("ann", "unpublish", ""),
        ("ann", "withdraw", "one cable"),
        ("ann", "unwithdraw", ""),
        ("ann", "withdraw", "one spike"),
        ("ann", "delete", ""),
    ]
    told = AuditEntry.objects.filter(action="withdraw").order_by("id").values_list("about", flat=True)
    assert list(told)[:2] == ["", "a.txt"] and list(told)[2].startswith(f"a.txt:{value.line} ")
    assert {(one.archive, one.title, one.sha256, one.owner) for one in AuditEntry.objects.all()} == {
        (archive.pk, "results.tar", archive.sha256, "ann")
    }


@pytest.mark.parametrize("change", [lambda: AuditEntry.objects.update(reason="x"), lambda: AuditEntry.objects.all().delete()])
def test_the_database_refuses_to_change_it(change):
    audit.record("block", audit.command_line_actor(), about="bob", reason="spam")
    with pytest.raises(IntegrityError, match="only added to"), transaction.atomic():
        change()
    assert AuditEntry.objects.get().reason == "spam"


def test_it_cannot_be_emptied_either():
    """Tests switch this trigger off to clean up after themselves."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'auditentry_table_is_frozen'")
        assert "BEFORE TRUNCATE" in cursor.fetchone()[0]


def test_what_fails_leaves_no_entry_and_what_is_logged_was_done(monkeypatch):
    archive = making.archive(public=True, records=making.file_records("a", "a", [1.0]))
    monkeypatch.setattr(audit, "make_entry", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        lifecycle.perform_action(archive.pk, "unpublish", audit.Actor("ann", archive.owner))
    assert Archive.objects.get().is_public and not AuditEntry.objects.exists()
    monkeypatch.undo()
    monkeypatch.setattr(load, "unpublish", lambda pk: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        lifecycle.perform_action(archive.pk, "unpublish", audit.Actor("ann", archive.owner))
    assert not AuditEntry.objects.exists()


def test_the_page_shows_the_latest_first_and_goes_on(client):
    archive = making.archive()
    for at in range(60):
        audit.record("withdraw", audit.actor_of(archive.owner), archive, reason=f"reason {at};")
    audit.record("block", audit.command_line_actor(), about="bob", reason="spam")
    client.force_login(making.staff())
    first = client.get(reverse("staff-audit"))
    assert "spam" in first.text and "user bob" in first.text and "command line (" in first.text
    assert "reason 59;" in first.text and "reason 3;" not in first.text
    assert "reason 3;" in client.get(f"{reverse('staff-audit')}?{first.context['further']}").text
    assert len(client.get(reverse("staff-audit"), {"q": "bob"}).context["entries"]) == 1
    assert len(client.get(reverse("staff-audit"), {"archive": archive.pk + 1}).context["entries"]) == 0
    assert len(client.get(reverse("staff-audit"), {"q": "ann", "archive": archive.pk}).context["entries"]) == 50


def test_an_entry_outlives_archive_and_account(client):
    archive = making.archive(owner="bob", name="bob's.tar")
    lifecycle.perform_action(archive.pk, "delete", audit.actor_of(archive.owner), "")
    archive.owner.delete()
    client.force_login(making.staff())
    page = client.get(reverse("staff-audit"), {"archive": archive.pk}).text
    assert "bob&#x27;s.tar" in page and "deleted" in page and f'href="/archives/{archive.pk}"' not in page


def test_a_user_without_a_name_has_a_number(monkeypatch):
    def nameless() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(audit.getpass, "getuser", nameless)
    assert audit.command_line_actor().name.startswith("uid ")
