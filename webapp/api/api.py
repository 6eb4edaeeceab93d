"""The API's front: routers by noun, the answer of every exception, the OpenAPI document."""

from __future__ import annotations

import json
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.datastructures import MultiValueDict
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.docs import DocsBase
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.parser import Parser

from webapp.api import archives, auth, compare_calls, list_calls, pushes, record_calls, uploads, webhooks
from webapp.http import problems
from webapp.infrastructure import readiness
from webapp.permalinks.frozen_addresses import find_origin

# The OpenAPI document beyond what is generated: an example of each call, and /api/v1/docs, which lists the calls.

FILE = Path(__file__).with_name("examples.json")


def read_examples() -> dict[str, dict[str, Any]]:
    """By the id of the operation: `path`, with names in braces for ids of things, and `response`; where it is no plain GET that is
    answered with 200, also `method`, `headers`, `body` (JSON, or a text of bytes) and `status`."""
    return json.loads(FILE.read_text())


def _add_example(operation: dict[str, Any]) -> None:
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


class _Docs(DocsBase):
    def render_page(self, request: HttpRequest, api: NinjaAPI, **_: Any) -> HttpResponse:
        document = api.get_openapi_schema()
        calls = [
            _describe(method.upper(), path, operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ]
        kinds = [(status, HTTPStatus(status).phrase, name, said) for status, (name, said) in problems.KINDS.items()]
        return render(request, "api/docs.html", {"calls": calls, "kinds": kinds, "origin": find_origin(request).site})


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


_PROBLEM: dict[str, Any] = {
    "description": "A problem (RFC 9457)",
    "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
}


_LONG = _PROBLEM | {"content": _PROBLEM["content"] | {"text/html": {"schema": {"type": "string"}}}}
_OF_SERVER = {414: _LONG, 431: {"description": "Without a body"}}
"""The web server answers these before anything is read."""


class _Parser(Parser):
    def parse_querydict(self, data: MultiValueDict, list_fields: list[str], request: HttpRequest) -> dict[str, Any]:
        """A key that is given twice is a list, which is refused where one value is asked for: ninja takes the last."""
        return {key: values if key in list_fields or len(values) > 1 else values[0] for key, values in data.lists()}

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """A JSON object: where all fields may be left out, ninja takes all that has none. ValueError: the answer is 400."""
        body = super().parse_body(request)
        if not isinstance(body, dict):
            raise ValueError("not an object")
        return body


class Api(NinjaAPI):
    """Every operation declares the problems that it may answer with."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(self, **_: Any) -> OpenAPISchema:
        return self._document

    @cached_property
    def _document(self) -> OpenAPISchema:
        made = super().get_openapi_schema(path_prefix="api/v1/")
        made["components"]["schemas"]["ProblemDetails"] = problems.ProblemDetails.model_json_schema(
            ref_template="#/components/schemas/{model}"
        )
        made["components"]["schemas"].update(made["components"]["schemas"]["ProblemDetails"].pop("$defs"))
        made["components"]["securitySchemes"].pop(auth.Public.__name__, None)
        for operations in made["paths"].values():
            for operation in operations.values():
                self._complete(operation)
        return made

    def _complete(self, operation: dict[str, Any]) -> None:
        _add_example(operation)
        is_public = any(auth.Public.__name__ in one for one in operation.get("security", ()))
        operation["security"] = [*([{}] if is_public else []), {auth.Token.__name__: []}]
        responses = operation["responses"]
        for status in problems.COMMON:
            responses.setdefault(status, _OF_SERVER.get(status, _PROBLEM))
        operation["responses"] = {str(status): said for status, said in sorted(responses.items(), key=lambda pair: int(pair[0]))}


api = Api(
    title="Poolmark",
    version="1",
    description="Results of storage benchmarks: what the pages show, as JSON. Errors are problem details (RFC 9457).",
    openapi_url="/openapi.json",
    docs=_Docs(),
    parser=_Parser(),
    docs_url="/docs",
    urls_namespace="api",
    auth=auth.public,
)
assert pushes.router is archives.router  # its operations stand at the same addresses
api.add_router("archives", archives.router, tags=["archives"])
api.add_router("uploads", uploads.router, tags=["archives"])
api.add_router("permalinks", compare_calls.permalinks, tags=["permalinks"])
api.add_router("webhooks", webhooks.router)
for _module in (record_calls, list_calls, compare_calls):
    api.add_router("", _module.router)


@api.exception_handler(problems.Problem)
def _on_problem(request: HttpRequest, problem: problems.Problem) -> HttpResponse:
    return problems.answer(request, problem.status, problem.detail, errors=problem.errors, headers=problem.headers)


@api.exception_handler(Http404)
def _on_404(request: HttpRequest, error: Http404) -> HttpResponse:
    said = str(error.args[0]) if error.args else ""
    return problems.answer(request, 404, "" if said.endswith("matches the given query.") else said)  # Django's, names a model


@api.exception_handler(HttpError)
def _on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problems.answer(request, error.status_code, str(error))


@api.exception_handler(ValidationError)
def _on_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    places = [(".".join(str(part) for part in one["loc"]), str(one["msg"])) for one in error.errors]
    return problems.answer(request, 422, errors=places)


@api.exception_handler(Exception)
def _on_fault(request: HttpRequest, error: Exception) -> HttpResponse:
    """A failing disk, store or database is said; anything else Django logs, and the middleware answers."""
    if readiness.is_disk_full(error):
        return problems.answer(request, 507)
    if reason := readiness.storage_failure(error):
        return problems.answer(request, 503, f"The storage of this site cannot be used: {reason}.", headers={"Retry-After": "30"})
    if readiness.is_site_failure(error):
        return problems.answer(request, 503, headers={"Retry-After": "30"})
    raise error
