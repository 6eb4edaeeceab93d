"""Settings with a public HTTPS origin: Django's deployment checks, names of cookies, HSTS. Each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

_ASK = """
import django, json
django.setup()
from django.conf import settings
from django.test import RequestFactory
from django.middleware.security import SecurityMiddleware
from django.http import HttpResponse
from webapp.views.accounts import sign_in_pages
request = RequestFactory().get("/", **FACTS)
answer = SecurityMiddleware(lambda request: HttpResponse())(request)
print(json.dumps({
    "cookies": [settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, sign_in_pages._NEXT],
    "secure": [settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE],
    "paths": [settings.SESSION_COOKIE_PATH, settings.CSRF_COOKIE_PATH, settings.SESSION_COOKIE_DOMAIN, settings.CSRF_COOKIE_DOMAIN],
    "hosts": settings.ALLOWED_HOSTS,
    "proxies": settings.POOLMARK_PROXIES,
    "hsts": answer.headers.get("Strict-Transport-Security"),
}))
"""


def run(*command: str, data, **variables: str) -> subprocess.CompletedProcess:
    of_this_process = ("POOLMARK", "DATABASE_URL", "SECRET_KEY", "DEBUG", "DJANGO_ALLOW_ASYNC_UNSAFE")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(of_this_process)}
    environment |= {"POOLMARK_DATA": str(data), "DJANGO_SETTINGS_MODULE": "webapp.settings", **variables}
    return subprocess.run(
        [sys.executable, *command], cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )


def ask(data, facts: dict[str, str], **variables: str) -> dict:
    done = run("-c", f"FACTS = {facts!r}\n{_ASK}", data=data, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_deployment_checks_find_nothing_with_an_https_origin(tmp_path):
    done = run(
        "manage.py", "check", "--deploy", "--fail-level=WARNING", data=tmp_path, POOLMARK_ORIGINS="https://bench.example.org"
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.startswith("System check identified no issues (3 silenced).")


@pytest.mark.thorough
def test_deployment_checks_say_that_all_readers_behind_a_proxy_are_one(tmp_path):
    facts = {"POOLMARK_ORIGINS": "https://bench.example.org", "POOLMARK_PROXIES": "0"}
    done = run("manage.py", "check", "--deploy", "--fail-level=WARNING", data=tmp_path, **facts)
    assert done.returncode == 1 and done.stderr.count("WARNINGS") == 1 and "all readers count as one address" in done.stderr


@pytest.mark.thorough
def test_deployment_checks_find_what_is_missing_without_https(tmp_path):
    done = run("manage.py", "check", "--deploy", "--fail-level=WARNING", data=tmp_path)
    assert done.returncode == 1 and all(code in done.stderr for code in ("security.W004", "security.W012", "poolmark.W001"))


@pytest.mark.thorough
@pytest.mark.parametrize("variables", [{"POOLMARK_ORIGINS": "https://bench.example.org/"}, {"POOLMARK_HTTPS": "1"}])
def test_with_https_cookies_belong_to_the_host_and_it_is_remembered(tmp_path, variables):
    heads = {"HTTP_X_FORWARDED_PROTO": "https", "HTTP_HOST": "localhost"}
    told = ask(tmp_path, heads, **variables)
    assert told["cookies"] == ["__Host-sessionid", "__Host-csrftoken", "__Host-poolmark_next"]
    assert told["secure"] == [True, True] and told["paths"] == ["/", "/", None, None]
    assert told["hsts"] == "max-age=31536000"
    assert ("bench.example.org" in told["hosts"], told["proxies"]) == (("POOLMARK_ORIGINS" in variables),) * 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    "variables",
    [{}, {"POOLMARK_ORIGINS": "http://bench.example.org"}, {"POOLMARK_ORIGINS": "https://a.example", "POOLMARK_HTTPS": "0"}],
)
def test_without_https_nothing_says_it(tmp_path, variables):
    told = ask(tmp_path, {"HTTP_X_FORWARDED_PROTO": "https", "HTTP_HOST": "localhost"}, **variables)
    assert told["cookies"] == ["sessionid", "csrftoken", "poolmark_next"]
    assert told["secure"] == [False, False] and told["hsts"] is None
