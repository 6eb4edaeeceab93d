"""Figure -> the keys of a pgfplots axis with its frame. Its size leaves space for the labels within the column."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webapp.figures.notes import is_bounded, value_ends
from webapp.formats.canonical import canonical_number as exact
from webapp.formats.drawing import fitting
from webapp.formats.drawing.bars import row_offsets
from webapp.formats.drawing.labels import HIGHEST_MM, one_in
from webapp.formats.drawing.lines import thin
from webapp.formats.drawing.scales import across_range, headroom, is_log, is_log_across, value_range
from webapp.formats.latex import escape_latex
from webapp.formats.pgf.frame import PgfFrame, PgfScale, PgfSetting, line_mm, text_mm

_HEIGHT_MM = 42.0
_AROUND_MM, _LEAST_MM = 20.0, 16.0  # labels below and above the axes, roughly; the height that axes need
_TICK_MM = 2.4  # a tick and the space beside its label
_RIGHT_MM = 1.5
_LEADING = 1.2
_KEY_MM = 9.0  # of a legend's key with the space around it
ROWS = ("dots", "ratio", "heat")
CURVES = ("time", "cdf", "histogram")

Keys = list[str]


def make_axis(figure: dict, setting: PgfSetting) -> tuple[Keys, PgfFrame]:
    """Lines of one or more related keys, without the comma at the end, and the frame that texts are placed in."""
    kind, small = figure.get("kind") or "bars", setting.look.small
    height = height_mm(figure, setting)
    scales = _SCALES.get(kind, _bar_scales)
    x, y = scales(figure)
    x = scales(figure["whole"])[0] if "whole" in figure else x
    y_keys, left = _y_axis(figure, kind, y, height, setting)
    right = _RIGHT_MM if kind not in ("lines", "scatter", "dots", "ratio") else 4.0
    width = setting.planned - left - right
    frame = PgfFrame(width, height, x, y, small)
    inner = f"{width:.1f}mm" if setting.width else rf"\dimexpr\linewidth-{left + right:.1f}mm\relax"
    keys = [
        "scale only axis",
        f"width={inner}, height={height:.1f}mm",
        *_limits("x", x),
        *_limits("y", y),
        *_x_axis(figure, kind, x, width, setting),
        *y_keys,
        f"tick label style={{font={_font(small)}}}",
        f"label style={{font={_font(setting.look.size)}, align=center}}",
        "xtick pos=bottom, ytick pos=left",
        "axis lines*=left",
        "scaled ticks=false, minor tick num=0",
        "major grid style={black!15}",
        *_legend(figure, width, small),
    ]
    return keys, frame


def height_mm(figure: dict, setting: PgfSetting) -> float:
    """The height of the axes."""
    if setting.height:
        return max(_LEAST_MM, setting.height - _AROUND_MM)
    return _rows(figure) * row_mm(figure, setting.look.small) if figure.get("kind") in ROWS else _HEIGHT_MM


def _font(size: float) -> str:
    return rf"\fontsize{{{size:g}}}{{{size * _LEADING:g}}}\selectfont"


def _lines(texts: Sequence[str]) -> str:
    """Lines of a label, for nodes that are aligned; in braces, since a bracket after a line break would be its argument."""
    return r"\\".join(f"{{{escape_latex(text)}}}" for text in texts)


def unit_label(figure: dict) -> str:
    """The unit and the better direction."""
    return figure["unit"] + (f", {figure['better']}" if figure["better"] else "")


def _title(axis: str, text: str, room_mm: float, size: float) -> Keys:
    """The title of an axis, broken into lines of its length."""
    if not text:
        return []
    return [f"{axis}label={{{_lines(fitting.force_wrap(text, room_mm, lambda line: text_mm(line, size), 3))}}}"]


def _rows(figure: dict) -> int:
    return len(figure["series"]) if figure["kind"] == "heat" else len(figure["x"]["values"])


def row_mm(figure: dict, size: float) -> float:
    """Height of a row: of its name in up to two lines, and of its marks."""
    marks = 1 if figure["kind"] == "heat" else len(set(row_offsets(figure)[0]))
    names = [series["name"] for series in figure["series"]] if figure["kind"] == "heat" else figure["x"]["values"]
    lines = 2 if any(len(name) > 20 for name in names) else 1
    return max((_LEADING * lines + 0.5) * line_mm(size), 2.4 * marks + 1)


def _limits(axis: str, scale: PgfScale) -> Keys:
    mode = [f"{axis}mode=log"] if scale.is_log else []
    return [*mode, f"{axis}min={exact(scale.low)}, {axis}max={exact(scale.high)}"]


# Scales of x and y of each kind.


def _bar_scales(figure: dict) -> tuple[PgfScale, PgfScale]:
    return PgfScale(-0.5, max(0.5, len(figure["x"]["values"]) - 0.5)), _values_from_zero(figure)


def _values_from_zero(figure: dict) -> PgfScale:
    low, high = value_range(figure)
    if is_log(figure):
        return _free(low, high, True, is_bounded(figure))
    return PgfScale(0 if low >= 0 else low * 1.05, (high or 1.0) * headroom(figure))


def _free(low: float, high: float, log: bool, bounded: bool, margin: float = 0.06) -> PgfScale:
    """Limits with a margin at both ends: a wider one where arrows and labels of bounds stand there."""
    margin = max(margin, 0.2) if bounded else margin
    if log:
        factor = max((high / low) ** margin, 1.05)
        return PgfScale(low / factor, high * factor, True)
    step = (high - low) * margin or abs(high) * 0.1 or 1.0
    return PgfScale(low - step, high + step)


def _dot_scales(figure: dict) -> tuple[PgfScale, PgfScale]:
    low, high = value_range(figure)
    low, high = (min(low, 1.0), max(high, 1.0)) if figure["kind"] == "ratio" else (low, high)
    rows = len(figure["x"]["values"])
    return _free(low, high, is_log(figure), is_bounded(figure)), PgfScale(-0.5, max(0.5, rows - 0.5))


def _line_scales(figure: dict) -> tuple[PgfScale, PgfScale]:
    numbers = [number for number in figure["x"]["numbers"] if number is not None]
    return _free(min(numbers), max(numbers), figure["x"].get("scale") == "log", False), _values_from_zero(figure)


def _time_scales(figure: dict) -> tuple[PgfScale, PgfScale]:
    low, high = value_ends(figure, *value_range(figure))
    across = PgfScale(figure["x"]["low"], figure["x"]["high"], figure["x"].get("scale") == "log")
    return across, PgfScale(low, high, is_log(figure))


def _scatter_scales(figure: dict) -> tuple[PgfScale, PgfScale]:
    low, high = value_range(figure)
    bounded = is_bounded(figure)
    return _free(*across_range(figure), is_log_across(figure), bounded, 0.12), _free(low, high, is_log(figure), bounded, 0.12)


def _heat_scales(figure: dict) -> tuple[PgfScale, PgfScale]:
    return (
        PgfScale(-0.5, max(0.5, len(figure["x"]["values"]) - 0.5)),
        PgfScale(-0.5, max(0.5, len(figure["series"]) - 0.5)),
    )


_SCALES: dict[str, Callable[[dict], tuple[PgfScale, PgfScale]]] = {
    "dots": _dot_scales,
    "ratio": _dot_scales,
    "lines": _line_scales,
    "scatter": _scatter_scales,
    **dict.fromkeys(CURVES, _time_scales),
    "heat": _heat_scales,
}


# Ticks and titles.


def _y_axis(figure: dict, kind: str, scale: PgfScale, height: float, setting: PgfSetting) -> tuple[Keys, float]:
    """Keys of the y axis, and the width in mm that its labels and title take."""
    small, size = setting.look.small, setting.look.size
    if kind in ROWS:
        names = figure["x"]["values"] if kind != "heat" else [series["name"] for series in figure["series"]]
        most = setting.planned * 0.33
        broken = [fitting.force_wrap(name, most, lambda line: text_mm(line, small), 2) for name in names]
        widest = max((text_mm(line, small) for lines in broken for line in lines), default=0.0)
        keys = _ticks("y", range(len(names)), [_lines(lines) for lines in broken])
        turned = ["y dir=reverse"] if kind != "heat" else []
        return [*keys, "y tick label style={align=right}", "y tick style={draw=none}", *turned], widest + _TICK_MM
    places, labels = scale.ticks(height, small, is_level=False)
    title = _title("y", unit_label(figure), height, size)
    title_lines = title[0].count(r"\\") + 1 if title else 0
    widest = max((text_mm(label, small) for label in labels), default=0.0)
    width = widest + _TICK_MM + title_lines * line_mm(size) * _LEADING + 1.5
    return [*_ticks("y", places, list(map(escape_latex, labels))), *title, "ymajorgrids"], width


def _x_axis(figure: dict, kind: str, scale: PgfScale, width: float, setting: PgfSetting) -> Keys:
    small, size = setting.look.small, setting.look.size
    if kind in CURVES:
        places, labels = scale.ticks(width, small, is_level=True)
        return [*_ticks("x", places, list(map(escape_latex, labels))), *_title("x", figure["x"]["label"], width, size)]
    if kind in ("dots", "ratio", "scatter"):
        axis = figure["x"]
        across = f"{axis['label']}, {axis.get('unit')}" + (f", {better}" if (better := axis.get("better")) else "")
        places, labels = scale.ticks(width, small, is_level=True)
        text = across if kind == "scatter" else unit_label(figure)
        return [*_ticks("x", places, list(map(escape_latex, labels))), *_title("x", text, width, size), "xmajorgrids"]
    if kind == "lines":
        return _number_ticks(figure, scale, width, setting)
    return _category_ticks(figure, width, setting)


def _number_ticks(figure: dict, scale: PgfScale, width: float, setting: PgfSetting) -> Keys:
    """The measured numbers of the axis of lines that are far enough from the one before."""
    labels = sorted(
        {
            number: name for number, name in zip(figure["x"]["numbers"], figure["x"]["values"], strict=True) if number is not None
        }.items()
    )
    places = [scale.share(number) for number, _ in labels]
    shown = thin(places, [text_mm(name, setting.look.small) for _, name in labels], width)
    return [
        *_ticks("x", [labels[index][0] for index in shown], [escape_latex(labels[index][1]) for index in shown]),
        *_title("x", figure["x"]["label"], width, setting.look.size),
    ]


def _category_ticks(figure: dict, width: float, setting: PgfSetting) -> Keys:
    """Labels are horizontal where they fit, in up to three lines; else vertical, broken, cut and thinned as needed."""
    labels, small = figure["x"]["values"], setting.look.small
    fitted = fitting.fit(labels, width / max(1, len(labels)), line_mm(small), HIGHEST_MM, lambda text: text_mm(text, small))
    texts = [_lines(text.split("\n")) for text in fitted.texts]
    style = "rotate=90, anchor=east, align=right" if fitted.turned else "align=center, anchor=north"
    skipped = f" ({one_in(fitted.step)} named)" if fitted.step > 1 else ""
    return [
        *_ticks("x", range(0, len(labels), fitted.step), texts),
        f"x tick label style={{{style}}}",
        "x tick style={draw=none}",
        *_title("x", f"{figure['x']['label']}{skipped}".strip(), width, setting.look.size),
    ]


def _ticks(axis: str, places: Sequence[float], texts: list[str]) -> Keys:
    return [
        f"{axis}tick={{" + ",".join(exact(position) for position in places) + "}",
        f"{axis}ticklabels={{" + ",".join("{" + text + "}" for text in texts) + "}",
    ]


def _legend(figure: dict, width: float, size: float) -> Keys:
    """The legend above the axes, in as many columns as fit."""
    if len(figure["series"]) < 2 or figure.get("kind") == "heat":
        return []
    widest = max(text_mm(text, size) for text in legend_texts(figure, width, size))
    columns = max(1, min(len(figure["series"]) + 1, int(width / (widest + _KEY_MM))))
    return [
        rf"legend style={{draw=none, fill=none, font={_font(size)}, at={{(0,1)}}, anchor=south west, yshift=1mm, inner xsep=0pt, "
        rf"cells={{anchor=west}}, legend columns={columns}, /tikz/every even column/.append style={{column sep=2mm}}}}"
    ]


def legend_texts(figure: dict, width: float, size: float) -> list[str]:
    """The name of the dimension and those of the series, cut where they are wider than most of the axes."""
    named = figure.get("legend", "")
    heads = [f"{named}:"] if named not in ("", "Metric") else []
    names = [*heads, *(series["name"] for series in figure["series"])]
    return [fitting.cut(name, width * 0.6, lambda line: text_mm(line, size)) for name in names]
