"""Every address of docs/gallery.md draws what it says: from constructed archives, or from the shipped fixtures."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest
from django.db import transaction
from django.test import override_settings

from webapp.comparison.selection import parse, query_string
from webapp.models import Archive
from webapp.tests import constructed
from webapp.tests.serving import ROOT

pytestmark = pytest.mark.django_db
ROW = re.compile(r"^\| *([^|]*?) *\| *([^|]*?) *\| *`(/compare\?[^`]*)` *\| *(\d+) *\|$", re.M)
LONGEST = 200
COMPARING = {*map(str, range(1, 11)), "25", "28"}


def rows(heading: str) -> list[tuple[str, str, str, int]]:
    """(figure, sentence, address, groups) of the table below a heading."""
    section = (ROOT / "docs/gallery.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    found = [(figure, sentence, address, int(groups)) for figure, sentence, address, groups in ROW.findall(section)]
    assert len(found) == section.count("`/compare?"), "a row of the table is not read"
    return found


STUDY, SHIPPED = rows("The study's figures"), rows("From the shipped results")


def answered(client, address: str) -> dict:
    """What the page's twin gives; the page itself answers too, and names nothing as not understood."""
    page = client.get(address)
    assert page.status_code == 200 and b"data-figure=" in page.content
    data = client.get(address.replace("/compare?", "/compare.json?")).json()
    assert "strange" not in {flag["id"] for flag in data["flags"]}, data["flags"]
    return data


def groups_of(data: dict) -> list[dict]:
    return [group for panel in data["panels"] for group in panel["groups"]]


def parsed(address: str):
    return parse(parse_qsl(address.split("?", 1)[1], keep_blank_values=True))


def it_lists_every_figure_that_compares():
    assert {figure for figure, *_ in STUDY} == COMPARING
    assert {figure for row in SHIPPED for figure in row[0].split(", ")} >= COMPARING


@pytest.mark.parametrize("address", [row[2] for row in STUDY + SHIPPED])
def it_is_short_and_canonical(address):
    assert len(address) < LONGEST
    selection = parsed(address)
    assert not selection.strange
    assert parsed("?" + query_string(selection)) == selection


@pytest.fixture(scope="class")
def study(django_db_setup, django_db_blocker, tmp_path_factory):
    """Both constructed archives, in a transaction that ends with the class that uses them."""
    with django_db_blocker.unblock(), override_settings(POOLMARK_DATA=tmp_path_factory.mktemp("gallery")), transaction.atomic():
        yield [constructed.operating_systems(), constructed.lustre()]
        transaction.set_rollback(True)


class TestConstructed:
    def it_has_the_shape_of_the_study(self, study):
        titles = Archive.objects.filter(pk__in=[one.pk for one in study]).values_list("title", flat=True)
        assert len(titles) == 2 and all("(constructed)" in title for title in titles)
        assert (len(constructed.SYSTEMS), len(constructed.PROCESSORS), len(set(constructed.SETTINGS))) == (3, 3, 15)

    @pytest.mark.parametrize(("figure", "address", "expected"), [(row[0], row[2], row[3]) for row in STUDY])
    def it_draws_each_figure(self, client, study, figure, address, expected):
        groups = groups_of(answered(client, address))
        assert len(groups) == expected
        assert {group["runs"] for group in groups} == {constructed.RUNS}
        assert len({(g["metric"], g["x"], g["series"], g["facet"]) for g in groups}) == expected

    def it_draws_the_values_that_were_put_in(self, client, study):
        """Figure 9, FreeBSD (second), first processor, LZ4 without dedup (fourth setting): 1e7 * 1 * 2 * 1.2."""
        address = next(row[2] for row in STUDY if row[0] == "9")
        found = {
            g["metric"]: sorted(p["value"] for p in g["points"])
            for g in groups_of(answered(client, address))
            if g["x"] == "FreeBSD"
        }
        assert found == {
            metric: pytest.approx([2.4e7 * at, 2.4e7 * at * 1.03, 2.4e7 * at * 1.06])
            for at, metric in enumerate(constructed.BONNIE, 1)
        }
