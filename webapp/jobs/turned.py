"""The event `claim.turned`: the questions of an account's permalinks, asked again of today's public data, a few an hour
(`hooks.send_asking`), by a worker.

A pair is a group against its baseline, or a line of a scorecard. Those of the record alone are looked at; of these, what today's
data do not draw, or draw of another workload or machine, stays as it was last seen.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import QueryDict

from webapp.comparison.compare import compare
from webapp.comparison.groups import MAX_OBSERVED
from webapp.comparison.model import Comparison, Panel
from webapp.comparison.selection import parse
from webapp.formats import captions, card_data, tidy
from webapp.http import isolation
from webapp.http.data_version import data_version
from webapp.jobs import hooks
from webapp.models import Permalink, Webhook
from webapp.pages.card_page import read_card
from webapp.permalinks.bundles.verify import is_beside_values
from webapp.permalinks.frozen_addresses import find_origin
from webapp.permalinks.record_figures import parse_record
from webapp.scorecard.card import SHOWN

MOST, A_LOOK = 100, 20
"""The newest permalinks of an account that are looked at, and how many of them are asked again in an hour."""
MOST_LISTED = 100
"""Pairs that one event lists."""
_NOTHING: tuple[int, dict[str, str]] = (-1, {})
Record = Mapping[str, Any]
Key = tuple[str, ...]
_SESSIONS = re.compile(r"(?:this|these \d+) (session)s?\b")
"""`in this session`, `in these 3 sessions`: how many there are is no part of what is claimed."""


def look(owner_id: int) -> int:
    """Ask some permalinks of the account again and write what turned, for each of its webhooks: how many deliveries."""
    version = data_version()
    names = _choose(owner_id, version)
    return sum(isolation.map_isolated("claims", names, lambda name: _ask_again(owner_id, name, version)))


def _choose(owner_id: int, version: int) -> list[str]:
    """The permalinks to ask of the data of this version: those first that were not for longest, of these the newest. None has a
    source that is withdrawn or private."""
    newest = Permalink.objects.owned_by(owner_id).listed().order_by("-frozen_at", "-pk").values_list("pk", flat=True)[:MOST]
    seen = [hook.claims_seen for hook in Webhook.objects.asking_for(hooks.TURNED).owned_by(owner_id)]
    last = {name: min((_version(one, name) for one in seen), default=version) for name in newest}
    chosen: list[str] = []
    without: list[str] = []
    for name in sorted((name for name in last if last[name] < version), key=lambda name: last[name]):
        [can_be] = isolation.map_isolated("claims of a record", [name], lambda one: can_be_asked(_read(one)), lambda _: False)
        (chosen if can_be else without).append(name)
        if len(chosen) == A_LOOK:
            break
    with transaction.atomic():
        for hook in _lock(owner_id):  # now, and not once it is asked: what ends this process is not the first to be asked again
            kept = {name: hook.claims_seen[name] for name in last if name in hook.claims_seen}
            asked = {name: [version, (kept.get(name) or _NOTHING)[1]] for name in chosen}
            hook.claims_seen = kept | asked | dict.fromkeys(without)
            hook.save(update_fields=["claims_seen"])
    return chosen


def _version(seen: Mapping[str, Any], name: str) -> float:
    """That of the data of which a permalink was last asked; later than any of one without claims."""
    return math.inf if name in seen and seen[name] is None else seen.get(name, _NOTHING)[0]


def _lock(owner_id: int) -> list[Webhook]:
    """The webhooks of the account for this event, until the transaction ends."""
    asking = Webhook.objects.asking_for(hooks.TURNED).owned_by(owner_id).order_by("pk")
    return list(asking.select_for_update(of=("self",), no_key=True))


def _read(name: str) -> dict[str, Any]:
    return parse_record(Permalink.objects.values_list("record", flat=True).get(pk=name))


def _ask_again(owner_id: int, name: str, version: int) -> int:
    """Ask a permalink again and write the deliveries, where claims turned."""
    record, written = _read(name), 0
    today = ask(record, version)
    with transaction.atomic():
        for hook in _lock(owner_id):
            turned, words = find_turned(record, today, (hook.claims_seen.get(name) or _NOTHING)[1])
            hook.claims_seen[name] = [version, words]
            hook.save(update_fields=["claims_seen"])
            if turned:
                site = find_origin().site
                address, live = f"{site}/p/{name}", f"{site}{live_path(record)}"
                listed = {"claims": turned[:MOST_LISTED], "more": len(turned[MOST_LISTED:]), "data_version": version}
                hooks.add(hook, hooks.TURNED, f"{hooks.TURNED} {name} {version}", {"permalink": address, "today": live, **listed})
                written += 1
    return written


class Pair(NamedTuple):
    """What is said of a pair. `figure`, `place`, `baseline`: in the words of the record. `verdict`: its `word` or why that is
    `withheld`, `ratio`, `low`, `high`, `doubts`."""

    figure: str
    place: str
    baseline: str
    metric: str
    verdict: Mapping[str, Any]


def can_be_asked(record: Record) -> bool:
    """Whether it is a comparison or a scorecard with claims; not curves, and no more values than claims are made of."""
    if record["version"] < tidy.FIRST_VERSION or len(record["values"]) > MAX_OBSERVED:
        return False
    is_drawn = record["kind"] == "comparison" and not any(map(is_beside_values, record["figures"]))
    return bool((is_drawn or "card" in record) and _read_pairs(record))


def live_path(record: Record) -> str:
    """The address of the same question, without scheme and host."""
    return f"/{'versus' if record['kind'] == 'versus' else 'compare'}?{record['selection']}"


def ask(record: Record, version: int) -> dict[Key, Pair]:
    """The pairs of the same question as everybody sees them today; none where today's data draw another workload or machine.
    `version`: that of the data."""
    anybody = AnonymousUser()
    if record["kind"] == "versus":
        card = read_card(QueryDict(record["selection"]), anybody, version, exact=True)
        return _unique(_pairs_of_lines(json.loads(card_data.to_json(card)), []))
    found = compare(parse(parse_qsl(record["selection"])), anybody, exact=True, version=version)
    return _unique(_pairs_of_panels(map(_panel, found.panels))) if _is_same_set(record, found) else {}


def find_turned(record: Record, today: Mapping[Key, Pair], seen: Mapping[str, str]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """(each pair whose word is another one than before, what is said of it now). `seen`, and the second: the number of a pair in
    the record -> its word, of those whose word is not that of the record. `today`: of `ask`."""
    turned, words = [], dict(seen)
    for number, (key, pair) in enumerate(_read_pairs(record).items()):
        if key not in today:
            continue
        frozen, now = pair.verdict["word"] or "", today[key].verdict
        before, words[str(number)] = seen.get(str(number), frozen), now["word"] or ""
        if _SESSIONS.sub(r"\1", before) != _SESSIONS.sub(r"\1", words[str(number)]):
            said = {name: now[name] or None for name in ("withheld", "ratio", "low", "high")}
            place = {"figure": pair.figure, "place": pair.place, "baseline": pair.baseline, "metric": pair.metric}
            turned.append({**place, "before": before or None, "after": now["word"] or None, **said, "doubts": list(now["doubts"])})
        if words[str(number)] == frozen:
            del words[str(number)]
    return turned, words


def _is_same_set(record: Record, found: Comparison) -> bool:
    """Whether workload and machine are the record's: an address may name neither, and of other data another set is drawn."""
    today = {**dict(found.fixed), **dict(found.workload)}
    frozen = {**(record.get("fixed") or {}), **(record.get("workload") or {})}
    return all(today.get(name, text) == text for name, text in frozen.items() if name != "tool_version")


