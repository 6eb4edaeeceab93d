"""The review of an archive by its owner: configurations, missing keys, statements and their history."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from operator import attrgetter

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ingest import keys
from ingest.records import ARCHIVE, FILE, FOLDER, RUNS, TAKE
from webapp.archives import hosts, numbered_offers, review_files, splits, statement_preview, statements, takes
from webapp.archives import review as reviewing
from webapp.archives.statement_preview import Preview
from webapp.archives.statements import InvalidStatement, StatementScope
from webapp.formatting.numbers import count
from webapp.http.pagination import paginate
from webapp.jobs.tasks import send_archive
from webapp.models import Archive, Note, Statement
from webapp.storage import archive_rows, load
from webapp.systems import disagreements
from webapp.views.archives.archive_page import add_note_address, get_archive, sort_key

_HISTORY = 200  # statements, of which those that were saved together are one row
_TITLE, _DESCRIPTION = 200, 300  # characters
_DISAGREEMENTS, _OFFERS = 50, 20  # listed
_OF_HOSTS, _OF_MACHINES = "of hosts", "of machines"  # keys of an error in the table of hosts, in the list of machines
_SHOW = "show"  # of the two buttons of the form the one that saves nothing
_BUSY = (Archive.State.RECEIVED, Archive.State.READING)


def get_own_archive(request, pk) -> Archive:
    """The reader's own archive. Raises Http404."""
    return get_archive(request, pk, Archive.objects.owned_by(request.user).select_related("owner"))


@login_required
@require_safe
def review(request, pk):
    """The review page; during ingest, htmx polls every second and reloads the page at the end."""
    archive = get_own_archive(request, pk)
    if request.headers.get("HX-Request") and request.GET.get("progress"):
        if archive.state in _BUSY:
            look = {"ask": _progress_address(archive), "look": request.path}
            return render(request, "archives/_progress.html", {"archive": archive, **look})
        return HttpResponse(headers={"HX-Refresh": "true"})
    return _page(request, archive)


def _progress_address(archive: Archive) -> str:
    return reverse("archive-review", args=[archive.pk]) + "?progress=1"


def _page(
    request,
    archive: Archive,
    typed: dict | None = None,
    errors: dict | None = None,
    status: int = 200,
    preview: Preview | None = None,
):
    """The page; `typed`, `errors`: of a form that is shown again, `preview`: what saving it would change."""
    archive_profile, after = archive_rows.read_profile(archive), request.GET.get("configurations")
    rows, further = reviewing.read_configuration_page(archive, after, reviewing.CONFIGURATIONS_PER_PAGE)
    machine_names = hosts.count_machine_names(archive)
    found = splits.read_splits(archive) if archive_profile.configurations > 1 else None
    columns, alike = reviewing.lay_out_configurations(rows, [*archive_profile.differing_keys, *(found.alone if found else ())])
    if not further and not after:
        rows.sort(key=lambda row: sort_key(row.configuration, columns))
    facts = {
        "archive": archive,
        "busy": archive.state in _BUSY,
        "ask": _progress_address(archive),
        "look": reverse("archive-review", args=[archive.pk]),
        "complete": reviewing.archive_completeness(archive_profile),
        "rows": rows,
        "columns": columns,
        "alike": alike,
        "splits": found,
        "offers": _list_offers(archive, archive_profile.notes),
        "total": archive_profile.configurations,
        "rows_further": further,
        "rows_after": bool(after),
        **(runs := _runs(request, archive, archive_profile.unplaced_runs)),
        **_form(request, archive, archive_profile, typed or ({"reach": RUNS} if runs["of"] else {}), errors or {}, runs["of"]),
        "preview": preview,
        "chosen_runs": reviewing.read_chosen_runs(archive, map(_number, request.POST.getlist("run"))),
        **_history(archive, request.GET.get("statements"), archive_profile.stated),
        "taken_labels": numbered_offers.read_taken(archive, archive_profile.notes),
        "label_offers": numbered_offers.read_offers(archive, archive_profile.notes),
        "hosts": hosts.read_hosts(archive, archive_profile),
        "host_table": hosts.read_table(archive, reviewing.archive_missing_keys(archive_profile), typed or {}),
        "wrong_host": (errors or {}).get(_OF_HOSTS, ""),
        "wrong_machine": (errors or {}).get(_OF_MACHINES, ""),
        "machines": hosts.read_machines(archive, machine_names),
        "machine_names": machine_names,
        "files_review": _files(request, archive) if rows else None,
        "disagreements": _disagreements(archive, archive_profile),
        "conflicts": archive_profile.notes.get("conflict", 0),
    }
    return render(request, "archives/review.html", facts, status=status)


