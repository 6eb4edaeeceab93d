"""Bytes in an S3 bucket, `POOLMARK_STORE=s3://BUCKET/PREFIX`. Endpoint, region and credentials are boto3's own variables.

An object is written under the condition that there is none (`If-None-Match: *`), in parts where it is long, and read by ranges
under the condition that it is still the same (`If-Match`). What was read is hashed before anybody sees it. The copy of this host
is used as long as the object has the ETag that it had then.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from webapp.files import disk_cache
from webapp.files.stores import AREAS, BUCKET, DamagedBytes, MissingBytes, StoreError, digest_of

PART = 8 << 20
"""Bytes of a part of an upload, and of a range that is read: what is in memory at once."""
_ATTEMPTS = 3  # at a range whose connection breaks; boto3 tries requests again by itself
_GONE = ("404", "NoSuchKey", "NotFound")
_CONDITION_FAILED = ("412", "PreconditionFailed", "409", "ConditionalRequestConflict")
_UNCONDITIONAL = ("501", "NotImplemented")  # a server without conditional writes
_Result = TypeVar("_Result")


class _Head(NamedTuple):
    size: int
    etag: str


class BucketStore:
    """Objects of a bucket below a prefix; `cache`: the folder of this host's copies."""

    is_remote = True

    def __init__(self, address: str, cache: Path) -> None:
        bucket, _, prefix = address.removeprefix(BUCKET).partition("/")
        if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", bucket):
            raise ValueError(f"{address} names no bucket: POOLMARK_STORE is s3://BUCKET or s3://BUCKET/PREFIX.")
        self.bucket, self.prefix = bucket, prefix.strip("/") + "/" if prefix.strip("/") else ""
        self.name = f"{BUCKET}{self.bucket}/{self.prefix}".rstrip("/")
        self.cache = cache

    @cached_property
    def _boto3(self) -> Any:
        try:
            return importlib.import_module("boto3")
        except ImportError:
            raise StoreError(f"{self.name} needs boto3: .venv/bin/pip install -r requirements/bucket.txt") from None

    @cached_property
    def _client(self) -> Any:
        config = importlib.import_module("botocore.config").Config
        has_endpoint = any(os.environ.get(name) for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
        return self._boto3.session.Session().client(
            "s3",
            config=config(
                retries={"mode": "standard", "max_attempts": 4},
                connect_timeout=10,
                read_timeout=60,
                s3={"addressing_style": "path" if has_endpoint else "auto"},
            ),
        )

    def _ask(self, operation: str, key: str | None = None, **fields: Any) -> Any:
        """One request. Raises MissingBytes where the object is not there, _Refused where a condition is not met, StoreError."""
        self._boto3  # noqa: B018  the sentence for who lacks it
        errors = importlib.import_module("botocore.exceptions")
        if key is not None:
            fields["Key"] = self.prefix + key
        try:
            return getattr(self._client, operation)(Bucket=self.bucket, **fields)
        except errors.ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if code in _GONE and key is not None:
                raise MissingBytes(digest_of(key)) from None
            if code in _CONDITION_FAILED:
                raise _Refused from None
            if code in _UNCONDITIONAL:
                raise _NotSupported from None
            raise StoreError(f"{self.name} refused {operation} ({code})") from error
        except errors.BotoCoreError as error:
            raise StoreError(f"{self.name} does not answer ({type(error).__name__})") from error

    def _head(self, key: str) -> _Head:
        found = self._ask("head_object", key)
        return _Head(found["ContentLength"], found["ETag"])

    def size(self, key: str) -> int | None:
        try:
            return self._head(key).size
        except MissingBytes:
            return None

    def put(self, key: str, file: Path) -> None:
        write = self._put_whole if file.stat().st_size <= PART else self._put_parts
        try:
            _conditional(write, key, file)
        except _Refused:
            try:
                self.verify(key)
            except (MissingBytes, DamagedBytes):
                write(key, file)
        file.unlink()

    def _put_whole(self, key: str, file: Path, **condition: str) -> None:
        self._ask("put_object", key, Body=file.read_bytes(), **condition)

    def _put_parts(self, key: str, file: Path, **condition: str) -> None:
        upload = self._ask("create_multipart_upload", key)["UploadId"]
        try:
            parts = []
            with file.open("rb") as stream:
                for number, part in enumerate(iter(lambda: stream.read(PART), b""), 1):
                    answer = self._ask("upload_part", key, UploadId=upload, PartNumber=number, Body=part)
                    parts.append({"PartNumber": number, "ETag": answer["ETag"]})
            self._ask("complete_multipart_upload", key, UploadId=upload, MultipartUpload={"Parts": parts}, **condition)
        except BaseException:
            with suppress(OSError, _Refused, _NotSupported):
                self._ask("abort_multipart_upload", key, UploadId=upload)
            raise

    def _read_ranges(self, key: str, head: _Head) -> Iterator[bytes]:
        """The bytes of the object, hashed; raises DamagedBytes after the last where they are not those of the digest."""
        digest = hashlib.sha256()
        for start in range(0, head.size, PART):
            part = self._read_range(key, head, start, min(start + PART, head.size))
            digest.update(part)
            yield part
        if digest.hexdigest() != digest_of(key):
            raise DamagedBytes(digest_of(key))

    def _read_range(self, key: str, head: _Head, start: int, end: int) -> bytes:
        errors = importlib.import_module("botocore.exceptions")
        broken: Exception | None = None
        for _ in range(_ATTEMPTS):
            try:
                answer = self._ask("get_object", key, Range=f"bytes={start}-{end - 1}", IfMatch=head.etag)
                part = answer["Body"].read()
            except _Refused:
                raise DamagedBytes(digest_of(key)) from None  # another object since the first range
            except (errors.HTTPClientError, errors.IncompleteReadError, errors.ReadTimeoutError) as error:
                broken = error
                continue
            if len(part) == end - start:
                return part
        raise StoreError(f"{self.name} answers with less than it was asked for") from broken

    def verify(self, key: str) -> None:
        for _ in self._read_ranges(key, self._head(key)):
            pass

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        head, digest = self._head(key), digest_of(key)
        mark = hashlib.sha256(f"{head.etag} {head.size}".encode()).hexdigest()[:16]
        copy, borrowed = self.cache / f"{digest}.{mark}", _unused_name(self.cache, digest)
        try:
            if not disk_cache.borrow(copy, borrowed):
                self._download(key, head, copy)
                disk_cache.prune(self.cache, keep=copy)
                os.link(copy, borrowed)
            yield borrowed
        finally:
            borrowed.unlink(missing_ok=True)

    def _download(self, key: str, head: _Head, copy: Path) -> None:
        handle, name = tempfile.mkstemp(dir=self.cache, prefix=disk_cache.UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as out:
                for part in self._read_ranges(key, head):
                    out.write(part)
            os.replace(name, copy)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def delete(self, key: str) -> None:
        with suppress(MissingBytes):
            self._ask("delete_object", key)
        for copy in self.cache.glob(f"{digest_of(key)}.*"):
            copy.unlink(missing_ok=True)

    def keys(self) -> Iterator[str]:
        for area in AREAS:
            for page in self._pages(f"{self.prefix}{area}/"):
                yield from (entry["Key"].removeprefix(self.prefix) for entry in page)

    def _pages(self, prefix: str) -> Iterator[list[dict[str, Any]]]:
        """What is listed below a prefix, a thousand objects at a time, in the order of their names."""
        page: dict[str, Any] = {"IsTruncated": True}
        while page["IsTruncated"]:
            more = {"ContinuationToken": page["NextContinuationToken"]} if "NextContinuationToken" in page else {}
            page = {"IsTruncated": False} | self._ask("list_objects_v2", Prefix=prefix, **more)
            yield page.get("Contents", [])

    def names(self) -> Iterator[str]:
        """The names of all objects below the prefix, whatever they are, in order."""
        for page in self._pages(self.prefix):
            yield from (entry["Key"].removeprefix(self.prefix) for entry in page if not entry["Key"].endswith("/"))

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of an object, by ranges. Raises MissingBytes; DamagedBytes where it becomes another one meanwhile."""
        head = self._head(name)
        for start in range(0, head.size, PART):
            yield self._read_range(name, head, start, min(start + PART, head.size))

    def check(self) -> None:
        self._ask("put_object", "ready", Body=b"poolmark")


class _Refused(Exception):
    """The condition of a request is not met."""


class _NotSupported(Exception):
    """The server knows no conditional writes."""


def _conditional(write: Callable[..., _Result], key: str, file: Path) -> _Result:
    """Write where nothing is. Where the server knows no such condition, over what is there: it is the same."""
    try:
        return write(key, file, IfNoneMatch="*")
    except _NotSupported:
        return write(key, file)


def _unused_name(folder: Path, digest: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f"{disk_cache.BORROWED}{digest[:8]}-")
    os.close(handle)
    Path(name).unlink()
    return Path(name)
