"""A stop that was asked for is no attempt of an archive that was being read."""

from __future__ import annotations

from pathlib import Path

import pytest

from webapp.infrastructure.embedded_postgres import CLEAN_STOP
from webapp.management.commands.prepare import Command
from webapp.models import Archive
from webapp.tests import making

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("clean", "state", "attempts"), [(True, "received", 2), (False, "reading", 3)])
def test_only_a_clean_stop_is_forgiven(settings, clean, state, attempts):
    archive = making.archive()
    Archive.objects.filter(pk=archive.pk).update(state=Archive.State.READING, attempts=3)
    marker = Path(settings.POOLMARK_DATA) / CLEAN_STOP
    marker.parent.mkdir(parents=True, exist_ok=True)
    if clean:
        marker.touch()
    Command()._forgive_interrupted()
    archive.refresh_from_db()
    assert (archive.state, archive.attempts) == (state, attempts)
    assert not marker.exists()
