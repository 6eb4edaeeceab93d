"""Bytes of archives in a bucket: kept once, checked when they are read, moved there and back."""

from __future__ import annotations

import hashlib
import random
import threading
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from webapp.accounts import audit, blocklist
from webapp.archives import lifecycle, upload
from webapp.files import blobs, stores
from webapp.files import bucket as bucket_module
from webapp.infrastructure import checks
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive
from webapp.tests import making, samples

LONG = random.Random(1).randbytes(3 * bucket_module.PART + 5)


def written(data: bytes, tmp_path: Path) -> tuple[str, Path]:
    digest = hashlib.sha256(data).hexdigest()
    file = tmp_path / f"{digest}-{len(list(tmp_path.iterdir()))}"
    file.write_bytes(data)
    return stores.make_key("blobs", digest), file


def content(key: str) -> bytes:
    with stores.local(key) as path:
        return path.read_bytes()


@pytest.mark.parametrize("data", [b"", b"short", LONG], ids=["empty", "short", "in parts"])
def test_what_is_put_is_read_and_verified(bucket, tmp_path, data):
    key, file = written(data, tmp_path)
    stores.current().put(key, file)
    assert content(key) == data and bucket.read(key) == data and not file.exists()
    assert stores.current().size(key) == len(data) and list(stores.current().keys()) == [key]
    stores.verify(key)
    stores.delete(key)
    assert not stores.exists(key) and bucket.keys() == []
    with pytest.raises(stores.MissingBytes), stores.local(key):
        pass


@pytest.mark.parametrize("data", [b"short", LONG], ids=["short", "in parts"])
def test_the_same_bytes_are_written_once(bucket, tmp_path, data, monkeypatch):
    store, answers = stores.current(), []
    ask = store._ask

    def recorded(operation, key=None, **fields):
        try:
            answer = ask(operation, key, **fields)
        except bucket_module._Refused:
            answers.append((operation, "refused"))
            raise
        answers.append((operation, "done"))
        return answer

    monkeypatch.setattr(store, "_ask", recorded)
    files = [written(data, tmp_path) for _ in range(8)]
    for pair in files:
        store.put(*pair)
    last = "put_object" if data == b"short" else "complete_multipart_upload"
    assert sorted(result for operation, result in answers if operation == last) == ["done"] + ["refused"] * 7
    assert len(bucket.keys()) == 1 and content(files[0][0]) == data
    assert bucket.client.list_multipart_uploads(Bucket=bucket.name).get("Uploads", []) == []


@pytest.mark.parametrize("data", [b"short", LONG], ids=["short", "in parts"])
def test_of_eight_writers_at_once_one_wins_and_all_find_their_bytes(bucket, tmp_path, data):
    store = stores.current()
    store._client  # noqa: B018  made by one thread
    files, start, failures = [written(data, tmp_path) for _ in range(8)], threading.Barrier(8), []

    def write(pair):
        start.wait()
        try:
            store.put(*pair)
        except Exception as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=[pair]) for pair in files]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert failures == [] and len(bucket.keys()) == 1
    stores.verify(files[0][0])
    assert content(files[0][0]) == data and not any(file.exists() for _, file in files)


def test_a_long_object_is_read_by_ranges_and_its_copy_used_again(bucket, tmp_path, monkeypatch):
    key, file = written(LONG, tmp_path)
    store = stores.current()
    store.put(key, file)
    ranges, ask = [], store._ask
    monkeypatch.setattr(
        store, "_ask", lambda name, key=None, **fields: ranges.append(fields.get("Range", name)) or ask(name, key, **fields)
    )
    assert content(key) == LONG
    part = bucket_module.PART
    assert ranges == ["head_object", *(f"bytes={n * part}-{min((n + 1) * part, len(LONG)) - 1}" for n in range(4))]
    ranges.clear()
    assert content(key) == LONG and ranges == ["head_object"]


def test_a_copy_in_use_outlives_its_deletion(bucket, tmp_path):
    key, file = written(b"data", tmp_path)
    stores.current().put(key, file)
    with stores.local(key) as path:
        stores.delete(key)
        assert path.read_bytes() == b"data"
    assert list(stores.current().cache.iterdir()) == []


