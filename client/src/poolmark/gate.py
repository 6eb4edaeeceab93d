"""The gate: whether a new archive is worse than what was there before, by the claim words of its scorecard."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from poolmark import cards, units
from poolmark.cards import BETTER, CANNOT_TELL, WORSE, Line
from poolmark.errors import UsageError
from poolmark.http import Site, is_loopback

_WIDE = re.compile(r".* than before|.* on this system|.* on these machines|A is .* than B")
"""Claims that hold beyond the sessions that were compared."""
MOST = 20
"""Lines of one kind in a summary."""


@dataclass(frozen=True)
class GateVerdict:
    """What became of a gate. `failing`: lines with a claim of worse whose near end is beyond `worse_by` (0.1: ten per cent)."""

    new: str
    against: str
    worse_by: float
    card: Mapping[str, Any]
    address: str
    failing: Sequence[Line]

    @property
    def passed(self) -> bool:
        return not self.failing

    @property
    def changed(self) -> list[Line]:
        """Lines that are worse or better."""
        return cards.lines_of(self.card, WORSE, BETTER)

    @property
    def decided(self) -> list[Line]:
        """Lines with a claim, that there is no difference included."""
        return cards.lines_of(self.card, WORSE, BETTER, cards.SAME)

    @property
    def missing(self) -> list[tuple[str, int]]:
        """What is missing for a claim, with the number of lines, the most frequent first; of lines without a claim, and of metrics
        that one side alone has."""
        found: dict[str, int] = {}
        for line in cards.lines_of(self.card, CANNOT_TELL):
            reason = str(line.get("withheld") or "the server gives no reason")
            found[reason] = found.get(reason, 0) + 1
        reasons = sorted(found.items(), key=lambda pair: -pair[1])
        if not (self.decided or found):
            reasons.append(("nothing was measured on both sides with the same workload", 0))
        return reasons

    @property
    def notes(self) -> list[str]:
        """Sentences of the server about what the names of sides stand for, or do not."""
        return [str(note) for note in self.card.get("notes") or ()]

    @property
    def sentence(self) -> str:
        beyond = f" by more than {units.percent(self.worse_by)}" if self.worse_by else ""
        if self.failing:
            count = len(self.failing)
            return f"{count} line{'s are' if count > 1 else ' is'} worse{beyond}."
        return f"No line is worse{beyond}." if self.decided else "Cannot tell: no line has a claim."

    def as_data(self) -> dict[str, Any]:
        """For --json."""
        return {
            "passed": self.passed,
            "says": self.sentence,
            "new": self.new,
            "against": self.against,
            "worse_by": self.worse_by,
            "counts": self.card.get("counts"),
            "failing": list(self.failing),
            "changed": self.changed,
            "missing": [{"what": what, "lines": count} for what, count in self.missing],
            "notes": self.notes,
            "only_new": self.card.get("only_a"),
            "only_against": self.card.get("only_b"),
            "url": self.address,
        }


def decide(site: Site, new: str, against: Sequence[str], *, worse_by: float = 0.0, metrics: Sequence[str] = ()) -> GateVerdict:
    """The verdict on a side against earlier ones (in the grammar of /versus)."""
    before = join_sides(against)
    card = cards.read_card(site, new, before, metrics)
    failing = [line for line in cards.lines_of(card, WORSE) if _fails(line, worse_by)]
    return GateVerdict(new, before, worse_by, card, cards.card_address(site, new, before), failing)


def _fails(line: Line, worse_by: float) -> bool:
    """Claims about the compared sessions alone fail nothing."""
    if not _WIDE.fullmatch(str(line.get("claim"))):
        return False
    loss = cards.near_loss(line)
    return worse_by == 0 if loss is None else loss > worse_by


def join_sides(sides: Sequence[str]) -> str:
    """Several sides of one kind as one. Raises UsageError for unlike ones."""
    kinds = {side.partition(":")[0] for side in sides}
    if len(sides) == 1:
        return sides[0]
    if len(kinds) > 1 or not all(":" in side for side in sides):
        raise UsageError("Several --against are joined where all are archives, or all labels: give one of another kind.")
    return f"{kinds.pop()}:{','.join(side.partition(':')[2] for side in sides)}"


def parse_share(text: str) -> float:
    """`10%`, `10 %` and `0.1` as 0.1. Raises UsageError."""
    number = text.replace(" ", "")
    try:
        share = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise UsageError(f"--worse-by {text!r} is no share from 0% to 99%: write 10% or 0.1.")
    return share


def summary(site: Site, verdict: GateVerdict, *, is_public: bool) -> str:
    """Markdown for a pull request. The figure is shown where everybody may see it, else only linked."""
    mark = "❌" if verdict.failing else "✅" if verdict.decided else "❔"
    parts = [f"### {mark} {_escape(verdict.sentence)}", "", f"[{cards.count_words(verdict.card)}]({verdict.address})"]
    if verdict.changed:
        parts += ["", "| | metric and workload | new | before | ratio | own interval | claim |", "|---|---|---:|---:|---:|---|---|"]
        parts += [_row(site, verdict, line) for line in verdict.changed[:MOST]]
        parts += _more(len(verdict.changed), "lines are")
        parts += _figure(site, verdict, is_public)
    if verdict.missing:
        parts += ["", "Where nothing can be told, and what is missing:", ""]
        parts += [f"- {_escape(what)}{f' ({count} lines)' if count > 1 else ''}" for what, count in verdict.missing[:MOST]]
        parts += _more(len(verdict.missing), "reasons are")
    for note in verdict.notes:
        parts += ["", _escape(note)]
    if gone := verdict.card.get("only_b"):
        parts += ["", f"Not measured again: {_escape(', '.join(map(str, gone[:MOST])))}{' ...' if len(gone) > MOST else ''}"]
    return "\n".join([*parts, ""])


def _more(count: int, what: str) -> list[str]:
    return ["", f"{count - MOST} more {what} on the page."] if count > MOST else []


def _row(site: Site, verdict: GateVerdict, line: Line) -> str:
    mark = "❌" if line in verdict.failing else "⚠️" if line.get("says") == WORSE else ""
    name = _escape(cards.label(line))
    if line.get("query"):
        name = f"[{name}]({site.url}/compare?{line['query']})"
    claim = ", ".join(filter(None, (cards.words(line), cards.doubts(line))))
    cells = [cards.center(line, "a"), cards.center(line, "b"), units.ratio(line.get("ratio")), cards.interval(line), claim]
    return f"| {mark} | {name} | {' | '.join(map(_escape, cells))} |"


def _figure(site: Site, verdict: GateVerdict, is_public: bool) -> list[str]:
    """The figure of the first line that has one: of a failing one, if any."""
    query = next((line["query"] for line in [*verdict.failing, *verdict.changed] if line.get("query")), "")
    if not query:
        return []
    page = f"{site.url}/compare?{query}"
    if not is_public or is_loopback(site.url):
        return ["", f"[The figure]({page}), for those who may see the archives."]
    return ["", f"[![The figure of the first line]({site.url}/compare.png?{query})]({page})"]


def _escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", " ".join(text.split()))
