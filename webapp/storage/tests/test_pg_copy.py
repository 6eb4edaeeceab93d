"""What goes into cells of COPY, and the blocks of ids."""

from __future__ import annotations

import json
from itertools import chain

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from webapp.models import File, Measurement, Provenance, Run, Session, UnmeasuredValue
from webapp.storage.pg_copy import reserve_ids, to_json
from webapp.tests import making

texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8)


def as_stored(value):
    """What a jsonb column can hold of it: no NUL, no half surrogate, no infinity."""
    if isinstance(value, str):
        return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, dict):
        return {as_stored(key): as_stored(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_stored(item) for item in value]
    return str(value) if isinstance(value, float) and value - value != 0 else value


@given(st.dictionaries(texts, values, max_size=4))
def test_json_is_canonical_and_has_nothing_that_the_database_refuses(value):
    assert to_json(value) == json.dumps(as_stored(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.django_db
def test_blocks_of_ids_follow_each_other():
    files, runs = reserve_ids(webapp_file=3, webapp_run=0)
    assert reserve_ids(webapp_file=1, webapp_run=5) == [files + 3, runs + 1]
    assert reserve_ids(webapp_run=1) == [runs + 6]
    assert Run.objects.count() == 0


@pytest.mark.django_db
def test_every_row_has_an_id_that_was_reserved_for_it():
    kinds = (File, Run, Measurement, UnmeasuredValue, Provenance, Session)
    files = (making.file_records(path, path, [1.0, 2.0, 3.0]) for path in "ab")
    missing = [making.unmeasured_record(path, run=99 + at, line=99 + at) for path in "ab" for at in range(3)]
    making.archive(records=[*chain(*files), *missing])
    with connection.cursor() as cursor:
        for kind in kinds:
            ids = list(kind.objects.order_by("id").values_list("id", flat=True))
            cursor.execute(f"SELECT last_value FROM {kind._meta.db_table}_id_seq")
            [last] = cursor.fetchone()
            assert ids and ids == list(range(last - len(ids) + 1, last + 1)), kind
