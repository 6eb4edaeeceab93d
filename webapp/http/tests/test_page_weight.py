"""Much in little: what thousands of groups or lines weigh on the comparison page, in bytes as they travel."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re

import pytest

from webapp.storage import load
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
# bonnie++ -n 0: no files are created, so that those columns are empty.
LINE = (
    "1.98,2.00a,{host},1,0,{size}G,,8192,5,,,{write},15,{rewrite},9,,,{read},20,812.5,"
    "3,,,,,,,,,,,,,,,,,,,85127us,391ms,,138us,70379us,,,,,,"
)
LINES, KB = 10_000, 1000
DATA = re.compile(r'<script id="figure-0-data" type="application/json">(.*?)</script>', re.S)


def bonnie_lines() -> bytes:
    """Ten thousand lines of ten hosts and four sizes, no two alike."""
    lines = [
        LINE.format(host=f"node{at % 10}", size=2 ** (at // 10 % 4), write=100_000 + at, rewrite=50_000 + at, read=200_000 + at)
        for at in range(LINES)
    ]
    return "\n".join(lines).encode()


@pytest.mark.thorough
def test_ten_thousand_lines_are_a_light_page(client):
    archive = samples.received(bonnie_lines(), "bonnie.csv")
    load.accept(archive.pk, "")
    address = f"metric=write.throughput&metric=rewrite.throughput&metric=read.throughput&x=host&archive={archive.pk}"
    data = client.get(f"/compare.json?{address}&file_size={2**30}").json()
    assert sum(group["runs"] for panel in data["panels"] for group in panel["groups"]) == 3 * LINES / 4
    for query in (
        "",
        f"?archive={archive.pk}",
        f"?{address}",
        f"?metric=write.throughput&x=host&series=file_size&archive={archive.pk}",
    ):
        answer = client.get(f"/compare{query}", HTTP_ACCEPT_ENCODING="gzip")
        assert b"data-figure" in gzip.decompress(answer.content)
        assert len(answer.content) <= 26 * KB, query


@pytest.fixture(scope="module")
def crowd(rows_of_module):
    """A public archive of 2,000 groups: hosts by compressions, two runs each."""

    def records():
        for host in range(200):
            for at in range(1, 11):
                config = {"host": f"node{host:03}", "pool.compression": f"zstd-{at}"}
                values = [1.1e8 + host, 1.2e8 + at * 1e6 / 7]
                yield from making.file_records(f"{host}/{at}.csv", f"{host} {at}", values, config=config)

    return making.archive(records=records(), public=True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "query",
    [
        "x=host&series=compression",
        "x=host&series=compression&kind=dots",
        "x=compression&series=host&kind=box",
        "x=host&series=compression&baseline=zstd-1",
    ],
)
def test_two_thousand_groups_are_thinned_in_the_page_and_whole_in_its_twins(client, crowd, query):
    query = f"metric=write.throughput&{query}&archive={crowd.pk}"
    text = client.get(f"/compare?{query}").content.decode()
    figure = json.loads(DATA.search(text)[1])
    assert len(figure["groups"]) == 2000
    assert all(len(mark["points"]) == 1 and mark["points"][0][0] is None for mark in figure["groups"])
    assert re.search(r'class="figure-note">[^<]*single runs are not drawn', text)
    assert "shown as a dot" not in text and "every run is a dot" not in text
    rows = text.split("figure-table", 1)[1].split("</table>")[0]
    assert rows.count('<th scope="row">') == 2000
    whole = client.get(f"/compare.json?{query}").json()
    assert [len(group["points"]) for panel in whole["panels"] for group in panel["groups"]] == [2] * 2000
    exact = {round(group["center"], 6) for panel in whole["panels"] for group in panel["groups"]}
    assert len(exact) == 2000, "the twin has every digit"
    told = list(csv.DictReader(io.StringIO(client.get(f"/compare.csv?{query}").content.decode())))
    assert len(told) == 4000 and all(row["file_line"] for row in told), "and every line"
