"""The groups of a record from version 3 on as a booktabs table with siunitx: centre, interval, n, ratio, claim.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes its table anew with it.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Sequence, Tuple  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.figures import notes
from webapp.figures.stamp import Stamp
from webapp.formats import latex
from webapp.formats.latex import escape_latex, file_header, stamp_note
from webapp.formats.tidy import OPEN_VERSION, label_of

NEEDS = [r"\usepackage{booktabs}", r"\usepackage{siunitx}", r"\usepackage{url} % or hyperref"]
NEEDS_PLAIN = [NEEDS[0], NEEDS[2]]
_COLUMN = 229.0
"""Points of the narrowest column of a two-column paper (article: 229)."""
_PAGE = 345.0
"""Points of the text of a page (article: 345)."""
_LINES, _HEAD_LINES = 40, 4
"""Lines of a float, so that it is no higher than a page; lines of the head of a table with its rules."""
_DIGIT, _LETTER, _POINT, _GAP = 4.3, 4.0, 2.4, 5.0
"""Points of a digit, a letter (on average), a decimal point, and the gap between columns, at \\footnotesize."""
_TO = r"@{\,--\,}"
Cell = str
_Spread = Tuple[Any, Any]  # noqa: UP006
"""The ends of an interval, None without one."""


def to_table(record: Mapping[str, Any], stamp: Stamp, plain: bool = False) -> str:
    r"""A table environment with a tabular for each panel, labelled `tab:poolmark-ID`. `plain`: without siunitx.

    Where it is wider than a column of 85 mm it takes both columns of a two-column paper.
    """
    name = stamp.address.rsplit("/", 1)[-1]
    panels = [_Table(panel, figure, plain) for panel, figure in zip(record["panels"], _figures(record))]  # noqa: B905  3.8 has no strict
    for table in panels if record["version"] < OPEN_VERSION else ():
        table.spread_name = "interval"  # as it was frozen
    is_wide = any(table.width > _COLUMN for table in panels)
    lines = file_header(stamp, NEEDS_PLAIN if plain else NEEDS, "A table for LaTeX. Needs in the preamble:")
    float_name = r"\poolmarkfloat" if is_wide else "table"
    line_width = _PAGE if is_wide else _COLUMN
    method = record["method"]["sentence"]
    note = f"{escape_latex(method[:1].upper() + method[1:])}. {stamp_note(stamp)}"
    if sum(table.height(line_width) for table in panels) + _note_lines(note, line_width) > _LINES:
        for table in panels:
            table.widen(line_width)
    floats = _floats(panels, line_width, _note_lines(note, line_width))
    if is_wide:
        lines += [
            "% Wider than a column of 85 mm: over both columns where there are two.",
            r"\makeatletter\edef\poolmarkfloat{table\if@twocolumn*\fi}\makeatother",
        ]
    for number, parts in enumerate(floats, 1):
        lines += [
            rf"\begin{{{float_name}}}",
            r"\centering",
            r"\footnotesize\tabcolsep=2.4pt",
            rf"\caption{{{escape_latex(stamp.title or 'Frozen comparison')}{', continued' if number > 1 else ''}}}",
            rf"\label{{tab:poolmark-{name}{f'-{number}' if number > 1 else ''}}}",
        ]
        for index, (table, first, last) in enumerate(parts):
            lines += [r"\par\medskip"] if index else []
            lines += table.lines(len(panels) > 1 or not stamp.title, first, last)
        if number == len(floats):
            lines += [
                r"\par\smallskip",
                r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
                note,
                r"\end{minipage}",
            ]
        lines.append(rf"\end{{{float_name}}}")
    return "\n".join(lines) + "\n"


def _floats(panels: Sequence[_Table], line_width: float, note: int) -> List[List[Tuple[_Table, int, int]]]:  # noqa: UP006
    """Panels of each float with their rows, first to before last: no more lines than a page has. `note`: lines of the last."""
    floats: List[List[Tuple[_Table, int, int]]] = [[]]  # noqa: UP006
    left = _LINES
    for table in panels:
        first, heights, end = 0, table.heights(line_width), table.end_lines(line_width)
        if not heights:  # no run gave a number: notes alone
            floats[-1].append((table, 0, 0))
            left -= end
        while first < len(heights):
            last, used = first, _HEAD_LINES
            while last < len(heights) and used + heights[last] + (end if last + 1 == len(heights) else 0) <= left:
                used += heights[last]
                last += 1
            if last == first and floats[-1]:
                floats.append([])
                left = _LINES
                continue
            last = max(last, first + 1)
            floats[-1].append((table, first, last))
            left -= used + (end if last == len(heights) else 0)
            first = last
    if note > left and floats[-1] and floats[-1][-1][2] - floats[-1][-1][1] > 1:
        table, first, last = floats[-1].pop()
        middle = (first + last + 1) // 2
        floats[-1].append((table, first, middle))
        floats.append([(table, middle, last)])
    return floats


def _figures(record: Mapping[str, Any]) -> List[Mapping[str, Any]]:  # noqa: UP006
    """The figure of each panel; an empty one where a panel has none."""
    figures = list(record["figures"])
    return [figures[index] if index < len(figures) else {} for index in range(len(record["panels"]))]


class _Table:
    """The tabular of one panel. Groups that the author does not show are in its figure's notes."""

    def __init__(self, panel: Mapping[str, Any], figure: Mapping[str, Any], plain: bool) -> None:
        self.panel, self.figure, self.plain = panel, figure, plain
        self.factor = panel["shown"]["factor"]
        self.groups = [group for group in panel["groups"] if not group.get("hidden")]
        self.named = any(label_of(panel["series"], group["series"]) for group in self.groups)
        verdicts = [group["verdict"] for group in self.groups if group["verdict"]]
        self.rated = any(verdict["ratio"] is not None for verdict in verdicts)
        self.judged = bool(verdicts)
        self.spread = any(low is not None for low, _ in map(self._interval, self.groups))
        is_range = notes.spread_name(group["interval"] for group in self.groups).startswith("Low")
        self.spread_name = "range" if is_range else "95 % interval"
        self.ratio_spread = any(verdict["low"] is not None for verdict in verdicts)
        self.shares = (0.18, 0.14)  # of the line width, at which long labels of x and series are wrapped

    def _scaled(self, value: Any) -> Any:
        return None if value is None else value / self.factor

    def _interval(self, group: Mapping[str, Any]) -> _Spread:
        if notes.has_parts(group) or group["low"] is None or group["high"] is None:
            return None, None
        return self._scaled(group["low"]), self._scaled(group["high"])

    @property
    def width(self) -> float:
        """The width of a row in points, about."""
        columns = [_text_width([self.panel["x"]["label"], *(label_of(self.panel["x"], group["x"]) for group in self.groups)], 60)]
        if self.named:
            columns.append(_text_width([label_of(self.panel["series"], group["series"]) for group in self.groups], 52))
        bounds = 13 if any(group.get("bound") for group in self.groups) else 0
        parts = [_LETTER * len(self._joined_parts(group)) for group in self.groups if notes.has_parts(group) and not self.spread]
        columns.append(max([_number_width(self._centers()) + bounds, _LETTER * len(self.panel["shown"]["unit"]), *parts]))
        if self.spread:
            signs = 13 * max(len(group.get("open", ())) for group in self.groups)
            columns.append(max(2 * _number_width(self._ends()) + 8 + signs, _LETTER * len(self.spread_name)))
        columns.append(_number_width([str(latex.count_runs(group)) for group in self.groups]))
        ratios = [_number_width(self._ratios())] if self.rated else []
        ratios += [2 * _number_width(self._ratio_ends()) + 8] if self.ratio_spread else []
        head = min(_LETTER * len(f"ratio to {self.panel['baseline_label']}"), 95)
        if ratios:
            ratios[-1] += max(head - sum(ratios) - _GAP, 0)
        columns += [*ratios, *([29] if self.judged else [])]
        return sum(columns) + _GAP * (len(columns) - 1)

    def _labels(self, group: Mapping[str, Any]) -> Tuple[str, str]:  # noqa: UP006
        return label_of(self.panel["x"], group["x"]), label_of(self.panel["series"], group["series"])

    def widen(self, line_width: float) -> None:
        """Let long labels take the width that is left, for tables of many rows."""
        spare, shares = 0.9 * line_width - self.width, []
        for at, most in enumerate((60, 52)):
            longest = max([1.15 * _LETTER * len(self._labels(group)[at]) for group in self.groups] + [0.0])
            more = max(min(longest - most, spare), 0.0)
            spare -= more
            shares.append(max(self.shares[at], int(100 * (most + more) / line_width) / 100) if more else self.shares[at])
        self.shares = (shares[0], shares[1])

    def heights(self, line_width: float) -> List[int]:  # noqa: UP006
        """Lines of each row, about."""
        found = []
        for group in self.groups:
            widths = [1.15 * _LETTER * len(text) if len(text) > latex.MAX_LETTERS else 0.0 for text in self._labels(group)]
            found.append(max([1] + [math.ceil(width / (share * line_width)) for width, share in zip(widths, self.shares)]))  # noqa: B905
        return found

    def end_lines(self, line_width: float) -> int:
        """Lines of the notes beneath it, about."""
        return _note_lines(" ".join(self._notes()), line_width)

    def height(self, line_width: float) -> int:
        """Its lines, about."""
        return _HEAD_LINES + sum(self.heights(line_width)) + self.end_lines(line_width)

    def _centers(self) -> List[str]:  # noqa: UP006
        return [latex.digits(self._scaled(group["center"])) for group in self.groups if not notes.has_parts(group)]

    def _ends(self) -> List[str]:  # noqa: UP006
        return [latex.digits(end) for group in self.groups for end in self._interval(group) if end is not None]

    def _ratios(self) -> List[str]:  # noqa: UP006
        return [latex.digits(group["verdict"]["ratio"]) for group in self.groups if group["verdict"]]

    def _ratio_ends(self) -> List[str]:  # noqa: UP006
        ends = [group["verdict"][name] for group in self.groups if group["verdict"] for name in ("low", "high")]
        return [latex.digits(end) for end in ends if end is not None]

    def lines(self, titled: bool, first: int, last: int) -> List[str]:  # noqa: UP006
        """Its rows from the first to before the last; notes stand beneath the last one."""
        lines = [rf"\emph{{{escape_latex(self.panel['title'])}}}\par\smallskip"] if titled else []
        lines += (
            [rf"\begin{{tabular}}{{@{{}}{self._columns()}@{{}}}}", r"\toprule", *self._heads(), r"\midrule"] if self.groups else []
        )
        above = None
        for group in self.groups[first:last]:
            x = label_of(self.panel["x"], group["x"])
            cells = ["" if self.named and x == above else latex.label(x, self.shares[0])]
            cells += [latex.label(label_of(self.panel["series"], group["series"]), self.shares[1])] if self.named else []
            lines.append(" & ".join(cells + self._cells(group)) + r" \\")
            above = x
        lines += [r"\bottomrule", r"\end{tabular}"] if self.groups else []
        if last < len(self.groups):
            return lines
        found = self._notes()
        note = rf"\begin{{minipage}}{{\linewidth}}\footnotesize\raggedright {escape_latex(' '.join(found))}\end{{minipage}}"
        return [*lines, r"\par\smallskip", note]

    def _columns(self) -> str:
        spread = self._number(self._ends())
        columns = "l" * (1 + self.named) + self._number(self._centers(), signed=True)
        columns += f"{spread}{_TO}{spread}" if self.spread else ""
        columns += self._number([str(latex.count_runs(group)) for group in self.groups])
        columns += self._number(self._ratios(), signed=True) if self.rated else ""
        spread = self._number(self._ratio_ends())
        return columns + (f"{spread}{_TO}{spread}" if self.ratio_spread else "") + ("l" if self.judged else "")

    def _number(self, texts: Sequence[str], signed: bool = False) -> str:
        """A column of numbers aligned at their decimal points."""
        if self.plain:
            return "r"
        parts = [text.lstrip("-").partition(".") for text in texts] or [("1", "", "")]
        whole, places = max(len(part[0]) for part in parts), max(len(part[2]) for part in parts)
        sign = "-" if any(text.startswith("-") for text in texts) else ""
        return rf"S[table-format={sign}{whole}.{places}]" if places else rf"S[table-format={sign}{whole}]"

    def _heads(self) -> List[str]:  # noqa: UP006
        """The heads, with the unit, once; what is a ratio to, above its columns."""
        heads = [escape_latex(self.panel["x"]["label"] or "Group")] + (
            [escape_latex(self.panel["series"]["label"])] if self.named else []
        )
        heads.append(self._head(self.panel["shown"]["unit"]))
        heads += [rf"\multicolumn{{2}}{{c}}{{{escape_latex(self.spread_name)}}}"] if self.spread else []
        heads.append(self._head("$n$", math=True))
        if self.rated or self.judged:
            baseline = escape_latex(f"ratio to {self.panel['baseline_label']}" if self.panel["baseline_label"] else "ratio")
            columns = int(self.rated) + 2 * int(self.ratio_spread)
            wrapped = baseline if len(baseline) <= 22 else rf"\parbox{{.2\linewidth}}{{\centering {baseline}}}"
            heads += [rf"\multicolumn{{{columns}}}{{c}}{{{wrapped}}}"] if columns else []
        heads += ["claim"] if self.judged else []
        return [" & ".join(heads) + r" \\"]

    def _head(self, text: str, math: bool = False) -> str:
        escaped = text if math else escape_latex(text)
        return escaped if self.plain else "{" + escaped + "}"

    def _cells(self, group: Mapping[str, Any]) -> List[Cell]:  # noqa: UP006
        cells = self._center_cells(group)
        cells.append(str(latex.count_runs(group)))
        verdict = group["verdict"]
        if self.rated:
            ratio = verdict and verdict["ratio"]
            cells.append(
                latex.bounded(latex.digits(ratio), verdict.get("ratio_bound", ""), self.plain)
                if ratio is not None and verdict
                else self._empty()
            )
        if self.ratio_spread:
            cells += self._pair(verdict["low"] if verdict else None, verdict["high"] if verdict else None, "")
        return cells + ([latex.short_claim(group)] if self.judged else [])

    def _center_cells(self, group: Mapping[str, Any]) -> List[Cell]:  # noqa: UP006
        """Centre and interval; over their columns the centre of each session where these are too unlike for one."""
        if notes.has_parts(group):
            return [rf"\multicolumn{{{3 if self.spread else 1}}}{{c}}{{{self._joined_parts(group)}}}"]
        center = latex.bounded(latex.digits(self._scaled(group["center"])), group.get("bound", ""), self.plain)
        return [center, *(self._pair(*self._interval(group), "--", group.get("open", ())) if self.spread else [])]

    def _joined_parts(self, group: Mapping[str, Any]) -> str:
        return "; ".join(latex.digits(self._scaled(part)) for part in group["parts"])

    def _pair(self, low: Any, high: Any, empty: str, open_ends: Sequence[str] = ()) -> List[Cell]:  # noqa: UP006
        """Both ends, with the sign of each beyond which a run lies."""
        if low is None or high is None:
            return [rf"\multicolumn{{2}}{{c}}{{{empty}}}"]
        ends = [(low, "below"), (high, "above")]
        return [latex.bounded(latex.digits(end), side if side in open_ends else "", self.plain) for end, side in ends]

    def _empty(self) -> str:
        return "" if self.plain else "{}"

    def _notes(self) -> List[str]:  # noqa: UP006
        """Unit and direction, claims in full, empty places, and what the author says."""
        better = self.figure.get("better") or ""
        head = self.panel["shown"]["unit"] + (f", {better}" if better else "")
        author = [note for note in self.figure.get("notes", ()) if "by the author" in note]
        return [f"{head}.", *self._claims(), *notes.describe_places(self.figure), *author]

    def _claims(self) -> List[str]:  # noqa: UP006
        """Each claim in full, or what is missing for one, with the groups that it is of."""
        by_text: Dict[str, List[str]] = {}  # noqa: UP006
        for group in self.groups:
            text = latex.claim(group)
            if text:
                places = (label_of(self.panel["x"], group["x"]), label_of(self.panel["series"], group["series"]))
                by_text.setdefault(text, []).append(" ".join(place for place in places if place and place != "all"))
        if len(by_text) == 1:
            return [f"Claims: {next(iter(by_text))}."]
        return [f"{', '.join(names)}: {text}." for text, names in by_text.items()]


def _note_lines(text: str, line_width: float) -> int:
    return math.ceil(1.1 * _LETTER * len(text) / line_width)


def _text_width(texts: Sequence[str], most: float) -> float:
    """The width of a column of labels in points, about; long ones are wrapped."""
    return max([min(_LETTER * len(text), most) for text in texts] + [0.0])


def _number_width(texts: Sequence[str]) -> float:
    """The width of a column of numbers in points: the most digits before and after the point."""
    parts = [text.partition(".") for text in texts] or [("1", "", "")]
    places = max(len(part[2]) for part in parts)
    return _DIGIT * (max(len(part[0]) for part in parts) + places) + (_POINT if places else 0)
