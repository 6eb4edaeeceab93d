"""Labels of archives: what may be one, where they are kept and found."""

from __future__ import annotations

import pytest

from webapp.archives.upload import receive
from webapp.files import blobs
from webapp.models import Archive
from webapp.models.labels import LabelError, check_labels, parse_labels
from webapp.tests import making


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        ([], {}),
        (["branch=main", "ci.job_1-a=2=3", "empty="], {"branch": "main", "ci.job_1-a": "2=3", "empty": ""}),
        (["a=1", "a=1"], {"a": "1"}),
        ([f"l{number}=x" for number in range(20)], {f"l{number}": "x" for number in range(20)}),
        (["a=" + "é" * 200], {"a": "é" * 200}),
        (["a" * 40 + "=1"], {"a" * 40: "1"}),
    ],
)
def test_labels_are_read_as_given(texts, labels):
    assert parse_labels(texts) == labels


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["branch"], "“branch” has no “=”"),
        (["Branch=x"], "“Branch” is no name"),
        (["1=x"], "“1” is no name"),
        (["a" * 41 + "=1"], "is no name"),
        (["a\n=1"], "is no name"),
        (["a=1", "a=2"], "given twice"),
        ([f"l{number}=x" for number in range(21)], "20 labels at most; these are 21"),
        (["a=" + "x" * 201], "at most 200 characters"),
        (["a=x\0"], "printable"),
    ],
)
def test_what_is_no_label_is_said(texts, said):
    with pytest.raises(LabelError, match=said):
        parse_labels(texts)


@pytest.mark.django_db
def test_an_archive_keeps_its_labels_shows_them_and_is_found_by_them(ann, settings):
    owner, labels = making.user("ann"), check_labels({"branch": "main", "commit": "<b>0a1</b>"})
    archive, is_new = receive(blobs.write_incoming([b"1"], 9), owner, "1.txt", labels=labels, send=lambda pk: None)
    other, _ = receive(blobs.write_incoming([b"2"], 9), owner, "2.txt", send=lambda pk: None)
    assert is_new and other.labels == {}
    page = ann.get(f"/archives/{archive.pk}").text
    assert "<code>branch=main</code> <code>commit=&lt;b&gt;0a1&lt;/b&gt;</code>" in page
    assert "<dt>Labels</dt>" not in ann.get(f"/archives/{other.pk}").text
    found = Archive.objects.labelled("branch", "main")
    assert [one.pk for one in found] == [archive.pk] and not Archive.objects.labelled("branch", "dev").exists()
