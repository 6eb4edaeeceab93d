"""The examples of the OpenAPI document: a request of each call, and what it is answered with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

FILE = Path(__file__).with_name("examples.json")
FREE = tuple("config config_from params params_from labels left_out fixed workload facts counts configuration".split())
"""Objects whose members are data."""
_MOST = 2
"""Members of a list in an example."""


def read_examples() -> dict[str, dict[str, Any]]:
    """By the id of the operation: `path`, with names in braces for ids of things, and `response`; where it is no plain GET that is
    answered with 200, also `method`, `headers`, `body` (JSON, or a text of bytes) and `status`."""
    return json.loads(FILE.read_text())


def write_example(name: str, said: Any) -> None:
    """Put the answer, with shortened lists, into the file."""
    every = read_examples()
    every[name]["response"] = _short(said)
    FILE.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n")


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    return [_short(one) for one in value[:_MOST]] if isinstance(value, list) else value


def add_example(operation: dict[str, Any]) -> None:
    """Put the example of an operation into its parameters, its body and its answer."""
    example = read_examples().get(operation["operationId"])
    if example is None:
        return
    asked = dict(parse_qsl(urlsplit(example["path"]).query)) | example.get("headers", {})
    for parameter in operation.get("parameters", ()):
        value = asked.get(parameter["name"])
        if value is not None and "{" not in value:
            parameter["example"] = [value] if parameter["schema"].get("type") == "array" else value
    if "body" in example:
        operation["requestBody"]["content"][media_type(example)]["example"] = example["body"]
    if "response" in example:
        [answer] = [said for status, said in operation["responses"].items() if int(status) == example.get("status", 200)]
        answer["content"]["application/json"]["example"] = example["response"]


def media_type(example: dict[str, Any]) -> str:
    """Of the body of an example."""
    return "application/octet-stream" if isinstance(example.get("body"), str) else "application/json"
