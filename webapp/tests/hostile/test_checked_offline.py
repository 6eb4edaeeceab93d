"""The bundles of permalinks on hostile labels and paths check themselves offline, and so does a collection of them."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ingest.tests.hostile import names
from webapp.formats.canonical import canonical_json
from webapp.models import Permalink
from webapp.permalinks import collections
from webapp.permalinks.bundles import collection_bundle, manifest, permalink_bundle
from webapp.tests import frozen, making, samples
from webapp.tests.hostile import contents

pytestmark = pytest.mark.django_db
LABELS = ("html", "formula", "controls", "bidi", "line-feeds", "tab", "noncharacter", "blanks", "template", "null-word")
TITLE = contents.CONTROLS.replace("\0", "") + contents.HTML


def _labels() -> Permalink:
    """A figure of places with hostile names."""
    for name in LABELS:
        samples.received(contents.table(contents.LABELS[name], note=contents.LABELS[name]), name=f"{name}.csv")
    return frozen.freeze("metric=write.throughput&x=access&series=api&control=off", title=TITLE, authors=contents.FORMULA)


def _paths() -> Permalink:
    """A figure of values in files with hostile paths."""
    samples.received(names.CASES["tar-all"]()[1], name="names.tar")
    return frozen.freeze("x=tool&series=apart&control=off", title=contents.BIDI, authors="")


MADE = {"labels": _labels, "paths": _paths}


def checked(data: bytes, folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Exit code and lines of verify.py of the unpacked bundle, run by a bare interpreter."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(folder)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(folder / "verify.py"), *arguments], capture_output=True, text=True, timeout=60, cwd="/"
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def values_of(link: Permalink) -> int:
    return len(json.loads(bytes(link.record))["values"])


@pytest.mark.parametrize("case", MADE)
def test_a_bundle_checks_itself(tmp_path, case):
    link = frozen.with_plain_pictures(MADE[case]())
    data = bytes(permalink_bundle.get_bundle(link).data)
    code, lines = checked(data, tmp_path / "b", manifest.read_digests(link).bundle)
    assert values_of(link) >= 20
    assert (code, lines) == (0, [f"all {values_of(link)} values recomputed, digest matches: every file is as frozen"])


@pytest.mark.parametrize("case", MADE)
def test_a_bundle_tells_of_a_changed_value(tmp_path, case):
    link = frozen.with_plain_pictures(MADE[case]())
    folder = tmp_path / "b"
    checked(bytes(permalink_bundle.get_bundle(link).data), folder)
    told = json.loads((folder / "record.json").read_bytes())
    told["values"][0]["measured"] *= 2
    (folder / "record.json").write_bytes(canonical_json(told))
    done = subprocess.run([sys.executable, "-I", "-S", str(folder / "verify.py")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr == ""
    assert done.stdout.splitlines()[-1].endswith("problems") and "changed: record.json" in done.stdout


def test_a_collection_checks_itself(tmp_path):
    links = [frozen.with_plain_pictures(make()) for make in MADE.values()]
    made = collections.freeze_collection(
        collections.build_collection_record(
            TITLE, contents.FORMULA, [collections.ChosenPermalink(link.pk, TITLE) for link in links], frozen.SITE.site
        ),
        making.user("ann"),
        frozen.SITE,
    )
    data = bytes(collection_bundle.get_bundle(made).data)
    code, lines = checked(data, tmp_path / "c", manifest.read_digests(made).bundle)
    count = sum(map(values_of, links))
    assert (code, lines) == (0, [f"all {count} values of 2 figures recomputed, digest matches: every file is as frozen"])
    code, lines = checked(data, tmp_path / "d", hashlib.sha256(b"other").hexdigest())
    assert code == 1 and lines[-1] == "1 problem" and "has the digest" in lines[0]