DAMAGES = {
    "changed": lambda bucket, key: bucket.write(key, bucket.read(key)[:-1] + b"?"),
    "truncated": lambda bucket, key: bucket.write(key, bucket.read(key)[:-1]),
    "emptied": lambda bucket, key: bucket.write(key, b""),
    "removed": lambda bucket, key: bucket.remove(key),
}


@pytest.mark.django_db
@pytest.mark.parametrize("is_known", [False, True], ids=["never read here", "read here before"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_object_is_named_and_no_page_serves_it(bucket, client, damage, is_known):
    archive = samples.received(samples.tar({"a.txt": samples.dd(2.5)}))
    assert archive.state == Archive.State.READ
    addresses = [f"/archives/{archive.pk}/download", f"/archives/{archive.pk}/raw/a.txt"]
    if is_known:
        assert [client.get(address).status_code for address in addresses] == [200, 200]
    else:
        for copy in stores.current().cache.iterdir():
            copy.unlink()
    DAMAGES[damage](bucket, blobs.key(archive.sha256))
    said = StringIO()
    with pytest.raises(CommandError):
        call_command("check_data", stdout=said)
    what = "are missing" if damage == "removed" else "have not the digest"
    assert f"archives/{archive.pk}: its bytes" in said.getvalue() and what in said.getvalue()
    for address in addresses:
        # another query: what this very page said before may be kept
        answer = client.get(address, {"again": "1"})
        assert answer.status_code == 404 and b"storage" in answer.content, address
    Archive.objects.filter(pk=archive.pk).update(state=Archive.State.RECEIVED)
    assert ingest_archive(archive.pk) == "failed"
    archive.refresh_from_db()
    assert what in archive.failure
    # the same bytes sent again mend it
    again, is_new = upload.receive(
        blobs.write_incoming([samples.tar({"a.txt": samples.dd(2.5)})]), archive.owner, "a.tar", send=lambda pk: None
    )
    assert again == archive and not is_new and ingest_archive(archive.pk) == "read"
    assert client.get(addresses[0], {"once": "more"}).status_code == 200


@pytest.mark.django_db
def test_an_upload_waits_while_the_store_does_not_answer(bucket, monkeypatch):
    archive = upload.receive(blobs.write_incoming([samples.dd(2.5)]), making.user(), "dd.txt", send=lambda pk: None)[0]
    for copy in stores.current().cache.glob("*"):
        copy.unlink()
    monkeypatch.setattr(stores.current(), "_client", broken_client())
    assert "does not answer" in next(check.problem for check in checks.run_checks() if check.name == "store")
    assert ingest_archive(archive.pk) == "waiting"
    archive.refresh_from_db()
    assert archive.state == Archive.State.RECEIVED and archive.attempts == 0
    monkeypatch.undo()


def broken_client():
    import boto3
    from botocore.config import Config

    fast = Config(retries={"max_attempts": 0}, connect_timeout=0.5, s3={"addressing_style": "path"})
    return boto3.client("s3", endpoint_url="http://127.0.0.1:9", config=fast)


@pytest.mark.django_db
def test_blocked_bytes_are_never_sent(bucket):
    data = samples.dd(7)
    lifecycle.block_bytes(hashlib.sha256(data).hexdigest(), "spam", audit.command_line_actor())
    with pytest.raises(blocklist.Blocked):
        samples.received(data)
    assert bucket.keys() == []


@pytest.mark.django_db
def test_what_is_refused_after_it_was_sent_is_deleted(bucket, monkeypatch):
    def refused(owner, size):
        raise upload.QuotaExceeded("too much")

    monkeypatch.setattr(upload, "_check_quota", refused)
    monkeypatch.setattr(upload.QuotaExceeded, "__init__", Exception.__init__)
    with pytest.raises(upload.QuotaExceeded):
        incoming = blobs.write_incoming([samples.dd(7)])
        upload.receive(incoming, making.user(), "dd.txt", limited=True, send=lambda pk: None)
    assert incoming.is_sent and bucket.keys() == [] and not list((blobs.folder() / "incoming").iterdir())


def move(source: str, target: str, **options) -> str:
    said = StringIO()
    call_command("store", "move", source, target, stdout=said, stderr=said, **options)
    return said.getvalue().strip().splitlines()[-1]


@pytest.mark.django_db
def test_bytes_move_to_a_bucket_and_back_while_pages_read_them(bucket, settings, data_folder, client):
    settings.POOLMARK_STORE = ""
    archives = [samples.received(samples.tar({"a.txt": samples.dd(speed)})) for speed in (2.5, 3.5, 4.5)]
    folder, addresses = str(data_folder), [f"/archives/{archive.pk}/download" for archive in archives]
    whole = [b"".join(client.get(address)) for address in addresses]

    def all_read() -> bool:
        return [b"".join(client.get(address)) for address in addresses] == whole

    for source, target in ((folder, bucket.address), (bucket.address, folder)):
        settings.POOLMARK_STORE, settings.POOLMARK_STORE_BEFORE = target, source
        assert all_read()
        put, count = stores.find_store(target).put, []

        def interrupted(key, file, put=put, count=count):
            count.append(key)
            if len(count) == 2:
                raise KeyboardInterrupt
            put(key, file)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stores.find_store(target), "put", interrupted)
            with pytest.raises(KeyboardInterrupt):
                move(source, target)
        assert all_read()
        assert move(source, target) == "moved: 2, there already: 0, of no archive: 0, damaged: 0"
        settings.POOLMARK_STORE_BEFORE = ""
        assert all_read() and list(stores.find_store(source).keys()) == []
        assert move(source, target) == "moved: 0, there already: 0, of no archive: 0, damaged: 0"


def test_a_file_in_use_outlives_its_move(bucket, settings, data_folder, tmp_path):
    key, file = written(b"data", tmp_path)
    folder = stores.find_store("")
    folder.put(key, file)
    settings.POOLMARK_STORE_BEFORE = str(data_folder)
    with stores.local(key) as path:
        stores.current().put(key, written(b"data", tmp_path)[1])
        folder.delete(key)
        assert path.read_bytes() == b"data"
    assert not path.exists() and content(key) == b"data"
    stores.verify(key)


@pytest.mark.parametrize("use", [content, stores.verify], ids=["read", "verified"])
def test_bytes_that_move_between_finding_and_opening_are_found_in_the_other_store(bucket, settings, data_folder, tmp_path, use):
    key, file = written(b"data", tmp_path)
    folder = stores.find_store(str(data_folder))
    folder.put(key, file)
    settings.POOLMARK_STORE_BEFORE = str(data_folder)
    size = folder.size

    def moved_at_once(asked):
        found = size(asked)
        stores.current().put(key, written(b"data", tmp_path)[1])
        folder.delete(key)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "size", moved_at_once)
        assert use(key) in (b"data", None)
    assert list(folder.keys()) == [] and stores.current().size(key) == 4


