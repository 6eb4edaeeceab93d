"""Figures on request: in the form that is asked for, from the frozen record, without a trace in what is frozen."""

from __future__ import annotations

import fcntl
import html
import json
import re
from contextlib import ExitStack

import pytest

from webapp.http import isolation
from webapp.models import Permalink, Rendering
from webapp.permalinks import drawn_files, figure_form, stored_files
from webapp.tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.POOLMARK_DATA = tmp_path
    return tmp_path / "drawn"


@pytest.fixture
def frozen(ann) -> Permalink:
    def records():
        for name, values in {"lz4": [100e6, 120e6, 110e6], "off": [80e6, 90e6]}.items():
            yield from making.file_records(f"{name}.txt", name, values, config={"os.family": "Linux", "pool.compression": name})

    making.archive(public=True, records=records())
    ann.post("/compare/freeze", {"query": "metric=write.throughput&x=compression", "title": "Figure 1", "authors": "Ann"})
    return Permalink.objects.get()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("address", "media_type", "start", "saved"),
    [
        (".pdf?form=bare&width=84.7mm", "application/pdf", b"%PDF", "figure-84.7mm-bare.pdf"),
        (".svg?form=bare&font=serif", "image/svg+xml", b"<?xml", "figure-84.7mm-bare-serif.svg"),
        (".png?width=88&height=60&grey=1", "image/png", b"\x89PNG", "figure-88x60mm-bare-grey-600dpi.png"),
        (".tex?form=figure", "application/x-tex; charset=utf-8", b"% Figure 1\n", "caption.tex"),
        (".pdf?form=annotated&size=9pt", "application/pdf", b"%PDF", "figure-84.7mm-annotated-9pt.pdf"),
        ("/caption.tex", "application/x-tex; charset=utf-8", b"% Figure 1\n", "caption.tex"),
        ("/caption.md", "text/markdown; charset=utf-8", b"![Sequential write", "caption.md"),
        ("/caption.html", "text/html; charset=utf-8", b"<p ", "caption.html"),
    ],
)
def it_gives_every_form(client, frozen, address, media_type, start, saved):
    answer = client.get(f"/p/{frozen.pk}{address}")
    assert answer.status_code == 200 and answer["Content-Type"] == media_type and answer.content.startswith(start)
    assert (
        f'filename="poolmark-{frozen.pk}-{saved}"' in answer["Content-Disposition"] and "max-age=86400" in answer["Cache-Control"]
    )
    assert "immutable" not in answer["Cache-Control"] and not answer.cookies
    assert not Rendering.objects.exists()
    again = client.get(f"/p/{frozen.pk}{address}", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("width=20", "it may be 40 to 300 mm"),
        ("width=84.7in", "it may be 40 to 300 mm"),
        ("width=nan", "it may be 40 to 300 mm"),
        ("height=9999", "it may be 30 to 300 mm"),
        ("form=bare&size=6pt", "it may be 7 to 12 pt"),
        ("form=pie", "there are annotated and bare"),
        ("font=comic", "there are sans and serif"),
        ("grey=2", "there are 0 and 1"),
        ("part=0", "parts are numbered from 1"),
        ("part=1", "There is no part 1 of this figure; it is drawn in one."),
    ],
)
def it_says_what_is_out_of_range(client, frozen, query, told, monkeypatch):
    monkeypatch.setattr(drawn_files, "_run", lambda order: pytest.fail("it draws"))
    answer = client.get(f"/p/{frozen.pk}.pdf?{query}")
    assert answer.status_code == 400 and told in answer.content.decode()


@pytest.mark.thorough
def it_says_how_high_a_figure_has_to_be(client, frozen):
    answer = client.get(f"/p/{frozen.pk}.pdf?form=annotated&width=40&height=30&size=12")
    assert answer.status_code == 400 and "it needs some" in answer.content.decode()


