"""The raw view: every line, where it stands, and what was taken from it."""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

import ingest.containers.archive
from ingest.containers import spool
from webapp.files import addresses, raw_lines, swhids
from webapp.models import Measurement
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def raw(client, archive, path, **query):
    return client.get(reverse("archive-raw", args=[archive.pk, path]), query)


def test_every_line_has_its_anchor_and_its_values_in_the_margin(client):
    archive = samples.received(samples.tar({"a b/dd#1.txt": samples.dd(2.5)}))
    page = raw(client, archive, "a b/dd#1.txt").text
    value = Measurement.objects.get(metric__name="write.throughput")
    assert f'id="L{value.line}"' in page
    row = page.split(f'id="L{value.line}"')[1].split("</tr>")[0]
    assert "copied, 2.5 s" in row and f"/runs/{value.run_id}" in row


def test_warnings_stand_at_their_line(client):
    archive = samples.received(samples.dd(2.5, damage=True), "dd.txt")
    line = archive.notes.get(code="failed-run").line
    assert "failed-run" in raw(client, archive, "dd.txt").text.split(f'id="L{line}"')[1].split("</tr>")[0]


def test_a_long_file_comes_in_pages_and_addresses_name_the_page(client):
    data = b"".join(b"line %d\n" % n for n in range(1, 2501)) + samples.dd(2.5)
    archive = samples.received(data, "long.txt")
    value = Measurement.objects.get(metric__name="write.throughput")
    address = addresses.line_address(archive.pk, "long.txt", value.line)
    assert address == f"/archives/{archive.pk}/raw/long.txt?from=2001#L{value.line}"
    page = client.get(address.split("#")[0])
    assert page.context["first"] == 2001 and f'id="L{value.line}"' in page.text
    first = raw(client, archive, "long.txt")
    assert "line 1000<" in first.text and "line 1001<" not in first.text
    assert client.get(first.context["next"].split("#")[0]).context["first"] == 1001


@pytest.mark.parametrize(("start", "first"), [("0", 1), ("x", 1), ("999999", 3), ("2", 2), ("9" * 30, 1)])
def test_any_start_gives_a_page(client, start, first):
    archive = samples.received(b"a\nb\nc\n", "t.txt")
    assert raw(client, archive, "t.txt", **{"from": start}).context["first"] == first


def test_what_is_uploaded_is_text_and_never_markup(client):
    archive = samples.received(b"<script>alert(1)</script>\x1b[31mred\r\nend\0\xff", "x<i>.txt")
    page = raw(client, archive, "x<i>.txt").text
    assert "<script>alert" not in page and "&lt;script&gt;" in page and "␛[31mred" in page and "x<i>" not in page


@pytest.mark.parametrize("data", ["ä\nzwei\n".encode("utf-16"), b"\xe4\nzwei\n"])
def test_other_encodings_keep_their_lines(client, data):
    archive = samples.received(data, "t.txt")
    assert [line["text"] for line in raw(client, archive, "t.txt").context["lines"]] == ["ä", "zwei"]


def test_an_empty_file_says_so(client):
    archive = samples.received(samples.tar({"empty.txt": b"", "dd.txt": samples.dd(2.5)}))
    assert "This file is empty" in raw(client, archive, "empty.txt").text


def test_what_is_not_there_is_404(client):
    archive = samples.received(samples.dd(2.5), "dd.txt")
    assert raw(client, archive, "../settings.py").status_code == 404
    private = samples.received(samples.dd(3), "dd.txt", public=False)
    assert raw(client, private, "dd.txt").status_code == 404


def test_an_unchanged_page_is_answered_304_and_a_private_copy_never_crosses(client):
    archive = samples.received(samples.dd(2.5), "dd.txt")
    first = raw(client, archive, "dd.txt")
    address = reverse("archive-raw", args=[archive.pk, "dd.txt"])
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert "Cookie" in first["Vary"] and "private" in first["Cache-Control"]
    client.force_login(making.user("bob"))
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200
    client.logout()
    making.archive(records=[])
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_lines_of_many_files_come_in_one_pass(monkeypatch):
    archive = samples.received(samples.tar({f"dd{n}.txt": samples.dd(n) for n in range(1, 9)}))
    wanted = {f"dd{n}.txt": {2, 3, 900} for n in range(1, 8)} | {"gone.txt": {1}}
    passes, files = [], ingest.containers.archive.iter_files
    monkeypatch.setattr(ingest.containers.archive, "iter_files", lambda *args, **how: passes.append(args) or files(*args, **how))
    found = raw_lines.read_selected_lines(archive, wanted)
    assert len(passes) == 1 and found.keys() == wanted.keys() - {"gone.txt"}
    for path, lines in found.items():
        whole = raw_lines.read_lines(archive, archive.files.get(path=path), 1).text
        assert lines == {2: whole[1], 3: whole[2]}


