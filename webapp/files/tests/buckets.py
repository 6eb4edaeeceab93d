"""A server that speaks S3, and a bucket of it for a test."""

from __future__ import annotations

import itertools
import logging

import pytest

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def s3_server():
    """The address of a server in this process."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


class Bucket:
    """A bucket as somebody else sees it, who may change what is in it."""

    def __init__(self, client, name: str) -> None:
        self.client, self.name = client, name
        self.address = f"s3://{name}/site"

    def keys(self) -> list[str]:
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=self.name).get("Contents", ())]

    def read(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.name, Key=f"site/{key}")["Body"].read()

    def write(self, key: str, data: bytes) -> None:
        self.client.put_object(Bucket=self.name, Key=f"site/{key}", Body=data)

    def remove(self, key: str) -> None:
        self.client.delete_object(Bucket=self.name, Key=f"site/{key}")


@pytest.fixture
def bucket(s3_server, monkeypatch, settings):
    """An empty bucket, which POOLMARK_STORE names."""
    import boto3

    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "anybody",
        "AWS_SECRET_ACCESS_KEY": "anything",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    made = Bucket(client, f"poolmark-{next(_numbers)}")
    client.create_bucket(Bucket=made.name)
    settings.POOLMARK_STORE = made.address
    return made
