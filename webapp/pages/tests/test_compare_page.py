"""The comparison page: choices in groups, ranges, what is set, unknown parts of an address, orders of the table, all by address."""

from __future__ import annotations

import html
import re

import pytest

from webapp.pages import rail
from webapp.tests import making

pytestmark = pytest.mark.django_db
Q = "metric=write.throughput&x=compression"
GIB = 2**30


@pytest.fixture
def archive():
    def records():
        for at, (name, memory, cpu) in enumerate((("off", 8, "Xeon"), ("lz4", 16, "Xeon"), ("gzip-9", 64, "EPYC"))):
            config = {"host": f"node{at}", "os.family": "Linux", "pool.compression": name, "memory": memory * GIB, "cpu.model": cpu}
            values = [(1 + at) * 1e8 + again for again in range(at + 1)]
            yield from making.file_records(f"{name}.csv", f"{name} {memory}", values, config=config)

    return making.archive(records=records(), public=True)


def get(client, query: str) -> str:
    return client.get(f"/compare?{query}").content.decode()


def group(page: str, label: str) -> str:
    """The HTML of a group of choices."""
    [found] = re.findall(
        rf'<details class="rail-group"[^>]*><summary>{label}.*?(?=<details class="rail-group"|id="choose-hold")', page, re.S
    )
    return found


def heads(page: str) -> dict[str, str]:
    return {html.unescape(label): sort for sort, label in re.findall(r'<th scope="col"([^>]*)><a [^>]*>([^<]*)</a>', page)}


def first_cells(page: str) -> list[str]:
    return re.findall(r'<tr><th scope="row"[^>]*>([^<]*)</th>', page.split("figure-table")[1].split("</table>")[0])


def it_groups_what_can_be_chosen_and_folds_what_cannot(client, archive):
    page = get(client, f"{Q}&control=off")
    assert 'id="choose-memory"' in group(page, "Hardware") and 'id="choose-cpu"' in group(page, "Hardware")
    assert 'id="choose-host"' in group(page, "System") and 'id="choose-compression"' in group(page, "File system")
    assert 'id="choose-kernel"' not in page, "no run records it"
    [count, names] = re.search(r"Not recorded in these runs \((\d+)\)</summary><p>(.*?)</p>", page).groups()
    assert "Kernel" in names and int(count) == len(names.split(", ")) > 10
    assert re.search(r"<dt>OS family</dt><dd>Linux</dd>", page), "the same in all"
    # The dead ones are no options of the axes.
    assert 'value="kernel"' not in page and "disabled" not in page.split('id="choices"')[1]


def it_has_every_dimension_in_a_group():
    assert {rail.group_of(name) for name in rail.DIMENSIONS} == set(rail.GROUPS)
    assert rail.group_of("zfs.primarycache") == rail.STORAGE and rail.group_of("file_size") == rail.OF_WORKLOAD


def it_has_a_range_with_two_sliders_over_a_histogram(client, archive):
    page = get(client, f"{Q}&control=off&memory=8GiB..16GiB")
    assert 'data-steps="8GiB 16GiB 64GiB"' in page
    [low, high] = re.findall(r'<input type="range"[^>]* value="(\d)" id="memory-(?:lower|upper)"', page)
    assert (low, high) == ("0", "1")
    assert 'name="memory" value="8GiB..16GiB"' in page
    path = re.search(r'class="histogram"[^>]*><path d="([^"]*)"', page[page.index('id="choose-memory"') :])[1]
    assert path.count("z") == 3
    assert first_cells(page) == ["off", "lz4"]


def it_names_what_is_set_with_the_address_without_it(client, archive):
    page = get(client, f"{Q}&control=off&memory=8GiB..16GiB&cpu=Xeon")
    listed = page.split('aria-label="What is set"')[1].split("<figure")[0]
    found = {
        label: html.unescape(rest) for rest, label in re.findall(r'href="/compare\?([^"]*)" aria-label="Remove ([^:]*)', listed)
    }
    assert found["Memory"] == f"{Q}&control=off&cpu=Xeon" and found["CPU"] == f"{Q}&control=off&memory=8GiB..16GiB"
    assert found["All runs"] == f"{Q}&cpu=Xeon&memory=8GiB..16GiB"
    assert 'class="chosen-reset" href="/compare"' in listed


