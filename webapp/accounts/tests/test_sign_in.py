"""Doors: links that work once, passwords where there are any, and out."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from urllib.parse import quote

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from webapp.accounts import sign_in_links
from webapp.models import SignInToken

pytestmark = pytest.mark.django_db


@pytest.fixture
def link() -> str:
    out = StringIO()
    call_command("sign_in_link", "--base", "http://localhost:8000/", stdout=out)
    return out.getvalue().strip().removeprefix("http://localhost:8000")


def who(client) -> str | None:
    user = get_user_model().objects.filter(pk=client.session.get("_auth_user_id")).first()
    return user and user.username


def test_looking_at_a_link_does_not_use_it(client, link):
    for _ in range(3):
        assert client.get(link).status_code == 200
    assert who(client) is None


def test_the_button_signs_in_once(client, link):
    assert client.post(link).url == "/"
    assert who(client) == "owner"
    client.logout()
    assert client.post(link).status_code == 410
    assert who(client) is None
    assert "no longer works" in client.get(link).text


def test_only_a_digest_of_the_secret_is_kept(link):
    assert link.split("/")[-1] not in str(SignInToken.objects.values().get())


def test_an_old_link_does_not_work(client, link):
    SignInToken.objects.update(
        created_at=SignInToken.objects.get().created_at - sign_in_links.TOKEN_LIFETIME - timedelta(seconds=1)
    )
    assert client.post(link).status_code == 410


def test_a_link_of_an_account_that_was_closed_does_not_work(client, link):
    get_user_model().objects.update(is_active=False)
    assert client.post(link).status_code == 410


def test_a_password_works_where_there_is_one(client):
    get_user_model().objects.create_user("ann", password="correct horse")
    assert client.post("/sign-in", {"username": "ann", "password": "wrong"}).status_code == 200
    assert who(client) is None
    told = {"username": "ann", "password": "correct horse", "next": "/upload"}
    assert client.post("/sign-in?next=/upload", told).url == "/upload"
    assert who(client) == "ann"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_it_leads_to_this_site_only(client, link, target):
    assert client.post(link, {"next": target}).url == "/"


def test_a_link_leads_to_the_page_that_asked_for_it_once(client, link):
    client.get("/sign-in?next=/systems%3Fq%3Dxeon")
    assert client.post(link).url == "/systems?q=xeon"
    assert client.cookies["poolmark_next"].value == ""


def test_a_link_does_not_lead_elsewhere_by_a_cookie(client, link):
    client.cookies["poolmark_next"] = "https%3A//evil.example/"
    assert client.post(link).url == "/"


def test_out(ann):
    assert ann.get("/sign-out").status_code == 405
    ann.post("/sign-out")
    assert who(ann) is None


def test_the_local_owner_is_made_once():
    assert sign_in_links.local_owner() == sign_in_links.ensure_account("owner") == sign_in_links.local_owner()
    assert not sign_in_links.local_owner().has_usable_password()


WANTED = "/compare?metric=write.throughput&x=os"


def test_a_link_leads_where_one_wanted_to_go(client, link):
    """One asks for a page, is sent to sign in, and opens the link that the console printed."""
    sent = client.get("/upload").url
    assert sent == "/sign-in?next=/upload" and client.get(sent).status_code == 200
    assert client.get(link).status_code == 200
    assert client.post(link).url == "/upload"
    assert who(client) == "owner" and not client.cookies["poolmark_next"].value


def test_the_head_of_a_page_leads_back_to_it(client, link):
    page = client.get(WANTED).text
    start = page.index('href="/sign-in') + len('href="')
    assert client.get(page[start : page.index('"', start)].replace("&amp;", "&")).status_code == 200
    assert client.post(link).url == WANTED


def test_the_address_of_the_link_itself_comes_first(client, link):
    client.get("/sign-in?next=/upload")
    assert client.post(f"{link}?next=/studies").url == "/studies"


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "https:evil", "\\\\evil.example"]
)
def test_a_link_leads_to_no_other_site(client, link, target):
    client.get("/sign-in", {"next": target})
    client.cookies["poolmark_next"] = quote(target)
    assert client.post(link).url == "/"


def test_without_a_wish_it_leads_to_the_start(client, link):
    client.get("/sign-in")
    assert client.post(link).url == "/"
