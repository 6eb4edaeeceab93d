"""Who asks: the owner of the bearer token, or an anonymous reader. Cookies are never read, so that no form token is needed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from ninja.security import HttpBearer

from webapp.accounts import api_tokens
from webapp.accounts.api_tokens import MANAGE, PUSH, READ
from webapp.accounts.throttle import client_network
from webapp.http.problems import Problem
from webapp.http.request_queries import count_request
from webapp.models import ApiToken


class Access(HttpBearer):
    """Sets `request.user`, and `request.auth` to the token (`ANYBODY` without one). Problem 401 for a token that is unknown,
    revoked or too old, and for none where one is needed; 403 where it has not the scope."""

    def __init__(self, scope: str, is_public: bool) -> None:
        super().__init__()
        self.scope, self.is_public = scope, is_public

    def __call__(self, request: HttpRequest) -> Any:
        request.user = AnonymousUser()
        if "Authorization" in request.headers:
            return self.authenticate(request, request.headers["Authorization"])
        _count(request, f"address {client_network(request)}")
        if self.is_public:
            return ANYBODY
        raise Problem(401)

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken:
        scheme, _, text = token.partition(" ")
        found = api_tokens.find_token(text.strip()) if scheme.lower() == "bearer" else None
        _count(request, f"account {found.owner_id}" if found else f"address {client_network(request)}")
        if found is None:
            raise Problem(401, "The token is unknown, revoked or too old. Make another under /settings/tokens.")
        request.user = found.owner
        if self.scope not in found.scopes:
            raise Problem(403, f"This needs a token with the scope {self.scope}; this one has {', '.join(found.scopes)}.")
        return found


def _count(request: HttpRequest, reader: str) -> None:
    """Count a request; problem 429 where it is one too many. The middleware says the rest of them in headers."""
    limit = settings.POOLMARK_API_REQUESTS
    n, seconds = count_request(reader)
    request.__dict__["rate"] = {
        "RateLimit-Policy": f'"minute";q={limit};w=60',
        "RateLimit": f'"minute";r={max(0, limit - n)};t={seconds}',
    }
    if n > limit:
        said = f"More than {limit} requests in this minute. Wait {seconds} s; POOLMARK_API_REQUESTS is the limit of this site."
        raise Problem(429, said, headers={"Retry-After": str(seconds)})


class Public(Access):
    """What everybody may read: a token adds what is its owner's."""


class Token(Access):
    """What needs a token."""


ANYBODY = "anybody"
"""`request.auth` of a request without a token."""
public = Public(READ, is_public=True)
"""`auth=` of what everybody may read; the usual one."""
read = Token(READ, is_public=False)
push = Token(PUSH, is_public=False)
manage = Token(MANAGE, is_public=False)


def has_scope(request: HttpRequest, scope: str) -> bool:
    """Whether the token of the request has the scope, for what depends on the body."""
    token = getattr(request, "auth", ANYBODY)
    return isinstance(token, ApiToken) and scope in token.scopes
