"""The preview of a statement agrees with what saving it does, and questions are asked before it is saved."""

from __future__ import annotations

import pytest
from django.urls import reverse

from ingest.records import ARCHIVE, FILE, FOLDER, RUNS
from webapp.archives import statement_preview, statements
from webapp.archives.statement_preview import ENTERED, KEPT, NEW, OTHER, SAME, UNDECIDED
from webapp.archives.statements import StatementScope
from webapp.jobs import tasks
from webapp.models import Run, Statement
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db

ZFS_GET = b"NAME  PROPERTY     VALUE  SOURCE\ntank  compression  lz4    local\n"
EXT4 = b"/dev/sda1 on /tank type ext4 (rw,relatime)\n"


def _plain(*seconds: float) -> bytes:
    """Runs of dd without uname."""
    return samples.dd(*seconds).split(b"\n", 2)[2]


def _received(files: dict[str, bytes]):
    return samples.received(samples.tar(files), public=False)


def _save(archive, typed, *scopes):
    statements.add_statements(archive.pk, archive.owner, typed, scopes or [StatementScope()], lambda pk: None)
    tasks.ingest_archive(archive.pk)
    archive.refresh_from_db()


def _preview(archive, typed, *scopes):
    return statement_preview.read_preview(archive, statements.normalise_values(typed), scopes or [StatementScope()])


def _carried(archive, column) -> dict[tuple[str, str], object]:
    rows = Run.objects.filter(archive=archive).values_list("file__path", "first_line", f"configuration__{column}")
    return {(path, line): value for path, line, value in rows}


ARCHIVE_WIDE = StatementScope(ARCHIVE)
CASES = {
    "unknown": ({"a.txt": _plain(2, 3)}, {"memory": "8 GiB"}, ARCHIVE_WIDE, {NEW: 2}),
    "own lines": ({"a/1.txt": samples.dd(2, 3), "b/2.txt": _plain(4)}, {"kernel": "5.4.0"}, ARCHIVE_WIDE, {KEPT: 2, OTHER: 1}),
    "own lines, file": ({"a/1.txt": samples.dd(2, 3)}, {"kernel": "5.4.0"}, StatementScope(FILE, "a/1.txt"), {KEPT: 2}),
    "own lines, runs": ({"a/1.txt": samples.dd(2, 3)}, {"kernel": "5.4.0"}, StatementScope(RUNS, "a/1.txt", (6,)), {OTHER: 1}),
    "root folder": ({"dd.txt": _plain(2), "zfs-get.txt": ZFS_GET}, {"pool.compression": "off"}, ARCHIVE_WIDE, {OTHER: 1}),
    "equal": ({"dd.txt": _plain(2), "zfs-get.txt": ZFS_GET}, {"pool.compression": "lz4"}, ARCHIVE_WIDE, {SAME: 1}),
    "nearer folder": ({"x/dd.txt": _plain(2), "x/zfs-get.txt": ZFS_GET}, {"pool.compression": "off"}, ARCHIVE_WIDE, {KEPT: 1}),
    "folder": (
        {"x/dd.txt": _plain(2), "x/zfs-get.txt": ZFS_GET},
        {"pool.compression": "off"},
        StatementScope(FOLDER, "x"),
        {OTHER: 1},
    ),
    "name of the file": ({"dd-gzip-6.txt": _plain(2)}, {"pool.compression": "off"}, ARCHIVE_WIDE, {KEPT: 1}),
    "name, file": ({"dd-gzip-6.txt": _plain(2)}, {"pool.compression": "off"}, StatementScope(FILE, "dd-gzip-6.txt"), {OTHER: 1}),
    "implied": ({"dd.txt": _plain(2), "mount.txt": EXT4}, {"pool.compression": "lz4"}, ARCHIVE_WIDE, {OTHER: 1}),
}


@pytest.mark.parametrize(("files", "typed", "scope", "counts"), CASES.values(), ids=CASES)
def test_it_agrees_with_what_saving_does(ann, files, typed, scope, counts):
    archive = _received(files)
    preview, ((name, value),) = _preview(archive, typed, scope), statements.normalise_values(typed).items()
    assert preview.keys[0].counts == counts
    column = name.replace(".", "_")
    before = _carried(archive, column)
    _save(archive, typed, scope)
    after = _carried(archive, column)
    changed = [run for run, present in after.items() if present != before[run]]
    assert all(after[run] == value for run in changed)
    assert preview.runs == len(changed) == counts.get(NEW, 0) + counts.get(OTHER, 0)


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        (StatementScope(FILE, "a/1.txt"), ARCHIVE_WIDE, {ENTERED: 2, NEW: 1}),
        (StatementScope(FILE, "a/1.txt"), StatementScope(FOLDER, "a"), {ENTERED: 2}),
        (StatementScope(FOLDER, "a"), StatementScope(FILE, "a/1.txt"), {OTHER: 2}),
        (StatementScope(RUNS, "a/1.txt", (4,)), StatementScope(FILE, "a/1.txt"), {ENTERED: 1, NEW: 1}),
        (ARCHIVE_WIDE, ARCHIVE_WIDE, {OTHER: 3}),
    ],
)
def test_what_was_entered_for_fewer_runs_stays(ann, first, second, counts):
    archive = _received({"a/1.txt": _plain(2.5, 3), "b/2.txt": _plain(4)})
    line = Run.objects.order_by("id").values_list("first_line", flat=True)[0]
    first = StatementScope(RUNS, first.path, (int(line),)) if first.reach == RUNS else first
    _save(archive, {"cpu.cores": "4"}, first)
    preview = _preview(archive, {"cpu.cores": "8"}, second)
    assert preview.keys[0].counts == counts
    before = _carried(archive, "cpu_cores")
    _save(archive, {"cpu.cores": "8"}, second)
    after = _carried(archive, "cpu_cores")
    assert preview.runs == sum(after[run] != before[run] for run in after)


