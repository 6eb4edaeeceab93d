r"""Logs with one JSON object per line of output: the lines themselves, each on the line of its object.

Docker's json-file driver: `{"log":"LINE\n","stream":"stdout","time":"..."}`, a text without a final line feed continues in
the next object (docs.docker.com, JSON File logging driver); Fluentd and Fluent Bit add further keys.
journalctl -o json has the line in `MESSAGE` (systemd.journal-fields), loggers in `message` (Logstash), `msg` (zap, logrus, bunyan)
or `line`.
"""

from __future__ import annotations

import json
from itertools import groupby

from ingest.lazy_regex import lazy

_MIN_BLOCK = 3  # adjacent lines that must be such objects
_OBJECT = lazy(r'[ \t]*\{[^\n]{0,4000}"(?P<key>log|MESSAGE|message|msg|line)":[ ]?"')
_KEYS = ('"log":', '"MESSAGE":', '"message":', '"msg":', '"line":')


def unwrap_container_logs(body: str) -> str:
    """The text with the messages of such objects in place of the objects; the same object if there are none."""
    if not any(key in body for key in _KEYS):
        return body
    lines = body.split("\n")
    messages = [_message(line) for line in lines]
    for is_block, indices in groupby(range(len(lines)), lambda index: messages[index] is not None or not lines[index].strip()):
        block = [index for index in indices if messages[index] is not None]
        if is_block and len(block) >= _MIN_BLOCK:
            _replace_block(lines, [(index, messages[index] or "") for index in block])
    return "\n".join(lines)


def _message(line: str) -> str | None:
    """The message in the object of a line, ending in a line feed if the line of output ends with it; None if there is none."""
    match = _OBJECT.match(line) if line.rstrip().endswith("}") else None
    if not match:
        return None
    try:
        text = json.loads(line)[match["key"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(text, str):
        return None
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    return text if match["key"] == "log" else f"{text}\n"


def _replace_block(lines: list[str], block: list[tuple[int, str]]) -> None:
    """Replace a block of objects by their messages. A message that continues in the next object is joined to the line on which it
    began; line feeds inside a message become blanks, since the file has no line for them.
    """
    first, text = block[0][0], ""
    for index, message in block:
        lines[index] = ""
        first, text = (first, text + message) if text else (index, message)
        if text.endswith("\n"):
            lines[first], text = text.rstrip("\r\n").replace("\n", "  "), ""
    if text:
        lines[first] = text.replace("\n", "  ")
