"""A command that a tool echoes behind `Command line used:` and that mail wrapped: the words on the lines below."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.lazy_regex import lazy

_MARGIN = " \t>|#+"
_LABEL = lazy(r"[A-Za-z][\w ()/-]{0,40}?\s*[:=](?:\s|\Z)|-- |\d+ tasks, ")  # what IOR and mdtest print below it
_WORD = r"'?[\w./=:@,%+~-]+'?"
_GOES_ON = lazy(rf"'?-{{1,2}}[A-Za-z]|'?\.{{0,2}}/|{_WORD}(?:\s+{_WORD})*\s+'?-{{1,2}}[A-Za-z]|{_WORD}\Z")
_SHORTEST, _LONGEST, _MOST = 40, 120, 12  # characters of a line that was wrapped, and of one below; lines of a command


def read_wrapped_words(lines: Sequence[str], number: int) -> list[str]:
    """What the lines below the 1-based one add to the command on it; none where it was not wrapped."""
    out: list[str] = []
    above = lines[number - 1]
    for line in lines[number : number + _MOST]:
        words = line.strip(_MARGIN)
        wrapped = len(above.strip()) >= _SHORTEST or above.strip()[-1:] == ":"
        if not (wrapped and words and len(line) <= _LONGEST and _GOES_ON.match(words)) or _LABEL.match(words):
            break
        out.append(words)
        above = line
    return out
