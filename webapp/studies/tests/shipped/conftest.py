"""The shipped studies, read and frozen once for all files beside this one, whose tests only read."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings

from webapp.models import DataVersion


@pytest.fixture(scope="package")
def first_start(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[str]:
    """What load_fixtures printed. Its rows are in a transaction that ends with the tests of this folder."""
    out = StringIO()
    with django_db_blocker.unblock(), override_settings(POOLMARK_DATA=tmp_path_factory.mktemp("studies")), transaction.atomic():
        DataVersion.objects.get_or_create(pk=1)  # tests that commit leave every table empty
        call_command("load_fixtures", stdout=out)
        yield out.getvalue()
        transaction.set_rollback(True)
