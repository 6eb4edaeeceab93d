"""The pages of webhooks: made, tested, switched on, deleted; each account's own alone."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from webapp.accounts import api_tokens
from webapp.jobs import hooks
from webapp.jobs.tasks import deliver_webhook
from webapp.models import Webhook, WebhookDelivery
from webapp.tests import making

pytestmark = pytest.mark.django_db
PATH = "/settings/webhooks"
FORM = {"url": "https://example.org/hook?a=<b>&c=\"'", "event": ["claim.turned", "archive.read"]}
ACTS = ("test", "on", "delete")


def webhook(owner: str = "ann", **facts) -> Webhook:
    facts = {"url": "https://example.org/hook", "events": ["archive.read"], "secret": "s" * 64} | facts
    return Webhook.objects.create(owner=making.user(owner), **facts)


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    numbers: list[int] = []
    monkeypatch.setattr(deliver_webhook, "delay", numbers.append)
    return numbers


def test_they_need_an_account(client):
    hook = webhook()
    for address in (PATH, f"{PATH}/{hook.pk}"):
        assert client.get(address).url == f"/sign-in?next={address}"
    for act in ACTS:
        assert client.post(f"{PATH}/{hook.pk}/{act}").url.startswith("/sign-in")
    assert client.post(PATH, FORM).status_code == 302 and Webhook.objects.get().deliveries.count() == 0


def test_one_is_made_and_its_secret_is_shown_once(ann):
    empty = ann.get(PATH).text
    assert "No webhook yet" in empty and "/api/v1/docs" in empty and "/settings/tokens" in empty
    assert "/settings/webhooks" in ann.get("/settings/tokens").text
    made = ann.post(PATH, FORM)
    hook = Webhook.objects.get()
    assert (hook.owner.username, hook.url, hook.events) == ("ann", FORM["url"], ["archive.read", "claim.turned"])
    assert hook.secret in made.text and len(hook.secret) == 64 and "no-store" in made["Cache-Control"]
    for page in (made.text, ann.get(PATH).text, ann.get(f"{PATH}/{hook.pk}").text):
        assert "&lt;b&gt;&amp;c=&quot;" in page and "<b>" not in page
    assert hook.secret not in ann.get(PATH).text + ann.get(f"{PATH}/{hook.pk}").text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"url": "ftp://example.org"}, "must begin with http://"),
        ({"url": "http://ann:secret@example.org"}, "without a user name"),
        ({"url": "http://example.org/\0"}, "printable ASCII"),
        ({"url": "https://example.org/" + "x" * 2000}, "at most 2000 characters"),
        ({"url": ""}, "must begin with http://"),
        ({"event": []}, "Choose one or more of the events"),
        ({"event": ["archive.read", "none"]}, "Choose one or more of the events"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(ann, wrong, said):
    answer = ann.post(PATH, {"url": "https://example.org/typed", "event": ["archive.read"]} | wrong)
    assert answer.status_code == 422 and said in answer.text and not Webhook.objects.exists()
    assert 'value="https://example.org/typed"' in answer.text or "url" in wrong
    checked = re.findall(r'value="([\w.]+)" checked', answer.text)
    assert checked == [name for name in hooks.EVENTS if name in wrong.get("event", ["archive.read"])]


def test_page_and_api_have_one_limit(ann, monkeypatch):
    monkeypatch.setattr(hooks, "MOST_WEBHOOKS", 1)
    assert ann.post(PATH, FORM).status_code == 200
    token = api_tokens.make_token(making.user("ann"), "t", ["manage"], 1)
    body = {"url": "https://example.org", "events": ["archive.read"]}
    asked = {"content_type": "application/json", "headers": {"Authorization": f"Bearer {token}"}}
    by_api = Client().post("/api/v1/webhooks", body, **asked)
    said = "An account has at most 1 webhooks. Delete one first."
    assert by_api.status_code == 409 and by_api.json()["detail"] == said and said in ann.post(PATH, FORM).text


def test_a_test_is_sent_and_its_answer_is_shown(ann, sent, django_capture_on_commit_callbacks):
    hook = webhook()
    with django_capture_on_commit_callbacks(execute=True):
        assert ann.post(f"{PATH}/{hook.pk}/test").url == f"{PATH}/{hook.pk}"
    assert sent == [hook.pk]
    row = hook.deliveries.get()
    page = ann.get(f"{PATH}/{hook.pk}").text
    assert row.event == "test" and "to be delivered" in page and "none yet" in page
    WebhookDelivery.objects.update(attempts=3, error="BadStatusLine: <script>\x1b[0m", next_at=timezone.now() + timedelta(hours=1))
    page = ann.get(f"{PATH}/{hook.pk}").text
    assert "BadStatusLine: &lt;script&gt;\ufffd[0m" in page and '<td class="number">3</td>' in page
    WebhookDelivery.objects.update(response_code=204, error="", state="delivered", next_at=None)
    assert "status 204" in ann.get(f"{PATH}/{hook.pk}").text


def test_one_that_was_switched_off_says_why_and_is_switched_on_with_what_waits(ann, sent, django_capture_on_commit_callbacks):
    hook = webhook(is_active=False, note="Switched off: <i>status 500</i>.")
    for state in (hooks.State.DELIVERED, hooks.State.FAILED, hooks.State.PENDING):
        hooks.add(hook, "archive.read", state, {})
        hook.deliveries.filter(key=state).update(state=state, next_at=None)
    for page in (ann.get(PATH).text, ann.get(f"{PATH}/{hook.pk}").text):
        assert "&lt;i&gt;status 500" in page
    with django_capture_on_commit_callbacks(execute=True):
        assert "Switch it on first" in ann.post(f"{PATH}/{hook.pk}/test", follow=True).text
    assert sent == [] and hook.deliveries.count() == 3
    assert ann.post(f"{PATH}/{hook.pk}/on").url == f"{PATH}/{hook.pk}"
    hook.refresh_from_db()
    assert hook.is_active and hook.note == "" and "Switch on again" not in ann.get(f"{PATH}/{hook.pk}").text
    states = list(hook.deliveries.order_by("number").values_list("state", flat=True))
    assert states == ["delivered", "pending", "pending"] and hook.deliveries.filter(next_at=None).count() == 1
    due: list[int] = []
    hooks.send_due(due.append)
    assert due == [hook.pk]


def test_switching_on_one_that_is_on_sends_nothing_again(ann):
    hook = webhook()
    hooks.add(hook, "archive.read", "given up", {})
    hook.deliveries.update(state=hooks.State.FAILED, next_at=None)
    ann.post(f"{PATH}/{hook.pk}/on")
    assert hook.deliveries.get().state == "failed"


def test_one_is_deleted_with_its_deliveries(ann):
    hook = webhook()
    hooks.add_test(hook)
    answer = ann.post(f"{PATH}/{hook.pk}/delete", follow=True)
    assert "is deleted" in answer.text and "No webhook yet" in answer.text
    assert not Webhook.objects.exists() and not WebhookDelivery.objects.exists()


@pytest.mark.parametrize("reader", ["bob", "root"])
def test_nobody_else_sees_or_touches_them(reader, sent):
    hook = webhook(is_active=False, note="note")
    client = Client()
    client.force_login(making.staff(reader) if reader == "root" else making.user(reader))
    assert "example.org/hook" not in client.get(PATH).text
    assert client.get(f"{PATH}/{hook.pk}").status_code == 404
    assert [client.post(f"{PATH}/{hook.pk}/{act}").status_code for act in ACTS] == [404] * 3
    assert [client.get(f"{PATH}/{hook.pk}/{act}").status_code for act in ACTS] == [405] * 3
    hook.refresh_from_db()
    assert not hook.is_active and hook.deliveries.count() == 0 and sent == []


def test_forms_have_tokens_and_need_them():
    hook, client = webhook(), Client(enforce_csrf_checks=True)
    client.force_login(hook.owner)
    page = client.get(PATH).text + client.get(f"{PATH}/{hook.pk}").text
    assert page.count("<form") == page.count("csrfmiddlewaretoken")
    for address in (PATH, *(f"{PATH}/{hook.pk}/{act}" for act in ACTS)):
        assert client.post(address, FORM).status_code == 403
    assert Webhook.objects.get().deliveries.count() == 0