def _files(request, archive: Archive) -> review_files.FileReview | None:
    """The files by host; None where there are too many runs to group them for a page."""
    return review_files.read_files(archive, _number(request.GET.get("files")) or 0) if review_files.are_few_runs(archive) else None


def _list_offers(archive: Archive, counts: Mapping[str, int]) -> list[Note]:
    """The first warnings whose content can be taken. No query without any."""
    found = archive.notes.filter(code__in=takes.BUTTONS).exclude(line="").order_by("code", "id")
    return [add_note_address(archive, note) for note in found[:_OFFERS]] if counts.keys() & takes.BUTTONS.keys() else []


def _disagreements(archive: Archive, archive_profile: archive_rows.ArchiveProfile) -> list[disagreements.Disagreement]:
    return disagreements.read_disagreements(archive, _DISAGREEMENTS) if archive_profile.notes.get(disagreements.CODE) else []


def _runs(request, archive, unplaced: int) -> dict:
    """Runs to choose from: those of the chosen configuration, else those without a configuration."""
    chosen = _number(request.GET.get("runs"))
    row = reviewing.find_configuration(archive, chosen) if chosen else None
    configuration = row.configuration.pk if row else None
    runs, further = reviewing.read_run_page(archive, configuration, request.GET.get("after")) if row or unplaced else ([], None)
    return {"runs": runs, "further": further, "of": row, "lost_runs": unplaced}


def _form(request, archive, archive_profile, typed: dict, errors: dict, chosen: object) -> dict:
    """A field for each key: missing ones first, the others collapsed but where a configuration is `chosen` to be corrected."""
    missing = reviewing.archive_missing_keys(archive_profile)
    known, systems = reviewing.suggest_values(request.user, keys.KEYS)
    fields = [
        {"key": key, "known": known[key.name], "value": typed.get(key.name, ""), "error": errors.get(key.name, "")}
        for key in keys.KEYS.values()
    ]
    folders, files = reviewing.list_statement_paths(archive)
    return {
        "fields": [f for f in fields if f["key"].name in missing],
        "others": [f for f in fields if f["key"].name not in missing],
        "open": bool(chosen) or any(f["error"] or f["value"] for f in fields if f["key"].name not in missing),
        "systems": systems,
        "folders": folders,
        "files": files,
        "typed": typed,
        "params": [_param_field(name, typed, errors) for name in reviewing.STATED_PARAMS],
        "params_open": any(typed.get(name) or errors.get(name) for name in (*reviewing.STATED_PARAMS, "option")),
        "unlike_commands": reviewing.read_unlike_commands(archive, archive_profile.notes),
        "wrong": [text for key, text in errors.items() if key not in (_OF_HOSTS, _OF_MACHINES)],
    }


def _param_field(name: str, typed: Mapping[str, str], errors: Mapping[str, str]) -> dict:
    return {"key": keys.PARAMS[name], "value": typed.get(name, ""), "error": errors.get(name, "")}


