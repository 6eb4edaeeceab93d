"""The headers that keep what was uploaded from acting in a reader's browser: on every answer of every address."""

from __future__ import annotations

from collections.abc import Iterator

EXACT = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"}


def find_missing(answer) -> Iterator[str]:
    """What the answer lacks, in words. Answers may be drawn in the frame of an embedded figure alone."""
    for name, value in EXACT.items():
        if answer.headers.get(name) != value:
            yield f"{name} is {answer.headers.get(name)}"
    policy = dict(_directives(answer.headers.get("Content-Security-Policy", "")))
    if policy.get("default-src") != "'none'":
        yield f"default-src is {policy.get('default-src')}"
    if "unsafe" in policy.get("script-src", ""):
        yield f"script-src is {policy['script-src']}"
    if answer.headers.get("X-Frame-Options") != "DENY" and policy.get("frame-ancestors") != "*":
        yield f"X-Frame-Options is {answer.headers.get('X-Frame-Options')}"
    if answer.headers.get("Content-Disposition", "").startswith("attachment") and _is_raw(answer) and "sandbox" not in policy:
        yield "raw bytes are not sandboxed"
    if "Server" in answer.headers:
        yield f"Server is {answer.headers['Server']}"


def _directives(policy: str) -> Iterator[tuple[str, str]]:
    for part in policy.split(";"):
        name, _, value = part.strip().partition(" ")
        yield name, value


def _is_raw(answer) -> bool:
    return answer.headers.get("Content-Type", "").startswith("application/octet-stream")
