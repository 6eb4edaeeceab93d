"""Flags of a comparison: caveats of its groups, and what was left out and why. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingest.options import is_option
from webapp.comparison import caveats, compared_set
from webapp.comparison.compared_set import ChosenRows
from webapp.comparison.dimensions import APART, DIMENSIONS, SOURCE, UNKNOWN, in_sentence, tool_of, value_label
from webapp.comparison.model import DifferingDimension, Flag, Group
from webapp.comparison.selection import DIVISORS, POOLABLE, Links, Selection, dimension_position, query_string
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.workloads import (
    SAME_RUNS,
    WorkloadKeys,
    describe_missing_sizes,
    describe_ways,
    differing_dimensions,
    is_way,
    restrict,
    within_tools,
)
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns
from webapp.formatting.printed_times import MONTH
from webapp.formatting.visible_text import make_visible
from webapp.http import isolation

MAX_OPTIONS = 3
"""Workloads that are named by the options and parameters that distinguish them."""
MAX_NAMED = 5
"""Differing dimensions that the flag `unequal` names, and studies that `missing` does."""


@dataclass(frozen=True, slots=True)
class SelectionSteps:
    """The rows after each step: of the metrics, passing the filters, of the drawn set, held equal, usable and normalised.

    `caveats`: (title, caveat) of archives. `without_lines`: the number of groups whose lines could not be read.
    `missing`, `missing_studies`: archives and studies of the selection that this reader cannot see. `overlays`: titles of the
    overlaid archives; `own`: the reader's own archives.
    `originals`: archive -> title of those whose files are copied by the chosen ones, where nothing else is in these.
    `withdrawn`: (values, reason). `left_out`: values that are in no group, by caveat.
    """

    all: Columns
    passing: Columns
    drawn: ChosenRows
    matched: Columns
    normalised: Columns
    caveats: Sequence[tuple[str, str]] = field(default=())
    without_lines: int = 0
    missing: Sequence[int] = field(default=())
    missing_studies: Sequence[str] = field(default=())
    overlays: Mapping[int, str] = field(default_factory=dict)
    own: Collection[int] = field(default=())
    originals: Mapping[int, str] = field(default_factory=dict)
    withdrawn: Sequence[tuple[int, str]] = field(default=())
    left_out: Mapping[str, int] = field(default_factory=dict)
    unrecorded_state: Sequence[str] = field(default=())


def list_flags(
    selection: Selection, steps: SelectionSteps, groups: Sequence[Group], differs: Sequence[DifferingDimension] = ()
) -> list[Flag]:
    """Caveats and notices, most important first. `differs`: the dimensions, no axes, in which the rows differ."""
    return [
        *_not_understood(selection),
        *_overlaid(selection, steps),
        *(Flag("caveat", f"{title}: {caveat}") for title, caveat in steps.caveats),
        *_missing(steps),
        *_copies(selection, steps),
        *_open(selection, steps),
        *_unrecorded(steps),
        *_unrecorded_state(steps),
        *_unequal(selection, steps, differs),
        *_withdrawn(steps),
        *_left_out(steps),
        *_of_groups(steps, groups),
        *_other_workloads(selection, steps),
        *_pooled(selection),
        *_held(selection, steps),
        *_not_normalised(selection, steps),
        *_filtered(selection, steps),
        *_without_lines(steps),
    ]


def _not_understood(selection: Selection) -> Iterator[Flag]:
    if selection.strange:
        names = ", ".join(f"{key}={value}" for key, value in selection.strange)
        yield Flag("not-understood", f"Not understood in the address, and ignored: {names}.")


def _overlaid(selection: Selection, steps: SelectionSteps) -> Iterator[Flag]:
    """The overlaid archives; those of which nothing is drawn first, each with the reason and what helps."""
    drawn = set(steps.normalised.distinct(SOURCE)) if steps.overlays else ()
    for archive, title in sorted(steps.overlays.items(), key=lambda item: f"archive {item[0]}" in drawn):
        if f"archive {archive}" in drawn:
            yield Flag("overlay", f"Archive {archive} is “{title}”, drawn with the others.")
        else:
            flag = _not_drawn(selection, steps, archive)
            yield replace(flag, sentence=f"Nothing of archive {archive}, “{title}”, is drawn: {flag.sentence}")


def _not_drawn(selection: Selection, steps: SelectionSteps, archive: int) -> Flag:
    """Why no run of an overlaid archive is drawn, and the link that helps."""
    alone = query_string(selection.changed(overlay=(), studies=(), archives=(archive,), series="", x=""))
    shown = Flag("overlay", "", alone, f"Show archive {archive} alone")
    everything, passing, drawn = (_of_archive(rows, archive) for rows in (steps.all, steps.passing, steps.drawn.rows))
    if not len(everything):
        return replace(shown, sentence="it has no value of this metric.", query="", page=f"/archives/{archive}")
    if not len(passing):
        return replace(shown, sentence="the filters leave out all of its runs.")
    if len(drawn):
        return replace(shown, sentence="its runs have no counterpart in what is held equal, or nothing to divide them by.")
    other = steps.drawn.workload not in WorkloadKeys(selection, passing).count_values(passing)
    lacking = _lacking(steps.drawn.rows, passing)
    workload = "it has no run of this workload" if other else ""
    if lacking:
        unknown = f"not recorded in it: {lacking}. Enter these on its review page"
        sentence = f"{'; '.join(part for part in (workload, unknown) if part)}."
        page = f"/archives/{archive}/review" if archive in steps.own else f"/archives/{archive}"
        return Flag("overlay", sentence, page=page, action=f"Open archive {archive}")
    if other:
        return replace(shown, sentence=f"{workload}.")
    everywhere = query_string(selection.changed(control="off"))
    return Flag("overlay", "its systems or settings are not those of the others.", everywhere, "Draw all of them")


_ALIKE = ("tool_version", APART, "aggregate", "origin")
"""What a figure keeps apart that is no difference of a workload in words, or has words of its own."""


def list_other_values(own: Mapping[str, str], drawn: Iterable[tuple[str, str]], axes: Collection[str] = ()) -> list[str]:
    """`file size 2 GiB, not 512 MiB` of each value that a run has otherwise than the runs of a figure; the tool alone where that
    differs, as all else then does."""
    options = {name: UNKNOWN for name in own if is_option(name) and name in DIMENSIONS}
    other = [
        (name, text)
        for name, text in (options | dict(drawn)).items()
        if name not in (*_ALIKE, *axes) and own.get(name, UNKNOWN) != text
    ]
    if any(name == "tool" for name, _ in other):
        other = [pair for pair in other if pair[0] == "tool"]
    named = [
        f"{in_sentence(DIMENSIONS[name].label)} {value_label(DIMENSIONS[name], own.get(name, UNKNOWN))}, "
        f"not {value_label(DIMENSIONS[name], text)}"
        for name, text in other
    ]
    return named[:MAX_NAMED] + ([f"and {len(named) - MAX_NAMED} more"] if len(named) > MAX_NAMED else [])


def _of_archive(rows: Columns, archive: int) -> Columns:
    return rows.take(np.array([text == f"archive {archive}" for text in rows.texts(SOURCE)], bool))


def _lacking(drawn: Columns, rows: Columns) -> str:
    """What every comparison has to know that is known of the drawn rows and not of these, which could have it."""
    texts = [row.texts for row in rows.rows]
    unknown = [name for name in core_keys.CORE if drawn.known(name) and not rows.known(name)]
    names = [name for name in unknown if any(core_keys.is_asked_for(name, one) for one in texts)]
    if "os" in names:
        names = [name for name in names if name not in ("os_family", "os_version")]
    labels = [in_sentence(DIMENSIONS[name].label) for name in names]
    others = f" and {len(labels) - MAX_NAMED} more" if len(labels) > MAX_NAMED else ""
    return ", ".join(labels[:MAX_NAMED]) + others


def _missing(steps: SelectionSteps) -> Iterator[Flag]:
    if steps.missing:
        names = ", ".join(map(str, steps.missing))
        they, do, are = ("s", "do", "are") if len(steps.missing) > 1 else ("", "does", "is")
        yield Flag("missing", f"Archive{they} {names} {do} not exist, or {are} not public. Sign in to see your own.")
    if steps.missing_studies:
        names = ", ".join(make_visible(name)[:80] for name in steps.missing_studies[:MAX_NAMED])
        more = f" and {len(steps.missing_studies) - MAX_NAMED} more" if len(steps.missing_studies) > MAX_NAMED else ""
        yield Flag("missing", f"No archive that you can see is of the study {names}{more}.")


def _copies(selection: Selection, steps: SelectionSteps) -> Iterator[Flag]:
    """Archives whose outputs count where they were uploaded first."""
    if steps.originals:
        names = " and ".join(f"{pk} ({make_visible(title)[:80]})" for pk, title in list(steps.originals.items())[:MAX_NAMED])
        yield Flag(
            "copies",
            f"The outputs are copies of those in archive {names}, and count there.",
            query_string(selection.changed(archives=tuple(steps.originals))),
            "Compare the originals",
        )


def _open(selection: Selection, steps: SelectionSteps) -> Iterator[Flag]:
    """Everything is drawn, as chosen."""
    if steps.drawn.design == compared_set.OPEN:
        controlled = selection.changed(control="")
        may = selection.x in DIMENSIONS and compared_set.may_compare(controlled, steps.passing)
        yield Flag(
            "open",
            "All runs of this workload are drawn, whatever else differs between them.",
            query_string(controlled) if may else "",
            "Draw only runs that are alike in all else" if may else "",
        )


def _unrecorded(steps: SelectionSteps) -> Iterator[Flag]:
    """What is known of some groups alone."""
    texts = [row.texts for row in steps.drawn.rows.rows] if steps.drawn.unrecorded else []
    names = [name for name in steps.drawn.unrecorded if any(core_keys.is_asked_for(name, one) for one in texts)]
    if names:
        yield caveats.make_flag("unrecorded", names=_labels(names[:MAX_NAMED]))


def _unrecorded_state(steps: SelectionSteps) -> Iterator[Flag]:
    if steps.unrecorded_state:
        yield caveats.make_flag("state", names=", ".join(steps.unrecorded_state))


def _unequal(selection: Selection, steps: SelectionSteps, differs: Sequence[DifferingDimension]) -> Iterator[Flag]:
    """Dimensions that may explain a difference between groups, where these are not controlled; not what follows from an axis."""
    if steps.drawn.design == compared_set.CONTROLLED:
        return
    ignored = {*core_keys.following(selection.axes), *core_keys.IDENTIFIERS, MONTH}
    unequal = [dimension for dimension in differs if dimension.between and dimension.name not in ignored]
    if unequal:
        labels = [in_sentence(dimension.label) for dimension in unequal[:MAX_NAMED]]
        others = f" and {len(unequal) - MAX_NAMED} more" if len(unequal) > MAX_NAMED else ""
        flag = caveats.make_flag("unequal", names=", ".join(labels) + others)
        queries = (
            (of, query) for one, of in zip(unequal, labels, strict=False) for label, query in one.queries if label == "hold equal"
        )
        held, hold = next(queries, ("", ""))
        yield replace(flag, query=hold, action=f"Hold {held} equal" if hold else "")


def _withdrawn(steps: SelectionSteps) -> Iterator[Flag]:
    if steps.withdrawn:
        count = sum(n for n, _ in steps.withdrawn)
        runs = f"{count} value{'' if count == 1 else 's'} {_are(count)}" if count else "All that was selected is"
        yield caveats.make_flag("withdrawn", runs=runs, reason="; ".join(reason for _, reason in steps.withdrawn))


def _left_out(steps: SelectionSteps) -> Iterator[Flag]:
    """Values that were not measured at the disks, or by a run that did not end."""
    for name, count in steps.left_out.items():
        if count:
            label = caveats.CAVEATS[name].label
            yield Flag(f"without-{name}", f"{_runs(count)} {_are(count)} left out: {label}.", docs=f"{caveats.HONESTY_PAGE}#{name}")


def _of_groups(steps: SelectionSteps, groups: Sequence[Group]) -> list[Flag]:
    """The caveats that are marked on groups."""
    links: set[str] = set()
    if any("impossible" in group.flags for group in groups):
        links = {caveats.find_exceeded_link(row) for row in steps.normalised.rows} - {""}
    return caveats.caveat_flags(groups, links)


def _other_workloads(selection: Selection, steps: SelectionSteps) -> Iterator[Flag]:
    """Runs that are not in the drawn set: of other workloads, and of the same workload on other systems."""
    workload, same = dict(steps.drawn.workload), steps.drawn.of_workload
    # The drawn set follows from these parts of the selection and the rows that pass, with which they are cached.
    chosen_by = (selection.named_axes, selection.pool, selection.control, steps.drawn.workload)
    alone, numbers = steps.passing.cached(
        ("left out", *chosen_by), lambda: (_of_unknown_size(selection, steps), _of_same_runs(selection, steps))
    )
    if alone:
        unknown = describe_missing_sizes(steps.drawn.rows)
        yield Flag(
            "unknown-size",
            f"{_runs(alone)} {_are(alone)} left out: {unknown} unknown, so a run equals only those of its command, table or file.",
        )
    if numbers:
        kinds = f"{numbers} value{'' if numbers == 1 else 's'} of another kind (least, most, mean ...) or of other parts of runs"
        yield Flag("kinds", f"{kinds} {_are(numbers)} left out.")
    options = steps.passing.cached(("options", selection), lambda: _by_ways(selection, steps))
    for words, n, query in options:
        yield Flag("options", f"{_runs(n)} {words} {_are(n)} another workload.", query, "Draw them")
    other = steps.passing.total - same - alone - numbers - sum(n for _, n, _ in options)
    if other:
        counts = steps.passing.distinct_counts()
        known = (*POOLABLE, *(name for name in steps.passing.dimensions.option_names if tool_of(name) == workload.get("tool")))
        poolable = [name for name in known if (name in workload or is_option(name)) and counts[name] > 1]
        sentence = f"{_runs(other)} of other workloads {_are(other)} left out: a figure shows one workload."
        if poolable:
            pooled = selection.changed(pool=tuple(sorted({*poolable, *selection.pool}, key=dimension_position)))
            yield Flag("workload", sentence, query_string(pooled), "Draw them as one group")
        else:
            yield Flag("workload", sentence)
    elsewhere = same - steps.drawn.rows.total
    if elsewhere > 0:
        why = steps.passing.cached(("elsewhere", *chosen_by), lambda: _why_elsewhere(selection, steps))
        yield Flag(
            "elsewhere",
            f"{_runs(elsewhere)} of this workload {_are(elsewhere)} left out: {why}.",
            query_string(selection.changed(control="off")),
            "Draw all of them",
        )


def _by_ways(selection: Selection, steps: SelectionSteps) -> list[tuple[str, int, str]]:
    """(what they have in words, values, query that draws them) of the workloads that options and parameters in words alone
    distinguish from the drawn one, those with most values first."""
    found, drawn = [], steps.drawn.workload
    fixed = [at for at, (name, _) in enumerate(drawn) if name != "tool_version" and not is_way(name)]
    for key, n in WorkloadKeys(selection, steps.passing).count_values(steps.passing).items():
        if any(key[at] != drawn[at] for at in fixed):
            continue
        names = differing_dimensions(key, drawn)
        if names and all(map(is_way, names)):
            found.append((describe_ways(key, names), n, Links(selection).with_filters(restrict(key, names))))
    return sorted(found, key=lambda item: (-item[1], item[0]))[:MAX_OPTIONS]


def _why_elsewhere(selection: Selection, steps: SelectionSteps) -> str:
    """What keeps runs of the drawn workload from the figure, most runs first; each run counts for the first that is found."""
    drawn, passing = steps.drawn.rows, steps.passing
    keys = WorkloadKeys(selection, passing)
    of_workload = passing.take(keys.codes[passing.indices[WORKLOAD_INDEX]] == keys.keys.index(steps.drawn.workload))
    ours = set(map(tuple, drawn.indices.T.tolist()))
    left = of_workload.take(np.array([key not in ours for key in map(tuple, of_workload.indices.T.tolist())], bool))
    dimensions, chosen = drawn.dimensions, drawn.dimensions.chosen_names
    axes = [name for name in selection.axes if name in DIMENSIONS]
    core = core_keys.class_dimensions(axes)
    reasons: Counter[str] = Counter()
    for name in dict.fromkeys((*axes, *core, *core_keys.compared_dimensions(axes, dimensions.names, chosen))):
        if not len(left):
            break
        codes, own, unknown = left.codes(name), drawn.codes(name), dimensions.column(name).unknown_code
        if name in core_keys.SAME_EVERYWHERE and name not in (*axes, *core):
            of_all = core_keys.option_values(dimensions, name).codes
            codes, own, unknown = of_all[left.indices[CONFIGURATION_INDEX]], of_all[drawn.indices[CONFIGURATION_INDEX]], -1
        label, is_unknown = in_sentence(DIMENSIONS[name].label), codes == unknown
        is_other = ~is_unknown & ~np.isin(codes, own) if name not in axes else np.zeros(len(left), bool)
        is_other &= bool((own != unknown).any())
        is_missing = is_unknown & ~np.isin(unknown, own) if name in core or name in axes else np.zeros(len(left), bool)
        reasons[f"other {label}"] += int(left.n[is_other].sum())
        reasons[f"{label} not recorded"] += int(left.n[is_missing].sum())
        left = left.take(~(is_other | is_missing))
    if len(left) and not core_keys.frees_machine(axes):
        is_other = ~np.isin(*(core_keys.machine_codes(dimensions)[rows.indices[CONFIGURATION_INDEX]] for rows in (left, drawn)))
        reasons["another machine"] += int(left.n[is_other].sum())
        left = left.take(~is_other)
    if "tool" in axes:
        codes = WorkloadKeys(within_tools(selection), passing).codes
        is_other = ~np.isin(codes[left.indices[WORKLOAD_INDEX]], codes[drawn.indices[WORKLOAD_INDEX]])
        reasons["another workload of the tool"] += int(left.n[is_other].sum())
        left = left.take(~is_other)
    reasons["another combination of settings"] += left.total
    named = [(reason, n) for reason, n in reasons.most_common() if n]
    words = [f"{reason} ({n})" for reason, n in named[:MAX_NAMED]]
    return ", ".join(words) + (f" and more ({sum(n for _, n in named[MAX_NAMED:])})" if len(named) > MAX_NAMED else "")


def _of_unknown_size(selection: Selection, steps: SelectionSteps) -> int:
    """The number of runs that nothing but an unknown size keeps from the drawn workload."""
    drawn = steps.drawn.workload
    if dict(drawn).get(APART, UNKNOWN) == UNKNOWN:
        return 0
    at = [name for name, _ in drawn].index(APART)
    like = (drawn[:at], drawn[at + 1 :])
    counts = WorkloadKeys(selection, steps.passing).count_values(steps.passing)
    return sum(n for key, n in counts.items() if key != drawn and (key[:at], key[at + 1 :]) == like)


def _of_same_runs(selection: Selection, steps: SelectionSteps) -> int:
    """The number of values that are another number of a run than the drawn one."""
    drawn = steps.drawn.workload
    at = [position for position, (name, _) in enumerate(drawn) if name in SAME_RUNS]
    counts = WorkloadKeys(selection, steps.passing).count_values(steps.passing)
    return sum(n for key, n in counts.items() if any(key[position] != drawn[position] for position in at))


def _pooled(selection: Selection) -> Iterator[Flag]:
    if selection.pool:
        yield Flag(
            "pooled",
            f"Runs that differ in {_labels(selection.pool)} are drawn as one group, as chosen.",
            query_string(selection.changed(pool=())),
            "Separate them",
        )


def _held(selection: Selection, steps: SelectionSteps) -> Iterator[Flag]:
    if selection.hold:
        dropped = steps.drawn.rows.total - steps.matched.total
        yield Flag(
            "held",
            f"Held equal: {_labels(selection.hold)}. {_runs(dropped)} without a counterpart in every group "
            f"{_are(dropped)} left out.",
            query_string(selection.changed(hold=())),
            "Draw them again",
        )


def _not_normalised(selection: Selection, steps: SelectionSteps) -> Iterator[Flag]:
    unknown = steps.matched.total - steps.normalised.total - sum(steps.left_out.values())
    if unknown:
        what = f"number of {selection.normalise}s" if selection.normalise in DIVISORS else "price"
        yield Flag("not-normalised", f"{_runs(unknown)} {_are(unknown)} left out: their {what} is unknown.")


def _filtered(selection: Selection, steps: SelectionSteps) -> Iterator[Flag]:
    """Values that fail the filters: those unknown in a filtered dimension, and those known not to match."""
    if len(steps.passing) == len(steps.all):
        return
    failing = steps.all.without(steps.passing)
    names = [name for name, values in selection.filters if UNKNOWN not in values]
    unknown_rows = {name: failing.codes(name) == failing.dimensions.column(name).unknown_code for name in names}
    unknown = int(failing.n[np.logical_or.reduce(list(unknown_rows.values()))].sum()) if names else 0
    if unknown:
        labels = _labels([name for name in names if unknown_rows[name].any()])
        yield caveats.make_flag("unknown", runs=f"{_runs(unknown)} {_are(unknown)}", names=labels)
    other = failing.total - unknown
    if other:
        yield Flag("filtered", f"{_runs(other)} {_are(other)} left out by the filters.")


def _without_lines(steps: SelectionSteps) -> Iterator[Flag]:
    if steps.without_lines:
        yield Flag(
            "without-lines",
            f"{isolation.FAILURE_NOTE} The lines behind some of the values, and doubts about them, are missing.",
        )


def _labels(names: Iterable[str]) -> str:
    return ", ".join(DIMENSIONS[name].label if is_option(name) else in_sentence(DIMENSIONS[name].label) for name in names)


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
