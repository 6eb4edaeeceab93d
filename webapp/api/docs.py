"""/api/v1/docs: the calls of the API, listed from its OpenAPI document."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

from webapp.api import problems


class Docs(DocsBase):
    def render_page(self, request: HttpRequest, api: NinjaAPI, **_: Any) -> HttpResponse:
        document = api.get_openapi_schema()
        calls = [
            _describe(method.upper(), path, operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ]
        kinds = [(status, HTTPStatus(status).phrase, name, said) for status, (name, said) in problems.KINDS.items()]
        return render(request, "api/docs.html", {"calls": calls, "kinds": kinds})


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
