"""What people do with their archives: push, describe, publish, delete. By the functions of the pages' forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import Field, Query, Schema
from pydantic import AfterValidator, ValidationError

from webapp.accounts import access, audit
from webapp.accounts.api_tokens import MANAGE
from webapp.accounts.blocklist import Blocked
from webapp.api import auth
from webapp.api.archives import ArchiveRecord, archive_record, find_archive, router
from webapp.api.bodies import FORM, JSON, open_body, read_files, refusals
from webapp.api.once import Answer, once, plain
from webapp.archives import exposure, lifecycle
from webapp.archives.upload import receive
from webapp.archives.uploaded_files import upload_limit
from webapp.files import blobs
from webapp.formats.citations.licences import find_licence
from webapp.formatting.visible_text import make_visible
from webapp.http.problems import Problem, invalid
from webapp.jobs.tasks import send_archive
from webapp.models import Archive
from webapp.models.labels import LabelError, check_labels, parse_labels
from webapp.storage import load

TEXT = "text/plain"


def _clean(text: str) -> str:
    return " ".join(text.replace("\0", "").split())


def _as_stored(licence: str) -> str:
    """The usual name of a known licence."""
    known = find_licence(licence)
    return known.name if known else make_visible(licence)


def _may_be_kept(labels: dict[str, str]) -> dict[str, str]:
    return check_labels(labels)


Text = AfterValidator(_clean)
Title = Annotated[str, Field(max_length=200, description="What lists and citations call it; empty for the name of the file"), Text]
Description = Annotated[str, Field(max_length=300, description="One line: what was measured, and why"), Text]
Licence = Annotated[
    str,
    Field(max_length=200, description="What others may do with it, as CC-BY-4.0; needed to publish"),
    Text,
    AfterValidator(lambda text: _as_stored(text) if text else ""),
]
Visibility = Literal["private", "link", "public"]
Labels = Annotated[dict[str, str], AfterValidator(_may_be_kept)]
Confirmed = Annotated[
    list[Annotated[str, AfterValidator(lambda text: text.replace("\0", ""))]],
    Field(max_length=1000, description="Secrets found in it that are published anyway, by their names"),
]


class Wanted(Schema):
    """What is said of a new archive."""

    title: Title = ""
    description: Description = ""
    visibility: Visibility = "private"
    licence: Licence = ""
    labels: Labels = {}
    publish_anyway: Confirmed = []


class PushQuery(Schema):
    """`Wanted` in the address; a form may have the same as fields."""

    name: str = Field("", max_length=255, description="Of the bare bytes, or of the one file")
    title: str = Field("", max_length=200)
    description: str = Field("", max_length=300)
    visibility: Visibility = "private"
    licence: str = Field("", max_length=200)
    label: list[str] = Field([], description="NAME=VALUE, as branch=main")
    publish_anyway: Confirmed = []


class Change(Schema):
    """What is to be changed; the rest stays. `labels` replace all that there are."""

    title: Title | None = None
    description: Description | None = None
    visibility: Visibility | None = None
    licence: Licence = ""
    labels: Labels | None = None
    publish_anyway: Confirmed = []


_LINK = {"schema": {"type": "string"}, "example": "https://bench.example.org/archives/12\n"}
_BODY = {
    "required": True,
    "content": {
        FORM: {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {"file": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}}},
            }
        },
        "application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}},
        JSON: {"schema": {}},
    },
}


@router.post(
    "",
    auth=auth.push,
    response={200: ArchiveRecord, 201: ArchiveRecord},
    summary="Push an archive",
    openapi_extra={"requestBody": _BODY},
)
def push(request: HttpRequest, asked: Query[PushQuery]):
    """The form field `file`, several times for one archive of several files; or the bare bytes, of any other media type, of which
    JSON needs no name. Form fields may give what the address gives. 200 with the archive that is here where it has the same bytes.
    `Accept: text/plain` answers the address of its page alone."""
    with refusals():
        open_body(request)
        fields = request.POST if request.content_type == FORM else {}
        wanted, name = read_wanted(request, fields), fields.get("name", "") or asked.name
        name, blocks = read_files(request, name)
        check_wanted(request, wanted)
        incoming = blobs.write_incoming(blocks, upload_limit())
        try:
            if not incoming.size:
                raise invalid("body", "No bytes were sent.")
            content = [incoming.sha256, name, wanted.model_dump()]
            return answer(request, once(request, content, lambda: take(request, incoming, name, wanted)))
        finally:
            incoming.discard()


def read_wanted(request: HttpRequest, fields: Mapping[str, Any]) -> Wanted:
    """What the form, else the address, says of the archive. Problem 422."""
    given: dict[str, Any] = {}
    for name in Wanted.model_fields:
        if text := fields.get(name) or request.GET.get(name):
            given[name] = text
    try:
        given["labels"] = parse_labels([*request.GET.getlist("label"), *_list(fields, "label")])
        given["publish_anyway"] = [*request.GET.getlist("publish_anyway"), *_list(fields, "publish_anyway")]
        return Wanted(**given)
    except LabelError as error:
        raise invalid("query.label", str(error)) from error
    except ValidationError as error:
        places = [(f"form.{'.'.join(map(str, one['loc']))}", one["msg"]) for one in error.errors()]
        raise Problem(422, errors=places) from error


def _list(fields: Any, name: str) -> Sequence[str]:
    return fields.getlist(name) if fields else ()


def check_wanted(request: HttpRequest, wanted: Wanted) -> None:
    """Problem where the archive may not become what is wanted."""
    check_visibility(wanted.visibility)
    if wanted.visibility == "public":
        if not auth.has_scope(request, MANAGE):
            raise Problem(403, "To publish needs a token with the scope manage.")
        if not wanted.licence:
            raise invalid("licence", "Name a licence: without one nobody may use the data.")


def check_visibility(visibility: str | None) -> None:
    """Problem 422 for sharing by link."""
    if visibility == "link":
        raise invalid("visibility", "This site shares nothing by link yet: use private or public.")


def take(request: HttpRequest, incoming: blobs.IncomingFile, name: str, wanted: Wanted) -> Answer:
    """Keep the bytes as an archive of the person, or find the one that has them. Raises what `refusals` turns into problems."""
    is_public = wanted.visibility == "public"
    if is_public:
        _check_secrets(incoming, name, wanted.publish_anyway)
    archive, is_new = receive(
        incoming,
        request.user,
        name,
        title=wanted.title,
        description=wanted.description,
        labels=wanted.labels,
        public=is_public,
        publisher=audit.actor_of(request.user),
        licence=wanted.licence,
        limited=True,
        send=send_archive,
    )
    if not is_new and access.owns(request.user, archive):
        _add_labels(archive, wanted.labels)
        if is_public and access.is_publishable(archive):
            _publish(request, archive, wanted.licence, wanted.publish_anyway)
            archive.refresh_from_db()
    return (201 if is_new else 200), plain_record(request, archive)


def _check_secrets(incoming: blobs.IncomingFile, name: str, confirmed: Sequence[str]) -> None:
    if incoming.size > exposure.SEARCHED_AT_ONCE:
        raise invalid(
            "visibility", "It is too large to be searched for secrets now: push it as private, and publish it once it is read."
        )
    with _secrets():
        exposure.require_confirmed_bytes(incoming.file, name, confirmed)


def _add_labels(archive: Archive, labels: Mapping[str, str]) -> None:
    """Labels of a later push are added to those that there are, and take the place of those of the same name."""
    try:
        if load.describe(archive.pk, labels=check_labels({**archive.labels, **labels})):
            archive.refresh_from_db()
    except LabelError as error:
        raise invalid("query.label", str(error)) from error


def plain_record(request: HttpRequest, archive: Archive) -> dict[str, Any]:
    """The record of the archive as JSON has it."""
    return plain(ArchiveRecord(**archive_record(request, archive)))


def answer(request: HttpRequest, answered: Answer) -> HttpResponse:
    """The response: JSON, or the address of the archive's page where text is asked for."""
    status, body = answered
    place = request.build_absolute_uri(f"/api/v1/archives/{body['id']}")
    if request.get_preferred_type(["application/json", TEXT]) == TEXT:
        return HttpResponse(f"{body['url']}\n", content_type=f"{TEXT}; charset=utf-8", status=status, headers={"Location": place})
    return JsonResponse(body, status=status, headers={"Location": place})


