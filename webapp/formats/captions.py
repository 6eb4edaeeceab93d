"""The caption of a frozen figure as text, LaTeX, Markdown and HTML: what was run, what is fixed, how often, what whiskers are, what
may be claimed against the baseline, and what could not be measured. Everything is read from the record."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from webapp.claims.observations import NO_DIFFERENCE
from webapp.comparison.dimensions import DIMENSIONS, in_sentence, value_label
from webapp.comparison.sets.workloads import SUBTITLE
from webapp.figures import notes
from webapp.figures.stamp import Stamp, stamp_of_record
from webapp.formats.latex import address, count_runs, escape_latex, file_header
from webapp.formatting import numbers

Record = Mapping[str, Any]
MAX_CLAIMS, MAX_ALIKE = 6, 3
"""Claims of a difference, and groups without one that are named in a caption; more are in the table."""
_LONGEST = 800
"""Letters of a caption in LaTeX: some fifteen lines of a column. Notes beyond are counted; they stand at the address."""


@dataclass(frozen=True)
class Caption:
    """`title` is a heading of its own; `sentences` follow it: what is drawn and claimed. Then `notes`: what is drawn instead, and
    what a reader is to know about the data."""

    title: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    stamp: Stamp

    @property
    def words(self) -> tuple[str, ...]:
        """Sentences and notes."""
        return self.sentences + self.notes

    @property
    def name(self) -> str:
        """The ID of the permalink."""
        return self.stamp.address.rsplit("/", 1)[-1]


def make_caption(record: Record, digest: str) -> Caption:
    """The caption of a permalink's figure."""
    sentences = [
        *_workloads(record),
        _fixed(record),
        _counts(record),
        *_method(record["method"]["sentence"]),
        *describe_claims(record),
        *_unmeasured(record),
    ]
    said = tuple(dict.fromkeys(map(_stop, filter(None, sentences))))
    noted = dict.fromkeys(map(_stop, [*notes.print_notes(record["figures"]), *(flag["sentence"] for flag in record["flags"])]))
    title = record["title"] or "Frozen comparison"
    return Caption(title, said, tuple(note for note in noted if note not in said), stamp_of_record(record, digest))


def to_text(caption: Caption) -> str:
    """One paragraph of plain text, without the stamp."""
    return " ".join([_stop(caption.title), *caption.words])


def to_latex(caption: Caption) -> str:
    r"""The argument of `\caption`: `\caption[Title]{Title. Sentences. Address.}` without the backslash word."""
    text = escape_latex(_short_text(caption))
    text = re.sub(r"\bn = ([\d\\,]+)", r"$n = \1$", text)
    return f"[{{{escape_latex(caption.title)}}}]{{{text} {address(caption.stamp)}}}"


def _short_text(caption: Caption) -> str:
    """All that is drawn and claimed, as many notes as leave a figure its place in a column, and how many more there are."""
    kept = [_stop(caption.title), *caption.sentences]
    for number, note in enumerate(caption.notes):
        if len(" ".join([*kept, note])) > _LONGEST:
            more = len(caption.notes) - number
            kept.append(f"{numbers.count(more)} {'further note' if number else 'note'}{'' if more == 1 else 's'} at")
            break
        kept.append(note)
    return " ".join(kept)


def latex_head(caption: Caption, file: str, place: str) -> str:
    r"""Comments for the top of a file with `to_latex_figure`: what it is of, where the picture is (`place`: the end of its address)
    and how to cite it."""
    stamp = caption.stamp
    usage = (
        rf"A figure for LaTeX. It includes {file}, which is {stamp.address}{place}. To cite it: \cite{{poolmark-{caption.name}}},"
        f" from {stamp.address}.bib. Needs in the preamble:"
    )
    return "\n".join(file_header(stamp, [r"\usepackage{graphicx}", r"\usepackage{url} % or hyperref"], usage)) + "\n"


