"""Order, names and hidden values by the author, frozen: whatever is arranged, the record has every group as it was measured."""

from __future__ import annotations

import csv
import io
import json
from urllib.parse import urlencode

import pytest

from webapp.formats import frozen_files, tidy
from webapp.permalinks import record_figures
from webapp.permalinks.bundles import permalink_bundle
from webapp.tests import frozen, samples

pytestmark = pytest.mark.django_db
QUERY = "metric=write.throughput&x=compression&baseline=off"
TIMES = {"off": [8.1, 8.3, 8.2], "lz4": [2.5, 2.6, 2.4], "gzip_9": [12.1, 12.4, 12.2], "lzjb": [4.1, 4.0, 4.2]}


@pytest.fixture(autouse=True)
def archive():
    return samples.received(samples.tar({"run/dd.txt": samples.dd_by_compression(**TIMES)}))


def told(*words: tuple[str, str]) -> dict:
    """The record of the figure with these words of its author."""
    return json.loads(bytes(frozen.freeze(f"{QUERY}&{urlencode(words)}").record))


HIDDEN = (("hide", "compression:lzjb"), ("hide", "compression:gzip-9"), ("reason", "only what the paper discusses"))
NAMED = (("label", "compression:lz4:LZ4 & co"), ("order", "compression:lz4"))


def measured(record: dict) -> list[tuple]:
    """Every group as its configuration has it, with its values and claim."""
    [panel] = record["panels"]
    values = record["values"]
    return sorted(
        (group["x"], group["center"], group["runs"], tuple(values[at]["measured"] for at in group["values"]), str(group["verdict"]))
        for group in panel["groups"]
    )


@pytest.mark.parametrize("words", [HIDDEN, NAMED, (*HIDDEN, *NAMED)])
def it_keeps_every_group_and_claim(words):
    assert measured(told(*words)) == measured(told()) and len(measured(told())) == 4


def it_prints_what_is_not_shown_and_why():
    record = told(*HIDDEN)
    [figure], [panel] = record["figures"], record["panels"]
    assert sorted(figure["x"]["values"]) == ["lz4", "off"] and len(figure["groups"]) == 2
    assert sorted(group["x"] for group in panel["groups"] if group.get("hidden")) == ["gzip-9", "lzjb"]
    note = "2 of 4 levels shown (Compression): only what the paper discusses. Not shown by the author: "
    assert figure["notes"][-1].startswith(note) and figure["notes"][-1] in record["caption"]
    assert record["counts"] == {"runs": 6, "configurations": 2, "hidden_runs": 6}
    assert record["author"]["reason"] == "only what the paper discusses"
    [drawing] = record_figures.draw_record(record)
    assert sorted(row.x for row in drawing.rows) == ["lz4", "off"] and len(drawing.hidden) == 2
    assert any(text.startswith("gzip-9: ") and text.endswith("n = 3") for text in drawing.hidden)


def it_keeps_the_configuration_beside_a_name():
    record = told(*NAMED)
    [figure] = record["figures"]
    assert figure["x"]["values"][0] == "LZ4 & co" and figure["x"]["configured"][0] == "lz4"
    assert "Names by the author: LZ4 & co is compression lz4." in figure["notes"]
    [drawing] = record_figures.draw_record(record)
    assert (drawing.rows[0].x, drawing.rows[0].configured) == ("LZ4 & co", ("lz4", ""))


def it_still_verifies():
    link = frozen.freeze(f"{QUERY}&{urlencode((*HIDDEN, *NAMED))}")
    assert permalink_bundle.check_permalink(link) == ([], 12, 0)


