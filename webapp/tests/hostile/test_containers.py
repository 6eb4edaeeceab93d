"""No upload can hurt anybody else's page: everybody asks every address of all odd containers."""

from __future__ import annotations

import pytest

from webapp.tests.hostile import acts
from webapp.tests.hostile import world as worlds

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(rows_of_module):
    """Built once."""
    with worlds.pages_without_build():
        yield worlds.build(worlds.CONTAINERS)


@pytest.mark.django_db
def test_every_address_answers_everybody(world, capsys):
    """GET of every named address as each reader; none is a fault."""
    acts.ask_all(world, worlds.whole(world), capsys, len(worlds.CONTAINERS))


@pytest.mark.django_db
def test_every_act_answers_everybody(world, capsys):
    """POST of every act as each reader; everything is deleted at the end."""
    acts.act_all(world, capsys)
