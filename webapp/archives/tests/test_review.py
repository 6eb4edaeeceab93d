"""The review page: what is missing, what is stated, where it holds, and what it costs."""

from __future__ import annotations

import pytest
from django.urls import reverse

from webapp.jobs import tasks
from webapp.models import Measurement, Run, Statement
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


DD = b"256+0 records in\n256+0 records out\n2684354560 bytes (2.7 GB, 2.5 GiB) copied, 2.5 s, 1.1 GB/s\n"


def at(name, archive, *args):
    return reverse(f"archive-{name}", args=[archive.pk, *args])


@pytest.fixture
def archive(ann):
    return samples.received(samples.tar({"a/1.txt": samples.dd(2.5, 3), "b/2.txt": samples.dd(4)}), public=False)


def stating(client, archive, **data):
    response = client.post(at("state", archive), {name.replace("__", ":").replace("_dot_", "."): v for name, v in data.items()})
    tasks.ingest_archive(archive.pk)
    return response


def cores():
    return list(Run.objects.order_by("id").values_list("configuration__cpu_cores", flat=True))


def test_it_names_what_would_tell_what_is_missing(ann, archive):
    page = ann.get(at("review", archive)).text
    assert "<code>lscpu</code> would print CPU and Cores" in page
    assert 'name="key:cpu.model"' in page and "Publish" in page


def test_each_value_links_to_its_line(ann, archive):
    page = ann.get(at("review", archive)).text
    assert f'href="/archives/{archive.pk}/raw/a/1.txt#L2"' in page


def test_what_is_stated_is_carried_listed_and_undone(ann, archive):
    assert stating(ann, archive, key__cpu_dot_cores="8").url == at("review", archive) + "#stated"
    assert cores() == [8, 8, 8]
    page = ann.get(at("review", archive)).text
    assert "3 runs have a value entered by hand" in page and "by ann" in page
    ann.post(at("undo", archive, Statement.objects.get().pk))
    tasks.ingest_archive(archive.pk)
    assert cores() == [None] * 3
    assert "undone on" in ann.get(at("review", archive)).text


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"reach": "folder", "folder": "a"}, [8, 8, None]),
        ({"reach": "file", "file": "b/2.txt"}, [None, None, 8]),
    ],
)
def test_it_holds_where_it_was_said(ann, archive, where, expected):
    stating(ann, archive, key__cpu_dot_cores="8", **where)
    assert cores() == expected


