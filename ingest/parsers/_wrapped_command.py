"""Continuation lines of a command echoed after `Command line used:` and wrapped by a mail program."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.lazy_regex import lazy

_MARGIN = " \t>|#+"
_LABEL = lazy(r"[A-Za-z][\w ()/-]{0,40}?\s*[:=](?:\s|\Z)|-- |\d+ tasks, ")  # what IOR and mdtest print after the command
_WORD = r"'?[\w./=:@,%+~-]+'?"
_CONTINUATION = lazy(rf"'?-{{1,2}}[A-Za-z]|'?\.{{0,2}}/|{_WORD}(?:\s+{_WORD})*\s+'?-{{1,2}}[A-Za-z]|{_WORD}\Z")
# Characters of a wrapped line at least, of a continuation line at most; continuation lines of a command at most.
_MIN_WRAPPED, _MAX_CONTINUATION, _MAX_LINES = 40, 120, 12


def read_wrapped_words(lines: Sequence[str], number: int) -> list[str]:
    """The words of each continuation line of the command on the 1-based line; empty where it was not wrapped."""
    continuations: list[str] = []
    previous = lines[number - 1]
    for line in lines[number : number + _MAX_LINES]:
        words = line.strip(_MARGIN)
        wrapped = len(previous.strip()) >= _MIN_WRAPPED or previous.strip()[-1:] == ":"
        if not (wrapped and words and len(line) <= _MAX_CONTINUATION and _CONTINUATION.match(words)) or _LABEL.match(words):
            break
        continuations.append(words)
        previous = line
    return continuations
