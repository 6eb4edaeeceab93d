"""The page of tokens, and the command that prints one."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from webapp.accounts import api_tokens
from webapp.models import ApiToken, AuditEntry
from webapp.tests import making

pytestmark = pytest.mark.django_db
PATH = "/settings/tokens"
FORM = {"name": "nightly <b>", "scope": "push", "days": "30"}


def shown(page: str) -> list[str]:
    return re.findall(r"poolmark_[\w-]{43}", page)


def test_it_needs_an_account(client):
    assert client.get(PATH).url == f"/sign-in?next={PATH}"
    assert client.post(PATH, FORM).status_code == 302 and not ApiToken.objects.exists()


def test_a_token_is_shown_once_works_and_is_revoked(ann):
    made = ann.post(PATH, FORM)
    [text] = shown(made.text)
    assert "no-store" in made["Cache-Control"] and shown(ann.get(PATH).text) == []
    token = api_tokens.find_token(text)
    assert (token.owner.username, token.scopes) == ("ann", ["read", "push"])
    assert 29 <= (token.expires_at - token.created_at).days <= 30
    page = ann.get(PATH).text
    assert "nightly &lt;b&gt;" in page and f"{token.prefix}…" in page
    api = Client(headers={"Authorization": f"Bearer {text}"})
    assert api.get("/api/v1/archives?mine=true").status_code == 200
    assert ann.post(f"{PATH}/{token.pk}/revoke").url == PATH
    assert api.get("/api/v1/archives?mine=true").status_code == 401
    assert f"Revoke {token.name}" not in ann.get(PATH).text and "revoked " in ann.get(PATH).text
    ann.post(f"{PATH}/{token.pk}/revoke")
    entries = list(AuditEntry.objects.order_by("id").values_list("action", "who", "about", "reason"))
    assert entries == [("make-token", "ann", "ann", "nightly <b>: push, 30 days"), ("revoke-token", "ann", "ann", "nightly <b>")]
    assert text not in str(entries)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": " "}, "Give the token a name"),
        ({"name": "x" * 81}, "Give the token a name"),
        ({"scope": "all"}, "one or more of the scopes"),
        ({"days": "0"}, "valid for 1 to 366 days"),
        ({"days": "367"}, "valid for 1 to 366 days"),
        ({"days": "²"}, "valid for 1 to 366 days"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(ann, wrong, said):
    answer = ann.post(PATH, FORM | wrong)
    assert answer.status_code == 422 and said in answer.text and not ApiToken.objects.exists()
    assert 'value="30"' in answer.text or "days" in wrong


def test_tokens_have_a_number_at_most_and_are_ones_own(ann, monkeypatch):
    monkeypatch.setattr(api_tokens, "MAX_TOKENS", 1)
    assert ann.post(PATH, FORM).status_code == 200
    assert "Revoke one first" in ann.post(PATH, FORM).text
    api_tokens.make_token(making.user("bob"), "bob's", ["read"])
    other = ApiToken.objects.get(owner__username="bob")
    assert ann.post(f"{PATH}/{other.pk}/revoke").status_code == 404
    assert "bob" not in ann.get(PATH).text and ApiToken.objects.get(pk=other.pk).revoked_at is None


def test_the_command_prints_a_token_alone():
    making.user("ann")
    out = StringIO()
    call_command("person", "token", "ann", "--scope", "manage", "--days", "7", "--called", "deploy", stdout=out)
    token = api_tokens.find_token(out.getvalue().strip())
    assert (token.name, token.scopes[-1], token.owner.username) == ("deploy", "manage", "ann")
    assert AuditEntry.objects.get().via == "command line"


@pytest.mark.parametrize(("name", "days"), [("nobody", "7"), ("ann", "0")])
def test_the_command_says_what_is_wrong(name, days):
    making.user("ann")
    with pytest.raises(CommandError):
        call_command("person", "token", name, "--days", days)


def test_a_form_without_its_token_says_where_the_api_is():
    answer = Client(enforce_csrf_checks=True).post("/upload", {"files": ""})
    assert answer.status_code == 403 and "/api/v1/archives" in answer.text and "/settings/tokens" in answer.text
    assert "/api/v1/archives" not in Client(enforce_csrf_checks=True).post("/sign-out").text