def to_latex_figure(caption: Caption, file: str, alternative: str, wide: bool = False) -> str:
    r"""A `figure` with the file as wide as the column, text alternative, caption and label; `figure*` where it is `wide`."""
    environment, width = ("figure*", r"\textwidth") if wide else ("figure", r"\columnwidth")
    described = escape_latex(alternative)
    lines = [
        rf"\begin{{{environment}}}",
        r"\centering",
        rf"\includegraphics[width={width},height={_height(caption)}\textheight,keepaspectratio,alt={{{described}}}]{{{file}}}",
        rf"\ifdefined\Description\Description{{{described}}}\fi",
        rf"\caption{to_latex(caption)}",
        rf"\label{{fig:poolmark-{caption.name}}}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _height(caption: Caption) -> str:
    """The share of the height of a page that a column's caption leaves to a figure."""
    lines = len(_short_text(caption)) / 50
    return f"{max(0.25, min(0.8, 0.92 - lines * 12 / 600)):.2g}".lstrip("0")


def to_markdown(caption: Caption, file: str = "", alternative: str = "") -> str:
    """Markdown; with the picture above where there is a file."""
    text = " ".join(map(_escape_markdown, caption.words))
    picture = f"![{_escape_markdown(alternative)}]({file})\n\n" if file else ""
    return f"{picture}**{_escape_markdown(_stop(caption.title))}** {text} <{caption.stamp.address}>\n"


def to_html(caption: Caption) -> str:
    """A paragraph of HTML that word processors take over with its bold title and link."""
    link = html.escape(caption.stamp.address)
    text = html.escape(" ".join(caption.words))
    title = html.escape(_stop(caption.title))
    return f'<p class="caption"><b>{title}</b> {text} <a href="{link}">{link}</a></p>\n'


def _stop(sentence: str) -> str:
    sentence = sentence.strip()
    return sentence if not sentence or sentence[-1] in ".!?" else f"{sentence}."


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", text)


def _workloads(record: Record) -> list[str]:
    """Metric, tool, version and sizes of each panel, with the unit and its good direction."""
    return [
        f"{figure['title']} ({', '.join(part for part in (figure['unit'], figure['better']) if part)})"
        for figure in record["figures"]
    ] + [f"Beside {panel['title']}" for panel in record["panels"] if any("curves" in figure for figure in record["figures"])]


def _fixed(record: Record) -> str:
    """What all groups share: `The same in all groups: CPU AMD EPYC, memory 24 GiB.`"""
    fixed = record.get("fixed") or {}
    named = []
    for name in SUBTITLE:
        if name in fixed and name in DIMENSIONS:
            value = value_label(DIMENSIONS[name], fixed[name])
            named.append(f"{in_sentence(DIMENSIONS[name].label)} {value}")
    return f"The same in all groups: {', '.join(named)}" if named else ""


def _counts(record: Record) -> str:
    """Runs, sessions and machines of a group: `n = 3 runs in each group, of one session on one machine.`"""
    groups = [group for panel in record["panels"] for group in shown_groups(panel)]
    if not groups:
        return ""
    runs = list(map(count_runs, groups))
    parts = f"n = {_range(runs)} in each group" if len(groups) > 1 else f"n = {runs[0]}"
    sessions = [group["sessions"] for group in groups if group.get("sessions")]
    machines = [group["machines"] for group in groups if group.get("machines")]
    if len(sessions) == len(groups):
        parts += f", in {_counted(sessions, 'session')}"
    if len(machines) == len(groups):
        parts += f" on {_counted(machines, 'machine')}"
    return parts


def shown_groups(panel: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The groups of a panel that its author has not hidden."""
    return [group for group in panel["groups"] if not group.get("hidden")]


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return numbers.count(low) if low == high else f"{numbers.count(low)} to {numbers.count(high)}"


def _counted(counts: list[int], noun: str) -> str:
    return f"{_range(counts)} {noun}{'' if max(counts) == 1 else 's'}"


def _method(sentence: str) -> Iterable[str]:
    """The method in sentences: centre and whiskers, then how claims are tested."""
    described, _, tested = sentence.partition("; claims: ")
    yield described[:1].upper() + described[1:]
    if tested:
        yield f"Claims: {tested}"


def describe_claims(record: Record) -> list[str]:
    """The claims of all panels, in sentences."""
    panels = record["panels"]
    return [_stop(sentence) for panel in panels for sentence in _claims(panel, len(panels) > 1)]


def _claims(panel: Mapping[str, Any], several: bool) -> list[str]:
    """The baseline, the claims with ratio and interval by what is claimed, and the doubts that they share."""
    judged = [group for group in shown_groups(panel) if group.get("verdict")]
    if not panel.get("baseline_label") or not judged:
        return []
    claimed = [group for group in judged if group["verdict"]["word"]]
    differing = [group for group in claimed if group["verdict"]["word"] != NO_DIFFERENCE]
    shown = [*differing[:MAX_CLAIMS], *(group for group in claimed if group["verdict"]["word"] == NO_DIFFERENCE)]
    doubts = [group["verdict"]["doubts"] for group in shown]
    shared = [doubt for doubt in doubts[0] if all(doubt in others for others in doubts)] if doubts else []
    by_word: dict[str, list[str]] = {}
    for group in shown:
        by_word.setdefault(group["verdict"]["word"], []).append(f"{place_words(panel, group)} {_ratio(group['verdict'], shared)}")
    parts = [
        f"{word} in {len(places)} of {len(judged)} groups"
        if word == NO_DIFFERENCE and len(places) > MAX_ALIKE
        else f"{word}: {', '.join(places)}"
        for word, places in sorted(by_word.items(), key=lambda item: item[0] == NO_DIFFERENCE)
    ]
    parts += [f"{len(differing) - MAX_CLAIMS} more that differ in the table"] if len(differing) > MAX_CLAIMS else []
    for reason, count in Counter(group["verdict"]["withheld"] for group in judged if group not in claimed).items():
        whose = "any group" if count == len(judged) else f"{numbers.count(count)} of {numbers.count(len(judged))} groups"
        parts.append(f"no claim about {whose}{reason and ': '}{reason}")
    where = f" ({panel['facet'] or panel['title']})" if several else ""
    common = [f"{'All claims' if len(shown) > 1 else 'The claim'}: {', '.join(shared)}"] if shared else []
    return [f"Against the baseline {panel['baseline_label']}{where}: {'; '.join(parts)}", *common]


def _ratio(verdict: Mapping[str, Any], shared: list[str]) -> str:
    """`1.21\u00d7 (0.451 to 3.24; drift not excluded)`, without the doubts that all claims share."""
    if verdict["ratio"] is None:
        return ""
    inner = [f"{numbers.number(verdict['low'])} to {numbers.number(verdict['high'])}"] if verdict["low"] is not None else []
    inner += [doubt for doubt in verdict["doubts"] if doubt not in shared]
    sign = {"above": "> ", "below": "< "}.get(verdict.get("ratio_bound") or "", "")
    return f"{sign}{numbers.number(verdict['ratio'])}{numbers.TIMES}" + (f" ({'; '.join(inner)})" if inner else "")


def place_words(panel: Mapping[str, Any], group: Mapping[str, Any]) -> str:
    """The group of a record's panel: `ext4, rewrite`; of a dimension of numbers with its name: `ext4, threads 20`."""
    names = []
    for axis in ("x", "series"):
        labels = {value["text"]: value["label"] for value in panel[axis]["values"]}
        name = labels.get(group[axis], group[axis])
        names.append(f"{in_sentence(panel[axis]['label'])} {name}" if name[:1].isdigit() and panel[axis]["label"] else name)
    return ", ".join(name for name in names if name)


def _unmeasured(record: Record) -> list[str]:
    """Runs that gave no number, by group, and values that are left out."""
    parts = []
    for panel in record["panels"]:
        for group in shown_groups(panel):
            for count in group.get("unmeasured", ()):
                reason = notes.reason(count["reason"], count.get("error", ""))
                parts.append(f"{place_words(panel, group)}: {count['count']} {reason}")
    left = {kind: count for kind, count in (record.get("left_out") or {}).items() if count}
    parts += [f"{numbers.count(count)} {'value' if count == 1 else 'values'} left out: {kind}" for kind, count in left.items()]
    return [f"Not measured: {'; '.join(parts)}"] if parts else []