def _history(archive: Archive, after: str | None, runs: Mapping[str, int]) -> dict:
    """The latest statements; in effect are those neither undone nor superseded by a later one for the same key and scope."""
    later = Statement.objects.filter(
        archive=archive.pk,
        undone_at__isnull=True,
        pk__gt=OuterRef("pk"),
        **{name: OuterRef(name) for name in ("key", "reach", "path", "lines")},
    )
    made = archive.statements.select_related("made_by", "undone_by").annotate(followed=Exists(later))
    rows, further = paginate(made, after, ("id",), _HISTORY)
    for row in rows:
        row.label, row.carried, row.where = reviewing.definition_of(row.key).label, runs.get(row.key, 0), _where(row)
        row.carried = None if row.key in (TAKE, hosts.MACHINE) else row.carried
        row.holds = row.undone_at is None and not row.followed
    rows.sort(key=lambda row: (row.made_at, row.value is None, row.value is not None and row.key), reverse=True)
    same = attrgetter("raw", "made_at", "holds", "undone_at")
    groups = groupby(rows, lambda row: (row.value is not None and row.key, same(row)))
    rows = [_put_together(list(group)) for _, group in groups]
    return {
        "holding": [row for row in rows if row.holds],
        "past": [row for row in rows if not row.holds],
        "statements_further": further,
        "statements_after": bool(after and rows),
    }


def _put_together(rows: list):
    """One row for what was saved at once for several files, which is undone at once."""
    places = {row.where: row for row in rows}
    rows[0].label = ", ".join(dict.fromkeys(row.label for row in reversed(rows)))
    if len(places) > 1:
        runs, more = sum(len(row.lines) for row in places.values()), count(len(places) - 1)
        rows[0].where = f"{count(runs)} runs in {count(len(places))} files" if runs else f"{rows[0].where} and {more} more"
    return rows[0]


def _where(row: Statement) -> str:
    if row.key == hosts.MACHINE:
        return f"host {row.path}" if row.path else "runs whose host has no name of its own"
    if row.reach == ARCHIVE:
        return "the whole archive"
    if row.key == TAKE:
        return f"{row.path}:{row.lines[0]}"
    if row.reach == RUNS:
        return f"{count(len(row.lines))} run{'' if len(row.lines) == 1 else 's'} of {row.path}"
    return f"{row.path}/" if row.reach == FOLDER else row.path


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def state(request, pk):
    """Show what the values would change in the chosen scope, or save them. 422 with the form for invalid input, and for values
    that do not fit together until the person confirms them. A link or reload that leads here ends at the review page."""
    archive = get_own_archive(request, pk)
    if request.method != "POST":
        return redirect(f"{reverse('archive-review', args=[archive.pk])}?{request.GET.urlencode()}")
    names = (*keys.KEYS, *reviewing.STATED_PARAMS)
    typed = {key: text for key in names if (text := request.POST.get(f"key:{key}", "").strip())}
    option = request.POST.get("option", "").strip()
    if option:
        typed[option] = request.POST.get("option_value", "").strip() or "1"
    posted = dict(request.POST.items()) | typed
    system = _number(request.POST.get("system"))
    entered = (reviewing.read_system_values(request.user, system) if system else {}) | typed
    places, error = _places(request, archive)
    if option and keys.find_param(option) is None:
        error = f"“{option}” is no workload parameter: enter file_size or the like, or an option as fio.zero_buffers."
    if not entered:
        error = error or "Fill in at least one field, or choose a known system."
    if error:
        return _page(request, archive, posted, {"": error}, 422)
    try:
        values = statements.normalise_values(entered)
    except InvalidStatement as invalid:
        return _page(request, archive, posted, _describe_errors(invalid), 422)
    preview = statement_preview.read_preview(archive, values, places)
    is_confirmed = set(preview.questions) <= set(request.POST.get("confirmed", "").splitlines())
    if request.POST.get("do") == _SHOW or not is_confirmed:
        return _page(request, archive, posted, status=200 if request.POST.get("do") == _SHOW else 422, preview=preview)
    made = statements.add_statements(archive.pk, request.user, entered, places, send_archive)
    return _saved(request, archive, made)


