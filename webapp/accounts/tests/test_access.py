"""Who sees what: a table of states and readers, which the rules and the addresses behind them keep to."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from django import conf
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from webapp.accounts import access, api_tokens, audit, sign_in_links
from webapp.archives import lifecycle
from webapp.models import Archive, Collection, Permalink, Run
from webapp.storage import load
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db

WHO = {
    "anonymous": AnonymousUser,
    "stranger": lambda: making.user("bob"),
    "owner": lambda: making.user("ann"),
    "staff": making.staff,
}
ALL, OWN, OWNER, NOBODY = {*WHO}, {"owner", "staff"}, {"owner"}, set()


class Seen(NamedTuple):
    """Who sees of an archive its page, or the tombstone in its place; its contents; who may compare and freeze it; in whose
    comparisons its values are, where they are asked for and where not; who finds it in the list."""

    page: set[str]
    contents: set[str]
    compared: set[str]
    values: set[str]
    listed: set[str]


TABLE = {
    #                           page contents compared values listed
    "private": Seen(OWN, OWN, OWNER, OWNER, OWNER),
    "public": Seen(ALL, ALL, ALL, ALL, ALL),
    "withdrawn": Seen(ALL, OWN, OWNER, NOBODY, ALL),
    "withdrawn, never public": Seen(OWN, OWN, OWNER, NOBODY, OWNER),
    "unread": Seen(OWN, OWN, OWNER, NOBODY, OWNER),
    "unread, to be public": Seen(ALL, ALL, ALL, NOBODY, OWNER),
    "failed": Seen(OWN, OWN, OWNER, NOBODY, OWNER),
    "failed, to be public": Seen(ALL, ALL, ALL, NOBODY, OWNER),
}
WITH_CONTENTS = [state for state in TABLE if not state.startswith(("unread", "failed"))]


@pytest.fixture(scope="module")
def archives(rows_of_module) -> dict[str, Archive]:
    """Ann's archives, one in each state, each measured on a host of its own."""
    found = {}
    for at, state in enumerate(TABLE):
        if state in WITH_CONTENTS:
            text = samples.dd(2.5 + at, damage=True).replace(b"tank", f"host{at}".encode())
            found[state] = samples.received(samples.tar({"a.txt": text}), f"{at}.tar", public=state in ("public", "withdrawn"))
        else:
            found[state] = making.archive(name=f"{at}.tar")
            told = {"state": state.partition(",")[0].replace("unread", "received")}
            told |= {"published_at": timezone.now()} if "public" in state else {}
            Archive.objects.filter(pk=found[state].pk).update(**told)
        if state.startswith("withdrawn"):
            load.withdraw(found[state].pk, "A loose cable.", found[state].owner)
        found[state].refresh_from_db()
    return found


@pytest.fixture(scope="module")
def folder(archives):
    """Where the bytes of the archives are."""
    return conf.settings.POOLMARK_DATA


@pytest.fixture(autouse=True)
def bytes_are_there(data_folder, folder, settings):
    settings.POOLMARK_DATA = folder


@pytest.fixture(params=WHO)
def who(request) -> str:
    return request.param


@pytest.fixture
def user(who):
    return WHO[who]()


@pytest.fixture
def reader(client, user) -> Client:
    if user.is_authenticated:
        client.force_login(user)
    return client


def expected(who: str, column: str, states=TABLE) -> dict[str, bool]:
    return {state: who in getattr(TABLE[state], column) for state in states}


def within(rows, archives: dict[str, Archive]) -> dict[str, bool]:
    found = {row.pk for row in rows}
    return {state: archive.pk in found for state, archive in archives.items()}


