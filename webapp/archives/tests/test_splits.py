"""The keys that tell an archive's configurations apart on its review page, and the buttons that join configurations."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from webapp.archives import splits, statements
from webapp.archives.statements import StatementScope
from webapp.jobs import tasks
from webapp.models import Configuration, Run, Statement
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db

MOUNT = "/dev/sda2 /mnt/b ext4 rw,noatime{} 0 0"
DD = samples.dd(2.5).split(b"\n", 3)[3]  # without prompts and commands
RUN = "root@tank:~# {}\n{}root@tank:~# dd if=/dev/zero of=/mnt/b/f bs=1M count=1024\n"


def transcript(command: str, output: str, second: float) -> bytes:
    text = RUN.format(command, f"{output}\n") + "1024+0 records in\n1024+0 records out\n"
    return f"{text}1073741824 bytes (1.1 GB, 1.0 GiB) copied, {second} s, {1074 / second:.0f} MB/s\n".encode()


def uploaded(*outputs: tuple[str, str]):
    files = {f"run{at}.txt": transcript(*output, 2.5 + at / 100) for at, output in enumerate(outputs)}
    return samples.received(samples.tar(files), public=False)


def review(client, archive) -> str:
    page = client.get(reverse("archive-review", args=[archive.pk]))
    assert page.status_code == 200
    return page.text


def join(client, archive, **data) -> None:
    assert client.post(reverse("archive-join", args=[archive.pk]), data).status_code == 302
    tasks.ingest_archive(archive.pk)


def configurations() -> set[int]:
    return set(Run.objects.values_list("configuration", flat=True))


def made(*configs: dict, **more):
    """An archive of records with these configurations, a file each."""
    records = [
        record
        for at, config in enumerate(configs)
        for record in making.file_records(f"{at}", f"{at}", [1.0], config=config, **more)
    ]
    return making.archive(records=records)


BASE = {"os.family": "Linux", "fs.type": "zfs"}


@pytest.mark.parametrize(
    ("configs", "keys", "pairs"),
    [
        pytest.param([{}, {"mount.discard": "on"}], {"mount.discard"}, 1, id="open key, unknown on one side"),
        pytest.param([{"zfs.logbias": "latency"}, {"zfs.logbias": "throughput"}], {"zfs.logbias"}, 1, id="open key, two values"),
        pytest.param([{}, {"pool.layout": "raidz2(6)"}], {"pool.layout"}, 1, id="core key, unknown on one side"),
        pytest.param([{}, {"pool.name": "tank"}], {"pool.name"}, 1, id="name"),
        pytest.param([{"kernel": "6.1"}, {"kernel": "6.12"}], {"kernel"}, 1, id="core key, two values"),
        pytest.param(
            [{}, {"zfs.xattr": "sa", "zfs.checksum": "on", "pool.sync": "off"}],
            {"zfs.xattr", "zfs.checksum", "pool.sync"},
            1,
            id="keys that differ together",
        ),
        pytest.param([{}, {"zfs.xattr": "sa"}, {"zfs.logbias": "latency"}], {"zfs.xattr", "zfs.logbias"}, 2, id="one each"),
        pytest.param(
            [{"zfs.xattr": "sa", "zfs.logbias": "latency"}, {"zfs.logbias": "x"}],
            {"zfs.xattr", "zfs.logbias"},
            1,
            id="two keys of one pair",
        ),
        pytest.param([{}], set(), 0, id="one configuration"),
    ],
)
def test_every_key_that_splits_is_listed_with_buttons(ann, configs, keys, pairs):
    archive = made(*(BASE | config for config in configs))
    found = splits.read_splits(archive)
    listed = [*found.doubtful, *found.intended]
    assert {key.name for split in listed for key, _ in split.keys} == keys
    assert sum(len(split.pairs) for split in listed) == pairs
    page = review(ann, archive)
    assert set(re.findall(r'name="key" value="([^"]+)"', page)) == keys
    for pair in (pair for split in listed for pair in split.pairs):
        assert f"No. {pair[0]} and No. {pair[1]} differ only in" in page


def test_what_a_person_set_splits_though_its_value_is_equal(ann):
    records = [
        *making.file_records("a", "a", [1.0], config=BASE | {"zfs.logbias": "latency"}),
        *making.file_records("b", "b", [1.0], config=BASE | {"zfs.logbias": "latency"}, chosen=frozenset({"zfs.logbias"})),
    ]
    archive = making.archive(records=records)
    [split] = splits.read_splits(archive).intended
    assert split.reason == "a person set it" and len(split.pairs) == 1
    assert "(set)" in review(ann, archive)


def test_states_that_vary_are_listed_and_split_nothing(ann):
    archive = made(BASE | {"state.capacity": 10}, BASE | {"state.capacity": 85})
    found = splits.read_splits(archive)
    assert [key.name for split in found.of_state for key, _ in split.keys] == ["state.capacity"] and len(found.alike) == 0
    assert not found.doubtful and not found.intended
    assert archive.configurations == 1


@pytest.mark.parametrize(
    ("key", "values", "shown"),
    [
        ("state.load", ["9.50", "10.25", "1.5", "2", "3", "4", "5"], ["1.5 to 10.25"]),
        ("state.capacity", [85, 9, 10], ["9 %", "10 %", "85 %"]),
        ("state.trim", ["yes", "no"], ["no", "yes"]),
    ],
)
def test_states_are_in_order_and_many_numbers_are_a_span(key, values, shown):
    archive = made(*(BASE | {key: value} for value in values))
    [split] = splits.read_splits(archive).of_state
    assert [value.cell.text.removesuffix(" %") for value in split.keys[0][1]] == [text.removesuffix(" %") for text in shown]


def test_two_that_differ_in_a_misread_name_and_what_follows_are_joined_and_parted_at_once(ann):
    """`gzip` of a file's name; whether there is deduplication is then unknown for it."""
    archive = made(BASE | {"pool.compression": "off", "pool.dedup": "off"}, BASE | {"pool.compression": "gzip-6"})
    [split] = [one for one in splits.read_splits(archive).intended if one.keys[0][0].name == "pool.compression"]
    [pair] = split.pairs
    assert [key.name for key in pair.keys] == ["pool.compression", "pool.dedup"]
    first, second = sorted((pair.first, pair.second))
    page = review(ann, archive)
    assert f"No. {first} and No. {second} differ only in Compression, Deduplication:" in page
    data = {"key": [key.name for key in pair.keys], "configuration": [first, second]}
    assert ann.post(reverse("archive-join", args=[archive.pk]), data).status_code == 302
    assert Statement.objects.count() == 4
    page = review(ann, archive)
    assert len(re.findall(r"/undo/", page)) == 1 and "Compression, Deduplication</th>" in page and "2 runs in 2 files" in page
    text = ann.post(reverse("archive-undo", args=[archive.pk, Statement.objects.first().pk]), follow=True).text
    assert "Compression, Deduplication are no longer ignored by hand." in text and not Statement.objects.filter(undone_at=None)


