"""The same files give the same archive, whoever packs them and in whatever order."""

from __future__ import annotations

import io
import tarfile

import pytest

from webapp.files import blobs, pack


def entries(files: dict[str, bytes]) -> list[pack.PackEntry]:
    return [pack.PackEntry(path, len(data), io.BytesIO(data)) for path, data in files.items()]


def packed(files: dict[str, bytes]) -> bytes:
    return b"".join(pack.pack(entries(files)))


FILES = {"b/run 1.txt": b"x" * 1000, "a.txt": b"", "ä/" + "long" * 40 + ".txt": b"y" * 512}


def test_it_is_a_tar_with_every_file():
    with tarfile.open(fileobj=io.BytesIO(packed(FILES))) as tar:
        assert {m.name: tar.extractfile(m).read() for m in tar} == FILES


def test_order_does_not_matter():
    assert packed(FILES) == packed(dict(reversed(FILES.items())))


def test_a_folder_on_disk_gives_the_same_bytes(tmp_path):
    for path, data in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "link").symlink_to("a.txt")
    assert b"".join(pack.pack(pack.list_folder_entries(tmp_path))) == packed(FILES)


def test_a_file_that_shrank_is_an_error_and_no_silent_hole():
    with pytest.raises(OSError, match="shorter"):
        list(pack.pack([pack.PackEntry("a", 5, io.BytesIO(b"abc"))]))


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        (["a.txt", "a.txt"], ["a.txt", "a (2).txt"]),
        (["../../etc/passwd", "C:\\x\\y.log", "/abs"], ["etc/passwd", "C:/x/y.log", "abs"]),
        (["..", "x", "x"], ["file", "x", "x (2)"]),
    ],
)
def test_names_stay_inside_and_distinct(sent, names):
    assert pack.make_safe_names(sent) == names


@pytest.mark.parametrize(
    ("name", "head", "is_packed"),
    [
        ("a.tar.gz", b"\x1f\x8b\x08", True),
        ("a.zip", b"PK\x03\x04", True),
        ("a.zst", b"\x28\xb5\x2f\xfd", True),
        ("a.tar", packed({"x": b"1"})[:512], True),
        ("a.txt", b"bonnie", False),
        ("a.txt", b"", False),
    ],
)
def test_a_container_is_told_by_its_bytes(name, head, is_packed):
    assert pack.is_packed(name, head) is is_packed


class TestBlobs:
    @pytest.fixture(autouse=True)
    def folder(self, settings, tmp_path):
        settings.POOLMARK_DATA = tmp_path

    def test_bytes_are_kept_under_their_digest(self):
        incoming = blobs.write_incoming([b"ab", b"c"])
        assert incoming.sha256.startswith("ba7816bf") and incoming.size == 3
        assert not blobs.path(incoming.sha256).exists()
        incoming.settle()
        assert blobs.path(incoming.sha256).read_bytes() == b"abc"

    def test_what_is_refused_leaves_nothing(self, tmp_path):
        with pytest.raises(blobs.UploadTooLarge):
            blobs.write_incoming([b"abc", b"def"], limit=5)
        assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