class TestRules:
    def test_filters_keep_to_the_table(self, archives, who, user):
        assert within(access.visible_archives(user), archives) == expected(who, "page")
        assert within(access.inspectable_archives(user), archives) == expected(who, "contents")
        assert within(Archive.objects.readable_by(user), archives) == expected(who, "compared")
        listed = [row for some in Archive.objects.listed_for(user) for row in some]
        assert within(listed, archives) == expected(who, "listed")

    def test_rules_of_one_archive_are_those_of_the_filters(self, archives, who, user):
        def told(rule) -> dict[str, bool]:
            return {state: rule(user, archive) for state, archive in archives.items()}

        assert told(access.may_read) == expected(who, "contents")
        assert told(access.may_compare) == expected(who, "compared")
        assert told(access.owns) == dict.fromkeys(TABLE, who == "owner")
        assert told(access.is_only_staff) == dict.fromkeys(TABLE, who == "staff")
        tombstones = {state: state.startswith("withdrawn") and who not in TABLE[state].contents for state in TABLE}
        assert told(access.sees_tombstone) == tombstones
        as_staff = {state: who == "staff" and "stranger" not in TABLE[state].contents for state in TABLE}
        assert told(access.is_shown_as_staff) == as_staff
        scopes = {state: archive.pk in Archive.objects.scopes_of(user) for state, archive in archives.items()}
        assert told(access.is_compared_by_default) == scopes

    def test_a_comparison_gets_tombstones_but_nothing_that_is_hidden(self, archives, who, user):
        told = access.find_comparison_archives(user, [archive.pk for archive in archives.values()], [], 20)
        seen = expected(who, "page")
        if who == "staff":  # what staff may look at enters no comparison of theirs
            seen = expected("stranger", "page")
        assert within(told, archives) == seen
        assert access.reader_ids(user) == ([0] if who == "anonymous" else [0, user.pk])

    def test_every_archive_stands_in_one_place(self, archives):
        for state, archive in archives.items():
            assert archive.standing == state.partition(",")[0]
            assert Archive.objects.standing(archive.standing).filter(pk=archive.pk).exists()


class Acceptance(NamedTuple):
    """Whether the account may accept the public archive and undo it; whether it may undo it for a withdrawn one; whether it is
    shown that the archive is not accepted."""

    may: bool
    undo_withdrawn: bool
    shown: bool


ACCEPTANCE = {
    "anonymous": Acceptance(False, False, False),
    "stranger": Acceptance(False, False, False),
    "owner": Acceptance(False, False, True),
    "staff": Acceptance(True, True, True),
    "curator": Acceptance(True, False, True),
    "owner and curator": Acceptance(False, False, True),
    "owner and staff": Acceptance(True, True, True),
}
ACCOUNTS = WHO | {
    "curator": making.curator,
    "owner and curator": lambda: making.curator("ann"),
    "owner and staff": lambda: making.staff("ann"),
}


@pytest.mark.parametrize("account", ACCEPTANCE)
class TestAcceptance:
    def test_only_what_is_public_and_read(self, archives, account):
        user, expected = ACCOUNTS[account](), ACCEPTANCE[account]
        assert {state: access.may_accept(user, archive) for state, archive in archives.items()} == {
            state: expected.may and state == "public" for state in TABLE
        }
        assert not any(access.may_revoke_acceptance(user, archive) for archive in archives.values())
        load.accept(archives["public"].pk, "read")
        public = Archive.objects.get(pk=archives["public"].pk)
        assert (access.may_accept(user, public), access.may_revoke_acceptance(user, public)) == (False, expected.may)
        load.withdraw(public.pk, "why")
        withdrawn = Archive.objects.get(pk=public.pk)
        assert access.may_revoke_acceptance(user, withdrawn) == expected.undo_withdrawn

    def test_what_the_page_says_and_offers(self, client, archives, account):
        user, expected = ACCOUNTS[account](), ACCEPTANCE[account]
        page = reverse("archive", args=[archives["public"].pk])
        if user.is_authenticated:
            client.force_login(user)
        text = client.get(page).text
        assert (("not for front pages" in text), ("Accept for front pages" in text)) == (expected.shown, expected.may)
        load.accept(archives["public"].pk, "I have <read> it.", making.user("cleo"))
        text = client.get(page).text
        assert "for front pages on" in text and "by cleo: I have &lt;read&gt; it." in text
        assert ("Revoke the acceptance" in text) == expected.may


def test_a_blocked_curator_has_no_powers(archives):
    cleo = making.curator()
    assert access.may_accept(cleo, archives["public"])
    lifecycle.block_user(cleo, "why", audit.command_line_actor())
    assert not access.may_accept(making.user("cleo"), archives["public"])


