"""`poolmark mcp`: the read calls and push for agents, as a server of the Model Context Protocol on stdin and stdout.

Each answer is an object with `address` (the page that shows it), `doubts` about all of it, and `findings` in the order of that
page. Each finding has `claim` (the page's word, or null and `no_claim_because`), `reach`, `doubts` and `n`. Nothing is sorted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Callable, Optional
from urllib.parse import urlencode, urljoin

from poolmark import __version__, cards, comparisons, settings, units
from poolmark import push as pushing
from poolmark.errors import PoolmarkError, UsageError
from poolmark.http import Site

MOST = 40
"""Findings of an answer; the page has the others."""
_MOST_WORDS = 20
Answer = dict[str, Any]
INSTRUCTIONS = """Results of storage benchmarks, and what may be claimed from them. A finding holds as far as its `reach` says, \
for what is in `same`, under its `doubts`; where `claim` is null nothing may be called faster, slower or better, whatever the \
numbers are: say `no_claim_because` instead. Never rank findings that the page does not rank, never carry one over to other \
machines, workloads or versions, and give `address` with every number. Where a question names no workload, say which one was \
drawn."""


def main(arguments: Sequence[str]) -> int:
    """Serve until stdin ends. Raises UsageError."""
    words = list(arguments)
    if words in (["-h"], ["--help"]):
        print("usage: poolmark mcp [--server URL]\n\nServes tools for agents on stdin and stdout, until stdin ends.")
        return 0
    if words and (len(words) != 2 or words[0] != "--server"):
        raise UsageError("`poolmark mcp` knows --server URL alone.")
    with settings.find_site(words[1] if words else None) as site:
        make_server(site).run("stdio")
    return 0


def make_server(site: Site) -> Any:
    """The MCP server of a site. Raises UsageError without the package `mcp`."""
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise UsageError("The package mcp 2 is missing: pip install 'poolmark[mcp]', with Python 3.10 or newer.") from None

    def described(tool: Callable[..., Answer]) -> Callable[..., Answer]:
        """Problems of the server and wrong arguments as errors of the tool, which an agent reads."""

        @wraps(tool)
        def call(*args: Any, **named: Any) -> Answer:
            try:
                return tool(*args, **named)
            except PoolmarkError as error:
                raise ToolError(str(error)) from error

        return call

    server = MCPServer("poolmark", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    tools = Tools(site)
    for tool in (tools.search, tools.compare, tools.versus, tools.normal, tools.permalink, tools.push):
        server.add_tool(described(tool))
    return server


class Tools:
    """What agents may call."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def search(self, words: str) -> Answer:
        """The comparison that words ask for (operations, quantities, file systems, systems, `vs`), as the site's search understands
        them, and `others` that they fit too. Says what was drawn: check `workload` before you answer."""
        return self.compare(urlencode({"q": words}))

    def compare(self, query: str) -> Answer:
        """A comparison by its query or address: `metric=write.throughput&x=fs&fs=ext4&fs=xfs`. Groups differ in `x`."""
        found, address = comparisons.read(self._site, query)
        panels = found.get("panels") or ()
        axes = comparisons.axes_of(found.get("query"))
        asked = "".join(comparisons.query_of(query).get("q", ()))  # a title that repeats a question would seem to answer it
        choices = [(str(one.get("title")).replace(f"{asked}: ", "" if asked else ": "), one) for one in found.get("choices") or ()]
        others = [{"title": title, "address": self._address(one.get("url"))} for title, one in choices]
        workload = cards.workload_words(found.get("workload") or {}, found.get("tool_versions") or ())
        return _answer(
            address,
            _groups(panels, str(found.get("design") or ""), axes),
            [*_missing(found, axes), *_sentences(found)],
            design=found.get("design"),
            workload=", ".join(workload) or "nothing is drawn: no run fits",
            same=_same(found),
            differs=[str(one.get("dimension")) for one in found.get("differs") or ()],
            others=others,
        )

    def versus(self, a: str, b: str, metrics: Optional[list[str]] = None) -> Answer:
        """Two sides over everything that both measured: an archive's number or address, `host:NAME`, `study:NAME`, or filters as
        `fs=zfs,os=Debian`. `ratio` is a to b."""
        sides = cards.side_of(self._site, a), cards.side_of(self._site, b)
        card = cards.read_card(self._site, *sides, metrics or ())
        lines = [line for line in cards.lines_of(card) if line.get("says") != cards.SHOWN]
        differs = [_difference(one) for one in card.get("differs") or ()]
        doubts = [str(note) for note in card.get("notes") or ()]
        if not lines:
            doubts.append("nothing was measured on both sides with the same workload")
        if differs:
            doubts.append(f"the sides differ in {', '.join(differs[:_MOST_WORDS])}")
        if by_chance := card.get("apart_by_chance"):
            doubts.append(
                f"{card.get('apart')} of {card.get('tests')} tested lines stand apart, about {by_chance:.1f} would by chance"
            )
        address = cards.card_address(self._site, *sides)
        return _answer(address, map(_line, lines), doubts, a=card.get("a"), b=card.get("b"), counts=card.get("counts"))

    def normal(self, archive: str, metrics: Optional[list[str]] = None) -> Answer:
        """Where the results of an archive (number, address, or another side) lie among those of all public systems with a near
        workload. A place is no claim about a part of a system."""
        side = cards.side_of(self._site, archive)
        found = self._site.get("/normal", {"a": side, "metric": metrics or None})
        address = f"{self._site.url}/normal?{urlencode({'a': side})}"
        doubts = ["the systems differ in more than one part, and one value stands for each"]
        return _answer(address, map(_standing, found.get("standings") or ()), doubts, side=found.get("side"))

    def permalink(self, name: str = "", freeze: str = "") -> Answer:
        """A frozen record by its name or address. `freeze`: the address of a comparison, card, run or archive to freeze instead,
        for ever and for everybody; needs a token that manages."""
        if freeze:
            name = str(self._site.post("/permalinks", {"address": freeze})["id"])
        name = name.rstrip("/").rpartition("/")[2]
        if not name:
            raise UsageError("Name a permalink, or an address to freeze.")
        record = self._site.get(f"/permalinks/{name}")
        axes = comparisons.axes_of(record.get("selection"))
        findings = _groups(record.get("panels") or (), str(record.get("design") or ""), axes)
        more = {**{key: record.get(key) for key in ("title", "frozen_at", "design")}, "same": _same(record)}
        return _answer(f"{self._site.url}/p/{name}", findings, _sentences(record), **more)

    def push(self, paths: list[str], title: str = "", labels: Optional[dict[str, str]] = None) -> Answer:
        """Upload outputs of benchmarks from this machine, privately; files and folders. Waits until they are read."""
        pushed = pushing.push(self._site, [Path(path) for path in paths], about={"title": title, "labels": labels or {}})
        pushed = pushing.wait_for(self._site, pushed["id"])
        return _answer(str(pushed["url"]), (), [pushing.describe(pushed)], state=pushed["state"], archive=pushed["id"])

    def _address(self, path: object) -> str:
        return urljoin(f"{self._site.url}/", str(path or ""))