def it_shows_the_same_on_the_page_of_comparison_and_of_the_permalink(client):
    query = f"{QUERY}&{urlencode((*HIDDEN, *NAMED))}"
    live = client.get(f"/compare?{query}").content.decode()
    link = frozen.freeze(query)
    kept = client.get(f"/p/{link.pk}").content.decode()
    for page in (live, kept):
        assert "2 of 4 levels shown (Compression): only what the paper discusses." in page
        assert "LZ4 &amp; co <small>(lz4)</small>" in page and "Not shown by the author: 2 groups" in page
    drawn = client.get(f"/compare.svg?{query}").content.decode()
    assert "LZ4 &amp; co" in drawn and "only what the paper discusses" in drawn


def it_has_hidden_groups_in_every_table():
    link = frozen.freeze(f"{QUERY}&{urlencode((*HIDDEN, *NAMED))}")
    record = json.loads(bytes(link.record))
    tables = {name: list(csv.DictReader(io.StringIO(text))) for name, text in tidy.to_tables(record, link.digest).items()}
    assert {row["x"]: (row["shown"], row["x_label"]) for row in tables["groups.csv"]} == {
        "lz4": ("yes", "LZ4 & co"),
        "off": ("yes", "off"),
        "gzip-9": ("no", "gzip-9"),
        "lzjb": ("no", "lzjb"),
    }
    assert sorted(row["x"] for row in tables["data.csv"]) == sorted(x for x in ("gzip-9", "lz4", "lzjb", "off") for _ in range(3))
    assert len(tidy.to_sheets(record, link.digest)["groups"]) == 5
    table = frozen_files.make_latex(record, link.digest)["table.tex"]
    assert r"LZ4 \& co is compression lz4" in table and "only what the paper discusses" in table
    assert "\nLZ4 \\& co & " in table and "\ngzip-9 & " not in table


def it_lists_hidden_groups_in_json_and_all_values_in_csv(client):
    query = f"{QUERY}&{urlencode(HIDDEN)}"
    [panel] = client.get(f"/compare.json?{query}").json()["panels"]
    assert sorted(group["x"] for group in panel["groups"]) == ["lz4", "off"]
    assert sorted(group["x"] for group in panel["hidden"]["groups"]) == ["gzip-9", "lzjb"]
    some, every = (sorted(client.get(f"/compare.csv?{one}").content.splitlines()) for one in (query, QUERY))
    assert some == every


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((("label", "compression:lz4:off"),), "a name that no other value has"),
        ((("label", "compression:lz4:g Z i p-9"),), "a name that no other value has"),
        ((("hide", "compression:lz4"),), "DIMENSION:VALUE with a reason"),
        ((("hide", "compression:off"), ("reason", "slow")), "neither the baseline nor everything"),
    ],
)
def it_says_what_would_mislead_and_draws_without_it(client, words, said):
    page = client.get(f"/compare?{QUERY}&{urlencode(words)}").content.decode()
    assert said in page
    [figure] = told(*words)["figures"]
    assert sorted(figure["x"]["values"]) == ["gzip-9", "lz4", "lzjb", "off"]


def it_is_arranged_by_a_form_without_scripts(client):
    form = client.get(f"/compare/arrange?{QUERY}")
    [rows] = [rows for _, rows in form.context["form"].axes]
    filled = {f"position-{row.key}": str(len(rows) - at) for at, row in enumerate(rows)}
    filled |= {f"name-{row.key}": "fast" if row.label == "lz4" else "" for row in rows}
    filled |= {f"shown-{row.key}": "on" for row in rows if row.label != "lzjb"} | {"query": QUERY}
    answer = client.post("/compare/arrange", filled)
    assert answer.status_code == 400 and "Say why values are not shown" in answer.content.decode()
    answer = client.post("/compare/arrange", filled | {"reason": "older"})
    page = client.get(answer["Location"]).content.decode()
    assert answer.status_code == 302 and "3 of 4 levels shown (Compression): older." in page and "fast is compression lz4" in page
    again = client.get(answer["Location"].replace("/compare?", "/compare/arrange?")).context["form"]
    assert [row.label for row in again.rows] == [row.label for row in rows][::-1] and again.reason == "older"
