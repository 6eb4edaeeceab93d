"""No upload can hurt anybody else's page: every constructed upload in one database, every address asked by every reader."""
from __future__ import annotations

import pytest
from django.conf import settings
from django.test import override_settings

from webapp.tests.hostile import world as worlds

LEAST = 40


@pytest.fixture(scope="module")
def world(rows_of_module):
    """Built once; pages need no built style sheet."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
        return worlds.build()


@pytest.mark.django_db
def test_every_address_answers(world, capsys):
    """GET of every named address as everybody; none is a fault."""
    asked = set()
    for name, address, readers in worlds.every(world):
        asked.add(name)
        for reader in readers:
            world.ask(reader, address)
    with capsys.disabled():
        print(f"\n{len(world.archives)} constructed uploads, {worlds.exists()[1]} permalinks: "
              f"{len(world.faults)} of {world.answers} answers were 500")
    assert asked == set(worlds.routes()), "an address has no arguments here"
    assert not world.faults, "\n".join(world.faults[:40])
    assert len(world.archives) >= LEAST
