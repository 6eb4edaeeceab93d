"""The groups of a record from version 3 on as a booktabs table with siunitx: centre, interval, n, ratio, claim.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes its table anew with it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.figures import notes
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.latex import escape_latex, file_header, stamp_note
from webapp.formats.tidy import label_of
from webapp.formatting import numbers

NEEDS = [r"\usepackage{booktabs}", r"\usepackage{siunitx}", r"\usepackage{url} % or hyperref"]
NEEDS_PLAIN = [NEEDS[0], NEEDS[2]]
_MAX_LETTERS = 14
_COLUMN = 229.0
"""Points of the narrowest column of a two-column paper (article: 229)."""
_DIGIT, _LETTER, _POINT, _GAP = 4.3, 4.0, 2.4, 5.0
"""Points of a digit, a letter (on average), a decimal point, and the gap between columns, at \\footnotesize."""
_TO = r"@{\,--\,}"
_WORDS = ("faster", "slower", "higher", "lower")
Cell = str
_Spread = Tuple[Any, Any]  # noqa: UP006
"""The ends of an interval, None without one."""


def to_table(record: Mapping[str, Any], stamp: Stamp, plain: bool = False) -> str:
    r"""A table environment with a tabular for each panel, labelled `tab:poolmark-ID`. `plain`: without siunitx.

    Where it is wider than a column of 85 mm it takes both columns of a two-column paper.
    """
    name = stamp.address.rsplit("/", 1)[-1]
    panels = [_Table(panel, figure, plain) for panel, figure in zip(record["panels"], _figures(record))]  # noqa: B905  3.8 has no strict
    is_wide = any(table.width > _COLUMN for table in panels)
    lines = file_header(stamp, NEEDS_PLAIN if plain else NEEDS, "A table for LaTeX. Needs in the preamble:")
    float_name = r"\poolmarkfloat" if is_wide else "table"
    if is_wide:
        lines += [
            "% Wider than a column of 85 mm: over both columns where there are two.",
            r"\makeatletter\edef\poolmarkfloat{table\if@twocolumn*\fi}\makeatother",
        ]
    lines += [
        rf"\begin{{{float_name}}}",
        r"\centering",
        r"\footnotesize\tabcolsep=2.4pt",
        rf"\caption{{{escape_latex(stamp.title or 'Frozen comparison')}}}",
        rf"\label{{tab:poolmark-{name}}}",
    ]
    for index, table in enumerate(panels):
        lines += [r"\par\medskip"] if index else []
        lines += table.lines(titled=len(panels) > 1 or not stamp.title)
    method = record["method"]["sentence"]
    lines += [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        f"{escape_latex(method[:1].upper() + method[1:])}. {stamp_note(stamp)}",
        r"\end{minipage}",
        rf"\end{{{float_name}}}",
    ]
    return "\n".join(lines) + "\n"


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
        self.ratio_spread = any(verdict["low"] is not None for verdict in verdicts)

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
            columns.append(max(2 * _number_width(self._ends()) + 8, 32))
        columns.append(_number_width([str(_n(group)) for group in self.groups]))
        ratios = [_number_width(self._ratios())] if self.rated else []
        ratios += [2 * _number_width(self._ratio_ends()) + 8] if self.ratio_spread else []
        head = min(_LETTER * len(f"ratio to {self.panel['baseline_label']}"), 95)
        if ratios:
            ratios[-1] += max(head - sum(ratios) - _GAP, 0)
        columns += [*ratios, *([29] if self.judged else [])]
        return sum(columns) + _GAP * (len(columns) - 1)

    def _centers(self) -> List[str]:  # noqa: UP006
        return [_digits(self._scaled(group["center"])) for group in self.groups if not notes.has_parts(group)]

    def _ends(self) -> List[str]:  # noqa: UP006
        return [_digits(end) for group in self.groups for end in self._interval(group) if end is not None]

    def _ratios(self) -> List[str]:  # noqa: UP006
        return [_digits(group["verdict"]["ratio"]) for group in self.groups if group["verdict"]]

    def _ratio_ends(self) -> List[str]:  # noqa: UP006
        ends = [group["verdict"][name] for group in self.groups if group["verdict"] for name in ("low", "high")]
        return [_digits(end) for end in ends if end is not None]

    def lines(self, titled: bool) -> List[str]:  # noqa: UP006
        lines = [rf"\emph{{{escape_latex(self.panel['title'])}}}\par\smallskip"] if titled else []
        lines += [rf"\begin{{tabular}}{{@{{}}{self._columns()}@{{}}}}", r"\toprule", *self._heads(), r"\midrule"]
        last = None
        for group in self.groups:
            x = label_of(self.panel["x"], group["x"])
            cells = ["" if self.named and x == last else _label(x, ".18")]
            cells += [_label(label_of(self.panel["series"], group["series"]), ".14")] if self.named else []
            lines.append(" & ".join(cells + self._cells(group)) + r" \\")
            last = x
        found = self._notes()
        note = rf"\begin{{minipage}}{{\linewidth}}\footnotesize\raggedright {escape_latex(' '.join(found))}\end{{minipage}}"
        return [*lines, r"\bottomrule", r"\end{tabular}", r"\par\smallskip", note]

    def _columns(self) -> str:
        spread = self._number(self._ends())
        columns = "l" * (1 + self.named) + self._number(self._centers(), signed=True)
        columns += f"{spread}{_TO}{spread}" if self.spread else ""
        columns += self._number([str(_n(group)) for group in self.groups])
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
        heads += [r"\multicolumn{2}{c}{interval}"] if self.spread else []
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
        cells.append(str(_n(group)))
        verdict = group["verdict"]
        if self.rated:
            ratio = verdict and verdict["ratio"]
            cells.append(
                _bounded(_digits(ratio), verdict.get("ratio_bound", ""), self.plain)
                if ratio is not None and verdict
                else self._empty()
            )
        if self.ratio_spread:
            cells += self._pair(verdict["low"] if verdict else None, verdict["high"] if verdict else None, "")
        return cells + ([_short_claim(group)] if self.judged else [])

    def _center_cells(self, group: Mapping[str, Any]) -> List[Cell]:  # noqa: UP006
        """Centre and interval; over their columns the centre of each session where these are too unlike for one."""
        if notes.has_parts(group):
            return [rf"\multicolumn{{{3 if self.spread else 1}}}{{c}}{{{self._joined_parts(group)}}}"]
        center = _bounded(_digits(self._scaled(group["center"])), group.get("bound", ""), self.plain)
        return [center, *(self._pair(*self._interval(group), "--") if self.spread else [])]

    def _joined_parts(self, group: Mapping[str, Any]) -> str:
        return "; ".join(_digits(self._scaled(part)) for part in group["parts"])

    def _pair(self, low: Any, high: Any, empty: str) -> List[Cell]:  # noqa: UP006
        if low is None or high is None:
            return [rf"\multicolumn{{2}}{{c}}{{{empty}}}"]
        return [_digits(low), _digits(high)]

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
            text = _claim(group)
            if text:
                places = (label_of(self.panel["x"], group["x"]), label_of(self.panel["series"], group["series"]))
                by_text.setdefault(text, []).append(" ".join(place for place in places if place and place != "all"))
        if len(by_text) == 1:
            return [f"Claims: {next(iter(by_text))}."]
        return [f"{', '.join(names)}: {text}." for text, names in by_text.items()]


def _text_width(texts: Sequence[str], most: float) -> float:
    """The width of a column of labels in points, about; long ones are wrapped."""
    return max([min(_LETTER * len(text), most) for text in texts] + [0.0])


def _number_width(texts: Sequence[str]) -> float:
    """The width of a column of numbers in points: the most digits before and after the point."""
    parts = [text.partition(".") for text in texts] or [("1", "", "")]
    places = max(len(part[2]) for part in parts)
    return _DIGIT * (max(len(part[0]) for part in parts) + places) + (_POINT if places else 0)


def _n(group: Mapping[str, Any]) -> int:
    return int(group["runs"] + sum(count["count"] for count in group.get("unmeasured", ())))


def _digits(value: Any) -> str:
    """Three significant digits in plain ASCII, as siunitx reads them."""
    text = numbers.number(value)
    return text.replace(numbers.THIN_SPACE, "").replace(numbers.MINUS, "-").replace(numbers.UNKNOWN_SIGN, "")


def _bounded(text: str, side: str, plain: bool) -> str:
    """A number with the sign of a bound, in a group of its own where siunitx would read the sign."""
    sign = {"above": ">", "below": "<"}.get(side, "")
    if not sign:
        return text
    return rf"${sign}$\,{text}" if plain else rf"{{${sign}$\,{text}}}"


def _label(text: str, share: str) -> str:
    """A label; a long one is wrapped at `share` of the line width."""
    if len(text) <= _MAX_LETTERS:
        return escape_latex(text)
    return rf"\parbox[t]{{{share}\linewidth}}{{\raggedright\strut {escape_latex(text)}\strut}}"


def _short_claim(group: Mapping[str, Any]) -> str:
    """`faster`, `no diff.`, `none`; how far it goes stands beneath the table. Empty for the baseline."""
    verdict = group["verdict"]
    if not verdict:
        return ""
    if not verdict["word"]:
        return "none"
    return next((word for word in _WORDS if word in verdict["word"].split()), "no diff.")


def _claim(group: Mapping[str, Any]) -> str:
    """`faster in this session, drift not excluded`; `no claim: one run each`."""
    verdict = group["verdict"]
    if not verdict:
        return ""
    word, doubts = verdict["word"], list(verdict.get("doubts") or ())
    if word:
        return ", ".join([word.replace("A is ", "", 1).replace(" than B", ""), *doubts])
    return f"no claim: {verdict['withheld']}" if verdict.get("withheld") else "no claim"
