"""A site whose bytes are in a bucket: a backup has them, and a restore puts them into another one."""

from __future__ import annotations

import pytest

from webapp.backups import backup_folder, create
from webapp.backups.restore import _restore_bytes
from webapp.files import blobs, stores
from webapp.files.tests.buckets import bucket, s3_server  # noqa: F401 fixtures
from webapp.tests import samples

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]


def it_has_the_bytes_of_a_bucket(tmp_path, bucket, settings):  # noqa: F811
    rows = [samples.received(samples.tar({"run/dd.txt": samples.dd(seconds)})) for seconds in (1.5, 2.5, 3.5)]
    bucket.remove(blobs.key(rows[0].sha256))
    bucket.write(blobs.key(rows[1].sha256), b"other")
    made, held = create.create(tmp_path / "backups", print, as_dump=True)
    assert held.held == {rows[2].sha256} and len(held.problems) == 2
    assert backup_folder.sha256_of(backup_folder.blob_path(made.target, rows[2].sha256)) == rows[2].sha256
    assert list(backup_folder.find_problems(made)) == []

    settings.POOLMARK_STORE = f"s3://{bucket.name}/another"
    settings.POOLMARK_DATA = tmp_path / "data"
    _restore_bytes(made, tmp_path / "data")
    stores.verify(blobs.key(rows[2].sha256))
    assert sorted(stores.current().keys()) == [blobs.key(rows[2].sha256)]
