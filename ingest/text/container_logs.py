"""Logs that hold each line of an output as an object of JSON: the lines themselves, where those stood.

Docker's json-file driver: `{"log":"LINE\\n","stream":"stdout","time":"..."}`, a text without line feed at its end goes on in
the next object (docs.docker.com, JSON File logging driver); Fluentd and Fluent Bit send the same with more keys beside it.
journalctl -o json has the line in `MESSAGE` (systemd.journal-fields), loggers in `message` (Logstash), `msg` (zap, logrus, bunyan)
or `line`.
"""

from __future__ import annotations

import json
from itertools import groupby

from ingest.lazy_regex import lazy

_LEAST = 3  # so many neighbours must be such objects
_OBJECT = lazy(r'[ \t]*\{[^\n]{0,4000}"(?P<key>log|MESSAGE|message|msg|line)":[ ]?"')
_KEYS = ('"log":', '"MESSAGE":', '"message":', '"msg":', '"line":')


def unwrap_container_logs(body: str) -> str:
    """The text with the lines that such objects hold, each on the line of its object; the very text where there are none."""
    if not any(key in body for key in _KEYS):
        return body
    lines = body.split("\n")
    found = [_held(line) for line in lines]
    for held, several in groupby(range(len(lines)), lambda at: found[at] is not None or not lines[at].strip()):
        block = [at for at in several if found[at] is not None]
        if held and len(block) >= _LEAST:
            _put(lines, [(at, found[at] or "") for at in block])
    return "\n".join(lines)


def _held(line: str) -> str | None:
    """What the object of a line holds, a line feed at its end where the line ends with it."""
    opens = _OBJECT.match(line) if line.rstrip().endswith("}") else None
    if not opens:
        return None
    try:
        text = json.loads(line)[opens["key"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(text, str):
        return None
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    return text if opens["key"] == "log" else f"{text}\n"


def _put(lines: list[str], block: list[tuple[int, str]]) -> None:
    """What goes on in the next object joins the line on which it began; line feeds inside a text are none of the file."""
    first, text = block[0][0], ""
    for at, part in block:
        lines[at] = ""
        first, text = (first, text + part) if text else (at, part)
        if text.endswith("\n"):
            lines[first], text = text.rstrip("\r\n").replace("\n", "  "), ""
    if text:
        lines[first] = text.replace("\n", "  ")
