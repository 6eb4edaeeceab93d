"""What a bundle says to its reviewer: README.txt (see, check, redo) and ARTIFACT.md (what it proves for badges, and what not)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.formats.citations.licences import licence_name
from webapp.formats.citations.work import LOCAL_NOTE, is_local


def readme_text(record: Mapping[str, Any], digest: str) -> str:
    """README.txt: five minutes for a reviewer."""
    name = record["address"].rsplit("/", 1)[-1]
    return (
        f"{record['title'] or 'Frozen comparison'}\n{record['authors']}\n\n{record['caption']}\n\n"
        f"Frozen on {record['frozen_at']} as {record['address']}\nSHA-256 of record.json: {digest}\n{_licence_line(record)}\n"
        "SEE (one minute)\n"
        f"  {'figures/figure-180mm.pdf   the figure' if record['figures'] else 'There is no figure: see the tables.'}\n"
        "  data.xlsx                  the tables: groups, values, codes, files, about\n"
        "  groups.csv                 the same as text: every group a row, with centre, interval, n, ratio and claim\n"
        "  data.csv                   every value a row, with file and line; its line is in excerpts/file-NUMBER.txt\n\n"
        "CHECK (one minute; Python 3.8 or later, no packages, no network)\n"
        "  python3 -I verify.py DIGEST   DIGEST: of the bundle, as its page and its citations print it\n"
        "  0: every file is as frozen, every value follows from its line, every table from the record.\n"
        "  1: differs, each file or value is named. 3: no digest given. 4: the record's digest, which covers the record alone.\n"
        "  -I: nothing here runs unchecked. Take verify.py from a bundle of your own where you do not trust this one.\n\n"
        "REDO (three minutes)\n"
        "  python3 -I redo.py         every centre again, from data.csv alone and with other code than verify.py\n"
        "  The measurements: configurations.csv has what each run was measured on, and the line it was read from; the cited lines\n"
        "  show what was printed. Run the tool on a system of yours, upload its output, and lay it over this figure:\n"
        f"  {record['address']}/live?overlay=NUMBER-OF-YOUR-ARCHIVE\n"
        f"  Then freeze yours too, and cite both. This one is poolmark-{name}.\n\n"
        "WHAT IS HERE\n"
        "  record.json                everything, in canonical JSON (RFC 8785)\n"
        "  manifest.json              SHA-256 of every other file; its own is the digest of the bundle\n"
        "  data.csv  groups.csv       every value a row; every group a row\n"
        "  flags.csv  files.csv       what the codes of flags mean; source files, archives, licences\n"
        "  points.csv                 every drawn point a row\n"
        "  configurations.csv         what each run was measured on\n"
        "  excerpts/                  the lines that the values stand on, three lines around each\n"
        "  figures/  citation/        the figure as drawn, its caption, tables for LaTeX; how to cite it\n"
        "  verify.py  code/  redo.py  the check, what it makes the tables again with; the second computation\n"
        "  ARTIFACT.md                what this proves for artifact badges, and what not\n"
        "  ro-crate-metadata.json     what every file is (RO-Crate 1.1)\n"
    )


def _licence_line(record: Mapping[str, Any]) -> str:
    """The licences of the archives; '' for records frozen before SPDX identifiers were, whose bundles never change."""
    archives = [about for about in record["archives"].values() if "licence_spdx" in about]
    names = {licence_name(about["licence"], about["licence_spdx"]) for about in archives}
    return f"Licence of the data: {'; '.join(sorted(names))}\n" if names else ""


def checklist(record: Mapping[str, Any], digest: str) -> str:
    """ARTIFACT.md: the criteria of ACM (Artifact Review and Badging 1.1) and USENIX, filled in for this record."""
    values, recorded = len(record["values"]), sum(value["rule"]["how"] == "recorded" for value in record["values"])
    archives = record["archives"].values()
    unlicensed = sum(not about["licence"] for about in archives)
    sources = _counted(len(record["archives"]), "archive")
    open_groups = sum(bool(group.get("bound")) for panel in record["panels"] for group in panel["groups"])
    hidden = sum(bool(group.get("hidden")) for panel in record["panels"] for group in panel["groups"])
    head = (
        f"{record['address']}, record {digest}. Filled in from the record when the bundle was made. *Yes* is what the bundle shows"
        " by itself, *no* what it cannot show, *you* what authors or reviewers have to add."
    )
    deposit = (
        "you: deposit this file with `citation/datacite.xml` or `citation/zenodo.json`, then enter the DOI on the page; frozen"
        " files do not have it"
    )
    complete = f"{_complete(values, recorded)}; the whole files are in {sources}, named by SHA-256 in `files.csv`, not in here"
    bootstrap = ", bootstrap intervals not" if _has_bootstrap(record) else ""
    centers = (
        f"yes: centres by two programs, exact intervals by `verify.py`{bootstrap}; claims are kept as judged and not tested again"
    )
    rows = [
        ("Available", "at a stable public address", _address(record)),
        ("Available", "in an archival repository with a DOI", deposit),
        ("Available", "licence stated", _licences(record, unlicensed)),
        ("Functional", "documented", "yes: `README.txt`, `ro-crate-metadata.json`; every file is named there"),
        (
            "Functional",
            "consistent: the files are those of the paper",
            "yes: `python3 -I verify.py DIGEST`, the digest that it prints",
        ),
        ("Functional", "complete", complete),
        (
            "Functional",
            "exercisable",
            "yes: `python3 -I verify.py`, `python3 -I redo.py`; Python 3.8, no packages, no network, seconds",
        ),
        ("Reusable (ACM)", "others can build on it", "yes: `data.csv`, `groups.csv`, `data.xlsx`, `record.json`"),
        ("Reproduced", "the numbers of the figure from the values", centers),
        ("Reproduced", "the values from the system under test", "no: you, by running the benchmark; see `configurations.csv`"),
        ("Replicated (ACM)", "by others, without these files", "no"),
    ]
    lines = [
        f"# {_line(record['title'] or 'Frozen comparison')}: checklist for artifact evaluation",
        "",
        head,
        "",
        "| ACM, USENIX | asked | here |",
        "|---|---|---|",
        *(f"| {badge} | {asked} | {here} |" for badge, asked, here in rows),
        "",
        "What it does not prove: that the uploaded outputs are genuine; that the systems were as their outputs say; that another"
        " system behaves alike.",
    ]
    if recorded:
        lines.append(f"Taken as recorded, since the text of its line alone does not give the value: {recorded} of {values} values.")
    if open_groups:
        lines.append(f"Bounds instead of centres, since runs could not be measured: {_counted(open_groups, 'group')}.")
    if hidden:
        lines.append(
            f"Not shown in the figure by its author, and in every table but that for LaTeX: {_counted(hidden, 'group')}."
            f" Reason: {_line(record['author']['reason'])}"
        )
    return "\n".join(lines) + "\n"


def _address(record: Mapping[str, Any]) -> str:
    return f"no: {LOCAL_NOTE}" if is_local(record) else f"yes, as long as its server runs: {record['address']}"


def _licences(record: Mapping[str, Any], unlicensed: int) -> str:
    if unlicensed:
        return f"no: {unlicensed} of {_counted(len(record['archives']), 'archive')} without a licence"
    names = sorted({licence_name(about["licence"], about.get("licence_spdx", "")) for about in record["archives"].values()})
    return f"yes: {_line('; '.join(names))}"


def _complete(values: int, recorded: int) -> str:
    if recorded:
        return f"in part: {values - recorded} of {values} values follow from their line, {recorded} are taken as recorded"
    return f"yes: each of {_counted(values, 'value')} with its line and three around it"


def _has_bootstrap(record: Mapping[str, Any]) -> bool:
    return any(group["interval"] == "bootstrap" for panel in record["panels"] for group in panel["groups"])


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _line(text: str) -> str:
    """A text within a line of Markdown."""
    return "".join(f"\\{sign}" if sign in "\\|*_`<>[]#" else sign for sign in " ".join(text.split()))
