"""What the tests of the database share."""

from __future__ import annotations

import itertools

import pytest


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Tests that commit end with a TRUNCATE of every table, which the guards of what is frozen refuse, and which takes the row
    of the data version that a migration has put in: it is put in again."""
    from django.apps import apps
    from django.db import connection
    from django.db.models.signals import post_migrate

    from webapp.models import DataVersion

    post_migrate.connect(lambda **_: DataVersion.objects.get_or_create(pk=1), sender=apps.get_app_config("webapp"), weak=False)
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for name in ("permalink", "rendering", "collection", "auditentry", "logentry"):
            cursor.execute(f"ALTER TABLE webapp_{name} DISABLE TRIGGER {name}_table_is_frozen")


@pytest.fixture(autouse=True, scope="session")
def without_build():
    """Pages need no built style sheet."""
    from django.conf import settings
    from django.test import override_settings

    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
        yield


@pytest.fixture(scope="session")
def data_folders(tmp_path_factory):
    """Names of folders that do not exist: thousands of `tmp_path` that hardly any test uses take long."""
    folder = tmp_path_factory.mktemp("data")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def data_folder(request, settings, data_folders):
    """Every test has a data folder of its own; real servers keep theirs."""
    if not any(request.node.get_closest_marker(mark) for mark in ("server", "browser")):
        settings.POOLMARK_DATA = next(data_folders)
    return settings.POOLMARK_DATA


@pytest.fixture(autouse=True)
def empty_cache():
    """A rolled back test gives its data versions back, so pages kept for them would be found by the next test."""
    from django.core.cache import cache

    from webapp.tests import caches

    cache.clear()
    caches.clear()


@pytest.fixture(scope="module")
def rows_of_module(django_db_setup, django_db_blocker, tmp_path_factory):
    """A transaction that ends with the module. What its fixtures put in, each of its tests finds; what a test marked with
    `django_db` adds or changes is rolled back alone."""
    from django.core.cache import cache
    from django.db import transaction
    from django.test import override_settings

    from webapp.models import DataVersion

    with django_db_blocker.unblock(), override_settings(POOLMARK_DATA=tmp_path_factory.mktemp("rows")), transaction.atomic():
        DataVersion.objects.get_or_create(pk=1)  # tests that commit leave every table empty
        cache.clear()
        yield
        transaction.set_rollback(True)


@pytest.fixture
def ann(client):
    """The test client, signed in as ann."""
    from webapp.tests import making

    client.force_login(making.user("ann"))
    return client


@pytest.fixture
def root(client):
    """The test client, signed in as a member of staff who owns nothing."""
    from webapp.tests import making

    client.force_login(making.staff())
    return client