def test_values_of_another_file_system_than_that_of_the_runs_are_not_promised(ann):
    archive = _received({"x/dd.txt": _plain(2), "x/mount.txt": EXT4})
    typed = {"fs.type": "zfs", "pool.sync": "always"}
    preview = _preview(archive, typed)
    assert [key.counts for key in preview.keys] == [{KEPT: 1}, {KEPT: 1}] and preview.runs == 0
    _save(archive, typed)
    assert set(_carried(archive, "fs_type").values()) == {"ext4"} and set(_carried(archive, "pool_sync").values()) == {None}


def test_evidence_of_which_the_nearness_is_not_stored_promises_nothing(ann):
    archive = _received({"dd.txt": _plain(2), "sysinfo/zfs-get.txt": ZFS_GET})
    preview = _preview(archive, {"pool.compression": "off"})
    assert preview.keys[0].counts == {UNDECIDED: 1} and preview.runs == 0


def test_the_configurations_and_metrics_of_the_changed_runs_are_counted(ann):
    archive = _received({"a/1.txt": samples.dd(2, 3), "b/2.txt": _plain(4)})
    runs = Run.objects.filter(archive=archive)
    preview = _preview(archive, {"memory": "8 GiB"})
    assert (preview.runs, preview.configurations) == (3, len(set(runs.values_list("configuration", flat=True))))
    assert preview.metrics >= 1 and not preview.is_bound


@pytest.mark.parametrize("files", [2, 120])
def test_it_asks_at_most_nine_times(ann, files, django_assert_max_num_queries):
    records = []
    for n in range(files):
        records += making.file_records(f"{n:04}.txt", str(n), [1.0, 2.0], config={"memory": 2**30 * (n + 1)})
    archive = making.archive(records=records)
    with django_assert_max_num_queries(9):
        assert _preview(archive, {"cpu.cores": "8"}).runs == 2 * files


# --- the form ----------------------------------------------------------------------------------------------------
@pytest.fixture
def on_ext4(ann):
    return _received({"dd.txt": _plain(2, 3), "mount.txt": EXT4})


def _post(client, archive, **data):
    return client.post(reverse("archive-state", args=[archive.pk]), data.pop("data") | data)


def test_show_saves_nothing_and_keeps_what_was_typed(ann, on_ext4):
    page = _post(ann, on_ext4, data={"key:cpu.cores": "8"}, do="show")
    assert page.status_code == 200 and not Statement.objects.exists()
    assert "Changes 2 runs on 1 configuration, in the figures of " in page.text and "2 runs, where it was unknown." in page.text
    assert 'value="8"' in page.text and "nevertheless" not in page.text
    assert _post(ann, on_ext4, data={"key:cpu.cores": "8"}, do="save").status_code == 302
    assert Statement.objects.get().value == 8


def test_runs_that_keep_what_their_files_say_are_counted(ann):
    archive = _received({"a/1.txt": samples.dd(2, 3)})
    page = _post(ann, archive, data={"key:kernel": "5.4.0"}, do="show").text
    assert "Changes no run." in page and "2 runs keep what their files say" in page


def test_ticked_runs_stay_ticked(ann, on_ext4):
    run = Run.objects.order_by("id")[0]
    page = _post(ann, on_ext4, data={"key:cpu.cores": "8", "reach": "runs", "run": [run.pk]}, do="show").text
    assert "Changes 1 run on" in page and f'name="run" value="{run.pk}" checked' in page


def test_a_statement_that_cannot_be_is_saved_only_when_confirmed(ann, on_ext4):
    data = {"key:pool.compression": "lz4"}
    for do, status in (("show", 200), ("save", 422)):
        page = _post(ann, on_ext4, data=data, do=do)
        assert page.status_code == status and not Statement.objects.exists()
        assert "ext4 cannot compress. Is the file system right?" in page.text and "Save anyway" in page.text
    assert _post(ann, on_ext4, data=data, do="save", confirmed="Something else.").status_code == 422
    question = page.context["preview"].questions[0]
    assert _post(ann, on_ext4, data=data, do="save", confirmed=question).status_code == 302
    assert Statement.objects.get().value == "lz4"


def test_several_questions_are_confirmed_at_once(ann, on_ext4):
    data = {"key:pool.compression": "lz4", "key:pool.ashift": "12"}
    questions = _post(ann, on_ext4, data=data, do="save").context["preview"].questions
    assert len(questions) == 2
    assert _post(ann, on_ext4, data=data, do="save", confirmed="\r\n".join(questions)).status_code == 302


def test_a_value_that_the_runs_do_not_take_is_no_question(ann):
    archive = _received({"x/dd.txt": _plain(2), "x/zfs-get.txt": ZFS_GET})
    assert _preview(archive, {"pool.compression": "zlib-3"}).questions == []


def test_a_link_to_the_form_leads_to_the_page(ann, on_ext4):
    address = reverse("archive-state", args=[on_ext4.pk])
    assert ann.get(address, {"runs": "1"}).url == reverse("archive-review", args=[on_ext4.pk]) + "?runs=1"


def test_the_shown_page_asks_at_most_thirty_times(ann, on_ext4, django_assert_max_num_queries):
    with django_assert_max_num_queries(30):
        _post(ann, on_ext4, data={"key:pool.compression": "lz4"}, do="show")