def test_the_table_of_configurations_is_in_order_and_shows_what_one_side_alone_has(ann):
    archive = made(
        *(BASE | {"pool.compression": name} | more for name in ("zstd-3", "lz4", "off") for more in ({"zfs.xattr": "sa"}, {}))
    )
    table = review(ann, archive).partition('aria-label="Configurations"')[2].partition("</table>")[0]
    rows = [re.findall(r">([^<>]+)</(?:a|span|td)>", row)[2:4] for row in table.split("<tr>")[2:]]
    assert "zfs.xattr</th>" in table
    assert rows == [[name, xattr] for name in ("off", "lz4", "zstd-3") for xattr in ("sa", "unknown")]


def test_pairs_come_before_keys_that_never_differ_alone_and_planned_axes_come_last(ann):
    labels = {"fs.type": "xfs"}, {"fs.type": "ext4"}
    archive = made(
        *(BASE | label for label in labels),
        BASE | labels[0] | {"mount.discard": "on"},
        BASE | labels[1] | {"zfs.xattr": "sa", "mount.discard": "on"},
        BASE | labels[1] | {"zfs.xattr": "sa"},
    )
    found = splits.read_splits(archive)
    assert [split.keys[0][0].name for split in found.intended] == ["fs.type"]
    assert {split.keys[0][0].name for split in found.doubtful} == {"mount.discard", "zfs.xattr"}
    page = review(ann, archive)
    assert page.index("May be chance") < page.index("mount.discard</h4>") < page.index("Looks intended")


def test_what_varies_with_the_day_is_not_taken_for_what_follows_from_a_plan():
    """A kernel of its own for each session explains no option of one session's root."""
    archive = made(
        *(
            BASE | {"fs.type": fs, "kernel": kernel} | option
            for kernel, options in (("6.1", {"mount.discard": "on"}), ("6.12", {}))
            for fs, option in (("ext4", options), ("xfs", {}))
        )
    )
    assert [split.keys[0][0].name for split in splits.read_splits(archive).doubtful] == ["mount.discard"]