def it_leads_from_the_form_to_the_address_of_the_file(client, frozen):
    query = "as=pdf&form=bare&width=88&height=&font=serif&size=8&grey=1"
    answer = client.get(f"/p/{frozen.pk}/figure?{query}")
    assert answer["Location"] == f"/p/{frozen.pk}.pdf?form=bare&width=88mm&font=serif&grey=1"
    assert client.get(f"/p/{frozen.pk}/figure?as=exe").status_code == 400
    page = client.get(f"/p/{frozen.pk}").content.decode()
    assert f'action="/p/{frozen.pk}/figure"' in page and "\\begin{figure}" in page


@pytest.mark.parametrize(
    ("query", "environment", "picture"),
    [
        ("form=figure", "figure", "figure-84.7mm-bare.pdf"),
        ("form=figure&width=178mm&font=serif", "figure*", "figure-178mm-bare-serif.pdf"),
        ("form=figure&grey=1&size=9", "figure", "figure-84.7mm-bare-9pt-grey.pdf"),
    ],
)
def it_includes_the_pdf_in_a_figure_of_latex(client, frozen, monkeypatch, query, environment, picture):
    """The name of the picture is that under which the address in the comment saves it."""
    text = client.get(f"/p/{frozen.pk}.tex?{query}").content.decode()
    assert rf"\begin{{{environment}}}" in text and rf"]{{poolmark-{frozen.pk}-{picture}}}" in text and r"\caption[" in text
    assert rf"\label{{fig:poolmark-{frozen.pk}}}" in text and frozen.digest in text and rf"\cite{{poolmark-{frozen.pk}}}" in text
    assert f"/p/{frozen.pk}.bib" in text and rf"\url{{http://testserver/p/{frozen.pk}}}" in text
    monkeypatch.setattr(drawn_files, "_run", lambda order: b"%PDF drawn")
    [address] = re.findall(rf"which is http://testserver(/p/{frozen.pk}\.pdf\S*)\. To", text)
    assert f'filename="poolmark-{frozen.pk}-{picture}"' in client.get(address)["Content-Disposition"]


GONE = (".tex?form=bare&width=84.7mm", ".tex?form=annotated", ".tex?width=88", "/figure.py", "/figure.vl.json?form=bare&width=88mm")


@pytest.mark.parametrize("address", GONE)
def it_says_what_to_use_instead_of_a_form_that_is_gone(client, frozen, address):
    answer = client.get(f"/p/{frozen.pk}{address}")
    assert answer.status_code == 410 and "are not drawn any more" in answer.text and "import pandas" in answer.text
    for place in (f"/p/{frozen.pk}.tex?form=figure", f"/p/{frozen.pk}.csv", f"/p/{frozen.pk}.pdf?form=bare&amp;width=84.7mm"):
        assert f'href="{place}"' in answer.text
    assert client.get(f"/p/aaaaaaaaaa{address}").status_code == 404


@pytest.mark.parametrize("address", [*GONE, ".tex?form=figure"])
def it_keeps_the_bytes_of_a_form_that_was_frozen(client, frozen, address):
    name = "figure.tex" if address.startswith(".tex") else address[1:].partition("?")[0]
    stored_files.store_file(frozen.pk, name, "text/plain", b"as frozen")
    answer = client.get(f"/p/{frozen.pk}{address}")
    assert (answer.status_code, answer.content) == (200, b"as frozen") and "immutable" in answer["Cache-Control"]
    assert f"poolmark-{frozen.pk}-{name}" in answer["Content-Disposition"]