def test_it_holds_for_the_runs_that_are_ticked(ann, archive):
    first, _, third = Run.objects.order_by("id").values_list("pk", flat=True)
    stating(ann, archive, key__cpu_dot_cores="8", reach="runs", run=[first, third])
    assert cores() == [8, None, 8]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"key:cpu.cores": "many"}, "“many” is not a whole number"),
        ({}, "Fill in at least one field"),
        ({"key:cpu.cores": "8", "reach": "folder", "folder": "c"}, "There is no folder “c”"),
        ({"key:cpu.cores": "8", "reach": "folder"}, "Choose the folder"),
        ({"key:cpu.cores": "8", "reach": "file", "file": "c"}, "There is no file “c”"),
        ({"key:cpu.cores": "8", "reach": "runs"}, "Tick the runs"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(ann, archive, data, sentence):
    response = ann.post(at("state", archive), data)
    assert response.status_code == 422 and sentence in response.text
    assert all(f'value="{text}"' in response.text for key, text in data.items() if key.startswith("key:"))
    assert not Statement.objects.exists()


def test_a_known_system_fills_in_the_hardware(ann, archive):
    known = {"cpu.model": "Xeon E3110", "cpu.cores": 2, "memory": 8 * 2**30, "arch": "x86_64"}
    making.archive(public=True, owner="bob", records=making.file_records("x", "x", [1.0], config=known))
    hidden = making.archive(owner="bob", records=making.file_records("y", "y", [1.0], config=known | {"cpu.model": "Secret 1"}))
    page = ann.get(at("review", archive)).text
    assert "Xeon E3110, 2 cores, 8\u00a0GiB" in page and "Secret 1" not in page
    system = Run.objects.get(archive__owner__username="bob", archive__published_at__isnull=False).configuration.system
    stating(ann, archive, system=system.pk)
    assert set(Run.objects.filter(archive=archive).values_list("configuration__system", flat=True)) == {system.pk}
    secret = Run.objects.get(archive=hidden).configuration.system
    assert "Fill in at least one field" in ann.post(at("state", archive), {"system": secret.pk}).text


def test_runs_of_which_nothing_is_told_are_listed_to_be_ticked(ann):
    records = making.file_records("x/y.txt", "x", [1.0, 2.0], config={"pool.compression": "lz4"})
    archive = making.archive(records=records)
    page = ann.get(at("review", archive)).text
    assert "The operating system, CPU and file system of 2 runs are unknown." in page and page.count('name="run"') == 2


def test_runs_of_a_configuration_can_be_chosen(ann, archive):
    assert 'name="run"' not in ann.get(at("review", archive)).text
    chosen = Run.objects.order_by("id")[0].configuration_id
    assert ann.get(at("review", archive), {"runs": chosen}).text.count('name="run"') == 3


def test_contradictions_are_named_with_the_way_to_both_lines(ann):
    two = {"uname-1.txt": f"{samples.UNAME}\n".encode(), "uname-2.txt": samples.UNAME.replace("6.1.0", "5.9.0").encode()}
    plain = samples.dd(2.5).split(b"\n", 2)[2]
    archive = samples.received(samples.tar({"dd.txt": plain, **two}), public=False)
    page = ann.get(at("review", archive)).text
    assert f'href="/archives/{archive.pk}/notes/conflict"' in page and "given two values" in page


def test_it_is_nobody_elses(client, archive):
    client.force_login(making.user("bob"))
    assert client.get(at("review", archive)).status_code == 404
    assert client.post(at("state", archive), {"key:cpu.cores": "8"}).status_code == 404
    client.logout()
    assert "/sign-in" in client.get(at("review", archive)).url


def test_while_it_is_read_it_asks_and_then_reloads(ann, archive):
    address = at("review", archive)
    ann.post(at("state", archive), {"key:cpu.cores": "8"})
    assert "every 1s" in ann.get(address).text
    assert "every 1s" in ann.get(address, {"progress": 1}, headers={"HX-Request": "true"}).text
    tasks.ingest_archive(archive.pk)
    assert ann.get(address, {"progress": 1}, headers={"HX-Request": "true"})["HX-Refresh"] == "true"


def test_an_archive_without_a_measurement_says_so(ann):
    assert "nothing to review" in ann.get(at("review", samples.received(b"hello\n", "hello.txt", public=False))).text


def test_five_thousand_measurements_cost_few_queries_and_little(ann, django_assert_max_num_queries):
    records = []
    for at_ in range(500):
        config = (
            {
                "os.family": "Linux",
                "host": f"node{at_:03}",
                "cpu.model": f"Xeon E5-{2600 + at_ % 40}",
                "fs.type": "zfs",
                "pool.compression": "lz4",
                "pool.recordsize": 2 ** (9 + at_ % 12),
            }
            if at_ % 5
            else {"pool.name": f"p{at_}"}
        )
        records += making.file_records(
            f"folder-{at_ % 50:02}/node-{at_:03}/results-of-the-run.txt", str(at_), [float(at_)] * 10, config=config
        )
    archive = making.archive(records=records)
    assert archive.measurements == 5000
    with django_assert_max_num_queries(24):
        page = ann.get(at("review", archive))
    assert len(page.content) < 300_000
    assert "More configurations" in page.text


def test_workload_parameters_are_entered_for_the_files_that_do_not_show_them(ann, archive):
    page = ann.get(at("review", archive)).text
    assert 'name="key:block_size"' in page and 'name="option"' in page
    stating(ann, archive, key__threads="2", option="dd.oflag", option_value="append", reach="folder", folder="a")
    runs = Run.objects.order_by("id")
    values = [Measurement.objects.of(run).first().workload.params for run in runs]
    assert [(params.get("threads"), params.get("dd.oflag")) for params in values] == [(2, "append"), (2, "append"), (None, None)]
    assert runs[0].config_from["threads"] == "stated" and runs[0].configuration.stated
    page = ann.get(at("review", archive)).text
    assert "Threads" in page and "2 runs have a value entered by hand" in page
    assert "stated" in ann.get(f"/runs/{runs[0].pk}").text


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("zero_buffers", "is no workload parameter"),
        ("dd.status", "is no workload parameter"),
        ("file_size", "“progress” is not a size"),
    ],
)
def test_what_is_no_workload_parameter_is_said(ann, archive, option, sentence):
    response = ann.post(at("state", archive), {"option": option, "option_value": "progress"})
    assert response.status_code == 422 and sentence in response.text and f'value="{option}"' in response.text


def test_an_output_that_several_commands_may_have_made_is_asked_about(ann):
    scripts = {"a.sh": b"dd if=/dev/zero of=/t/f bs=1M count=2560", "b.sh": b"dd if=/dev/zero of=/t/f bs=10M count=256"}
    asked = samples.received(samples.tar({**scripts, "out.txt": DD}), public=False)
    page = ann.get(at("review", asked)).text
    assert "Which was it?" in page and "b.sh:1 (block_size 10485760)" in page
