"""Clients of a bucket: memory, CPU seconds and refusal of a second write, of boto3 and of obstore, with a server on this machine.

obstore is no requirement: `.venv/bin/pip install obstore` adds its figures. The server is moto's, of the tests' requirements.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SMALL = ("--megabytes", "9")
PART = 8 << 20
_CHILD = "--child"
_BUCKET, _KEY = "poolmark-bench", "object"
_ENV = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--megabytes", type=int, default=200)


def run(args: argparse.Namespace) -> dict[str, object]:
    import boto3
    from moto.server import ThreadedMotoServer

    os.environ.update(_ENV)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        file = Path(folder, "object")
        with file.open("wb") as out:
            for _ in range(args.megabytes):
                out.write(os.urandom(1 << 20))
        for name in CLIENTS:
            if importlib.util.find_spec(name) is None:
                print(f"{name} is not installed")
                continue
            boto3.client("s3", endpoint_url=address).create_bucket(Bucket=f"{_BUCKET}-{name}")
            command = [sys.executable, __file__, _CHILD, name, address, str(file)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | _ENV).stdout.strip()
            print(f"{name}: {printed}")
            figures |= {f"{name} {label}": float(value) for label, value in (pair.split("=") for pair in printed.split(", ")[:-1])}
    server.stop()
    return figures


Client = tuple[Callable[[], object], Callable[[int, int], bytes]]
"""Write the object where there is none; read a range of it."""


def _boto3(address: str, file: Path) -> Client:
    """Own parts: its transfer manager takes no condition."""
    import boto3

    client, where = boto3.client("s3", endpoint_url=address), {"Bucket": f"{_BUCKET}-boto3", "Key": _KEY}

    def put() -> None:
        upload = client.create_multipart_upload(**where)["UploadId"]
        parts: list[dict[str, Any]] = []
        with file.open("rb") as stream:
            while part := stream.read(PART):
                answer = client.upload_part(**where, UploadId=upload, PartNumber=len(parts) + 1, Body=part)
                parts.append({"PartNumber": len(parts) + 1, "ETag": answer["ETag"]})
        client.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": parts}, IfNoneMatch="*")

    return put, lambda start, end: client.get_object(**where, Range=f"bytes={start}-{end - 1}")["Body"].read()


def _obstore(address: str, file: Path) -> Client:
    """With a condition it sends the object in one request, and has all of it in memory."""
    import obstore
    from obstore.store import S3Store

    store = S3Store(f"{_BUCKET}-obstore", endpoint=address, client_options={"allow_http": True}, virtual_hosted_style_request=False)
    put = lambda: obstore.put(store, _KEY, file, mode="create", chunk_size=PART)  # noqa: E731
    return put, lambda start, end: bytes(obstore.get_range(store, _KEY, start=start, end=end))


CLIENTS = {"boto3": _boto3, "obstore": _obstore}


def _child(name: str, address: str, file: Path) -> None:
    started = time.perf_counter()
    put, read = CLIENTS[name](address, file)
    loading = time.perf_counter() - started
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    put()
    size, digest = file.stat().st_size, hashlib.sha256()
    for start in range(0, size, PART):
        digest.update(read(start, min(start + PART, size)))
    with file.open("rb") as stream:
        assert digest.digest() == hashlib.file_digest(stream, "sha256").digest()
    try:
        put()
        second = "accepted"
    except Exception as error:
        second = f"refused ({type(error).__name__})"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"seconds to load={loading:.2f}, CPU seconds={time.process_time():.2f}, MB with nothing sent={before >> 10}, "
        f"MB at most={peak >> 10}, a second write is {second}"
    )


if __name__ == "__main__" and _CHILD in sys.argv:
    _child(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