def _describe_errors(invalid: InvalidStatement) -> dict[str, str]:
    return {
        key: f"“{text}” is not {reviewing.describe_expected_value(reviewing.definition_of(key))}."
        for key, text in invalid.wrong.items()
    }


def _saved(request, archive: Archive, made: list[Statement]):
    messages.success(
        request, "Saved. The archive is being read again with it." if made else "That was already saved; nothing was changed."
    )
    return redirect(reverse("archive-review", args=[archive.pk]) + "#stated")


def _places(request, archive) -> tuple[list[StatementScope], str]:
    """The chosen scopes, and an error message or ''."""
    reach = request.POST.get("reach", ARCHIVE)
    if reach == RUNS:
        runs = reviewing.find_run_lines(archive, map(_number, request.POST.getlist("run")))
        return statements.scopes_of_runs(runs), "" if runs else "Tick the runs that it applies to, in the list of runs."
    path = request.POST.get(reach, "").strip().rstrip("/") if reach in (FOLDER, FILE) else ""
    if reach == FOLDER and not (path and archive.files.filter(path__startswith=f"{path}/").exists()):
        return [], f"There is no folder “{path}” in this archive." if path else "Choose the folder that it applies to."
    if reach == FILE and not archive.files.filter(path=path).exists():
        return [], f"There is no file “{path}” in this archive." if path else "Choose the file that it applies to."
    return [StatementScope(reach if reach in (FOLDER, FILE) else ARCHIVE, path)], ""


@login_required
@require_POST
def state_hosts(request, pk):
    """Save what is entered in the table of hosts. 422 with the page where a value does not fit, or none is entered."""
    archive = get_own_archive(request, pk)
    typed = hosts.read_typed(request.POST)
    scopes = hosts.scopes_of_hosts(archive, typed) if typed else {}
    try:
        made = statements.add_statements_by_scope(archive.pk, request.user, scopes, send_archive)
    except InvalidStatement as invalid:
        return _page(request, archive, request.POST.dict(), {_OF_HOSTS: " ".join(_describe_errors(invalid).values())}, 422)
    if not scopes:
        return _page(request, archive, request.POST.dict(), {_OF_HOSTS: "Fill in at least one field."}, 422)
    return _saved(request, archive, made)


@login_required
@require_POST
def describe(request, pk):
    """Save title and description, and go on: to the review once there is something to review."""
    archive = get_own_archive(request, pk)
    title, description = (" ".join(request.POST.get(name, "").replace("\0", "").split()) for name in ("title", "description"))
    if load.describe(archive.pk, title[:_TITLE], description[:_DESCRIPTION]):
        messages.success(request, "Title and description are saved.")
    archive.refresh_from_db()
    has_results = archive.read_at is not None and archive.measurements
    return redirect("archive-review" if has_results else "archive", pk=archive.pk)


@login_required
@require_POST
def take_offer(request, pk):
    """State for each of the numbered outputs of an offer what its label, or the answer about its number, says."""
    archive = get_own_archive(request, pk)
    offer = numbered_offers.find_offer(archive, _number(request.POST.get("note")))
    answer = request.POST.get("answer", numbered_offers.YES)
    if offer is None or answer not in offer.answers:
        messages.error(request, "The archive was read again in the meantime; check the suggestion once more.")
        return redirect(reverse("archive-review", args=[archive.pk]))
    made = statements.add_statements_by_scope(archive.pk, request.user, offer.values_by_scope(answer), send_archive)
    return _saved(request, archive, made)


