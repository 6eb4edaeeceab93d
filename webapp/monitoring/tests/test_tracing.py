"""Traces: none without the setting; with it requests, tasks and queries are sent, and no token."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from webapp.monitoring import tracing
from webapp.tests.serving import ROOT, database_url, environment

ASK = """
import sys
from webapp.celery import app
import webapp.celery
from webapp.wsgi import application
webapp.celery.trace_tasks()
heads = []
for path, query in (("/compare.json", "metric=none&token=SECRET-QUERY"), ("/sign-in/SECRET-LINK-abcdefgh", ""), ("/healthz", "")):
    answer = application({"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query, "SERVER_NAME": "localhost",
        "SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": sys.stdin.buffer, "wsgi.errors": sys.stderr,
        "HTTP_HOST": "localhost", "HTTP_X_REQUEST_ID": "request-12345"}, lambda status, headers: heads.append(status))
    list(answer)
    answer.close()
print(heads)
print("imported", sum(name.startswith("opentelemetry") for name in sys.modules))
if "opentelemetry" in sys.modules:
    app.conf.task_always_eager = True
    app.tasks["celery.backend_cleanup"].apply()
    import os
    from opentelemetry import trace
    from webapp.jobs.reading_process import _run_child
    child = os.fork()
    if not child:
        _run_child(lambda: trace.get_tracer("reading").start_span("in the process of a reading").end())
    os.waitpid(child, 0)
    trace.get_tracer_provider().force_flush()
"""


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a receiver, and what it got."""
    got: list[bytes] = []

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            assert self.path == "/v1/traces"
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    thread.join()


def run(tmp_path, **more: str) -> str:
    env = environment(tmp_path, DATABASE_URL=database_url(), **more)
    done = subprocess.run([sys.executable, "-c", ASK], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("address", "is_traced"),
    [
        ("http://metrics.example.org/compare", True),
        ("https://healthz:8000/", True),
        ("http://localhost/studies/metrics", True),
        ("http://localhost/metrics", False),
        ("https://metrics.example.org:8000/sign-in/secret", False),
        ("http://localhost/static/dist/a.js", False),
        ("http://localhost/readyz", False),
    ],
)
def test_addresses_without_a_trace_are_told_by_their_path(address, is_traced):
    from opentelemetry.util.http import parse_excluded_urls

    assert parse_excluded_urls(tracing.UNTRACED).url_disabled(address) != is_traced


@pytest.mark.django_db(transaction=True)
def test_nothing_is_imported_without_the_setting(tmp_path):
    said = run(tmp_path)
    assert "imported 0\n" in said


@pytest.mark.django_db(transaction=True)
def test_requests_tasks_and_queries_are_sent_without_tokens(tmp_path, collector):
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    address, got = collector
    assert "imported 0\n" not in run(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address)
    assert b"SECRET" not in b"".join(got)
    spans = [
        (span, {one.key: one.value.string_value for one in part.resource.attributes})
        for data in got
        for part in ExportTraceServiceRequest.FromString(data).resource_spans
        for scope in part.scope_spans
        for span in scope.spans
    ]
    assert {about["service.name"] for _, about in spans} == {"poolmark-web"}
    (page,) = [span for span, _ in spans if span.name.startswith("GET compare")]
    attributes = {one.key: one.value.string_value for one in page.attributes}
    assert attributes["poolmark.request"] == "request-12345"
    inside = [span.name for span, _ in spans if span.trace_id == page.trace_id and span is not page]
    assert "SELECT" in inside, inside
    assert [span.name for span, _ in spans].count("in the process of a reading") == 1
    assert any("backend_cleanup" in span.name for span, _ in spans), [span.name for span, _ in spans]
