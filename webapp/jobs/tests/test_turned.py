"""The event `claim.turned`: what today's data say of the pairs of a permalink, told once."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from webapp.accounts import audit
from webapp.archives import lifecycle
from webapp.http.data_version import data_version
from webapp.http.isolation import FAILURE_COUNTS
from webapp.jobs import hooks, turned
from webapp.models import Archive, Permalink, Webhook
from webapp.permalinks import freeze
from webapp.permalinks.record_figures import parse_record
from webapp.tests import frozen, making

pytestmark = pytest.mark.django_db
QUERY = "metric=write.throughput&x=compression&baseline=off&host=tank"
LOW, HIGH = [1e8, 1.1e8, 1.05e8, 1.03e8], [2e8, 2.1e8, 2.05e8, 2.02e8]


def measured(lz4: list[float], off: list[float], *, public: bool = True, **config: str) -> Archive:
    """An archive of one session on the host `tank` in which two settings of one file system were measured."""
    sides = {"lz4": lz4, "off": off}
    records = [
        record
        for name, values in sides.items()
        for record in making.file_records(
            f"{name}.csv",
            f"{name} {sides} {config}",
            values,
            config={"host": "tank", "os.family": "Linux", "pool.compression": name} | config,
        )
    ]
    return making.archive(public=public, records=records)


@pytest.fixture
def hook():
    owner = making.user("ann")
    return Webhook.objects.create(owner=owner, url="https://example.org/hook", events=[hooks.TURNED], secret="s" * 64)


def look(hook: Webhook) -> list[dict]:
    """The payloads that a look adds."""
    before = hook.deliveries.count()
    assert turned.look(hook.owner_id) == hook.deliveries.count() - before
    return [one.payload for one in hook.deliveries.order_by("number")[before:]]


def test_a_claim_that_turns_is_told_once(hook, settings):
    settings.PUBLIC_ORIGIN = "https://poolmark.example"
    measured(HIGH, LOW)
    permalink = frozen.freeze(QUERY)
    assert look(hook) == []
    measured([0.9e8, 0.91e8, 0.92e8, 0.89e8], [4e8, 4.01e8, 4.02e8, 4.03e8])
    measured([0.9e8, 0.91e8, 0.92e8, 0.88e8], [4e8, 4.01e8, 4.02e8, 4.04e8])
    [told] = look(hook)
    assert told["permalink"] == f"https://poolmark.example/p/{permalink.pk}"
    assert told["today"] == f"https://poolmark.example/compare?{parse_record(permalink.record)['selection']}"
    [claim] = told["claims"]
    assert (claim["place"], claim["baseline"], claim["metric"]) == ("lz4", "off", "write.throughput")
    assert claim["before"] == "faster in this session" and claim["after"] == "slower in these 3 sessions"
    assert claim["withheld"] is None and claim["low"] < claim["ratio"] < claim["high"] < 1 and claim["doubts"]
    assert look(hook) == []  # the data are the same
    making.archive(public=True, records=making.file_records("elsewhere.csv", "elsewhere", [1e8]))
    assert look(hook) == []  # they are not, and the claim is
    hook.refresh_from_db()
    assert hook.claims_seen == {permalink.pk: [data_version(), {"0": "slower in these 3 sessions"}]}


def test_a_claim_that_comes_back_is_told_and_nothing_is_kept_of_it(hook):
    measured(HIGH, LOW)
    permalink = frozen.freeze(QUERY)
    later = [measured([0.9e8, 0.91e8, 0.92e8, value], [4e8, 4.01e8, 4.02e8, 4.03e8]) for value in (0.88e8, 0.89e8)]
    assert [told["claims"][0]["after"][:6] for told in look(hook)] == ["slower"]
    for one in later:
        lifecycle.perform_action(one.pk, "withdraw", audit.command_line_actor(), "wrong disk")
    assert [told["claims"][0]["after"] for told in look(hook)] == ["faster in this session"]
    hook.refresh_from_db()
    assert hook.claims_seen[permalink.pk][1] == {}


@pytest.mark.parametrize(("sessions", "before"), [(1, "faster in this session"), (2, "faster in these 2 sessions")])
def test_nothing_is_told_where_only_numbers_moved(hook, sessions, before):
    """More sessions of the same are another ratio, and another number of sessions."""
    faster = [[value * (1 + session / 10) for value in HIGH] for session in range(3)]
    for values in faster[:sessions]:
        measured(values, LOW)
    frozen.freeze(QUERY)
    for values in faster[sessions:]:
        measured(values, LOW)
    [permalink] = Permalink.objects.all()
    record = parse_record(permalink.record)
    [now] = turned.ask(record, data_version()).values()
    frozen_word = record["panels"][0]["groups"][1]["verdict"]["word"]
    assert (frozen_word, now.verdict["word"]) == (before, "faster in these 3 sessions")
    assert look(hook) == []


def test_private_data_turn_nothing(hook):
    measured(HIGH, LOW)
    frozen.freeze(QUERY)
    mine = [measured([0.9e8, 0.91e8, 0.92e8, value], [4e8, 4.01e8, 4.02e8, 4.03e8], public=False) for value in (0.88e8, 0.89e8)]
    assert look(hook) == []
    for one in mine:
        lifecycle.perform_action(one.pk, "publish", audit.actor_of(making.user("ann")), "")
    assert len(look(hook)) == 1


def test_other_workloads_machines_and_private_or_withdrawn_sources_say_nothing(hook):
    """An address that names no machine draws another one once that has more runs."""
    row = measured(HIGH, LOW)
    frozen.freeze(QUERY.replace("&host=tank", ""))
    for _ in range(3):
        measured(LOW, HIGH, host="other")
    assert look(hook) == []
    lifecycle.perform_action(row.pk, "withdraw", audit.command_line_actor(), "wrong disk")
    making.archive(public=True, records=making.file_records("elsewhere.csv", "elsewhere", [1e8]))
    hook.refresh_from_db()
    assert look(hook) == [] and turned._choose(hook.owner_id, data_version()) == []


def test_a_scorecard(hook):
    measured(HIGH, LOW)
    draft = freeze.draft_address("/versus?a=compression%3Dlz4&b=compression%3Doff", making.user("ann"), "Card", "Ann")
    permalink = freeze.freeze_draft(draft, making.user("ann"), frozen.SITE)
    assert look(hook) == []
    measured([0.9e8, 0.91e8, 0.92e8, 0.89e8], [4e8, 4.01e8, 4.02e8, 4.03e8])
    measured([0.9e8, 0.91e8, 0.92e8, 0.88e8], [4e8, 4.01e8, 4.02e8, 4.04e8])
    [told] = look(hook)
    [claim] = told["claims"]
    assert told["permalink"].endswith(permalink.pk) and "/versus?a=compression" in told["today"]
    assert claim["figure"].startswith("Sequential write, throughput: bonnie++")
    assert (claim["before"], claim["after"]) == ("faster in this session", "slower in these 3 sessions")
    assert (claim["place"], claim["baseline"]) == ("compression=lz4", "compression=off")


def test_a_look_is_bounded_goes_round_and_outlives_a_failure(hook, monkeypatch):
    measured(HIGH, LOW)
    names = []
    for number, query in enumerate([QUERY, QUERY, QUERY, QUERY, "metric=write.throughput&x=host"]):
        with time_machine.travel(timezone.now() + timedelta(minutes=number)):
            names.append(frozen.freeze(query, title=f"Figure {number}").pk)
    monkeypatch.setattr(turned, "A_LOOK", 2)
    monkeypatch.setattr(turned, "MOST", 4)
    asked = []

    def ask(record, version):
        asked.append(record["id"])
        if record["id"] == names[2]:
            raise ArithmeticError
        return real(record, version)

    real = turned.ask
    monkeypatch.setattr(turned, "ask", ask)
    failures = FAILURE_COUNTS["claims"]
    looks = []
    for _ in range(3):
        turned.look(hook.owner_id)
        looks.append(list(asked))
        asked.clear()
    # The newest has no claim; the first is beyond the limit.
    assert looks == [[names[3], names[2]], [names[1]], []] and FAILURE_COUNTS["claims"] == failures + 1
    hook.refresh_from_db()
    assert hook.claims_seen.keys() == {*names[1:]} and hook.claims_seen[names[4]] is None
    measured(HIGH, LOW, kernel="6.1")
    turned.look(hook.owner_id)
    assert asked == [names[3], names[2]]


def test_it_is_sent_hourly_for_those_who_ask(hook, monkeypatch):
    """First an hour after the newest webhook was made; of several of an account once."""
    bo = Webhook.objects.create(owner=making.user("bo"), url="https://example.org/", events=[hooks.READ], secret="s")
    Webhook.objects.create(owner=hook.owner, url="https://example.org/2", events=[hooks.TURNED], secret="s")
    sent, now = [], timezone.now()
    for minutes in (0, 59, 61, 62, 120, 122):
        with time_machine.travel(now + timedelta(minutes=minutes), tick=False):
            hooks.send_asking(sent.append)
            sent.append(minutes)
    assert sent == [0, 59, hook.owner_id, 61, 62, 120, hook.owner_id, 122] and bo.owner_id not in sent
    Webhook.objects.update(is_active=False)
    with time_machine.travel(now + timedelta(days=1)):
        hooks.send_asking(sent.append)
    assert sent[-1] == 122 and turned.look(hook.owner_id) == 0