@login_required
@require_POST
def state_machine(request, pk):
    """Save which machine a host of the archive is, or the runs whose host has no name of its own."""
    archive = get_own_archive(request, pk)
    scope = StatementScope(path=request.POST.get("host", "").replace("\0", "").strip()[: statements.MOST_NAME])
    try:
        typed = {hosts.MACHINE: request.POST.get("machine", "")}
        made = statements.add_statements(archive.pk, request.user, typed, [scope], send_archive)
    except InvalidStatement as invalid:
        wrong = f"“{invalid.wrong[hosts.MACHINE]}” names no machine: enter the name of one, not one that many have."
        return _page(request, archive, request.POST.dict(), {_OF_MACHINES: wrong}, 422)
    return _saved(request, archive, made)


@login_required
@require_POST
def join(request, pk):
    """Have evidence of keys that split configurations ignored, or, `as` in one of these, its values apply and what is unknown there
    be ignored: for the runs of the chosen configurations, for the whole archive without any."""
    archive = get_own_archive(request, pk)
    ids = [number for text in request.POST.getlist("configuration") if (number := _number(text))]
    row = reviewing.find_configuration(archive, _number(request.POST.get("as")) or 0)
    known = row.configuration.known if row else {}
    names = filter(keys.is_key, request.POST.getlist("key"))
    typed = {name: str(known[name]) if name in known else None for name in names}
    scopes = statements.scopes_of_runs(reviewing.find_lines_of(archive, ids)) if ids else [StatementScope()]
    if not (typed and scopes):
        messages.error(request, "The archive was read again in the meantime; look at its configurations once more.")
        return redirect(reverse("archive-review", args=[archive.pk]) + "#splits")
    try:
        made = statements.add_statements(archive.pk, request.user, typed, scopes, send_archive)
    except InvalidStatement as invalid:
        return _page(request, archive, errors={"": " ".join(_describe_errors(invalid).values())}, status=422)
    return _saved(request, archive, made)


@login_required
@require_POST
def take(request, pk):
    """Take what a warning left out, and have the archive read again with it."""
    archive = get_own_archive(request, pk)
    note = takes.find_note(archive, _number(request.POST.get("note")))
    if note is None:
        messages.error(request, "The archive was read again in the meantime; check its warnings once more.")
        return redirect("archive", pk=archive.pk)
    typed = takes.what_to_state(note, request.POST)
    if not typed:
        messages.error(request, "Say of at least one column what was measured, as write.throughput, and in which unit.")
        return redirect(f"{reverse('archive-table', args=[archive.pk])}?note={note.pk}")
    return _saved(request, archive, statements.add_statements_by_scope(archive.pk, request.user, typed, send_archive))


@login_required
@require_safe
def table(request, pk):
    """The form that asks what the columns of a handmade table mean, as words and units propose."""
    archive = get_own_archive(request, pk)
    note = takes.find_note(archive, _number(request.GET.get("note")))
    tool, columns = takes.read_columns(archive, note) if note else ("", [])
    if note is None or not columns:
        messages.error(request, "The archive was read again in the meantime; check its warnings once more.")
        return redirect("archive", pk=archive.pk)
    rows = list(zip(*(column["cells"] for column in columns), strict=True))
    facts = {"archive": archive, "note": add_note_address(archive, note), "tool": tool, "columns": columns, "rows": rows}
    return render(request, "archives/table.html", {**facts, "meanings": takes.meanings()})


@login_required
@require_POST
def undo(request, pk, statement):
    archive = get_own_archive(request, pk)
    made = get_object_or_404(archive.statements, pk=statement)
    statements.undo_statement(archive.pk, made.pk, request.user, send_archive)
    done = "ignored" if made.value is None else f"set to {made.raw}"
    names = dict.fromkeys(statements.saved_together(archive, made).order_by("pk").values_list("key", flat=True))
    labels = ", ".join(reviewing.definition_of(name).label for name in names)
    said = f"{labels} {'is' if len(names) == 1 else 'are'} no longer {done} by hand"
    what = f"{_where(made)} is left out again" if made.key == TAKE else said
    messages.success(request, f"{what}. The archive is being read again.")
    return redirect(reverse("archive-review", args=[archive.pk]) + "#stated")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 18 else None
