"""BibTeX and BibLaTeX entries. User input is escaped for LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from pylatexenc.latexencode import unicode_to_latex

from webapp.formats.work import PUBLISHER, CitedWork, Person


def to_bibtex(work: CitedWork) -> str:
    """One `@misc` entry, which every BibTeX style supports."""
    return _entry(
        "misc",
        work.key,
        {
            "author": _authors(work.authors),
            "title": "{" + _latex(work.title) + "}",
            "year": str(work.day.year),
            "month": str(work.day.month),
            "howpublished": f"{PUBLISHER} permalink",
            "doi": work.doi,
            "url": work.best_address,
            "urldate": work.day.isoformat(),
            "note": f"SHA-256 of the record: {_breakable_digest(work.digest)}",
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
            "version": work.digest[:12],
            "doi": work.doi,
            "url": work.address,
            "urldate": work.day.isoformat(),
            "note": f"SHA-256 of the record: {_breakable_digest(work.digest)}",
        },
    )


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@{kind}{{{key},\n{body}\n}}\n"


def _authors(people: Iterable[Person]) -> str:
    return " and ".join(_latex(person.turned) if person.given else "{" + _latex(person.family) + "}" for person in people) or (
        "{" + PUBLISHER + "}"
    )


def _breakable_digest(digest: str) -> str:
    """The digest with a line break opportunity in the middle, for narrow columns."""
    half = len(digest) // 2
    return rf"{digest[:half]}\hspace{{0pt}}{digest[half:]}"


def _latex(text: str) -> str:
    return unicode_to_latex(text, replacement_latex_protection="braces-all")
