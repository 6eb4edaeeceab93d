"""Questions that a ranking answers, from the home page, with all that is shipped: at most four clicks each."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from webapp.tests.browser import test_ten_tasks
from webapp.tests.browser.test_ten_tasks import Person

address, page, person = (getattr(test_ten_tasks, name) for name in ("address", "page", "person"))
FIRST = "table tbody tr >> nth=0"


def finish(person: Person) -> None:
    print(f"{person.clicks} clicks: {' > '.join(person.way)}")
    assert person.clicks <= 4


def test_the_fastest_ten_node_list_of_2024(person: Person):
    person.link("Rankings")
    person.link("the ten-node list by score")
    person.choose(person.page.get_by_label("Year"), "2024 (21)")
    person.button("Apply")
    expect(person.page.locator(FIRST)).to_contain_text("Songshan #699")
    expect(person.page.locator(FIRST)).to_contain_text("reported")
    finish(person)


@pytest.mark.parametrize(("mine", "rank"), [("Athena #579", "15"), ("CHIE-2 #715", "53")])
def test_my_rank(person: Person, mine, rank):
    person.link("Rankings")
    person.link("all submissions by score")
    person.fill(person.page.get_by_label("Search"), mine)
    person.press("Enter")
    expect(person.page.locator(FIRST).locator("td").first).to_have_text(rank)
    finish(person)


def test_which_file_system_leads_mdtest(person: Person):
    person.link("Rankings")
    person.click(person.page.get_by_role("row", name="mdtest-easy-write").get_by_role("link").first)
    expect(person.page.locator(FIRST)).to_contain_text("superfs")
    finish(person)


def test_a_row_leads_to_its_line(person: Person):
    person.link("Rankings")
    person.link("all submissions by score")
    person.click(person.page.locator(FIRST).get_by_role("link", name="line"))
    expect(person.page.locator("main")).to_contain_text("Pengcheng Cloudbrain-II on Atlas 900 #660")
    finish(person)


def test_a_row_leads_to_its_system(person: Person):
    person.link("Rankings")
    person.link("the ten-node list by score")
    person.link("Aurora #696")
    expect(person.page.locator("h1")).to_contain_text("Aurora #696")
    expect(person.page.locator("main")).to_contain_text("Argonne National Laboratory")
    finish(person)


def test_lustre_alone(person: Person):
    person.link("Rankings")
    person.link("all submissions by score")
    person.choose(person.page.get_by_label("File system", exact=True), "lustre (63)")
    person.button("Apply")
    expect(person.page.locator(FIRST)).to_contain_text("lustre")
    expect(person.page.locator(FIRST).locator("td").first).to_have_text("1")
    finish(person)


def test_what_an_institution_submitted(person: Person):
    person.link("Systems")
    person.fill(person.page.get_by_label("Search"), "Argonne")
    person.press("Enter")
    expect(person.page.locator("table").first).to_contain_text("Aurora #696")
    finish(person)


@pytest.mark.parametrize(("component", "says"), [("EPYC 7702P", "reported"), ("Broadcom BCM2711", "reported")])
def test_what_others_get_with_this_cpu(person: Person, component, says):
    person.link("Hardware")
    person.link(component)
    expect(person.page.locator("main")).to_contain_text("nothing is said of it alone")
    expect(person.page.locator("main")).to_contain_text(says)
    finish(person)


def test_what_others_get_with_this_disk(person: Person):
    person.link("Hardware")
    person.fill(person.page.get_by_label("Search"), "CT500P3SSD8")
    person.press("Enter")
    person.link("CT500P3SSD8")
    expect(person.page.locator("main")).to_contain_text("nothing is said of it alone")
    finish(person)
