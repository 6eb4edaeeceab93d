"""Words that nobody is to meet (script/visible_words.py): on rendered pages of the shipped studies, in messages and in scripts."""

from __future__ import annotations

import re
import sys
from collections import Counter
from html import unescape
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import Resolver404, resolve

from webapp.studies import registry
from webapp.tests import making

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "script"))

import visible_words  # noqa: E402

STUDIES = ("three-operating-systems", "zfs-fdtree-flash")
STARTS = (
    "/",
    "/compare",
    "/compare?metric=copy.elapsed&x=os&control=off",
    "/archives?q=nothing-has-this",
    "/systems?q=nothing-has-this",
    "/configurations?q=nothing-has-this",
    "/upload",
    "/sign-in",
    "/honesty",
    "/no-such-page",
    "/verify",
    "/p/aaaaaaaaaa",
    "/staff/archives",
    "/staff/audit",
    "/staff/users",
    "/staff/blocks",
    "/staff/block?what=ann",
    "/permalinks",
    "/collections/new",
)
PER_ROUTE = 2
"""Pages of one route that are looked at."""


@pytest.fixture(scope="module")
def shipped(rows_of_module):
    """Some shipped studies with their figures, as on the first start."""
    chosen = {name: study for name, study in registry.shipped_studies().items() if name in STUDIES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "shipped_studies", lambda: chosen)
        patch.setattr(registry, "comparisons_across", lambda: ())
        call_command("load_fixtures", stdout=StringIO())
        yield


def rendered(client: Client) -> dict[str, str]:
    """HTML pages by address: those of `STARTS`, and what they link to, at most `PER_ROUTE` of each route."""
    waiting, seen, routes = list(STARTS), set(STARTS), Counter()
    pages = {}
    while waiting:
        address = waiting.pop(0)
        answer = client.get(address, follow=True)
        if not answer.get("Content-Type", "").startswith("text/html") or answer.streaming:
            continue
        pages[address] = answer.content.decode()
        for link in map(unescape, re.findall(r'href="(/[^"#]*)', pages[address])):
            route = _route(link)
            if route and link not in seen and routes[route] < PER_ROUTE:
                seen.add(link)
                routes[route] += 1
                waiting.append(link)
    return pages


def _route(link: str) -> str:
    try:
        return resolve(link.partition("?")[0]).view_name or ""
    except Resolver404:
        return ""


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize("who", ["", "ann", "root"])
def test_no_page_has_them(shipped, who):
    client = Client()
    if who:
        user = making.user(who)
        user.is_staff = who == "root"
        user.save()
        client.force_login(user)
    pages = rendered(client)
    assert len(pages) > 30
    wrong = []
    for address, page in pages.items():
        for line, label in visible_words.labels_of(page):
            wrong += [(address, line, label[:80], *fault) for fault in visible_words.faults(label, is_label=True)]
        wrong += [(address, *fault) for fault in visible_words.faults(visible_words.text_of(page))]
    assert not wrong, "\n".join(map(repr, wrong))


def test_no_message_template_or_script_has_them():
    assert not [*visible_words.places()], "script/check-words lists them"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<h1>Processor <b>not told</b></h1>", ["not told", "Processor not told"]),
        ("<table><tr><th>Mind</th><td>Mind the gap</td></tr></table>", ["Mind"]),
        ('<select><optgroup label="State it"><option>Across</option></optgroup></select>', ["State it", "Across"]),
        ("<button>Save</button><p>Across all machines; the state is known.</p>", []),
        ("<p>The license of this color.</p>", []),
    ],
)
def test_a_label_is_looked_at_as_a_whole(page, expected):
    found = [fault for _, label in visible_words.labels_of(page) for fault, _ in visible_words.faults(label, is_label=True)]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The container broke off; nothing was taken.", 1),
        ("These very bytes are here already.", 1),
        ("CPU utilization, the centre of the colour", 0),
        ("normalized to the center", 2),
        ("There is no value to record.", 0),
        ("'x' is no number", 1),
    ],
)
def test_a_phrase_is_found_in_a_sentence(text, count):
    assert len(list(visible_words.faults(text))) == count


GENERATED = {"messages.md", "classes.md", "formats.md", "metrics.md"}
DOCUMENTS = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if path.name not in GENERATED], ids=lambda path: path.name)
def test_documents_avoid_the_words_too(document):
    text = re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", document.read_text(), flags=re.S))
    found = [one for part in re.split(r"\n\s*\n|\n(?=[|-])", text) for one in visible_words.faults(part)]
    assert not found
