"""Colours of a drawn figure as CSS classes: those of the site's themes (static/css/tokens.css, which a test compares)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from webapp.formats.svg.fonts import FALLBACK_FAMILY, FONTS
from webapp.formats.svg.looks import Look

LIGHT_NAME, DARK_NAME, AUTOMATIC = "light", "dark", "auto"
THEMES = (AUTOMATIC, LIGHT_NAME, DARK_NAME)
PAGE_FONTS = "'Source Sans 3','Segoe UI',Roboto,Helvetica,Arial,'DejaVu Sans',sans-serif"
_LIKE = {
    "sans": f"'Source Sans 3',Carlito,Calibri,'{FALLBACK_FAMILY}',Arial,sans-serif",
    "serif": f"'Source Serif 4','Times New Roman','{FALLBACK_FAMILY}',serif",
}
"""Families in the place of the packaged ones, where a reader has none of these."""


class Colours(NamedTuple):
    """The colours of one theme, as in the tokens of the same names."""

    paper: str
    ink: str
    muted: str
    rule: str
    rule_strong: str
    heat: str
    on_heat: str
    series: tuple[str, ...]
    bars: tuple[str, ...] = ()
    """Of the fills of bars where they are other than those of lines and markers."""


LIGHT = Colours(
    "#fcfbf8",
    "#1d2023",
    "#595e65",
    "#dcd9d1",
    "#8b8f94",
    "#08456b",
    "#ffffff",
    ("#0072b2", "#d07000", "#004733", "#c4619a", "#4496c6", "#6e5000", "#33373c", "#7453b3"),
)
DARK = Colours(
    "#15181b",
    "#e6e5e0",
    "#a5abb2",
    "#343a40",
    "#747b83",
    "#9ad4f5",
    "#0d161c",
    ("#4a9bd6", "#fbbd7c", "#178862", "#e697c3", "#b3e2ff", "#d0a83a", "#e6e8eb", "#8b73cc"),
)
PAPER = LIGHT._replace(paper="#ffffff")
# Dark lines, told apart by dashes and shapes; neighbouring fills differ by a third of the way from black to white.
GREY = PAPER._replace(
    heat="#1a1a1a",
    series=("#1a1a1a", "#666666") * 4,
    bars=("#4d4d4d", "#b8b8b8", "#1a1a1a", "#8c8c8c", "#d6d6d6", "#666666", "#333333", "#a3a3a3"),
)


@lru_cache(len(THEMES))
def style_sheet(theme: str) -> str:
    """The rules of a theme; `auto` follows the reader's system."""
    fonts = f"text{{font-family:{PAGE_FONTS}}}"
    if theme == AUTOMATIC:
        return f"{fonts}{_rules(LIGHT)}@media (prefers-color-scheme:dark){{{_rules(DARK)}}}"
    return fonts + _rules(DARK if theme == DARK_NAME else LIGHT)


def paper_style_sheet(look: Look) -> str:
    """The rules of a figure on paper."""
    return f"text{{font-family:'{FONTS[look.font].family}',{_LIKE[look.font]}}}{_rules(GREY if look.grey else PAPER)}"


def _rules(colours: Colours) -> str:
    """`fp` fills with paper, `li` draws lines of ink, and so on; `f0` and `l0` have the colour of the first series."""
    names = {
        "p": colours.paper,
        "i": colours.ink,
        "m": colours.muted,
        "r": colours.rule,
        "R": colours.rule_strong,
        "h": colours.heat,
        "o": colours.on_heat,
        **{str(number): colour for number, colour in enumerate(colours.series)},
        **{f"b{number}": colour for number, colour in enumerate(colours.bars)},
    }
    return ".n{fill:none}" + "".join(f".f{name}{{fill:{colour}}}.l{name}{{stroke:{colour}}}" for name, colour in names.items())
