"""Every text file of a permalink that follows from its record alone: tables as CSV and for LaTeX, in the form of its version.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes these files anew with it.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.figures.stamp import stamp_of_record
from webapp.formats import latex_table, tex, tidy

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
        return {TABLE: tex.to_table(record["figures"], stamp, record["method"]["sentence"], baselines)}
    return {TABLE: latex_table.to_table(record, stamp), PLAIN_TABLE: latex_table.to_table(record, stamp, plain=True)}