def _answer(address: str, findings: Iterable[Answer], doubts: Sequence[str], **more: Any) -> Answer:
    every = list(findings)
    return {
        "address": address,
        **more,
        "doubts": list(dict.fromkeys(doubts))[:_MOST_WORDS],
        "findings": every[:MOST],
        "left_out": max(0, len(every) - MOST),
    }


def _finding(about: str, value: str, found: Mapping[str, Any], counts: tuple[object, str], because: object) -> Answer:
    """`found` has the claim and the doubts; `counts`: n and the reach; `because`: why there is no claim, where there is none."""
    claim = str(found.get("claim") or found.get("word") or "") or None
    return {
        "about": about,
        "value": value,
        "n": counts[0],
        "reach": counts[1],
        "claim": claim,
        "no_claim_because": None if claim else str(because or "nothing was tested"),
        "doubts": list(found.get("doubts") or ()),
    }


def _same(found: Mapping[str, Any]) -> list[str]:
    """What all groups have in common: a claim holds there alone."""
    return [units.parameter(name, value) for name, value in (found.get("fixed") or {}).items()][:_MOST_WORDS]


def _missing(found: Mapping[str, Any], axes: Mapping[str, str]) -> Iterator[str]:
    """What was asked for and is not drawn: sides that the query names, and words where no run has all of them."""
    groups = [group for panel in found.get("panels") or () for group in panel.get("groups") or ()]
    asked = comparisons.query_of(str(found.get("query") or ""))
    for dimension, values in asked.items() if groups else ():
        if len(values) < 2 or dimension in cards.NO_FILTERS:
            continue
        places = [place for place, name in axes.items() if name == dimension]
        drawn = {str(group.get(place)).casefold() for group in groups for place in places}
        if not places:
            yield f"{dimension} {' and '.join(values)} are not compared here, one may be in `same`: x={dimension} compares them"
        for value in values if places else ():
            if value.casefold() not in drawn:
                yield f"{dimension} {value} is not drawn: its runs have another workload, other settings or another machine"
    counts = [(str(one.get("text")), one.get("count")) for one in (found.get("search") or {}).get("words") or ()]
    if counts and not groups:
        said = ", ".join(f"{text} ({count} values)" if count else f"{text} (not found)" for text, count in counts)
        yield f"no run has all of these words: {said}; `others` has what some of them find"