def _read_pairs(record: Record) -> dict[Key, Pair]:
    """The pairs of a record, in its order."""
    if record["kind"] == "versus":
        return _unique(_pairs_of_lines(record["card"], [panel["title"] for panel in record["panels"]]))
    return _unique(_pairs_of_panels(record["panels"]))


def _unique(pairs: Iterable[tuple[Key, Pair]]) -> dict[Key, Pair]:
    """Without those that have the same key: which is which is not known."""
    found = list(pairs)
    counts = Counter(key for key, _ in found)
    return {key: pair for key, pair in found if counts[key] == 1}


def _pairs_of_panels(panels: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Key, Pair]]:
    """`panels`: as a record has them."""
    for panel in panels:
        for group in captions.shown_groups(panel):
            if group["verdict"]:
                key = (panel["facet"], group["metric"], group["x"], group["series"], panel["baseline"])
                words = panel["title"], captions.place_words(panel, group), panel["baseline_label"]
                yield key, Pair(*words, group["metric"], group["verdict"])


def _panel(panel: Panel) -> dict[str, Any]:
    """A panel of today in the form of a record, without words for people."""
    groups = [
        {"metric": one.metric, "x": one.x, "series": one.series, "verdict": asdict(one.verdict) if one.verdict else None}
        for one in panel.groups
    ]
    axis: dict[str, Any] = {"label": "", "values": []}
    named = {"facet": panel.title, "baseline": panel.baseline, "baseline_label": "", "title": ""}
    return {**named, "x": axis, "series": axis, "groups": groups}


def _pairs_of_lines(card: Mapping[str, Any], titles: Sequence[str]) -> Iterator[tuple[Key, Pair]]:
    """`card`: as `/versus.json` has it; `titles`: those of the panels of a record, one for each line but mere other numbers of the
    same runs, none where they are not asked for."""
    lines = [line for line in card["lines"] if line["says"] != SHOWN]
    for line, title in zip(lines, titles or [""] * len(lines), strict=True):
        if line["tested"]:
            key = json.dumps([line[name] for name in ("metric", "workload", "workload_b", "configuration")], sort_keys=True)
            yield (key,), Pair(title, card["a"], card["b"], line["metric"], {**line, "word": line["claim"]})
