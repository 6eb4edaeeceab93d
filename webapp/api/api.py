"""The API's front: routers by noun, the answer of every exception, the OpenAPI document."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from webapp.api import archives, auth, compare_calls, freezing, list_calls, problems, pushes, record_calls, uploads, webhooks
from webapp.api.openapi import Docs, add_example
from webapp.infrastructure import readiness

_PROBLEM = {
    "description": "A problem (RFC 9457)",
    "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
}


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
        add_example(operation)
        is_public = any(auth.Public.__name__ in one for one in operation.get("security", ()))
        operation["security"] = [*([{}] if is_public else []), {auth.Token.__name__: []}]
        responses = operation["responses"]
        for status in problems.COMMON:
            responses.setdefault(status, _PROBLEM)
        operation["responses"] = {str(status): said for status, said in sorted(responses.items(), key=lambda pair: int(pair[0]))}


api = Api(
    title="Poolmark",
    version="1",
    description="Results of storage benchmarks: what the pages show, as JSON. Errors are problem details (RFC 9457).",
    openapi_url="/openapi.json",
    docs=Docs(),
    docs_url="/docs",
    urls_namespace="api",
    auth=auth.public,
)
assert pushes.router is archives.router  # its operations stand at the same addresses
api.add_router("archives", archives.router, tags=["archives"])
api.add_router("uploads", uploads.router, tags=["archives"])
api.add_router("permalinks", freezing.router, tags=["permalinks"])
api.add_router("webhooks", webhooks.router)
for _module in (record_calls, list_calls, compare_calls):
    api.add_router("", _module.router)


@api.exception_handler(problems.Problem)
def _on_problem(request: HttpRequest, problem: problems.Problem) -> HttpResponse:
    return problems.answer(request, problem.status, problem.detail, errors=problem.errors, headers=problem.headers)


@api.exception_handler(Http404)
def _on_404(request: HttpRequest, error: Http404) -> HttpResponse:
    said = str(error.args[0]) if error.args else ""
    return problems.answer(request, 404, "" if said.startswith("No ") else said)


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