def _groups(panels: Iterable[Mapping[str, Any]], design: str, axes: Mapping[str, str]) -> Iterator[Answer]:
    """The groups of panels of a comparison or of a frozen one, in their order. `axes`: what their names are values of."""
    for panel in panels:
        baseline = str(panel.get("baseline") or "")
        for group in panel.get("groups") or ():
            metric, verdict = str(group.get("metric")), group.get("verdict") or {}
            unit = str(panel.get("unit") or units.unit_of(metric))
            names = [str(group[place]) for place in comparisons.PLACES if group.get(place)]
            n = group.get("n", group.get("runs", 0))
            because = group.get("withheld") or verdict.get("withheld") or _without_claim(group, names, baseline, design)
            judged = {**verdict, **{key: group[key] for key in ("claim", "doubts") if group.get(key)}}
            about = ", ".join([metric, *comparisons.names_of(group, axes)])
            found = _finding(about, _center(group, unit), judged, (n, _reach(n, group)), because)
            found["wanted"] = panel.get("better")
            if verdict.get("ratio") is not None:
                found |= {"against": baseline, "ratio": _ratio(verdict), "interval": _interval(verdict)}
            yield found


def _ratio(found: Mapping[str, Any]) -> str:
    sign = {"above": "> ", "below": "< "}.get(str(found.get("ratio_bound")), "")
    return sign + units.ratio(found.get("ratio"))


def _without_claim(group: Mapping[str, Any], names: Sequence[str], baseline: str, design: str) -> str:
    if not group.get("n", group.get("runs", 0)):
        has = [str(one.get("workload")) for one in group.get("empty") or ()]
        return f"not run with this workload{'; has ' + ', '.join(has[:3]) if has else ''}"
    if baseline and baseline in names:
        return "the others are compared with it"
    return "it stands alone: one value is no comparison" if not design else "nothing was tested"


def _center(group: Mapping[str, Any], unit: str) -> str:
    center = comparisons.center_of(group, unit)
    kind = "sessions apart" if group.get("center") is None else group.get("stat") or "value"
    return f"{center} ({kind})" if center else "no value"


def _reach(n: object, group: Mapping[str, Any]) -> str:
    """`9 runs, 3 sessions, 1 machine`: what the value is of, and no more."""
    counts = [(n, "run"), (group.get("sessions"), "session"), (group.get("machines"), "machine")]
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count is not None)


def _interval(verdict: Mapping[str, Any]) -> str:
    low, high = verdict.get("low"), verdict.get("high")
    return "none" if low is None or high is None else f"{units.ratio(low)} to {units.ratio(high)}"


def _line(line: cards.Line) -> Answer:
    """A line of a card."""
    a, b = line.get("a") or {}, line.get("b") or {}
    value = f"{cards.center(line, 'a')} and {cards.center(line, 'b')}"
    reach = f"a: {_reach(a.get('n', 0), a)}; b: {_reach(b.get('n', 0), b)}"
    counts = [a.get("n", 0), b.get("n", 0)], reach
    found = _finding(cards.label(line), value, line, counts, line.get("withheld") or line.get("says"))
    return found | {"says": line.get("says"), "ratio": _ratio(line), "interval": cards.interval(line)}


def _standing(one: Mapping[str, Any]) -> Answer:
    metric = str(one.get("metric"))
    about = ", ".join([metric, *cards.workload_words(one.get("workload") or {})])
    reach = f"{_reach(one.get('n', 0), one)} of this side; one value of each of {one.get('of')} systems with a near workload"
    because = "a place among systems that differ in more than one part is no comparison"
    value = units.quantity(one.get("value"), units.unit_of(metric))
    return _finding(about, value, {}, (one.get("n", 0), reach), because) | {"place": f"{one.get('rank')} of {one.get('of')}"}


def _difference(one: Mapping[str, Any]) -> str:
    sides = (" or ".join(map(str, one.get(side) or ["unknown"])) for side in ("a", "b"))
    return f"{one.get('label')} ({' beside '.join(sides)})"[:120]


def _sentences(found: Mapping[str, Any]) -> list[str]:
    """What stands beside the whole figure, and the keys that one side alone has recorded."""
    unrecorded = [str(key) for key in found.get("unrecorded") or ()]
    beside = [f"known on one side only: {', '.join(unrecorded[:_MOST_WORDS])}"] if unrecorded else []
    return [str(flag.get("sentence")) for flag in found.get("flags") or ()] + beside
