"""Withdraw, delete, restore, freeze and upload in every order: the log and the histories of permalinks only grow."""

from __future__ import annotations

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webapp.accounts import public_log
from webapp.models import Archive, Permalink
from webapp.permalinks import freeze, history, record_figures
from webapp.permalinks.tests.test_history import act, chain
from webapp.tests import caches, frozen, making, samples

pytestmark = pytest.mark.django_db
ACTS = ("withdraw", "unwithdraw", "delete", "again", "freeze", "upload")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 2)), max_size=8))
def it_only_grows(acts):
    """In every order: no entry and no event is lost, records stay, and the chain holds."""
    with transaction.atomic():
        ann, links, records = making.user("ann"), [frozen.frozen()], {}
        before: list[tuple[int, str]] = [(entry.number, entry.hash) for entry in chain()]
        events = {links[0].pk: 1}
        records[links[0].pk] = bytes(links[0].record)
        for step, (what, which) in enumerate(acts):
            archives = list(Archive.objects.order_by("pk"))
            archive = archives[which % len(archives)] if archives else None
            if what == "upload":
                samples.received(samples.tar({f"run/{step}.txt": samples.dd(2.0 + step / 10)}))
            elif what in ("freeze", "again"):
                draft = freeze.draft_comparison(frozen.parse(frozen.parse_qsl(frozen.QUERY)), ann, f"No. {step}", "")
                link = (
                    freeze.freeze_draft(draft, ann, frozen.SITE, links[-1] if what == "again" else None)
                    if draft.values
                    else links[-1]
                )
                if link.pk not in records:
                    links.append(link)
                    records[link.pk] = bytes(link.record)
            elif archive is not None:
                act(archive, what, f"reason {step}")
            now = [(entry.number, entry.hash) for entry in chain()]
            assert now[: len(before)] == before and list(public_log.find_problems(chain())) == []
            before = now
            for link in links:
                stored = Permalink.objects.get(pk=link.pk)
                assert bytes(stored.record) == records[link.pk]
                count = len(history.read_history(stored, record_figures.parse_record(stored.record)).events)
                assert count >= events.get(link.pk, 1)
                events[link.pk] = count
        transaction.set_rollback(True)
    clear_caches()


def clear_caches() -> None:
    """A rolled back example gives its data versions back."""
    from django.core.cache import cache

    cache.clear()
    caches.clear()