@pytest.mark.parametrize(
    ("query", "words", "nearest"),
    [
        ("colour=red", "colour=red</code>: no such key; ignored.", ""),
        ("memry=8GiB", "memry=8GiB</code>: no such key; ignored.", "memory=8GiB"),
        ("series=cpus", "series=cpus</code>: no such dimension; ignored.", "series=cpu"),
        ("kind=bar", "kind=bar</code>: no such value; ignored.", "kind=bars"),
        ("memory=lots", "a number or a range such as 8GiB..64GiB is expected; ignored.", ""),
        ("cpu=Xeom", "cpu=Xeom</code>: no run of this metric has it.", "cpu=Xeon"),
    ],
)
def it_names_an_unknown_key_or_value_with_the_nearest_known_one(client, archive, query, words, nearest):
    page = get(client, f"{Q}&control=off&{query}")
    notice = page.split('aria-label="Not understood in the address"')[1].split("</ul>")[0]
    assert words in notice
    links = [html.unescape(one) for one in re.findall(r'href="/compare\?([^"]*)"', notice)]
    assert [nearest in link and query not in link.split("&") for link in links] == ([True] if nearest else [])
    if links:
        assert 'aria-label="Not understood' not in get(client, links[0])


def it_has_no_notice_for_an_address_that_is_understood(client, archive):
    assert "Not understood" not in get(client, f"{Q}&memory=8GiB..64GiB&sort=-n&cpu=Xeon")


@pytest.mark.parametrize(
    ("sort", "order", "column", "aria"),
    [
        ("", ["off", "lz4", "gzip-9"], "", ""),
        ("-x", ["gzip-9", "lz4", "off"], "Compression", "descending"),
        ("value", ["gzip-9", "lz4", "off"], "Median, MiB/s", "descending"),
        ("-value", ["off", "lz4", "gzip-9"], "Median, MiB/s", "ascending"),
        ("n", ["gzip-9", "lz4", "off"], "n", "descending"),
        ("-n", ["off", "lz4", "gzip-9"], "n", "ascending"),
    ],
)
def it_sorts_the_table_by_address(client, archive, sort, order, column, aria):
    page = get(client, f"{Q}&control=off&sort={sort}")
    assert first_cells(page) == order
    assert {label: attributes.split('"')[-2] for label, attributes in heads(page).items() if "aria-sort" in attributes} == (
        {column: aria} if column else {}
    )


def it_lists_every_value_of_a_dimension_on_demand(client, archive):
    address = f"/compare/values?dimension=cpu&find=xe&{Q}&control=off"
    page = client.get(address).content.decode()
    assert f'href="/compare?{html.escape(Q)}&amp;control=off&amp;cpu=Xeon"' in page and "EPYC" not in page
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert 'name="cpu" value="Xeon"' in part and "<html" not in part
    assert client.get(f"/compare/values?dimension=nothing&{Q}").status_code == 404
    metrics = client.get("/compare/values?dimension=metric").content.decode()
    assert "/compare?metric=write.throughput" in metrics


def it_shows_the_map_where_nothing_passes(client):
    def records():
        for name in ("off", "lz4"):
            config = {"host": "a", "os.family": "Linux", "pool.compression": name}
            yield from making.file_records(f"{name}.csv", name, [1e8, 1.1e8, 1.2e8], config=config)

    making.archive(records=records(), public=True)
    page = get(client, f"{Q}&cpu=Nothing")
    assert "No run passes these choices" in page
    assert re.search(r"<strong>Compression</strong>: off, lz4, 3 runs each", page)


def it_has_one_row_of_actions(client, archive):
    page = get(client, f"{Q}&control=off")
    row = page.split('aria-label="Share and save"')[1].split("<section")[0]
    assert re.findall(r"<button[^>]*>([^<]*)</button>", row) == ["Copy link", "Freeze", "Download", "Embed"]
    assert 'data-copy="http://testserver/compare?metric=write.throughput' in row
    for name in ("compare.csv", "compare.json", "compare.svg", "compare.png"):
        assert f'href="/{name}?{html.escape(Q)}' in page
