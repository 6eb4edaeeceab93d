"""What is asked of a world of constructed uploads: every address by GET, every act by POST. No answer is a fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlencode

from django.db import transaction

from ingest import keys
from ingest.records import FILE, FOLDER
from webapp.files import addresses
from webapp.jobs import tasks
from webapp.models import Archive, Measurement, Statement, Withdrawal
from webapp.storage import withdrawals
from webapp.tests.hostile import contents
from webapp.tests.hostile.world import READERS, World, routes

REASON = contents.CONTROLS.replace("\0", "") + contents.HTML + contents.BIDI
Act = tuple[str, Mapping[str, object]]
"""Address and fields."""


def ask_all(world: World, wanted: Iterable[tuple[str, str, tuple[str, ...]]], capsys, uploads: int) -> None:
    """GET of each address as each of its readers."""
    for name, address, readers in wanted:
        world.asked.add(name)
        for reader in readers:
            world.ask(reader, address)
    _tell(world, capsys, "pages")
    assert len(world.archives) == uploads
    assert world.asked <= set(routes())


def act_all(world: World, capsys, every: int = 4) -> None:
    """Every act on each fourth archive as everybody, in an order in which each finds something to do; deletion of all at last."""
    seen = set()
    for archive in list(world.archives.values())[::every]:
        for address, fields in acts_on(archive):
            for reader in READERS:
                answer, _ = world.ask(reader, address, "post", data=fields)
                seen.add((reader, answer.status_code))
    for path, fields in acts_of_staff(world):
        for reader in READERS:
            world.ask(reader, path, "post", data=fields)
    for archive in world.archives.values():
        for reader in ("nobody", "stranger", "staff" if archive.pk % 2 else "owner"):
            with transaction.atomic():
                world.ask(reader, f"/archives/{archive.pk}/delete", "post", data={"sure": "1", "reason": REASON})
    _tell(world, capsys, "acts")
    assert {("owner", 302), ("staff", 302), ("stranger", 404), ("nobody", 302)} <= seen
    left = Archive.objects.filter(pk__in=[archive.pk for archive in world.archives.values()])
    assert not left.exists()


def acts_on(archive: Archive) -> Iterator[Act]:
    """The acts on one archive but its deletion. What an act makes for the next one is looked up when that is asked for."""
    pk = archive.pk
    yield f"/archives/{pk}/unpublish", {"sure": "1"}
    yield f"/archives/{pk}/publish", {"licence": "CC0-1.0"}
    yield from _withdrawing(archive)
    yield from _stating(archive)
    yield f"/archives/{pk}/withdraw", {"sure": "1", "reason": REASON}
    yield f"/archives/{pk}/unwithdraw", {"reason": REASON}
    yield f"/archives/{pk}/reread", {}
    tasks.ingest_archive(pk)


def _withdrawing(archive: Archive) -> Iterator[Act]:
    """Withdraw the first file by both of its addresses and a value, and restore each."""
    path = archive.files.order_by("path").values_list("path", flat=True).first()
    value = Measurement.objects.filter(run__archive=archive).order_by("-id").first()
    if path is not None:
        yield addresses.file_address(archive.pk, path, addresses.WITHDRAW), {"reason": REASON}
        yield f"/archives/{archive.pk}/withdraw/file?name={addresses.path_digest(path)}", {"reason": REASON}
    if value is not None:
        yield f"/archives/{archive.pk}/withdraw/value/{value.pk}", {"reason": REASON}
        yield f"/archives/{archive.pk}/withdraw/value/{value.pk}", {"reason": REASON, "shown": withdrawals.fingerprint(value)}
    for one in Withdrawal.objects.filter(archive=archive, restored_at=None):
        yield f"/archives/{archive.pk}/restore/{one.pk}", {}


def _stating(archive: Archive) -> Iterator[Act]:
    """Statements of every key, good and bad, for the archive, a file and a folder; and one taken back."""
    address, path = f"/archives/{archive.pk}/review/state", archive.files.order_by("-path").values_list("path", flat=True).first()
    yield address, {f"key:{key}": text for key, text in zip(keys.KEYS, contents.LABELS.values(), strict=False)}
    yield address, {"key:host": "tank", "reach": FILE, FILE: path or "none"}
    yield address, {"key:host": REASON, "reach": FOLDER, FOLDER: (path or "none").rpartition("/")[0] or "none"}
    yield address, {"system": "9" * 30, "reach": "\n", "run": ["x", "1"]}
    one = Statement.objects.filter(archive=archive).order_by("id").first()
    if one is not None:
        yield f"/archives/{archive.pk}/review/undo/{one.pk}", {}


def acts_of_staff(world: World) -> Iterator[Act]:
    """Block and release the bytes of each twentieth archive; publish none of them meanwhile; hide all of an account."""
    some = list(world.archives.values())[::20]
    for archive in some:
        yield "/staff/block", {"what": archive.sha256, "reason": REASON}
        yield f"/archives/{archive.pk}/publish", {"licence": "CC0-1.0"}
        yield "/staff/unblock", {"what": archive.sha256}
    yield "/staff/block", {"what": REASON, "reason": REASON}
    yield "/staff/unblock", {"what": REASON}
    yield f"/staff/users/{some[0].owner_id}/unpublish", {"reason": REASON}
    yield f"/staff/block?{urlencode({'what': REASON})}", {}


def _tell(world: World, capsys, what: str) -> None:
    with capsys.disabled():
        print(f"\n{len(world.archives)} constructed uploads, {what}: {len(world.faults)} of {world.answers} answers were 500")
    assert not world.faults, "\n".join(world.faults[:40])
