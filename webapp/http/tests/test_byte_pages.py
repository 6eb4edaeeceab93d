"""Long pages are put together as bytes: the same page as its texts would make."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from django.template import Context, Template

from webapp.http import byte_pages

SOURCE = Template("{% load compared %}{{ other }}{% for one in drawings %}<p>{% figure_data one %}</p>{% endfor %}…")
NASTY = {"title": "</script><b>&\u202f–", "groups": [1.5, None]}
FACTS = {
    "other": "<é>",
    "drawings": [SimpleNamespace(id=f"figure-{n}", script_data=data) for n, data in enumerate((NASTY, {}, {"title": "ü"}))],
}


def it_makes_the_page_that_its_texts_make():
    plain = SOURCE.render(Context(FACTS))
    told, put = byte_pages.context_with_pieces(FACTS)
    assert byte_pages.join_pieces(SOURCE.render(Context(told)), put).decode() == plain
    assert len(put) == 3 and byte_pages.PIECES_KEY not in FACTS


def it_refuses_a_page_that_lost_a_piece():
    told, put = byte_pages.context_with_pieces(FACTS)
    text = SOURCE.render(Context(told))
    with pytest.raises(ValueError):
        byte_pages.join_pieces(text, put[1:])


def it_puts_no_end_of_a_script_into_the_numbers_of_a_figure():
    text = Template("{% load compared %}{% figure_data one %}").render(Context({"one": FACTS["drawings"][0]}))
    assert text.startswith('<script id="figure-0-data" type="application/json">') and text.endswith("</script>")
    inner = text.split(">", 1)[1].removesuffix("</script>")
    assert json.loads(inner) == NASTY and not set("<>&") & set(inner)
