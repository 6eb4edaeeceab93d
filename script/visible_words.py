"""Words that people do not meet on pages, in messages, scripts and documents, with what is used instead; and where labels stand.

`PHRASES` are looked for in messages and labels, `LABELS` only as a whole label, heading, button or column. Keys, addresses and
JSON fields are no labels: they stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import message_catalogue

ROOT = Path(__file__).resolve().parent.parent
PHRASES = {
    r"\b(not told|untold|is told|are told|cannot be told|no run tells|which tells?)\b": "unknown, not recorded",
    r"\btold differently\b|\bwhat all have alike\b": "differs, in common",
    r"\btake (a filter|the withdrawal|it) back\b|\btaken back\b|\bbegin again\b": "remove a filter, undo, reset",
    r"\bthese very\b|\bvery bytes\b": "already uploaded",
    r"\bpack and upload again\b": "upload a complete copy",
    r"\b(nothing|none|it|they|values?) (was|were) (not )?taken\b|; not taken\b": "recorded, not recorded",
    r"\broom on disk\b": "disk usage",
    r"\bon the spot\b": "locally",
    r"\bstorage heads?\b": "storage controllers",
    r"\bsince then:|\bhas been deleted since\b": "the date",
    r"(?<!there )\bis no (number|text|time|figure|title|value|unit|DOI|curator|rate|measurement|latency|key)\b": "is not a",
    r"\bbreaks? off\b|\bbroken off\b": "is cut off",
    r"\banew\b": "again",
    r"\bwhoever\b": "the operator, those who",
    r"\bfault of ours\b|\bfault of poolmark\b": "a bug in Poolmark",
    r"\bpassed by\b": "bypassed",
    r"\b(colors?|behaviors?|centers?|centered|gray|catalogs?)\b": "British spelling",
    r"\b(normali|anal|optimi|recogni)(z|yz)": "British spelling",
}
LABELS = {
    "told": "known",
    "what is told": "what is known",
    "processor not told": "CPU unknown",
    "state it": "save",
    "stated": "entered by hand",
    "mind": "notes",
    "mind:": "note:",
    "across": "X axis",
    "one figure per": "small multiples",
    "where it stands": "place",
    "least": "lowest",
    "most": "highest",
    "did": "action",
    "to what": "target",
    "other version": "mixed versions",
    "kind of number": "kind of value",
}
_PHRASES = {re.compile(pattern, re.IGNORECASE): instead for pattern, instead in PHRASES.items()}
_LABELLED = frozenset(("h1", "h2", "h3", "h4", "button", "th", "dt", "option", "label", "legend", "summary", "a"))
_ATTRIBUTES = frozenset(("aria-label", "title", "placeholder", "alt", "label"))
_NAMES = re.compile(r"\b\w+[._]\w[\w.]*|\bnormalization=\w+")
"""Keys and file names: they stay as they are."""
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')
_NOT_SHOWN = frozenset(("tests", "migrations", "models", "verify.py"))
_CODE = re.compile(r"SELECT |ANALYZE |%s|\(prefers-|\(forced-")
_GENERATED = frozenset(("messages.md", "formats.md", "metrics.md"))
_BLOCK = re.compile(r"```.*?```", re.S)
_TAGS = re.compile(r"{%.*?%}|{#.*?#}|<(script|style)\b.*?</\1>", re.S)


def faults(text: str, *, is_label: bool = False) -> Iterator[tuple[str, str]]:
    """(what, instead) for each avoided word or phrase in a text."""
    text = " ".join(_NAMES.sub("", text).split())
    for pattern, instead in _PHRASES.items():
        if match := pattern.search(text):
            yield match[0], instead
    if is_label and text.strip(" .").lower() in LABELS:
        yield text, LABELS[text.strip(" .").lower()]


class _Labels(HTMLParser):
    """Collects the texts of elements that are labels, and of attributes that are read out or shown."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._open: list[tuple[str, int, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(self.getpos()[0], value) for name, value in attrs if name in _ATTRIBUTES and value]
        if tag in _LABELLED:
            self._open.append((tag, self.getpos()[0], []))

    def handle_data(self, data: str) -> None:
        for _, _, pieces in self._open:
            pieces.append(data)

    def handle_endtag(self, tag: str) -> None:
        if any(open_tag == tag for open_tag, _, _ in self._open):
            while True:
                closed, line, pieces = self._open.pop()
                self.found.append((line, "".join(pieces)))
                if closed == tag:
                    return


