"""No upload can hurt anybody else's page: constructed uploads of each kind in one database, and all constructed contents in
another (slow); a sample of readers asks every address."""

from __future__ import annotations

import pytest

from webapp.tests.hostile import acts
from webapp.tests.hostile import world as worlds

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module", params=["some of each", pytest.param("contents", marks=pytest.mark.slow)])
def cases(request):
    """What is uploaded."""
    return worlds.CONTENTS if request.param == "contents" else worlds.some_of_each()


@pytest.fixture(scope="module")
def world(rows_of_module, cases):
    """Built once for each."""
    with worlds.pages_without_build():
        yield worlds.build(cases)


@pytest.mark.django_db
def test_every_address_answers(world, cases, capsys):
    """GET of every named address; none is a fault."""
    acts.ask_all(world, worlds.sample(world), capsys, len(cases))
    assert world.asked >= set(worlds.routes()) - worlds.GONE_ROUTES, "an address has no arguments here"


@pytest.mark.django_db
def test_every_act_answers(world, capsys):
    """POST of every act as each reader; everything is deleted at the end."""
    acts.act_all(world, capsys)