def it_offers_parts_of_a_figure_of_many_rows(ann, folder, monkeypatch):
    orders = []
    monkeypatch.setattr(drawn_files, "_run", lambda order: orders.append(json.loads(order)) or b"%PDF drawn")

    def records():
        for number in range(102):
            config = {"os.family": "Linux", "host": f"host{number:03}"}
            yield from making.file_records(f"{number}.txt", str(number), [1e6 * (1 + number)], config=config)

    making.archive(public=True, records=records())
    ann.post("/compare/freeze", {"query": "metric=write.throughput&x=host&kind=dots&control=off", "title": "Many", "authors": ""})
    link = Permalink.objects.get()
    page = ann.get(f"/p/{link.pk}").content.decode()
    assert "102 rows do not fit a page" in page and '<option value="2">rows 35 to 68</option>' in page
    found = re.findall(r'href="(/p/[^"]*part=\d)">rows (\d+) to (\d+)</a>', page)
    assert [rows for _, *rows in found] == [["1", "34"], ["35", "68"], ["69", "102"]]
    for size in ("8", "12"):
        for address, *_ in found:
            answer = ann.get(f"{html.unescape(address)}&size={size}")
            assert answer.status_code == 200 and f"part-{address[-1]}.pdf" in answer["Content-Disposition"]
    drawn = [order["figures"][0]["x"]["values"] for order in orders]
    assert drawn[:3] == drawn[3:] and len({name for part in drawn[:3] for name in part}) == 102
    answer = ann.get(f"/p/{link.pk}.pdf?form=bare&part=4")
    assert answer.status_code == 400 and "There is no part 4 of this figure; it has 3 parts." in answer.content.decode()


def it_draws_the_same_once(client, frozen, monkeypatch):
    runs = []
    monkeypatch.setattr(drawn_files, "_run", lambda order: runs.append(json.loads(order)) or b"%PDF drawn")
    for query in ("form=bare&width=88", "form=bare&width=88.0mm&size=8pt", "form=bare&width=89"):
        assert client.get(f"/p/{frozen.pk}.pdf?{query}").content == b"%PDF drawn"
    assert [run["width"] for run in runs] == [88.0, 89.0]


def it_keeps_no_more_than_the_limit(client, frozen, folder, monkeypatch):
    monkeypatch.setattr(drawn_files, "_run", lambda order: b"x" * 1000)
    monkeypatch.setattr(drawn_files, "MAX_STORED", 3500)
    for width in range(50, 60):
        client.get(f"/p/{frozen.pk}.pdf?form=bare&width={width}")
    assert len(list(folder.glob("*.pdf"))) == 3


def test_a_drawing_that_fails_costs_no_other_page(client, frozen, monkeypatch):
    def fail(order):
        raise drawn_files.DrawingFailed("killed")

    monkeypatch.setattr(drawn_files, "_run", fail)
    before = isolation.FAILURE_COUNTS["figure on request"]
    answer = client.get(f"/p/{frozen.pk}.pdf?form=bare")
    assert answer.status_code == 500 and b"because of a bug in Poolmark" in answer.content
    assert isolation.FAILURE_COUNTS["figure on request"] == before + 1
    assert client.get(f"/p/{frozen.pk}").status_code == 200


def it_says_when_as_many_are_being_drawn_as_may_be(client, frozen, folder, monkeypatch):
    monkeypatch.setattr(drawn_files, "_WAIT_SECONDS", 0.0)
    folder.mkdir(parents=True)
    with ExitStack() as held:
        for number in range(2):
            fcntl.flock(held.enter_context(open(folder / f"slot-{number}.lock", "wb")), fcntl.LOCK_EX)
        answer = client.get(f"/p/{frozen.pk}.pdf?form=bare")
    assert answer.status_code == 503 and b"Try again in a minute" in answer.content


def test_a_process_that_ends_without_a_file_is_a_failure():
    with pytest.raises(drawn_files.DrawingFailed):
        drawn_files._run(b"{}")


@pytest.mark.parametrize("ending", list(figure_form.ENDINGS))
def test_the_canonical_query_asks_for_the_same(ending):
    asked = {"form": "annotated", "width": "120,5 mm", "height": "70", "font": "serif", "size": "9pt", "grey": "1", "dpi": "300"}
    form = figure_form.read_form(asked, ending)
    told = dict(part.split("=") for part in form.query.split("&"))
    again = figure_form.read_form(told, ending)
    assert (again.look, again.width, again.height) == (form.look, form.width, form.height) and form.width == 120.5
