"""BibTeX and BibLaTeX entries. User input is escaped for LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pylatexenc.latexencode import unicode_to_latex

from webapp.formats.citations import later_sentences
from webapp.formats.work import PUBLISHER, CitedWork, Person

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""BibTeX's own macros, which styles spell out."""


def to_bibtex(work: CitedWork) -> str:
    r"""One `@misc` entry, which every BibTeX style prints with address and digest. Needs `\usepackage{xurl}`, which lets
    the digest break at any digit."""
    return _entry(
        "misc",
        work.key,
        {
            "author": _authors(work.authors),
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
            "author": _authors(work.authors),
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


def _authors(people: Iterable[Person]) -> str:
    return " and ".join(_latex(person.turned) if person.given else "{" + _latex(person.family) + "}" for person in people) or (
        "{" + PUBLISHER + "}"
    )


def _url(address: str) -> str:
    r"""An address within `\url`, in an argument of another command: its `%` and `#` are escaped."""
    return address.replace("%", r"\%").replace("#", r"\#")


def _latex(text: str) -> str:
    """The text for LaTeX. A straight quote stays one, with `{}` behind it for languages in which it begins a shorthand."""
    return unicode_to_latex(text, replacement_latex_protection="braces-all").replace("{''}", '{"{}}')
