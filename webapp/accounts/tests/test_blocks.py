"""Blocked accounts and bytes: who meets the block is told why, and nothing comes in past it."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from webapp.accounts import audit, blocklist, sign_in_links
from webapp.archives import lifecycle, upload
from webapp.files import blobs
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive, AuditEntry, Block
from webapp.storage.tests.test_load import check_everything
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture
def public() -> Archive:
    return samples.received(samples.tar({"b.txt": samples.dd(4)}))


class TestBlockedAccount:
    @pytest.fixture
    def blocked(self, root, public):
        answer = root.post(reverse("staff-block"), {"what": "ann", "reason": "Uploads spam."}, follow=True)
        assert "Uploads spam." in answer.text and "Unblock" in answer.text
        return making.user("ann")

    def test_a_reason_is_required_and_asked_for(self, root):
        making.user("ann")
        assert "They are signed out" in root.get(reverse("staff-block"), {"what": "ann"}).text
        assert "Give a reason" in root.post(reverse("staff-block"), {"what": "ann", "reason": " "}).text
        assert not Block.objects.exists()

    def test_it_is_signed_out_and_cannot_come_in(self, client, root, public):
        ann = making.user("ann")
        ann.set_password("x" * 12)
        ann.save()
        theirs, secret = type(client)(), sign_in_links.make_token(ann)
        theirs.force_login(ann)
        assert theirs.get(reverse("upload")).status_code == 200
        root.post(reverse("staff-block"), {"what": "ann", "reason": "Uploads spam."})
        assert theirs.get(reverse("upload")).status_code == 302
        assert theirs.post(reverse("archive-publish", args=[public.pk]), {"licence": "CC0-1.0"}).status_code == 302
        link = theirs.post(reverse("sign-in-link", args=[secret]))
        assert link.status_code == 410 and "The account ann is blocked: Uploads spam." in link.text
        fresh = type(client)()
        fresh.post(reverse("sign-in"), {"username": "ann", "password": "x" * 12})
        assert "_auth_user_id" not in fresh.session
        with pytest.raises(CommandError, match="The account ann is blocked: Uploads spam"):
            call_command("sign_in_link", user="ann")

    def test_its_archives_stay_and_can_all_be_unpublished(self, root, public, blocked):
        assert Archive.objects.get().is_public
        offer = reverse("staff-unpublish-all", args=[blocked.pk])
        assert offer in root.get(reverse("staff-users")).text and "1 archive leaves" in root.get(offer).text
        assert "1 archive of ann became private." in root.post(offer, {"reason": "spam"}, follow=True).text
        assert not Archive.objects.get().is_public
        assert AuditEntry.objects.filter(action="unpublish", archive=public.pk, who="root", reason="spam").count() == 1

    def test_it_cannot_upload_by_the_command_either(self, blocked, tmp_path):
        (tmp_path / "new.txt").write_bytes(samples.dd(7))
        with pytest.raises(CommandError, match="1 of 1"):
            call_command("ingest", str(tmp_path / "new.txt"), user="ann")
        assert Archive.objects.count() == 1 and not list((blobs.folder() / "incoming").iterdir())

    def test_the_block_is_removed(self, root, blocked):
        root.post(reverse("staff-unblock"), {"what": "ann"})
        assert making.user("ann").is_active and not Block.objects.exists()

    def test_nobody_blocks_himself(self, root):
        assert "cannot block your own" in root.post(reverse("staff-block"), {"what": "root", "reason": "x"}, follow=True).text
        assert not Block.objects.exists()


class TestBlockedBytes:
    def block(self, digest: str) -> tuple[bool, int]:
        return lifecycle.block_bytes(digest, "Customer data.", audit.actor_of(making.staff()))

    def test_they_are_refused_whoever_sends_them(self, client, public):
        data = blobs.path(public.sha256).read_bytes()
        lifecycle.perform_action(public.pk, "delete", audit.actor_of(making.staff()))
        self.block(public.sha256)
        client.force_login(making.user("bob"))
        answer = client.post(reverse("upload"), {"files": SimpleUploadedFile("again.tar", data)})
        assert answer.status_code == 403 and "again.tar: This archive is blocked: Customer data." in answer.text
        both = client.post(
            reverse("upload"),
            {
                "files": [
                    SimpleUploadedFile("again.tar", data),
                    SimpleUploadedFile("other.tar", samples.tar({"c.txt": samples.dd(3)})),
                ]
            },
            headers={"accept": "application/json"},
        )
        assert both.status_code == 201 and both.json()["refused"] == ["again.tar: This archive is blocked: Customer data."]
        assert Archive.objects.get().name == "other.tar" and not list((blobs.folder() / "incoming").iterdir())

    def test_the_command_says_so(self, tmp_path, capsys):
        (tmp_path / "new.txt").write_bytes(samples.dd(7))
        self.block(blobs.write_incoming([samples.dd(7)]).sha256)
        with pytest.raises(CommandError, match="1 of 1"):
            call_command("ingest", str(tmp_path / "new.txt"))
        assert "new.txt: This archive is blocked: Customer data." in capsys.readouterr().out

    def test_archives_of_them_become_private_and_stay_so(self, client, public):
        other = samples.received(blobs.path(public.sha256).read_bytes(), owner="bob")
        assert other.pk == public.pk  # the public one was found
        assert self.block(public.sha256) == (True, 1) and self.block(public.sha256) == (False, 0)
        check_everything()
        client.force_login(making.user("ann"))
        page = client.post(reverse("archive-publish", args=[public.pk]), {"licence": "CC0-1.0"}, follow=True).text
        assert "This archive is blocked: Customer data." in page and not Archive.objects.get().is_public
        entries = AuditEntry.objects.filter(sha256=public.sha256).order_by("id")
        assert [one.action for one in entries] == ["publish", "block", "unpublish"]

    def test_a_withdrawn_one_does_not_come_back(self, client, public):
        lifecycle.perform_action(public.pk, "withdraw", audit.actor_of(making.user("ann")), "wrong")
        self.block(public.sha256)
        client.force_login(making.user("ann"))
        assert "is blocked" in client.post(reverse("archive-unwithdraw", args=[public.pk]), follow=True).text
        assert Archive.objects.get().withdrawn_at

    def test_they_are_not_read_again(self, public):
        self.block(public.sha256)
        Archive.objects.update(state="received")
        assert ingest_archive(public.pk) == "failed"
        assert Archive.objects.get().failure == "This archive is blocked: Customer data."
        lifecycle.remove_block(Block.objects.get(), audit.actor_of(making.staff()))
        Archive.objects.update(state="received")
        assert ingest_archive(public.pk) == "read"

    def test_they_are_listed_and_unblocked(self, root, public):
        page = root.get(reverse("staff-block"), {"what": public.sha256}).text
        assert "1 public archive will become private" in page
        page = root.post(reverse("staff-block"), {"what": public.sha256, "reason": "Customer data."}, follow=True).text
        assert "1 archive became private" in page and "Customer data." in page
        root.post(reverse("staff-unblock"), {"what": public.sha256})
        assert not Block.objects.exists() and not Archive.objects.get().is_public

    def test_no_such_thing_is_said(self, root):
        assert "neither an account nor a SHA-256" in root.get(reverse("staff-block"), {"what": "\0<b>nobody"}, follow=True).text


def test_receive_leaves_nothing_of_what_is_blocked(public):
    lifecycle.block_user(making.user("ann"), "spam", audit.actor_of(making.staff()))
    with pytest.raises(blocklist.Blocked, match="The account ann is blocked: spam"):
        upload.receive(blobs.write_incoming([b"x"]), making.user("ann"), "x", send=lambda pk: None)
    assert not list((blobs.folder() / "incoming").iterdir())