def labels_of(page: str) -> list[tuple[int, str]]:
    """(line, text) of every label, heading, button, column, option and spoken attribute of a page."""
    parser = _Labels()
    parser.feed(page)
    parser.close()
    return parser.found


def text_of(page: str) -> str:
    """All text of a page, without scripts, raw lines (`pre`, `code`) and quotations of what was uploaded."""
    return re.sub(r"<[^>]*>", "\n", re.sub(r"<(script|style|pre|code|q)\b.*?</\1>", " ", page, flags=re.S))


def places() -> Iterator[str]:
    """PATH:LINE and the fault, of every message, template, script and document."""
    for path, line, text, is_label in _texts():
        for what, instead in faults(text, is_label=is_label):
            yield f"{path}:{line} {what!r} in {text.strip()[:80]!r}: {instead}"


def _texts() -> Iterator[tuple[str, int, str, bool]]:
    """(path, line, text, whether it is looked at as a label too)."""
    yield from _python_texts()
    yield from _table_texts()
    yield from _template_texts()
    yield from _script_texts()
    yield from _document_texts()


def _python_texts() -> Iterator[tuple[str, int, str, bool]]:
    for one in message_catalogue.warnings():
        yield one.path, one.line, one.text, False
    for one in message_catalogue.sentences(("ingest/warning_codes.py", "webapp/**/*.py")):
        if not _NOT_SHOWN & set(Path(one.path).parts) and not _CODE.search(one.text):
            yield one.path, one.line, one.text, True


def _table_texts() -> Iterator[tuple[str, int, str, bool]]:
    for path in ("ingest/warning_codes.toml", "webapp/comparison/caveats.toml", "webapp/bulk/schema.toml"):
        for line, text in enumerate((ROOT / path).read_text("utf-8").split("\n"), 1):
            yield from ((path, line, words, True) for words in re.findall(r'"([^"]* [^"]*)', text))


def _template_texts() -> Iterator[tuple[str, int, str, bool]]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        source = _TAGS.sub(lambda match: "\n" * match[0].count("\n"), path.read_text())
        for line, text in labels_of(source):
            yield path.relative_to(ROOT).as_posix(), line, text, True
        for line, text in enumerate(text_of(source).split("\n"), 1):
            yield path.relative_to(ROOT).as_posix(), line, text, False


def _script_texts() -> Iterator[tuple[str, int, str, bool]]:
    for path in sorted((ROOT / "static" / "js").rglob("*.js")):
        for line, text in enumerate(path.read_text().split("\n"), 1):
            if not text.lstrip().startswith(("//", "*", "/*", "import ")):
                for match in _LITERAL.finditer(text):
                    literal = re.sub(r"\$\{[^}]*\}", "…", match[1] or match[2] or "")
                    if " " in literal and not _CODE.search(literal):
                        yield path.relative_to(ROOT).as_posix(), line, literal, True


def _document_texts() -> Iterator[tuple[str, int, str, bool]]:
    """Paragraphs, list items and rows of tables, without code; of the documents that people wrote."""
    for path in [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        if path.name not in _GENERATED:
            text = _BLOCK.sub(lambda match: "\n" * match[0].count("\n"), path.read_text())
            line = 1
            for part in re.split(r"(\n\s*\n|\n(?=[|-]))", re.sub(r"`[^`\n]*`", "", text)):
                yield path.relative_to(ROOT).as_posix(), line, part, False
                line += part.count("\n")