def test_configurations_that_differ_in_no_key_are_explained(ann):
    records = [record for at in range(2) for record in making.file_records(f"{at}", f"{at}", [1.0], config=BASE)]
    records[-3].config_from = records[-3].config_from | {"fs.type": "stated"}
    archive = making.archive(records=records)
    [numbers] = splits.read_splits(archive).alike
    assert len(numbers) == 2 and "differ in no key" in review(ann, archive)


def test_two_that_differ_in_what_was_read_of_another_mount_are_joined_and_parted_again(ann):
    archive = uploaded(("cat /proc/mounts", MOUNT.format("")), ("cat /proc/mounts", MOUNT.format(",discard")))
    first, second = sorted(configurations())
    page = review(ann, archive)
    assert f"No. {first} and No. {second} differ only in mount.discard" in page and MOUNT.format(",discard") in page
    join(ann, archive, key="mount.discard", configuration=[first, second])
    [joined] = configurations()
    assert "mount.discard" not in Configuration.objects.get(pk=joined).known and Configuration.objects.get(pk=joined).stated
    assert set(Statement.objects.values_list("key", "value", "raw", "reach")) == {("mount.discard", None, "ignored", "runs")}
    page = review(ann, archive)
    assert "What tells the configurations apart" not in page and "ignored" in page
    join(ann, archive, key="mount.discard", configuration=[joined])
    assert Statement.objects.count() == 2  # in force already
    assert len(re.findall(r"/undo/", page)) == 1 and "2 runs in 2 files" in page
    text = ann.post(reverse("archive-undo", args=[archive.pk, Statement.objects.last().pk]), follow=True).text
    assert "mount.discard is no longer ignored by hand." in text and not Statement.objects.filter(undone_at=None)
    tasks.ingest_archive(archive.pk)
    assert configurations() == {first, second}


@pytest.mark.parametrize(("like", "value"), [(0, None), (1, "on")])
def test_both_become_like_one_of_them(ann, like, value):
    archive = uploaded(("cat /proc/mounts", MOUNT.format("")), ("cat /proc/mounts", MOUNT.format(",discard")))
    pair = [Run.objects.get(file__path=f"run{at}.txt").configuration_id for at in (0, 1)]
    join(ann, archive, key="mount.discard", configuration=pair, **{"as": pair[like]})
    [joined] = configurations()
    assert Configuration.objects.get(pk=joined).known.get("mount.discard") == value


def test_a_core_key_is_given_to_the_side_that_lacks_it(ann):
    archive = uploaded(("uname -r", "6.1.0-13-amd64"), ("cat /proc/mounts", MOUNT.format("")))
    known, unknown = (Run.objects.get(file__path=f"run{at}.txt").configuration_id for at in (1, 0))
    keys = Configuration.objects.get(pk=known).known.keys() | Configuration.objects.get(pk=unknown).known.keys()
    join(ann, archive, key=sorted(keys), configuration=[known, unknown], **{"as": known})
    [joined] = configurations()
    assert Configuration.objects.get(pk=joined).fs_type == "ext4"


def test_a_key_is_ignored_in_the_whole_archive_whatever_stands_nearer(ann):
    archive = uploaded(*(("cat /proc/mounts", MOUNT.format(option)) for option in ("", ",discard", ",discard,data=journal")))
    join(ann, archive, key="mount.discard")
    assert len(configurations()) == 2
    assert not any("mount.discard" in one.known for one in Configuration.objects.filter(pk__in=configurations()))
    [file] = archive.files.filter(path="run1.txt")
    statements.add_statements(
        archive.pk, making.user(), {"mount.discard": "on"}, [StatementScope("file", file.path)], send=lambda pk: None
    )
    tasks.ingest_archive(archive.pk)
    values = {
        run.file.path: run.configuration.known.get("mount.discard") for run in Run.objects.select_related("configuration__open")
    }
    assert values == {"run0.txt": None, "run1.txt": "on", "run2.txt": None}


@pytest.mark.parametrize("data", [{}, {"key": "no.such"}, {"key": "kernel", "configuration": "999999"}])
def test_what_is_not_there_is_not_joined(ann, data):
    archive = made(BASE, BASE | {"kernel": "6.1"})
    page = ann.post(reverse("archive-join", args=[archive.pk]), data, follow=True).text
    assert "The archive was read again in the meantime" in page and not Statement.objects.exists()


def test_strangers_join_nothing(client):
    archive = made(BASE, BASE | {"kernel": "6.1"})
    client.force_login(making.user("bob"))
    assert client.post(reverse("archive-join", args=[archive.pk]), {"key": "kernel"}).status_code == 404
