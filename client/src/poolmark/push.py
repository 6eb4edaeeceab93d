"""Pushing files: in one request, or in pieces that go on where they were cut, in this run or a later one."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Callable, Optional

from poolmark.errors import Problem, SiteError, sentence
from poolmark.http import Site
from poolmark.packing import Package, Tell, packed, silent
from poolmark.settings import cache_folder, write_private

PIECE = 8 << 20
"""Bytes of a piece; a file that is not larger goes in one request."""
READ, FAILED = "read", "failed"
_BEHIND = frozenset({409, 412, 416})
"""What a server answers to a piece that is not the next one."""
_TURNS = 10
"""Pieces in a row after which the server may have no more bytes than before, until that is an error."""


def push(
    site: Site,
    paths: Sequence[Path],
    *,
    name: str = "",
    about: Optional[Mapping[str, Any]] = None,
    tell: Tell = silent,
    skip: Callable[[str], object] = len,
) -> dict[str, Any]:
    """The archive that was made of these files, as `GET /archives/ID` has it; the same bytes again lead to the same archive.

    `about`: `title`, `description`, `visibility` (`private`, `public`), `licence`, `labels` (name to value); `skip` hears
    of each path that is no regular file. Raises SiteError, UsageError.
    """
    facts = {key: value for key, value in (about or {}).items() if value}
    with packed(paths, name, tell) as package:
        for path in package.skipped:
            skip(path)
        send = _send_whole if package.size <= PIECE else _send_pieces
        return dict(send(site, package, facts, tell))


def wait_for(site: Site, archive: int, tell: Tell = silent) -> dict[str, Any]:
    """The archive once it is read, or could not be. Asks twice a second at first, every five seconds later."""
    pause = 0.25
    while True:
        found: dict[str, Any] = site.get(f"/archives/{archive}")
        progress = found.get("progress") or {}
        tell(str(found.get("state")), int(progress.get("files_done") or 0), int(progress.get("files_total") or 0))
        if found.get("state") in (READ, FAILED):
            return found
        time.sleep(pause)
        pause = min(5.0, pause * 1.25)


def describe(archive: Mapping[str, Any]) -> str:
    """What was found in an archive that was read, or why it could not be."""
    if archive.get("state") == FAILED:
        reason = sentence(str(archive.get("failure") or "the server gives no reason"))
        return f"Reading failed: {reason} Check that the file is an archive or an output of a benchmark."
    counts, progress = archive.get("counts") or {}, archive.get("progress") or {}
    files = int(progress.get("files_total") or 0)
    found = [f"{counts.get('measurements', 0)} values in {files} file{'' if files == 1 else 's'}"]
    found += [f"{counts[name]} {words}" for name, words in _COUNTS if counts.get(name)]
    advice = "" if counts.get("measurements") else " No output of a known benchmark was found: the archive's page says what was."
    return f"{', '.join(found)}.{advice}"


_COUNTS = (("unmeasured", "could not be measured"), ("warnings", "warnings"))


def _send_whole(site: Site, package: Package, facts: Mapping[str, Any], tell: Tell) -> Any:
    headers = {"Content-Type": "application/octet-stream", "Content-Length": str(package.size)}
    params = {"name": package.name, **facts, "label": [f"{key}={value}" for key, value in facts.get("labels", {}).items()]}
    params.pop("labels", None)
    sent = site.send("POST", "/archives", params=params, body=package.whole, headers=headers)
    tell("sending", package.size, package.size)
    return sent


def _send_pieces(site: Site, package: Package, facts: Mapping[str, Any], tell: Tell) -> Any:
    """By the three calls of /uploads; what an earlier run sent is not sent again."""
    memory = _memory(site, package)
    upload = _find_upload(site, memory) or _begin(site, package, facts, memory)
    turns = 0
    while (start := _received(upload)) < package.size:
        tell("sending", start, package.size)
        try:
            upload = _send_piece(site, package, upload, start)
        except Problem as problem:
            if problem.status in (404, 410):  # forgotten after a day
                upload = _begin(site, package, facts, memory)
            elif problem.status in _BEHIND:
                upload = site.get(f"/uploads/{upload['id']}")
            else:
                raise
        turns = 0 if _received(upload) > start else turns + 1
        if turns > _TURNS:
            raise SiteError(f"{site.url} has {start} of {package.size} bytes and takes no more: push again later.")
    tell("sending", package.size, package.size)
    archive = site.post(f"/uploads/{upload['id']}/finish")
    with contextlib.suppress(OSError):
        memory.unlink()
    return archive


def _send_piece(site: Site, package: Package, upload: Mapping[str, Any], start: int) -> Any:
    end = min(start + PIECE, package.size)
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": str(end - start),
        "Content-Range": f"bytes {start}-{end - 1}/{package.size}",
    }
    body = partial(package.blocks, start, end)
    return site.send("PUT", f"/uploads/{upload['id']}", body=body, headers=headers)


def _begin(site: Site, package: Package, facts: Mapping[str, Any], memory: Path) -> Any:
    named = {"name": package.name, "size": package.size, "sha256": package.sha256}
    upload = site.post("/uploads", {**named, **facts})
    write_private(memory, json.dumps({"id": upload["id"]}))
    return upload


def _find_upload(site: Site, memory: Path) -> Any:
    """The upload that an earlier run began, where the server still has it."""
    try:
        return site.get(f"/uploads/{json.loads(memory.read_text())['id']}")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    except Problem as problem:
        if problem.status in (403, 404, 410):
            return None
        raise


def _received(upload: Mapping[str, Any]) -> int:
    return int(upload.get("received") or 0)


def _memory(site: Site, package: Package) -> Path:
    """Where the number of an upload under way is kept, by server and content."""
    server = hashlib.sha256(site.url.encode()).hexdigest()[:16]
    return cache_folder() / "uploads" / f"{server}-{package.sha256}.json"
