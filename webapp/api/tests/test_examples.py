"""Every example of the OpenAPI document is asked of the real application, whose answer has the example's form.

`POOLMARK_WRITE_EXAMPLES=1` writes the answers into the file of examples."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from webapp.api.api import FILE, api, media_type, read_examples
from webapp.api.tests.test_api import bearer
from webapp.files import pieces
from webapp.jobs import hooks
from webapp.models import ApiUpload, Webhook
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db
EXAMPLES = read_examples()
DATA = EXAMPLES["send"]["body"].encode()
WHOLE = DATA * 2


@pytest.fixture(scope="module")
def ids(rows_of_module) -> dict[str, Any]:
    both = samples.dd_by_compression(off=[2.5, 2.6, 2.4], lz4=[1.5, 1.4, 1.6])
    iostat = b"Linux 5.10.0 (tank) \t01/03/26 \t_x86_64_\t(2 CPU)\n"
    archive = samples.received(samples.tar({"dd.txt": both, "damaged.txt": samples.dd(3, damage=True), "a.txt": iostat}))
    type(archive).objects.filter(pk=archive.pk).update(title="ZFS compression on a tank", labels={"branch": "main"}, study="tank")
    other = samples.received(samples.dd_by_compression(off=[3.5, 3.6], lz4=[1.7, 1.8]), "dd.txt")
    hook = Webhook.objects.create(owner=making.user("ann"), url="https://example.org/hook", events=[hooks.READ], secret="secret")
    hooks.add(hook, hooks.TEST, hooks.TEST, {})
    spare = samples.received(samples.dd(4.5), "dd.txt", public=False)
    things = {"archive": archive, "other": other, "permalink": frozen.freeze(), "webhook": hook, "spare": spare}
    return {name: one.pk for name, one in things.items()} | {"upload": announced().pk}


FREE = tuple("config config_from params params_from labels left_out fixed workload facts counts configuration".split())
"""Objects whose members are data."""
_MOST = 2
"""Members of a list in an example."""


def write_example(name: str, said: Any) -> None:
    """Put the answer, with shortened lists, into the file."""
    every = read_examples()
    every[name]["response"] = _short(said)
    FILE.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n")


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    return [_short(one) for one in value[:_MOST]] if isinstance(value, list) else value


def announced(data: bytes = DATA) -> ApiUpload:
    """An upload in pieces of which nothing has come."""
    asked = {"name": "dd.txt", "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "wanted": {}}
    return ApiUpload.objects.create(owner=making.user("ann"), **asked)


@pytest.fixture
def complete() -> ApiUpload:
    """An upload of which all bytes have come, into the data folder of the test."""
    upload = announced(WHOLE)
    assert pieces.append(upload, [WHOLE])
    return upload


@pytest.fixture(autouse=True)
def unsent(monkeypatch):
    """No broker, and nobody to deliver to."""
    for task in ("pushes.send_archive", "webhooks.deliver_webhook.delay"):
        monkeypatch.setattr(f"webapp.api.{task}", lambda pk: None)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def missing(example: Any, said: Any, place: str = "") -> list[str]:
    """The members of the example, and of the first item of its lists, that the answer has not; not those that are data."""
    if isinstance(example, dict):
        kept = [name for name in example if name not in FREE and not name.isdecimal()]
        if not isinstance(said, dict):
            return [place]
        return [
            one
            for name in kept
            for one in (missing(example[name], said[name], f"{place}/{name}") if name in said else [f"{place}/{name}"])
        ]
    if isinstance(example, list) and example:
        return missing(example[0], said[0], f"{place}/0") if isinstance(said, list) and said else [place]
    return [place] if isinstance(said, dict | list) and said and example is not None and not isinstance(example, list) else []


def test_every_call_has_an_example():
    assert {operation["operationId"]: method for method, _, operation in operations()} == {
        name: example.get("method", "get") for name, example in EXAMPLES.items()
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_answer_has_the_form_of_the_example(ids, complete, name):
    example, things = EXAMPLES[name], ids | {"complete": complete.pk}
    address = re.sub(r"\{(\w+)\}", lambda match: str(things[match[1]]), example["path"])
    ask = getattr(Client(headers=bearer(making.user("ann"), "manage")), example.get("method", "get"))
    sent = {} if "body" not in example else {"data": example["body"], "content_type": media_type(example)}
    answer = ask(address, **sent, headers=example.get("headers"))
    assert answer.status_code == example.get("status", 200), answer.content
    if "response" not in example:
        return
    said = json.loads(b"".join(answer.streaming_content) if answer.streaming else answer.content)
    if os.environ.get("POOLMARK_WRITE_EXAMPLES"):
        write_example(name, said)
    else:
        assert missing(example["response"], said) == []
