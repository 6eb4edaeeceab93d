"""Texts in the cells of a table for LaTeX: numbers, labels and claims.

Runs on Python 3.8 with the standard library alone, like `latex_table`.
"""

from __future__ import annotations

from typing import Any, Mapping  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.formats.latex import escape_latex
from webapp.formatting import numbers

MAX_LETTERS = 14
"""Letters of a label that is not wrapped."""
_WORDS = ("faster", "slower", "higher", "lower")


def count_runs(group: Mapping[str, Any]) -> int:
    """Runs of a group, with those that gave no number."""
    return int(group["runs"] + sum(count["count"] for count in group.get("unmeasured", ())))


def digits(value: Any) -> str:
    """Three significant digits in plain ASCII, as siunitx reads them."""
    text = numbers.number(value)
    return text.replace(numbers.THIN_SPACE, "").replace(numbers.MINUS, "-").replace(numbers.UNKNOWN_SIGN, "")


def bounded(text: str, side: str, plain: bool) -> str:
    """A number with the sign of a bound, in a group of its own where siunitx would read the sign."""
    sign = {"above": ">", "below": "<"}.get(side, "")
    if not sign:
        return text
    return rf"${sign}$\,{text}" if plain else rf"{{${sign}$\,{text}}}"


def label(text: str, share: float) -> str:
    """A label; a long one is wrapped at `share` of the line width."""
    if len(text) <= MAX_LETTERS:
        return escape_latex(text)
    part = f"{share:.2f}".lstrip("0")
    return rf"\parbox[t]{{{part}\linewidth}}{{\raggedright\strut {escape_latex(text)}\strut}}"


def short_claim(group: Mapping[str, Any]) -> str:
    """`faster`, `no diff.`, `none`; how far it goes stands beneath the table. Empty for the baseline."""
    verdict = group["verdict"]
    if not verdict:
        return ""
    if not verdict["word"]:
        return "none"
    return next((word for word in _WORDS if word in verdict["word"].split()), "no diff.")


def claim(group: Mapping[str, Any]) -> str:
    """`faster in this session, drift not excluded`; `no claim: one run each`."""
    verdict = group["verdict"]
    if not verdict:
        return ""
    word, doubts = verdict["word"], list(verdict.get("doubts") or ())
    if word:
        return ", ".join([word.replace("A is ", "", 1).replace(" than B", ""), *doubts])
    return f"no claim: {verdict['withheld']}" if verdict.get("withheld") else "no claim"
