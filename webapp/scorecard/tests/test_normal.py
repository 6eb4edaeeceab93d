"""Where a side lies among all public systems."""

from __future__ import annotations

import pytest

from webapp.models import Run
from webapp.tests import making

pytestmark = pytest.mark.django_db
HOST = {"host": "stor01", "cpu.model": "Xeon 0", "cpu.cores": 2, "memory": 2**33, "arch": "x86_64"}


def system(number, value, *, params=None, public=True, metric="write.throughput", n=3):
    config = HOST | {"host": f"stor{number:02}", "cpu.model": f"Xeon {number}"}
    params = {"file_size": 2**30} if params is None else params
    records = making.file_records("w.txt", f"{number} {value}", [value] * n, metric=metric, params=params, config=config)
    return making.archive(public=public, records=records).pk


def standing(client, archive, **more):
    [found] = client.get("/normal.json", {"archive": archive} | more).json()["standings"]
    return found


@pytest.mark.parametrize(("metric", "rank"), [("write.throughput", 2), ("write.elapsed", 3)])
def test_the_best_is_first_by_the_direction_of_the_metric(client, metric, rank):
    mine = system(1, 20.0, metric=metric)
    for number, value in ((2, 10.0), (3, 15.0), (4, 30.0)):
        system(number, value, metric=metric)
    found = standing(client, mine)
    assert (found["rank"], found["of"], found["value"]) == (rank, 4, 20.0)
    assert "of 4 systems" in client.get("/normal", {"archive": mine}).text


def test_only_near_workloads_count(client):
    mine = system(1, 20.0)
    near = [{"file_size": 2**31}, {"file_size": 2**29}, {"file_size": 2**30, "tool": "x"}]
    far = [{"file_size": 2**33}, {"file_size": 2**30, "direct": "on"}, {"file_size": 2**30, "fsync": "on"}, {"file_size": None}]
    for number, params in enumerate([*near, *far], 2):
        system(number, 10.0 * number, params={name: value for name, value in params.items() if name != "tool" and value})
    assert standing(client, mine)["of"] == 1 + len(near)


def test_a_system_has_one_value_and_never_stands_beside_itself(client):
    mine = system(1, 20.0)
    system(1, 40.0)  # the same hardware in another archive
    system(2, 10.0)
    system(2, 50.0, n=5)
    found = standing(client, mine)
    assert [(other["value"], other["n"]) for other in found["systems"]] == [(50.0, 8)]


def test_private_systems_of_others_are_not_among_them(client):
    mine = system(1, 20.0)
    system(2, 10.0, public=False)
    assert standing(client, mine)["of"] == 1
    assert "No other public system" in client.get("/normal", {"archive": mine}).text


def test_quartiles_from_twenty_systems_on(client):
    mine = system(1, 20.0)
    for number in range(2, 20):
        system(number, float(number))
    assert standing(client, mine)["quartiles"] is None
    system(20, 1.0)
    low, middle, high = standing(client, mine)["quartiles"]
    assert low < middle < high


def test_filters_narrow_the_systems_beside_it(client):
    mine = system(1, 20.0)
    system(2, 10.0), system(3, 10.0)
    assert standing(client, mine, cpu="Xeon 3")["of"] == 2


@pytest.mark.parametrize("query", ["", "?a=x", "?archive=99999", "?a=host:nowhere"])
def test_what_names_nothing_is_said(client, query):
    answer = client.get(f"/normal{query}")
    assert answer.status_code == 404 and 'role="alert"' in answer.text


@pytest.mark.parametrize(("others", "said"), [(0, "(no others)"), (2, "(2 others)"), (3, "2nd of 4 systems")])
@pytest.mark.parametrize("page", ["archive", "run", "system"])
def test_pages_say_where_they_lie_from_three_near_systems_on(client, page, others, said):
    mine = system(1, 20.0)
    for number, value in ((2, 10.0), (3, 15.0), (4, 30.0))[-others:] if others else ():
        system(number, value)
    run = Run.objects.filter(archive=mine)[0]
    pages = {"archive": f"/archives/{mine}", "run": f"/runs/{run.pk}", "system": f"/systems/{run.configuration.system_id}"}
    text = client.get(pages[page]).text
    assert said in text
    assert text.count('class="runs-b"') == (others if others > 2 else 0)


def test_a_run_lies_where_its_own_value_does(client):
    records = making.file_records("w.txt", "x", [5.0, 50.0], params={"file_size": 2**30}, config=HOST)
    mine = making.archive(public=True, records=records)
    for number in (2, 3, 4):
        system(number, 10.0 * number)
    places = [client.get(f"/runs/{run.pk}").text for run in Run.objects.filter(archive=mine).order_by("pk")]
    assert "4th of 4 systems" in places[0] and "1st of 4 systems" in places[1]


def test_machines_of_unknown_hardware_are_systems_of_their_own(client):
    for number in range(1, 6):
        records = making.file_records(
            "w.txt", f"{number}", [float(number)], params={"file_size": 2**30}, config={"host": f"site{number}"}
        )
        mine = making.archive(public=True, records=records).pk
    assert standing(client, mine)["of"] == 5
