"""Text and numbers for LaTeX: any user input compiles with pdflatex and without further packages.

Runs on Python 3.8 with nothing but the standard library: the check of an evidence bundle makes its table anew with it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from webapp.figures.stamp import Stamp
from webapp.formatting import numbers


def escape_latex(text: str) -> str:
    """The text escaped for LaTeX. A character without a LaTeX form is replaced by its code point, `[U+6F22]`."""
    return "".join(_LETTERS.get(letter) or _letter(letter) for letter in " ".join(text.split()))


def _letter(letter: str) -> str:
    """ASCII as it is; a letter with one accent as an accented letter; Greek as a symbol; else the code point."""
    if " " <= letter <= "~":
        return letter
    greek = _GREEK.get(unicodedata.name(letter, ""))
    if greek:
        return rf"{{\ensuremath{{\{greek}}}}}"
    base, accent = (*unicodedata.normalize("NFD", letter), "", "")[:2]
    if len(unicodedata.normalize("NFD", letter)) == 2 and base.isascii() and accent in _ACCENTS:
        return rf"{{\{_ACCENTS[accent]}{{{_DOTLESS.get(base, base)}}}}}"
    return f"[U+{ord(letter):04X}]"


_DOTLESS = {"i": r"\i", "j": r"\j"}
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0331": "b",
}
"""Combining mark -> LaTeX's accent command (The LaTeX Companion, 7.11)."""
_GREEK = {
    f"GREEK SMALL LETTER {name.upper().replace('LAMBDA', 'LAMDA')}": name
    for name in [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "phi",
        "chi",
        "psi",
        "omega",
    ]
}
_GREEK.update(
    {
        f"GREEK CAPITAL LETTER {name.upper().replace('LAMBDA', 'LAMDA')}": name
        for name in ["Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"]
    }
)
"""Unicode name -> LaTeX's symbol."""
_LETTERS = {
    numbers.THIN_SPACE: r"\,",
    "\u2009": r"\,",
    numbers.NO_BREAK_SPACE: "~",
    numbers.MINUS: "$-$",
    numbers.TIMES: r"$\times$",
    "\\": r"{\textbackslash}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"{\textasciicircum}",
    "~": r"{\textasciitilde}",
    "<": r"{\ensuremath{<}}",
    ">": r"{\ensuremath{>}}",
    "|": "$|$",
    '"': "''",
    "\u00a7": r"{\S}",
    "\u00a9": r"{\textcopyright}",
    "\u00ae": r"{\textregistered}",
    "\u2122": r"{\texttrademark}",
    "\u00b0": r"$^\circ$",
    "\u00b1": r"$\pm$",
    "\u00b2": r"$^2$",
    "\u00b3": r"$^3$",
    "\u00b5": r"$\mu$",
    "\u03bc": r"$\mu$",
    "\u00b7": r"\textperiodcentered{}",
    "\u00bf": "?`",
    "\u00c6": r"{\AE}",
    "\u00e6": r"{\ae}",
    "\u0152": r"{\OE}",
    "\u0153": r"{\oe}",
    "\u00d8": r"{\O}",
    "\u00f8": r"{\o}",
    "\u0141": r"{\L}",
    "\u0142": r"{\l}",
    "\u00df": r"{\ss}",
    "\u0131": r"{\i}",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2022": r"{\textbullet}",
    "\u2026": r"{\ldots}",
    "\u2192": r"$\rightarrow$",
    "\u2248": r"$\approx$",
    "\u2260": r"$\neq$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "\u221e": r"$\infty$",
}


def latex_number(value: float | None) -> str:
    """The number with three significant digits, as on the page."""
    return escape_latex(numbers.number(value))


def comment(text: str) -> str:
    """The text as a comment of one line."""
    return "% " + " ".join(text.split())


def file_header(stamp: Stamp, packages: list[str], usage: str) -> list[str]:
    """The comment at the top of a file: title, stamp, and the packages that the preamble must load."""
    return [
        comment(stamp.title or "Poolmark figure"),
        comment(stamp.line),
        *([comment(stamp.digest_line)] if stamp.digest else []),
        comment(usage),
        *(f"%   {line}" for line in packages),
    ]


def address(stamp: Stamp) -> str:
    r"""The address as a hyperlink where hyperref is loaded, else as text that breaks at its slashes."""
    return r"\url{" + stamp.address.replace("%", r"\%").replace("#", r"\#") + "}"


def stamp_note(stamp: Stamp) -> str:
    """The visible lines below a table or figure: honesty flags and stamp. The digest may break in the middle."""
    if not stamp.digest:
        return rf"{address(stamp)}, $n = {stamp.runs}$."
    half = len(stamp.digest) // 2
    flags = "".join(f"{escape_latex(flag)} " for flag in stamp.flags)
    return (
        rf"{flags}{address(stamp)}, frozen {stamp.date}, $n = {stamp.runs}$. SHA-256 "
        rf"\texttt{{{stamp.digest[:half]}}}\hspace{{0pt}}\texttt{{{stamp.digest[half:]}}}"
    )


# Texts in the cells of a table for LaTeX: numbers, labels and claims.

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
