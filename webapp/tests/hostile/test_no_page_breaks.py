"""No upload can hurt anybody else's page: all constructed contents in one database; a sample of readers asks every address."""

from __future__ import annotations

import pytest

from webapp.tests.hostile import acts
from webapp.tests.hostile import world as worlds


@pytest.fixture(scope="module")
def world(rows_of_module):
    """Built once."""
    with worlds.pages_without_build():
        yield worlds.build(worlds.CONTENTS)


@pytest.mark.django_db
def test_every_address_answers(world, capsys):
    """GET of every named address; none is a fault."""
    acts.ask_all(world, worlds.sample(world), capsys, len(worlds.CONTENTS))
    assert world.asked >= set(worlds.routes()), "an address has no arguments here"


@pytest.mark.django_db
def test_every_act_answers(world, capsys):
    """POST of every act as each reader; everything is deleted at the end."""
    acts.act_all(world, capsys)
