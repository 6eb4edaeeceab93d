"""Colours of a drawn figure as CSS classes: those of the site's themes (static/css/tokens.css, which a test compares)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

LIGHT_NAME, DARK_NAME, AUTOMATIC = "light", "dark", "auto"
THEMES = (AUTOMATIC, LIGHT_NAME, DARK_NAME)
FONTS = "'Source Sans 3','Segoe UI',Roboto,Helvetica,Arial,'DejaVu Sans',sans-serif"


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


@lru_cache(len(THEMES))
def style_sheet(theme: str) -> str:
    """The rules of a theme; `auto` follows the reader's system."""
    fonts = f"text{{font-family:{FONTS}}}"
    if theme == AUTOMATIC:
        return f"{fonts}{_rules(LIGHT)}@media (prefers-color-scheme:dark){{{_rules(DARK)}}}"
    return fonts + _rules(DARK if theme == DARK_NAME else LIGHT)


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
    }
    return ".n{fill:none}" + "".join(f".f{name}{{fill:{colour}}}.l{name}{{stroke:{colour}}}" for name, colour in names.items())
