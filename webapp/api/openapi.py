"""The OpenAPI document beyond what is generated: an example of each call, and /api/v1/docs, which lists the calls."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

from webapp.api import problems

FILE = Path(__file__).with_name("examples.json")


def read_examples() -> dict[str, dict[str, Any]]:
    """By the id of the operation: `path`, with names in braces for ids of things, and `response`; where it is no plain GET that is
    answered with 200, also `method`, `headers`, `body` (JSON, or a text of bytes) and `status`."""
    return json.loads(FILE.read_text())


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


class Docs(DocsBase):
    def render_page(self, request: HttpRequest, api: NinjaAPI, **_: Any) -> HttpResponse:
        document = api.get_openapi_schema()
        calls = [
            _describe(method.upper(), path, operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ]
        kinds = [(status, HTTPStatus(status).phrase, name, said) for status, (name, said) in problems.KINDS.items()]
        return render(request, "api/docs.html", {"calls": calls, "kinds": kinds, "origin": settings.PUBLIC_ORIGIN})


def _describe(method: str, path: str, operation: dict[str, Any]) -> dict[str, Any]:
    answers = {status: one for status, one in operation["responses"].items() if status < "400"}
    return {
        "id": operation["operationId"],
        "method": method,
        "path": path,
        "summary": operation["summary"],
        "description": operation.get("description", ""),
        "parameters": operation.get("parameters", ()),
        "answers": [
            (status, media_type, json.dumps(content["example"], indent=2, ensure_ascii=False) if "example" in content else "")
            for status, one in answers.items()
            for media_type, content in one.get("content", {}).items()
        ],
    }
