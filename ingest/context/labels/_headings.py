"""Headings between results that name settings, as labels.

Forms: headings with a mark (`ingest.text.sections`), and at most five words before a colon that ends the line (`ext4 on LVM:`).
Words are those of `read_setting_words`; other headings end the keys of earlier ones. Headings that recommend, compare,
ask, guess or plan (`ingest.text.mentions`) name no setting; the system that one over a network names is the server's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.context._clues import label_clue
from ingest.context.labels._setting_words import read_layout, read_setting_words
from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.text.mentions import is_doubtful
from ingest.text.sections import Section

_COLON_END = lazy(r"^[ \t]{0,3}(?P<text>[A-Za-z0-9][^\n:|]{1,38})[:\uff1a][ \t]*$", re.MULTILINE)
_NETWORK = lazy(r"(?i)\b(?:nfs\w*|smb\d?|cifs|iscsi|\d+ ?gbe|network)\b")
_COMPARED = lazy(r"(?i)\b(?:than|versus|vs|unlike|instead|compared|not|except|without|before|after|from|to|and|or)\b")
_GOES_ON = lazy(r"(?i)\A(?:(?:and|but|so|ok(?:ay)?|then|next|now|finally|also)\b,? ?){1,3}")
_ON_KERNEL = lazy(r"(?i)\b(?:on|under|with) (?:Linux|(?:Linux )?kernel) v?([2-6]\.\d{1,2}\.\d{1,3}[\w.+~-]*)(?=,|\Z| \+ | \()")
_IN_MEMORY = lazy(r"(?i)\b(tmpfs|ramfs)\b")
_SWITCHES = ("pool.dedup", "pool.atime", "pool.compression")
_OTHER_STATE = {"on": "off", "off": "on"}


def heading_clues(text: Text) -> Iterator[Clue]:
    """Labels of headings with a mark, and before a colon."""
    series: dict[tuple[int, ...], list[Section]] = {}
    for section in text.sections[1:]:
        if not section.is_weak:
            series.setdefault(section.rank[:3], []).append(section)
    for headings in series.values():
        yield from _series_clues(text, headings)
    yield from _colon_clues(text)


def _series_clues(text: Text, headings: list[Section]) -> Iterator[Clue]:
    """Headings of one mark are a series: a switch that one of them turns on is off in those that do not name it.

    That holds only for switches (deduplication, atime, compression where a heading also says OFF), and only in a series
    of three or more: `OFF (atime on)`, `DEDUP`, `LZ4` are the settings of a sweep, one step each.
    """
    titles = ["" if is_doubtful(heading.title) else heading.title for heading in headings]
    bare_switch = any("pool.compression" in read_setting_words(title) for title in titles)
    settings_of = [_heading_settings(title, bare_switch) for title in titles]
    steps = [settings for settings in settings_of if settings]
    if len(steps) * 2 < len(headings):
        return  # chapters of a text, not labels
    unnamed = _unnamed_switches(steps) if len(steps) >= 3 else {}
    for heading, settings in zip(headings, settings_of, strict=True):
        for key, value in ({**unnamed, **settings} if settings else {}).items():
            yield label_clue(heading.line, key, value, text.lines[heading.line - 1].strip(), "heading")


def _colon_clues(text: Text) -> Iterator[Clue]:
    commands = {command.line for command in text.commands}
    for line, match in text.matches(_COLON_END):
        words = _GOES_ON.sub("", match["text"])
        if line not in commands and len(words.split()) <= 5 and not _COMPARED.search(words) and not is_doubtful(match[0]):
            for key, value in _colon_settings(words).items():
                yield label_clue(line, key, value, match[0].strip(), "heading :")


def _colon_settings(words: str) -> dict[str, Any]:
    memory, kernel = _IN_MEMORY.search(words), _ON_KERNEL.search(words)
    settings = read_setting_words(words) or ({"fs.type": memory[1].lower()} if memory else {})
    return settings | ({"kernel": kernel[1], "os.family": "Linux"} if kernel else {})


def _heading_settings(words: str, bare_switch: bool) -> dict[str, Any]:
    """The settings, with the layout of `mirror, compression=off`: a word for one counts only beside another setting."""
    settings = read_setting_words(words, bare_switch)
    if _NETWORK.search(words):
        settings = {key: value for key, value in settings.items() if not key.startswith("os.")}
    return {**{key: value for key, value in read_layout(words, bare=True) if settings and key == "pool.layout"}, **settings}


def _unnamed_switches(steps: list[dict[str, Any]]) -> dict[str, str]:
    """The state of each switch in the steps that do not name it."""
    states: dict[str, str] = {}
    for key in _SWITCHES:
        values = {step[key] for step in steps if key in step}
        named = sum(key in step for step in steps)
        if key == "pool.compression":
            if "off" in values and len(values) > 1:
                states[key] = "off"
        elif len(values) == 1 and named * 2 <= len(steps) and (state := next(iter(values))) in _OTHER_STATE:
            states[key] = _OTHER_STATE[state]
    return states
