"""Text and numbers for LaTeX: whatever people typed compiles with pdflatex and no package beyond the kernel."""

from __future__ import annotations

from functools import lru_cache

from pylatexenc.latexencode import UnicodeToLatexEncoder

from webapp.formats.drawing.stamp import Stamp
from webapp.formatting import numbers


def escape_latex(text: str) -> str:
    """The text as LaTeX. A character without a way to write it is named by its number, `[U+6F22]`; none vanishes."""
    return "".join(_letter(letter) for letter in " ".join(text.split()))


@lru_cache(maxsize=4096)
def _letter(letter: str) -> str:
    if letter in _OWN:
        return _OWN[letter]
    told = _encoder().unicode_to_latex(letter)
    # Cyrillic macros need an encoding that most papers do not load.
    return _numbered(letter) if "cyr" in told.lower() and "\\" in told else told


_OWN = {
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
        replacement_latex_protection="braces-all", unknown_char_policy=_numbered, unknown_char_warning=False
    )


def _numbered(letter: str) -> str:
    return f"[U+{ord(letter):04X}]"


def latex_number(value: float | None) -> str:
    """Three significant digits, as the page shows them."""
    return escape_latex(numbers.number(value))


def comment(text: str) -> str:
    """One line after a percent sign, whatever the text holds."""
    return "% " + " ".join(text.split())


def file_header(stamp: Stamp, needs: list[str], how: str) -> list[str]:
    """The comment at the top of a file: where it is from, and what the preamble must load."""
    return [
        comment(stamp.title or "Poolmark figure"),
        comment(stamp.line),
        comment(stamp.digest_line),
        comment(how),
        *(f"%   {line}" for line in needs),
    ]


def address(stamp: Stamp) -> str:
    r"""The address as a hyperlink where hyperref is loaded, else as text that breaks at its slashes."""
    return r"\url{" + stamp.address.replace("%", r"\%").replace("#", r"\#") + "}"


def stamp_note(stamp: Stamp) -> str:
    """The visible lines under a table or figure: honesty flags and stamp. The digest may break in the middle."""
    half = len(stamp.digest) // 2
    flags = "".join(f"{escape_latex(flag)} " for flag in stamp.flags)
    return (
        rf"{flags}{address(stamp)}, frozen {stamp.date}, $n = {stamp.runs}$. SHA-256 "
        rf"\texttt{{{stamp.digest[:half]}}}\hspace{{0pt}}\texttt{{{stamp.digest[half:]}}}"
    )