class TestAddresses:
    def test_the_page_or_its_tombstone(self, reader, who, archives):
        for state, archive in archives.items():
            status = 200 if who in TABLE[state].contents else 410 if who in TABLE[state].page else 404
            assert (state, reader.get(reverse("archive", args=[archive.pk])).status_code) == (state, status)

    def test_the_contents(self, reader, who, archives):
        for state in WITH_CONTENTS:
            pk, run = archives[state].pk, Run.objects.filter(archive=archives[state]).order_by("id")[0]
            status = 200 if who in TABLE[state].contents else 404
            for name, args in (
                ("archive-raw", [pk, "a.txt"]),
                ("archive-notes", [pk, "failed-run"]),
                ("archive-download", [pk]),
                ("run", [run.pk]),
            ):
                assert (state, name, reader.get(reverse(name, args=args)).status_code) == (state, name, status)

    def test_the_review_is_the_owner_s(self, reader, who, archives):
        status = {"anonymous": 302, "owner": 200}.get(who, 404)
        for archive in archives.values():
            assert reader.get(reverse("archive-review", args=[archive.pk])).status_code == status

    def test_the_list(self, reader, who, archives):
        assert within(reader.get(reverse("archives")).context["archives"], archives) == expected(who, "listed")
        own = reader.get(reverse("archives"), {"mine": 1}).context["archives"]
        assert within(own, archives) == (dict.fromkeys(TABLE, who == "owner") if who != "anonymous" else expected(who, "listed"))

    def test_configurations(self, reader, who, archives):
        for state in WITH_CONTENTS:
            run = Run.objects.filter(archive=archives[state]).order_by("id")[0]
            status = 200 if who in TABLE[state].compared else 404
            page = reader.get(reverse("configuration", args=[run.configuration_id]))
            assert (state, page.status_code) == (state, status)

    def test_systems(self, reader, who, archives):
        run = Run.objects.select_related("configuration").filter(archive=archives["public"])[0]
        page = reader.get(reverse("system", args=[run.configuration.system_id]))
        assert within(page.context["archives"], archives) == expected(who, "values")

    def test_comparisons_of_it_alone(self, reader, who, archives):
        for state, archive in archives.items():
            panels = reader.get(reverse("compare-json"), {"archive": archive.pk}).json()["panels"]
            assert (state, bool(panels)) == (state, who in TABLE[state].values)

    def test_comparisons_of_everything(self, reader, who, archives):
        query = {"metric": "write.throughput", "x": "host"}
        [panel] = reader.get(reverse("compare-json"), query).json()["panels"]
        hosts = {group["x"] for group in panel["groups"]}
        assert {state: f"host{at}" in hosts for at, state in enumerate(TABLE)} == expected(who, "values")

    def test_freezing(self, reader, who, archives):
        for state in WITH_CONTENTS:
            run = Run.objects.filter(archive=archives[state]).order_by("id")[0]
            for address in (reverse("archive-freeze", args=[archives[state].pk]), reverse("run-freeze", args=[run.pk])):
                answer = reader.post(address)
                if who == "anonymous":
                    assert answer.url.startswith("/sign-in")
                else:
                    assert (state, answer.status_code != 404) == (state, who in TABLE[state].compared)


class TestApi:
    """The API shows by a token what pages show who is signed in, and without one what they show everybody."""

    @pytest.fixture
    def caller(self, user) -> Client:
        if not user.is_authenticated:
            return Client()
        return Client(headers={"Authorization": f"Bearer {api_tokens.make_token(user, 'test', ['read'])}"})

    def test_an_archive_and_its_contents(self, caller, who, archives):
        parts = ("", "/files", "/warnings", "/measurements", "/unmeasured", "/series")
        for state, archive in archives.items():
            status = 200 if who in TABLE[state].contents else 410 if who in TABLE[state].page else 404
            for part in parts:
                answer = caller.get(f"/api/v1/archives/{archive.pk}{part}")
                assert (state, part, answer.status_code) == (state, part, status)

    def test_the_list_has_what_is_not_withdrawn_and_ones_own(self, caller, who, archives):
        listed = {row["id"] for row in caller.get("/api/v1/archives").json()["items"]}
        seen = {state: who in TABLE[state].listed and ("withdrawn" not in state or who == "owner") for state in TABLE}
        assert {state: archive.pk in listed for state, archive in archives.items()} == seen

    @pytest.mark.parametrize("name", ["measurements", "runs", "configurations", "systems", "metrics"])
    def test_records_of_it_alone(self, caller, who, archives, name):
        for state, archive in archives.items():
            found = caller.get(f"/api/v1/{name}?archive={archive.pk}").json()["items"]
            assert (state, bool(found)) == (state, who in TABLE[state].values)

    def test_comparisons_of_it_alone(self, caller, who, archives):
        for state, archive in archives.items():
            panels = caller.get(f"/api/v1/compare?archive={archive.pk}").json()["panels"]
            standing = caller.get(f"/api/v1/normal?archive={archive.pk}").status_code == 200
            assert (state, bool(panels), standing) == (state, *[who in TABLE[state].values] * 2)

    def test_records_of_everything(self, caller, who, archives):
        seen = {row["archive"] for row in caller.get("/api/v1/measurements?limit=500").json()["items"]}
        assert {state: archive.pk in seen for state, archive in archives.items()} == expected(who, "values")
        assert seen == {row["archive"] for row in caller.get("/api/v1/runs?limit=500").json()["items"]}

    def test_the_token_of_a_blocked_account_signs_nobody_in(self, archives):
        headers = {"Authorization": f"Bearer {api_tokens.make_token(making.user('ann'), 'test', ['manage'])}"}
        lifecycle.block_user(making.user("ann"), "why", audit.command_line_actor())
        assert Client(headers=headers).get(f"/api/v1/archives/{archives['public'].pk}").status_code == 401


