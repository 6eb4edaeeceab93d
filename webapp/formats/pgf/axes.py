"""Figure -> the keys of a pgfplots axis. Its size leaves space for the labels within the column."""

from __future__ import annotations

from webapp.figures.notes import is_bounded
from webapp.formats.canonical import canonical_number as exact
from webapp.formats.drawing.scales import headroom, is_log, is_log_across, value_range
from webapp.formats.latex import escape_latex

_MOST_LABELS = 40
_MOST_BROKEN = 6
_LETTERS_ACROSS = 44  # letters in \scriptsize that fit a narrow journal column
_LONGEST = 32
_ROWS = ("dots", "ratio", "heat")


def axis_keys(figure: dict) -> list[str]:
    """Lines of one or more related keys, without the comma at the end."""
    kind = figure.get("kind") or "bars"
    height = r".5\linewidth" if kind not in _ROWS else rf"{max(6, round(1.5 * _rows(figure), 1))}em"
    legend = (
        [
            r"legend style={draw=none, fill=none, font=\scriptsize, at={(0.5,1.02)}, anchor=south, legend columns=4, "
            "/tikz/every even column/.append style={column sep=6pt}}"
        ]
        if len(figure["series"]) > 1 and kind != "heat"
        else []
    )
    return [
        "scale only axis",
        rf"width=\dimexpr\linewidth-{8 if kind in _ROWS else 6}em\relax",
        f"height={height}",
        *_KEYS_OF_KIND.get(kind, _bar_keys)(figure),
        r"tick label style={font=\scriptsize}",
        r"label style={font=\small}",
        "xtick pos=bottom, ytick pos=left",
        "axis lines*=left",
        "scaled ticks=false",
        "major grid style={black!15}",
        "log ticks with fixed point",
        *legend,
    ]


def unit_label(figure: dict) -> str:
    """The unit and the better direction."""
    return escape_latex(figure["unit"] + (f", {figure['better']}" if figure["better"] else ""))


def _rows(figure: dict) -> int:
    series = len(figure["series"])
    return min(36, series if figure["kind"] == "heat" else len(figure["x"]["values"]) * max(1, (series + 1) // 2))


def _bar_keys(figure: dict) -> list[str]:
    """Bars and boxes: categories on x, values on y."""
    return [f"ylabel={{{unit_label(figure)}}}, ymajorgrids", *_value_limits(figure), *_category_ticks(figure)]


def _value_limits(figure: dict) -> list[str]:
    low, high = value_range(figure)
    if is_log(figure):
        return ["ymode=log", *_room("y", figure)]
    return [f"ymin={exact(0 if low >= 0 else low * 1.05)}, ymax={exact((high or 1.0) * headroom(figure))}", _fixed_point("y")]


def _room(axis: str, figure: dict) -> list[str]:
    """Room for the arrows and labels of bounds at both ends of an axis."""
    return [f"enlarge {axis} limits=.2"] if is_bounded(figure) else []


def _fixed_point(axis: str) -> str:
    return f"{axis} tick label style={{/pgf/number format/fixed}}"


def _category_ticks(figure: dict) -> list[str]:
    """Labels are horizontal where they fit, wrapped where they are few, else vertical and shortened."""
    labels = figure["x"]["values"]
    step = max(1, -(-len(labels) // _MOST_LABELS))
    shown = range(0, len(labels), step)
    level = max(map(len, labels), default=0) * len(shown) <= _LETTERS_ACROSS
    shortened = labels if level else [_shorten(text) for text in labels]
    out = [f"xmin=-0.5, xmax={exact(max(0.5, len(labels) - 0.5))}", *_ticks("x", shown, [shortened[index] for index in shown])]
    if not level and len(labels) <= _MOST_BROKEN:
        share = exact(round(0.8 / len(labels), 3))
        out.append(rf"x tick label style={{text width={share}\linewidth, align=flush center, anchor=north}}")
    elif not level:
        out.append("x tick label style={rotate=90, anchor=east}")
    if figure["x"]["label"]:
        skipped = f" (one in {step} named)" if step > 1 else ""
        out.append(f"xlabel={{{escape_latex(figure['x']['label'])}{skipped}}}")
    return out


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"


def _ticks(axis: str, places, texts: list[str]) -> list[str]:
    return [
        f"{axis}tick={{" + ",".join(exact(position) for position in places) + "}",
        f"{axis}ticklabels={{" + ",".join("{" + escape_latex(text) + "}" for text in texts) + "}",
    ]


def _dot_keys(figure: dict) -> list[str]:
    """Dots and ratios: categories on y, values on x."""
    labels = figure["x"]["values"]
    log = ["xmode=log"] if is_log(figure) else [_fixed_point("x")]
    return [
        f"xlabel={{{unit_label(figure)}}}, xmajorgrids, y dir=reverse",
        f"ymin=-0.5, ymax={exact(len(labels) - 0.5)}",
        *_ticks("y", range(len(labels)), [_shorten(text) for text in labels]),
        r"y tick label style={text width=5.5em, align=flush right}",
        *log,
        *_room("x", figure),
    ]


def _line_keys(figure: dict) -> list[str]:
    """Lines: a numeric x axis with the values' names."""
    labels = sorted(
        {
            number: name for number, name in zip(figure["x"]["numbers"], figure["x"]["values"], strict=True) if number is not None
        }.items()
    )
    step = max(1, -(-len(labels) // 12))
    log = ["xmode=log"] if figure["x"].get("scale") == "log" else []
    return [
        f"ylabel={{{unit_label(figure)}}}, ymajorgrids",
        f"xlabel={{{escape_latex(figure['x']['label'])}}}",
        *log,
        *_value_limits(figure),
        *_ticks("x", [number for number, _ in labels[::step]], [name for _, name in labels[::step]]),
    ]


def _scatter_keys(figure: dict) -> list[str]:
    """Scatter: a metric on each axis."""
    axis = figure["x"]
    label = f"{axis['label']}, {axis['unit']}" + (f", {axis['better']}" if axis.get("better") else "")
    return [
        f"ylabel={{{unit_label(figure)}}}, grid=major",
        f"xlabel={{{escape_latex(label)}}}",
        _fixed_point("x"),
        _fixed_point("y"),
        "enlargelimits=.1",
        *(["ymode=log"] if is_log(figure) else []),
        *(["xmode=log"] if is_log_across(figure) else []),
    ]


def _heat_keys(figure: dict) -> list[str]:
    """Heat map: categories on x, series on y."""
    names = [series["name"] for series in figure["series"]]
    return [
        *_category_ticks(figure),
        f"ymin=-0.5, ymax={exact(len(names) - 0.5)}",
        *_ticks("y", range(len(names)), names),
        r"y tick label style={text width=5.5em, align=flush right}",
    ]


_KEYS_OF_KIND = {"dots": _dot_keys, "ratio": _dot_keys, "lines": _line_keys, "scatter": _scatter_keys, "heat": _heat_keys}
