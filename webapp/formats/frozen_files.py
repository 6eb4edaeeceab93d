"""Every text file of a permalink that follows from its record alone: tables as CSV and for LaTeX, in the form of its version.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes these files anew with it.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.figures import notes
from webapp.figures.stamp import Stamp, stamp_of_record
from webapp.formats import latex_table, tidy
from webapp.formats.latex import escape_latex, file_header, latex_number, stamp_note

# The groups of a permalink as a booktabs table: centre, interval, n, and ratio and claim against the baseline.

_MAX_LETTERS = 14
NEEDS = [r"\usepackage{booktabs}", r"\usepackage{url} % or hyperref"]


def earlier_table(figures: list[dict], stamp: Stamp, method: str, baselines: Sequence[str] = ()) -> str:
    r"""A `table` environment with one tabular per figure; labelled `tab:poolmark-ID`. `baselines`: of each figure, or ''."""
    name = stamp.address.rsplit("/", 1)[-1]
    lines = file_header(stamp, NEEDS, "A table for LaTeX. Needs in the preamble:")
    lines += [
        r"\begin{table}",
        r"\centering",
        r"\small\tabcolsep=3.5pt",
        rf"\caption{{{escape_latex(stamp.title or 'Frozen comparison')}}}",
        rf"\label{{tab:poolmark-{name}}}",
    ]
    for index, figure in enumerate(figures):
        if index:
            lines.append(r"\par\medskip")
        baseline = baselines[index] if len(baselines) == len(figures) else ""
        lines += _tabular(figure, titled=len(figures) > 1 or not stamp.title, baseline=baseline)
    lines += [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        f"{escape_latex(method[:1].upper() + method[1:])}. {stamp_note(stamp)}",
        r"\end{minipage}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tabular(figure: dict, titled: bool, baseline: str) -> list[str]:
    named = any(series["name"] for series in figure["series"])
    across = any("across" in group for group in figure["groups"])
    judged = any(group["verdict"] for group in figure["groups"])
    lines = []
    if titled:
        lines.append(rf"\emph{{{escape_latex(figure['title'])}}}\par\smallskip")
    lines += [
        rf"\begin{{tabular}}{{@{{}}{'l' * (1 + named)}{'r' * (3 + across)}{'l' * judged}@{{}}}}",
        r"\toprule",
        " & ".join(
            [
                "Group" if across else escape_latex(figure["x"]["label"] or "Group"),
                *([""] if named else []),
                escape_latex(figure["unit"]),
                "interval",
                *(["across"] if across else []),
                "$n$",
                *([_cell(f"against {baseline}" if baseline else "against the baseline", ".26")] if judged else []),
            ]
        )
        + r" \\",
        r"\midrule",
    ]
    last_x = None
    for group in figure["groups"]:
        x = _cell(figure["x"]["values"][group["x"]], ".28")
        series = [_cell(figure["series"][group["series"]]["name"], ".2")] if named else []
        lines.append(
            " & ".join(
                [
                    "" if named and x == last_x else x,
                    *series,
                    _center(group),
                    _interval(group),
                    *([_center(group["across"])] if across else []),
                    str(group["n"]),
                    *([_cell(group["verdict"], ".26")] if judged else []),
                ]
            )
            + r" \\"
        )
        last_x = x
    note = figure["unit"] + (f", {figure['better']}" if figure["better"] else "")
    if across:
        note += f"; across: {figure['x']['label']}, {figure['x']['unit']}"
    note = ". ".join([note, *notes.describe_places(figure)])
    return [*lines, r"\bottomrule", r"\end{tabular}", rf"\par{{\footnotesize {escape_latex(note)}\par}}"]


def _center(group: dict) -> str:
    """The centre, with the sign of a bound; the centre of each session where they are too unlike for one."""
    if notes.has_parts(group):
        return "; ".join(map(latex_number, group["parts"]))
    return escape_latex(notes.center_label(group))


def _cell(text: str, share: str) -> str:
    """A label; a long one is wrapped at `share` of the line width."""
    if len(text) <= _MAX_LETTERS:
        return escape_latex(text)
    return rf"\parbox[t]{{{share}\linewidth}}{{\raggedright\strut {escape_latex(text)}\strut}}"


def _interval(group: dict) -> str:
    if group["low"] is None or group["high"] is None or notes.has_parts(group):
        return "--"
    return f"{latex_number(group['low'])} to {latex_number(group['high'])}"


TABLE, PLAIN_TABLE = "table.tex", "table-plain.tex"


def make_texts(record: Mapping[str, Any], digest: str) -> Dict[str, str]:  # noqa: UP006
    """Path in the bundle -> text."""
    files = dict(tidy.to_tables(record, digest))
    if record["figures"]:
        files.update({f"figures/{name}": text for name, text in make_latex(record, digest).items()})
    return files


def make_latex(record: Mapping[str, Any], digest: str) -> Dict[str, str]:  # noqa: UP006
    """Name -> text of the tables for LaTeX; one without siunitx from version 3 on."""
    stamp = stamp_of_record(record, digest)
    if record["version"] < tidy.FIRST_VERSION:
        baselines = [panel["baseline_label"] for panel in record["panels"]]
        return {TABLE: earlier_table(record["figures"], stamp, record["method"]["sentence"], baselines)}
    return {TABLE: latex_table.to_table(record, stamp), PLAIN_TABLE: latex_table.to_table(record, stamp, plain=True)}
