"""Every example of the OpenAPI document is asked of the real application, whose answer has the example's form.

`POOLMARK_WRITE_EXAMPLES=1` writes the answers into the file of examples."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from webapp.api import examples
from webapp.api.api import api
from webapp.api.tests.test_api import bearer
from webapp.jobs import hooks
from webapp.models import Webhook
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db
EXAMPLES = examples.read_examples()


@pytest.fixture(scope="module")
def ids(rows_of_module) -> dict[str, Any]:
    both = samples.dd_by_compression(off=[2.5, 2.6, 2.4], lz4=[1.5, 1.4, 1.6])
    iostat = b"Linux 5.10.0 (tank) \t01/03/26 \t_x86_64_\t(2 CPU)\n"
    archive = samples.received(samples.tar({"dd.txt": both, "damaged.txt": samples.dd(3, damage=True), "a.txt": iostat}))
    type(archive).objects.filter(pk=archive.pk).update(title="ZFS compression on a tank", labels={"branch": "main"}, study="tank")
    other = samples.received(samples.dd_by_compression(off=[3.5, 3.6], lz4=[1.7, 1.8]), "dd.txt")
    hook = Webhook.objects.create(owner=making.user("ann"), url="https://example.org/hook", events=[hooks.READ], secret="secret")
    hooks.add(hook, hooks.TEST, hooks.TEST, {})
    return {"archive": archive.pk, "other": other.pk, "permalink": frozen.freeze().pk, "webhook": hook.pk}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def missing(example: Any, said: Any, place: str = "") -> list[str]:
    """The members of the example, and of the first item of its lists, that the answer has not; not those that are data."""
    if isinstance(example, dict):
        kept = [name for name in example if name not in examples.FREE and not name.isdecimal()]
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


def test_every_reading_call_has_an_example():
    assert {operation["operationId"] for method, _, operation in operations() if method == "get"} <= {*EXAMPLES, "show"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_answer_has_the_form_of_the_example(ids, name):
    example = EXAMPLES[name]
    address = re.sub(r"\{(\w+)\}", lambda match: str(ids[match[1]]), example["path"])
    answer = Client(headers=bearer(making.user("ann"), "manage")).get(address)
    assert answer.status_code == 200, answer.content
    said = json.loads(b"".join(answer.streaming_content) if answer.streaming else answer.content)
    if os.environ.get("POOLMARK_WRITE_EXAMPLES"):
        examples.write_example(name, said)
    else:
        assert missing(example["response"], said) == []
