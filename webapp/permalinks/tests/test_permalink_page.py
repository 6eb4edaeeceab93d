"""The page of a permalink: drawn from its record, whatever has become of the rest."""

from __future__ import annotations

import pytest

from webapp.tests import frozen

pytestmark = pytest.mark.django_db


def it_draws_the_record(client):
    link = frozen.frozen()
    page = client.get(f"/p/{link.pk}").content.decode()
    assert link.digest in page and "Writes of a tank" in page
