"""What staff may do that others may not: see every archive, unpublish, withdraw, delete, block."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from webapp.accounts import access, audit, sign_in_links
from webapp.archives import lifecycle
from webapp.files import blobs
from webapp.formatting import numbers as shown
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive, AuditEntry, Block, Measurement, Withdrawal
from webapp.storage import load
from webapp.storage.tests.test_load import check_everything
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
PAGES = ("staff", "staff-archives", "staff-users", "staff-blocks", "staff-audit", "staff-block")


@pytest.fixture
def private() -> Archive:
    return samples.received(samples.tar({"a.txt": samples.dd(2.5)}), public=False)


@pytest.fixture
def public() -> Archive:
    return samples.received(samples.tar({"b.txt": samples.dd(4)}))


WHO = {
    "anonymous": AnonymousUser,
    "stranger": lambda: making.user("bob"),
    "owner": lambda: making.user("ann"),
    "staff": making.staff,
    "curator": making.curator,
}
TABLE = {
    #              anonymous stranger owner staff curator
    "look": (False, False, True, True, False),
    "state": (False, False, True, False, False),
    "publish": (False, False, True, False, False),
    "unpublish": (False, False, True, True, False),
    "withdraw": (False, False, True, True, False),
    "unwithdraw": (False, False, True, True, False),
    "delete": (False, False, True, True, False),
    "reread": (False, False, True, False, False),
    "accept": (False, False, False, True, True),
    "revoke-acceptance": (False, False, False, True, True),
}


def test_the_table_names_every_action():
    assert TABLE.keys() == access.ROLES_BY_ACTION.keys()


@pytest.mark.parametrize("action", TABLE)
def test_who_may_do_what(public, action):
    assert tuple(access.may(make(), public, action) for make in WHO.values()) == TABLE[action]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("action", [action for action in TABLE if action not in ("look", "state")])
def test_the_addresses_keep_to_the_table(client, private, public, who, action, monkeypatch):
    monkeypatch.setattr(ingest_archive, "delay", lambda pk: None)
    archive = private if action == "publish" else public
    if action == "unwithdraw":
        lifecycle.perform_action(archive.pk, "withdraw", audit.actor_of(making.user("ann")), "wrong")
    if action == "revoke-acceptance":
        lifecycle.perform_action(archive.pk, "accept", audit.actor_of(making.staff()))
    user = WHO[who]()
    if user.is_authenticated:
        client.force_login(user)
    answer = client.post(reverse(f"archive-{action}", args=[archive.pk]), {"sure": 1, "reason": "because", "licence": "CC-BY-4.0"})
    done = AuditEntry.objects.filter(action=action, archive=archive.pk, via="web", who=user.username).exists()
    allowed = TABLE[action][list(WHO).index(who)]
    assert done == (allowed and action != "reread")
    if allowed:
        assert answer.status_code == 302
    elif who == "anonymous":
        assert answer.url.startswith("/sign-in")
    else:
        assert answer.status_code == 404
    check_everything()


@pytest.mark.parametrize("who", ["anonymous", "stranger", "owner", "curator"])
def test_nobody_else_sees_the_pages(client, who):
    if who != "anonymous":
        client.force_login(WHO[who]())
    for page in PAGES:
        assert client.get(reverse(page)).status_code == 404
    for page, told in (("staff-block", {"what": "ann", "reason": "x"}), ("staff-unblock", {"what": "ann"})):
        assert client.post(reverse(page), told).status_code == 404
    assert client.post(reverse("staff-unpublish-all", args=[making.user("ann").pk])).status_code == 404
    assert not Block.objects.exists() and not AuditEntry.objects.filter(via="web").exists()
    assert "/staff/" not in client.get("/archives").text


def test_the_link_is_in_the_head_of_staff(root):
    assert 'href="/staff/archives"' in root.get("/archives").text


def test_a_curator_is_named_in_the_list(root):
    making.curator()
    making.user("bob")
    page = root.get(reverse("staff-users"))
    assert [row.username for row in page.context["users"] if row.is_curator] == ["cleo"] and ">curator<" in page.text


def test_accepting_asks_first(client, public):
    client.force_login(making.curator())
    address = reverse("archive-accept", args=[public.pk])
    assert "Your name and your reason are shown on its page" in client.get(address).text
    assert client.post(address).status_code == 200 and not Archive.objects.get().is_accepted


def test_a_form_needs_its_token(public):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(making.staff())
    for address, told in (
        (reverse("archive-delete", args=[public.pk]), {"sure": 1}),
        (reverse("staff-block"), {"what": "ann", "reason": "x"}),
        (reverse("staff-unblock"), {"what": "ann"}),
    ):
        assert strict.post(address, told).status_code == 403
    assert Archive.objects.exists() and not Block.objects.exists()


def test_the_local_owner_is_staff(client):
    client.force_login(sign_in_links.local_owner())
    assert client.get(reverse("staff-archives")).status_code == 200


class TestEveryArchive:
    @pytest.fixture
    def every(self, private, public):
        gone = samples.received(samples.dd(9), "gone.txt")
        load.withdraw(gone.pk, "A loose cable.", gone.owner)
        failed, waiting = making.archive(name="broken.tar"), making.archive(name="waiting.tar")
        Archive.objects.filter(pk=failed.pk).update(state="failed", failure="The archive is truncated.")
        return {"private": private, "public": public, "withdrawn": gone, "failed": failed, "unread": waiting}

    def test_all_of_them_stand_in_the_list(self, root, every):
        page = root.get(reverse("staff-archives")).text
        for archive in every.values():
            assert f'href="/archives/{archive.pk}"' in page
        assert "A loose cable." in page and "The archive is truncated." in page

    @pytest.mark.parametrize("state", ["private", "public", "withdrawn", "failed", "unread"])
    def test_each_is_in_one_state(self, root, every, state):
        shown = root.get(reverse("staff-archives"), {"state": state}).context["archives"]
        assert [archive.pk for archive in shown] == [every[state].pk]

    def test_each_has_a_page(self, root, every):
        for state, archive in every.items():
            page = root.get(reverse("archive", args=[archive.pk]))
            assert page.status_code == 200
            assert ("visible to its owner and staff" in page.text) == (state != "public")

    def test_what_is_accepted_and_what_waits_for_it(self, root, every):
        def shown(state: str) -> list[int]:
            return [archive.pk for archive in root.get(reverse("staff-archives"), {"state": state}).context["archives"]]

        public = every["public"].pk
        accept = f'href="{reverse("archive-accept", args=[public])}"'
        assert (shown("accepted"), shown("not accepted")) == ([], [public])
        assert accept in root.get(reverse("staff-archives")).text
        told = {"sure": 1, "reason": "Read every line."}
        assert "is accepted for front pages." in root.post(reverse("archive-accept", args=[public]), told, follow=True).text
        assert (shown("accepted"), shown("not accepted")) == ([public], [])
        assert accept not in root.get(reverse("staff-archives")).text
        archive = Archive.objects.get(pk=public)
        assert (archive.accepted_by.username, archive.accepted_reason) == ("root", "Read every line.")

    def test_words_find(self, root, every):
        def found(words: str) -> set[int]:
            return {archive.pk for archive in root.get(reverse("staff-archives"), {"q": words}).context["archives"]}

        assert found("broken") == {every["failed"].pk}
        assert found(every["public"].sha256[:20].upper()) == {every["public"].pk}
        assert found("ann .tar broken") == {every["failed"].pk}
        assert found("100%") == found("\0zzz") == found("9" * 30) == set()
        assert every["unread"].pk in found(str(every["unread"].pk))

    def test_pages_go_on_with_the_filter(self, root):
        for _ in range(60):
            making.archive()
        first = root.get(reverse("staff-archives"), {"state": "unread", "q": "upload"})
        assert len(first.context["archives"]) == 50
        rest = root.get(f"{reverse('staff-archives')}?{first.context['further']}")
        assert len(rest.context["archives"]) == 10 and "state=unread" in first.context["further"]
        seen = [archive.pk for page in (first, rest) for archive in page.context["archives"]]
        assert seen == sorted(seen, reverse=True) and len(set(seen)) == 60

    def test_a_title_cannot_break_it(self, root, private):
        Archive.objects.filter(pk=private.pk).update(title="<script>alert(1)</script>\u202e\x1b[2J" + "x" * 5000)
        for page in (reverse("staff-archives"), reverse("staff-audit")):
            text = root.get(page).text
            assert "<script>alert" not in text and "\u202e" not in text and "\x1b" not in text and "x" * 200 not in text


def test_staff_sees_the_contents_of_a_private_archive_as_private(client, private):
    value = Measurement.objects.of(private.files.get())[0]
    addresses = [
        reverse("archive-raw", args=[private.pk, "a.txt"]),
        reverse("run", args=[value.run_id]),
        reverse("archive-download", args=[private.pk]),
    ]
    client.force_login(making.user("bob"))
    assert [client.get(address).status_code for address in addresses] == [404] * 3
    client.force_login(making.staff())
    for address in addresses[:2]:
        page = client.get(address).text
        assert "Private:" in page and "visible to its owner and staff" in page and "Withdraw" not in page and "Freeze" not in page
    assert client.get(addresses[2]).status_code == 200


def test_what_staff_sees_enters_no_comparison_of_theirs_and_cannot_be_frozen(root, private):
    value = Measurement.objects.of(private.files.get())[0]
    assert root.get("/compare.json", {"archive": private.pk}).json()["panels"] == []
    for address in (reverse("archive-freeze", args=[private.pk]), reverse("run-freeze", args=[value.run_id])):
        assert root.post(address, {"publish_points": "yes"}).status_code == 404


class TestActs:
    def test_unpublished_withdrawn_deleted(self, root, public):
        page = reverse("archive", args=[public.pk])
        assert "its owner can publish it again" in root.get(reverse("archive-unpublish", args=[public.pk])).text.lower()
        assert "is private" in root.post(reverse("archive-unpublish", args=[public.pk]), {"sure": 1}, follow=True).text
        assert "Give a reason" in root.post(reverse("archive-withdraw", args=[public.pk]), {"sure": 1, "reason": " "}).text
        root.post(reverse("archive-withdraw", args=[public.pk]), {"sure": 1, "reason": "Copied from a vendor."})
        assert "Copied from a vendor." in root.get(page).text
        assert Archive.objects.get().withdrawn_at and Measurement.objects.filter(counted=True).count() == 0
        assert root.get(reverse("archive-delete", args=[public.pk])).status_code == 200 and Archive.objects.exists()
        answer = root.post(reverse("archive-delete", args=[public.pk]), {"sure": 1, "reason": "asked by the author"}, follow=True)
        assert answer.request["PATH_INFO"] == reverse("staff-archives") and "is deleted" in answer.text
        assert not Archive.objects.exists() and not blobs.path(public.sha256).exists()
        last = AuditEntry.objects.latest("id")
        assert (last.action, last.who, last.archive, last.title, last.sha256, last.owner, last.reason) == (
            "delete",
            "root",
            public.pk,
            "results.tar",
            public.sha256,
            "ann",
            "asked by the author",
        )

    def test_what_staff_withdrew_its_owner_cannot_take_back(self, client, public):
        lifecycle.perform_action(public.pk, "withdraw", audit.actor_of(making.staff()), "Not yours.")
        client.force_login(making.user("ann"))
        page = client.get(reverse("archive", args=[public.pk])).text
        assert "only staff can undo that" in page and "Undo the withdrawal" not in page
        client.post(reverse("archive-unwithdraw", args=[public.pk]))
        assert Archive.objects.get().withdrawn_at
        client.force_login(making.staff())
        client.post(reverse("archive-unwithdraw", args=[public.pk]))
        assert Archive.objects.get().is_public
        assert Withdrawal.objects.get().restored_by.username == "root"
        check_everything()

    def test_nothing_to_do_is_said_and_not_logged(self, root, private):
        page = root.post(reverse("archive-unpublish", args=[private.pk]), {"sure": 1}, follow=True).text
        assert "it is not public" in page and not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("days", "text"), [(0, "today"), (1, "1 day"), (29, "29 days"), (30, "1 month"), (364, "12 months"), (800, "2 years")]
)
def test_ages_in_words(days, text):
    assert shown.age(days) == text
