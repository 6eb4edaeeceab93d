"""Text and numbers for LaTeX: any user input compiles with pdflatex and without further packages."""

from __future__ import annotations

from functools import lru_cache

from pylatexenc.latexencode import UnicodeToLatexEncoder

from webapp.formats.drawing.stamp import Stamp
from webapp.formatting import numbers


def escape_latex(text: str) -> str:
    """The text escaped for LaTeX. A character without a LaTeX form is replaced by its code point, `[U+6F22]`."""
    return "".join(_letter(letter) for letter in " ".join(text.split()))


@lru_cache(maxsize=4096)
def _letter(letter: str) -> str:
    if letter in _REPLACEMENTS:
        return _REPLACEMENTS[letter]
    latex = _encoder().unicode_to_latex(letter)
    # Cyrillic macros need an encoding that most papers do not load.
    return _code_point(letter) if "cyr" in latex.lower() and "\\" in latex else latex


_REPLACEMENTS = {
    numbers.THIN_SPACE: r"\,",
    numbers.NO_BREAK_SPACE: "~",
    numbers.MINUS: "$-$",
    numbers.TIMES: r"$\times$",
    "\u00b5": r"$\mu$",
    '"': "''",
    "-": "-",
    "\u00b7": r"\textperiodcentered{}",
}


@lru_cache(maxsize=1)
def _encoder() -> UnicodeToLatexEncoder:
    return UnicodeToLatexEncoder(
        replacement_latex_protection="braces-all", unknown_char_policy=_code_point, unknown_char_warning=False
    )


def _code_point(letter: str) -> str:
    return f"[U+{ord(letter):04X}]"


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
        comment(stamp.digest_line),
        comment(usage),
        *(f"%   {line}" for line in packages),
    ]


def address(stamp: Stamp) -> str:
    r"""The address as a hyperlink where hyperref is loaded, else as text that breaks at its slashes."""
    return r"\url{" + stamp.address.replace("%", r"\%").replace("#", r"\#") + "}"


def stamp_note(stamp: Stamp) -> str:
    """The visible lines below a table or figure: honesty flags and stamp. The digest may break in the middle."""
    half = len(stamp.digest) // 2
    flags = "".join(f"{escape_latex(flag)} " for flag in stamp.flags)
    return (
        rf"{flags}{address(stamp)}, frozen {stamp.date}, $n = {stamp.runs}$. SHA-256 "
        rf"\texttt{{{stamp.digest[:half]}}}\hspace{{0pt}}\texttt{{{stamp.digest[half:]}}}"
    )