@router.patch("/{int:pk}", auth=auth.manage, response=ArchiveRecord, summary="Describe, label, publish or hide an archive")
def change(request: HttpRequest, pk: int, asked: Change):
    """`public` needs a licence and an archive that is read, and is refused while secrets are in it that `publish_anyway` does not
    name."""
    archive = _own(request, pk, "state")
    check_visibility(asked.visibility)
    load.describe(archive.pk, asked.title, asked.description, asked.labels)
    if asked.visibility == "public" and not archive.is_public:
        _publish(request, archive, asked.licence, asked.publish_anyway)
    elif asked.visibility == "private" and archive.is_public:
        lifecycle.perform_action(archive.pk, "unpublish", audit.actor_of(request.user))
    archive.refresh_from_db()
    return archive_record(request, archive)


@router.delete("/{int:pk}", auth=auth.manage, response={204: None}, summary="Delete an archive")
def delete(request: HttpRequest, pk: int):
    """Its data and its bytes; permalinks that were frozen with it stay."""
    archive = _own(request, pk, "delete")
    try:
        lifecycle.perform_action(archive.pk, "delete", audit.actor_of(request.user))
    except Archive.DoesNotExist as gone:
        raise Http404 from gone
    return 204, None


def _own(request: HttpRequest, pk: int, action: str) -> Archive:
    archive = find_archive(request, pk)
    if not access.is_role_permitted(request.user, archive, action):
        raise Problem(403, "This archive belongs to another account.")
    return archive


def _publish(request: HttpRequest, archive: Archive, licence: str, confirmed: Sequence[str]) -> None:
    if not access.may(request.user, archive, "publish"):
        raise Problem(403, "This archive belongs to another account.")
    if archive.is_withdrawn:
        raise Problem(409, "This archive is withdrawn. Undo that on its page first.")
    if archive.read_at is None or not exposure.is_ready(archive):
        raise Problem(409, "This archive is not read and searched for secrets yet. Try again.", headers={"Retry-After": "5"})
    if not licence and not archive.licence:
        raise invalid("body.licence", "Name a licence: without one nobody may use the data.")
    with _secrets():
        try:
            lifecycle.perform_action(archive.pk, "publish", audit.actor_of(request.user), licence, confirmed)
        except Blocked as blocked:
            raise Problem(403, str(blocked)) from blocked


class _secrets:
    """Turns unconfirmed secrets into a problem, with one place for each."""

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, exposure.UnconfirmedSecrets):
            said = f"{error}. Remove them, or name each in publish_anyway."
            raise Problem(422, said, errors=[(f"publish_anyway.{name}", text) for name, text in error.findings]) from error
