"""A permalink as a BibTeX entry."""
from __future__ import annotations

from pylatexenc.latexencode import unicode_to_latex


def to_bib(told: dict, name: str, digest: str, address: str) -> str:
    """One `@misc` entry; what people typed is escaped for LaTeX. `told` is the frozen record."""
    year, month = told["frozen_at"][:4], told["frozen_at"][5:7]
    fields = {
        "author": " and ".join(_latex(one.strip()) for one in told["authors"].split(";") if one.strip()) or "{Poolmark}",
        "title": "{" + _latex(told["title"] or "Frozen comparison") + "}",
        "year": year, "month": str(int(month)), "howpublished": "Poolmark permalink",
        "url": address, "urldate": told["frozen_at"][:10], "note": f"SHA-256 of the record: {_breaking(digest)}",
    }
    body = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items())
    return f"@misc{{poolmark-{name},\n{body}\n}}\n"


def _breaking(digest: str) -> str:
    """The digest in halves between which a line may break; in a narrow column it would stick out."""
    half = len(digest) // 2
    return rf"{digest[:half]}\hspace{{0pt}}{digest[half:]}"


def _latex(text: str) -> str:
    return unicode_to_latex(text, replacement_latex_protection="braces-all")