@pytest.mark.django_db
def test_what_is_damaged_or_of_no_archive_is_not_moved(bucket, settings, data_folder):
    settings.POOLMARK_STORE = ""
    whole, damaged = (samples.received(samples.dd(speed)) for speed in (2.5, 3.5))
    blobs.path(damaged.sha256).write_bytes(b"other")
    unused = blobs.write_incoming([b"of nobody"])
    unused.settle()
    with pytest.raises(CommandError, match="check_data"):
        move(str(data_folder), bucket.address)
    assert bucket.keys() == [f"site/{blobs.key(whole.sha256)}"]
    assert blobs.path(damaged.sha256).exists() and blobs.path(unused.sha256).exists()


@pytest.mark.parametrize("kind", ["bucket", "folder"])
def test_what_lies_below_a_place_is_named_in_order_and_read(bucket, tmp_path, kind):
    files = {"b.tar": b"short", "a/z.txt": b"", "a.b/c": LONG}
    for name, data in files.items():
        bucket.write(f"catalogue/{name}", data)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    store = stores.find_store(f"{bucket.address}/catalogue" if kind == "bucket" else str(tmp_path))
    assert list(store.names()) == ["a.b/c", "a/z.txt", "b.tar"]
    assert {name: b"".join(store.blocks(name)) for name in store.names()} == files
    with pytest.raises(stores.MissingBytes):
        next(iter(store.blocks("none")))


@pytest.mark.parametrize("address", ["s3://", "s3://UPPER/x", "s3://a"])
def test_an_address_that_names_no_bucket_is_refused(address):
    with pytest.raises(ValueError, match="names no bucket"):
        stores.find_store(address)
