"""Headings between results that name settings, as labels.

Forms: words behind a mark (`########## GZIP-6`, `== lz4 ==`, `>>> DEDUP`), words above a rule of `=` or `-`, and at most five
words before a colon that ends the line (`ext4 on LVM:`). Words are those of `read_setting_words`; other headings end the keys of
earlier ones. Headings that recommend or compare (`ingest.text.mentions`) name no setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ingest.context._clues import label_clue
from ingest.context.labels._setting_words import TEST_STEP_WORDS, read_setting_words
from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.text.mentions import ADVICE

_HEADING = lazy(
    r"^[ \t]*(?P<mark>#{2,}|={2,}|-{2,}|\*{2,}|~{2,}|>{3,}|\+{3,})[ \t]*"
    r"(?P<text>(?:\d[\w.]{0,6} ?)?[A-Za-z](?:[^\n#=*~]|(?<=\w)=(?=\w)){0,78}?)"
    r"[ \t]*[#=*~<+-]*[ \t]*$",
    re.MULTILINE,
)
_UNDER = lazy(r"[ \t]{0,3}(?P<text>[A-Za-z][^\n|]{0,58})\Z")  # underlined, as Markdown does
_RULE = lazy(r"^(?P<mark>={3,}|-{3,})[ \t]*$", re.MULTILINE)
_COLON_END = lazy(r"^[ \t]{0,3}(?P<text>[A-Za-z0-9][^\n:|]{1,38})[:\uff1a][ \t]*$", re.MULTILINE)
# Words of headings that name another store.
_OTHER_STORE = lazy(
    r"(?i)\b(?:ssd|hdd|nvme|disks?|drives?|hard ?disk|raid|lvm|usb|sd ?card|nas|san|iscsi|smb|ramdisk|local|laptop)\b"
)
_COMPARED = lazy(r"(?i)\b(?:than|versus|vs|unlike|instead|compared|not|except|without|before|after|from|to|and|or)\b")
_GOES_ON = lazy(r"(?i)\A(?:(?:and|but|so|ok(?:ay)?|then|next|now|finally|also)\b,? ?){1,3}")
_ON_KERNEL = lazy(r"(?i)\b(?:on|under|with) (?:Linux|(?:Linux )?kernel) v?([2-6]\.\d{1,2}\.\d{1,3}[\w.+~-]*)(?=,|\Z| \+ | \()")
_IN_MEMORY = lazy(r"(?i)\b(tmpfs|ramfs)\b")
_SWITCHES = ("pool.dedup", "pool.atime", "pool.compression")
_OTHER_STATE = {"on": "off", "off": "on"}


class _Heading(NamedTuple):
    line: int
    words: str
    raw: str


def heading_clues(text: Text) -> Iterator[Clue]:
    """Labels of headings behind a mark, above a rule and before a colon."""
    series: dict[str, list[_Heading]] = {}
    for line, mark, words in sorted([*_marked(text), *_underlined(text)]):
        series.setdefault(mark, []).append(_Heading(line, words, text.lines[line - 1].strip()))
    for mark, headings in series.items():
        yield from _series_clues(headings, f"heading {mark[0]}")
    yield from _colon_clues(text)


def _series_clues(headings: list[_Heading], group: str) -> Iterator[Clue]:
    """Headings of one mark are a series: a switch that one of them turns on is off in those that do not name it.

    That holds only for switches (deduplication, atime, compression where a heading also says OFF), and only in a series
    of three or more: `OFF (atime on)`, `DEDUP`, `LZ4` are the settings of a sweep, one step each.
    """
    headings = [heading._replace(words="") if ADVICE.search(heading.words) else heading for heading in headings]
    bare_switch = any("pool.compression" in read_setting_words(heading.words) for heading in headings)
    settings_of = [_with_layout(heading.words, read_setting_words(heading.words, bare_switch)) for heading in headings]
    steps = [settings for settings in settings_of if settings]
    if len(steps) * 2 < len(headings):
        return  # chapters of a text, not labels
    unnamed = _unnamed_switches(steps) if len(steps) >= 3 else {}
    open_keys: set[str] = set()
    for heading, settings in zip(headings, settings_of, strict=True):
        for key, value in ({**unnamed, **settings} if settings else {}).items():
            yield label_clue(heading.line, key, value, heading.raw, group)
        if settings or not TEST_STEP_WORDS.search(heading.words):
            ended, open_keys = open_keys - settings.keys() - unnamed.keys(), {*settings, *unnamed} if settings else set()
            yield from (label_clue(heading.line, key, None, heading.raw, group) for key in sorted(ended))


def _colon_clues(text: Text) -> Iterator[Clue]:
    commands = {command.line for command in text.commands}
    open_keys: set[str] = set()
    for line, match in text.matches(_COLON_END):
        words = _GOES_ON.sub("", match["text"])
        if line in commands or len(words.split()) > 5 or _COMPARED.search(words) or ADVICE.search(words):
            continue
        settings = _colon_settings(words)
        for key, value in settings.items():
            yield label_clue(line, key, value, match[0].strip(), "heading :")
        if settings or (_OTHER_STORE.search(words) and not TEST_STEP_WORDS.search(words)):
            ended, open_keys = open_keys - settings.keys(), set(settings)
            yield from (label_clue(line, key, None, match[0].strip(), "heading :") for key in sorted(ended))


def _colon_settings(words: str) -> dict[str, Any]:
    memory, kernel = _IN_MEMORY.search(words), _ON_KERNEL.search(words)
    settings = read_setting_words(words) or ({"fs.type": memory[1].lower()} if memory else {})
    return settings | ({"kernel": kernel[1], "os.family": "Linux"} if kernel else {})


def _marked(text: Text) -> Iterator[tuple[int, str, str]]:
    """(line, mark, words) of every heading behind a mark; the first lines of lz4 and zstd are none."""
    return (
        (line, match["mark"], match["text"]) for line, match in text.matches(_HEADING) if " command line interface" not in match[0]
    )


def _underlined(text: Text) -> Iterator[tuple[int, str, str]]:
    """(line, mark, words) of every heading above a rule."""
    for line, rule in text.matches(_RULE):
        above = _UNDER.match(text.lines[line - 2]) if line > 1 else None
        if above:
            yield line - 1, rule["mark"][0], above["text"]


def _with_layout(words: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, with the layout of `mirror, compression=off`: a word for one counts only beside another setting."""
    layout = re.search(r"\b(mirror|stripe)(?:ed|s)?\b", words, re.I)
    return {**settings, "pool.layout": layout[1].lower()} if layout and settings and "pool.layout" not in settings else settings


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