def test_the_cache_drops_what_was_unused_for_longest(monkeypatch, settings):
    archive = samples.received(samples.tar({f"{n}.txt": samples.dd(n) for n in range(1, 5)}))
    kept = lambda: sorted(path.suffix for path in (Path(settings.POOLMARK_DATA) / "cache" / "raw").glob("*.text"))  # noqa: E731
    monkeypatch.setattr(raw_lines, "_CACHE_LIMIT", 0)
    for file in archive.files.all():
        assert raw_lines.read_lines(archive, file, 1).total > 1
        assert len(kept()) == 1


@pytest.mark.parametrize("name", ["long.txt", "inner.tar.gz/long.txt"])
def test_a_long_file_is_unpacked_block_by_block(client, monkeypatch, name):
    lines = [f"line {n}, é€".encode() for n in range(1, 2501)] + [b"x" * 100_000 + b"\xff", "€".encode() * 30_000 + b"\r"]
    data = samples.tar({"long.txt": b"\n".join(lines), "other.txt": samples.dd(2.5)})
    archive = samples.received(data if "/" not in name else samples.tar({"inner.tar.gz": gzip.compress(data)}))
    file = archive.files.get(path=name)
    whole = raw_lines.read_lines(archive, file, 2001)
    (Path(settings.POOLMARK_DATA) / "cache" / "raw" / f"{file.sha256}.index").unlink()
    blocks, write = [], spool.Spool.write
    monkeypatch.setattr(ingest.containers.archive, "_SHORT", 1000)
    monkeypatch.setattr(ingest.containers.archive, "_BLOCK", 4096)
    monkeypatch.setattr(raw_lines, "_BLOCK", 80_000)
    monkeypatch.setattr(
        spool.Spool, "write", lambda self, block: blocks.append((len(block), self.is_spilled)) or write(self, block)
    )
    assert raw_lines.read_lines(archive, file, 2001) == whole and whole.total == 2502
    assert whole.text[500].endswith(" ... (80001 more characters)") and whole.text[501].endswith("€ ... (10000 more characters)")
    assert max(size for size, _ in blocks) <= 4096 and sum(is_spilled for _, is_spilled in blocks) > 20


def test_bytes_and_lines_have_the_names_that_git_and_software_heritage_give_them(client, settings):
    settings.PUBLIC_ORIGIN = "https://bench.example.org"
    data = samples.dd(2.5)
    archive = samples.received(samples.tar({"run/dd.txt": data, "utf16.txt": data.decode().encode("utf-16")}))
    for path, content in (("run/dd.txt", data), ("utf16.txt", data.decode().encode("utf-16"))):
        digest = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        name = f"swh:1:cnt:{digest};origin=https://bench.example.org/archives/{archive.pk}"
        assert f'data-swhid="{name}"' in raw(client, archive, path).text
    assert swhids.content_id(io.BytesIO(b"")) == "swh:1:cnt:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # as `git hash-object` says


@pytest.mark.parametrize(
    ("origin", "lines", "name"),
    [
        ("https://a.example/archives/1", (9, 15), "swh:1:cnt:0;origin=https://a.example/archives/1;lines=9-15"),
        ("https://a.example/archives/1", (9, 9), "swh:1:cnt:0;origin=https://a.example/archives/1;lines=9"),
        ("https://a.example/archives/1", (9,), "swh:1:cnt:0;origin=https://a.example/archives/1;lines=9"),
        ("https://a.example/x;y%z", (), "swh:1:cnt:0;origin=https://a.example/x%3By%25z"),
    ],
)
def test_qualifiers_stand_in_their_order(origin, lines, name):
    assert swhids.qualified("swh:1:cnt:0", origin, *lines) == name