class TestWhatIsFrozen:
    @pytest.fixture
    def frozen(self, archives) -> tuple[Permalink, Collection]:
        """A permalink of private values, and a collection with it, both made by ann."""
        ann = Client()
        ann.force_login(making.user("ann"))
        ann.post(reverse("archive-freeze", args=[archives["private"].pk]), {"publish_points": "yes"})
        link = Permalink.objects.get()
        ann.post(reverse("collection-new"), {"add": link.pk})
        ann.post(reverse("collection-new"), {"title": "Both", "figure": link.pk, "caption": "", "do": "freeze"})
        return link, Collection.objects.get()

    def test_whoever_has_the_address_sees_it(self, reader, who, frozen):
        for row in frozen:
            page = reader.get(row.get_absolute_url())
            assert (page.status_code, page.context["own"]) == (200, who == "owner")
            assert reader.get(f"{row.get_absolute_url()}.json").content == bytes(row.record)
        assert reader.get(f"/p/{frozen[0].pk}.csv").status_code == 200

    def test_its_doi_is_entered_by_who_froze_it(self, reader, who, frozen):
        for row in frozen:
            answer = reader.post(f"{row.get_absolute_url()}/doi", {"doi": "10.5281/zenodo.1"})
            assert answer.status_code == (404 if who in ("stranger", "staff") else 302)
            assert (who == "anonymous") == (answer.status_code == 302 and answer.url.startswith("/sign-in"))

    def test_the_list_is_one_s_own(self, reader, who, frozen):
        page = reader.get(reverse("permalinks"))
        if who == "anonymous":
            assert page.url.startswith("/sign-in")
        else:
            assert len(page.context["links"]) == len(page.context["collections"]) == (who == "owner")


class TestSignInLinks:
    def seen(self, reader: Client, archive: Archive) -> int:
        return reader.get(reverse("archive-download", args=[archive.pk])).status_code

    def test_a_link_shows_nothing_until_it_is_used_and_then_once(self, client, archives):
        address = reverse("sign-in-link", args=[sign_in_links.make_token(making.user("ann"))])
        client.get(address)
        assert self.seen(client, archives["private"]) == 404
        client.post(address)
        assert self.seen(client, archives["private"]) == 200
        late = Client()
        assert late.post(address).status_code == 410 and self.seen(late, archives["private"]) == 404

    def test_the_link_of_another_account_shows_that_account_s(self, client, archives):
        client.post(reverse("sign-in-link", args=[sign_in_links.make_token(making.user("bob"))]))
        assert self.seen(client, archives["private"]) == 404 and self.seen(client, archives["public"]) == 200

    def test_a_blocked_account_sees_what_everybody_sees(self, client, archives):
        client.force_login(making.user("ann"))
        lifecycle.block_user(making.user("ann"), "why", audit.command_line_actor())
        assert self.seen(client, archives["private"]) == 404 and self.seen(client, archives["public"]) == 200

    def test_staff_who_are_blocked_have_no_powers(self, archives):
        root = making.staff()
        root.is_active = False
        assert not access.is_staff(root) and access.inspectable_archives(root).filter(pk=archives["private"].pk).count() == 0
