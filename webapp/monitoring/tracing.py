"""Traces for OpenTelemetry: of requests, tasks and queries, sent to the address in OTEL_EXPORTER_OTLP_ENDPOINT.

Without this variable nothing of OpenTelemetry is imported. The other variables of OpenTelemetry are read by its SDK.
"""

from __future__ import annotations

import os
from typing import Any

from webapp.monitoring.logs import REQUEST, mask_secrets

VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT"
UNTRACED = "^[a-z]+://[^/]+/(sign-in|healthz|readyz|metrics|static/)"
"""Addresses without a trace: sign-in links, and what is asked for all the time."""
_ADDRESSES = ("http.url", "http.target", "url.full", "url.path", "url.query")
_FLUSH_MILLISECONDS = 5000
_is_started = False


def start(service: str) -> None:
    """Begin to send traces of this process, once, where the variable is set. Called after a fork."""
    global _is_started
    if not os.environ.get(VARIABLE) or _is_started:
        return
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.celery import CeleryInstrumentor
        from opentelemetry.instrumentation.django import DjangoInstrumentor
        from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise RuntimeError(
            f"{VARIABLE} is set, and {error.name} is not installed: "
            ".venv/bin/python -m pip install --require-hashes -r requirements/otel.txt"
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME") or service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    excluded = ",".join(filter(None, (UNTRACED, os.environ.get("OTEL_PYTHON_DJANGO_EXCLUDED_URLS"))))
    DjangoInstrumentor().instrument(excluded_urls=excluded, request_hook=describe_request)
    CeleryInstrumentor().instrument()
    PsycopgInstrumentor().instrument()
    _is_started = True


def flush() -> None:
    """Send the traces that wait, before this process ends without its exit handlers; nothing where none are sent."""
    if not _is_started:
        return
    from opentelemetry import trace

    provider: Any = trace.get_tracer_provider()
    provider.force_flush(_FLUSH_MILLISECONDS)


def describe_request(span: Any, request: object) -> None:
    """Add the name that the log has of the request, and take tokens out of its address."""
    if not span.is_recording():
        return
    if REQUEST.get():
        span.set_attribute("poolmark.request", REQUEST.get())
    for name in _ADDRESSES:
        value = span.attributes.get(name)
        if isinstance(value, str) and mask_secrets(value) != value:
            span.set_attribute(name, mask_secrets(value))
