"""Failed sign-ins are counted by account and by address, and no more are tried after ten."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from axes.models import AccessAttempt
from django.contrib.auth import get_user_model
from django.test import RequestFactory
from django.utils import timezone

from webapp.accounts import sign_in_links, throttle
from webapp.tests import making

pytestmark = pytest.mark.django_db
LIMIT = 10


@pytest.fixture
def password(settings) -> str:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick: dozens are tried
    get_user_model().objects.create_user("ann", password="correct horse")
    get_user_model().objects.create_user("bob", password="battery staple")
    return "correct horse"


def try_password(client, name="ann", password="wrong", address="192.0.2.1"):
    return client.post("/sign-in", {"username": name, "password": password}, REMOTE_ADDR=address)


def fail(client, times: int, name="ann", address="192.0.2.{}"):
    return [try_password(client, name, address=address.format(number)).status_code for number in range(times)]


def test_an_account_is_guessed_at_ten_times_from_wherever(client, password):
    assert fail(client, LIMIT) == [200] * (LIMIT - 1) + [429]
    refused = try_password(client, password=password, address="198.51.100.7")
    assert refused.status_code == 429 and refused["Retry-After"] == "900"
    assert "No more are tried for 15 minutes" in refused.text and "sign_in_link --user NAME" in refused.text
    assert try_password(client, "bob", "battery staple", "198.51.100.7").status_code == 302


def test_an_address_guesses_ten_times_whomever(client, password):
    for number in range(LIMIT):
        try_password(client, f"nobody{number}")
    assert try_password(client, password=password).status_code == 429
    assert try_password(client, password=password, address="192.0.2.2").status_code == 302


def test_a_link_signs_in_an_account_that_was_guessed_at(client, password):
    fail(client, LIMIT, address="192.0.2.1")
    link = f"/sign-in/{sign_in_links.make_token(making.user('ann'))}"
    assert client.post(link, REMOTE_ADDR="192.0.2.1").status_code == 302


def test_fifteen_minutes_later_it_is_tried_again(client, password):
    fail(client, LIMIT)
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert try_password(client, password=password).status_code == 302
    assert not AccessAttempt.objects.exists(), "what is old is deleted"


def test_being_refused_does_not_prolong_it(client, password):
    fail(client, LIMIT)
    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        assert try_password(client, password=password).status_code == 429
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert try_password(client, password=password).status_code == 302


@pytest.mark.parametrize("method", ["get", "post"])
def test_wrong_links_are_tried_ten_times_from_an_address(client, method):
    ask = getattr(client, method)
    answers = [ask(f"/sign-in/wrong{number}", REMOTE_ADDR="192.0.2.1").status_code for number in range(LIMIT)]
    assert answers == [410] * (LIMIT - 1) + [429]
    good = f"/sign-in/{sign_in_links.make_token(making.user('ann'))}"
    refused = client.post(good, REMOTE_ADDR="192.0.2.1")
    assert refused.status_code == 429 and "it has not been used up" in refused.text
    assert client.post(good, REMOTE_ADDR="192.0.2.2").status_code == 302


def test_no_link_and_no_password_is_kept(client, password, caplog):
    client.get("/sign-in/tokenofsomebody")
    fail(client, LIMIT + 1)
    kept = str(list(AccessAttempt.objects.values())) + caplog.text
    assert "tokenofsomebody" not in kept and "wrong" not in kept and "/sign-in/***" in kept


def test_refusals_are_counted(client, password):
    before = throttle.metrics.SIGN_INS_REFUSED.labels("password")._value.get()
    fail(client, LIMIT + 2)
    assert throttle.metrics.SIGN_INS_REFUSED.labels("password")._value.get() == before + 3


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "network"),
    [
        (0, "192.0.2.1", None, "192.0.2.1"),
        (0, "192.0.2.1", "203.0.113.9", "192.0.2.1"),
        (1, "127.0.0.1", "203.0.113.9", "203.0.113.9"),
        (1, "127.0.0.1", "10.9.9.9, 203.0.113.9", "203.0.113.9"),
        (2, "127.0.0.1", "10.9.9.9, 203.0.113.9, 192.0.2.5", "203.0.113.9"),
        (2, "127.0.0.1", "203.0.113.9", "127.0.0.1"),
        (1, "", "203.0.113.9", "203.0.113.9"),
        (1, "", None, None),
        (1, "", "unknown", None),
        (0, "2001:db8:1:2:3:4:5:6", None, "2001:db8:1:2::"),
        (0, "::ffff:192.0.2.1", None, "192.0.2.1"),
    ],
)
def test_the_address_of_a_reader(settings, proxies, remote, forwarded, network):
    settings.POOLMARK_PROXIES = proxies
    heads = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}
    assert throttle.client_network(RequestFactory().get("/", REMOTE_ADDR=remote, **heads)) == network
