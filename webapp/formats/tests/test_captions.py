"""Captions say what was run, what is fixed, n, sessions, whiskers, baseline, claims and what could not be measured."""

from __future__ import annotations

import copy
import html
import re

import pytest

from webapp.formats import captions
from webapp.tests.drawn import STAMP, figure


def verdict(word: str, ratio: float, low: float, high: float, doubts: tuple = (), withheld: str = "") -> dict:
    return {
        "word": word,
        "ratio": ratio,
        "low": low,
        "high": high,
        "doubts": list(doubts),
        "withheld": withheld,
        "ratio_bound": "",
    }


def group(x: str, judged: dict | None = None, **more) -> dict:
    return {"x": x, "series": "", "runs": 3, "sessions": 2, "machines": 1, "verdict": judged, "verdict_words": ""} | more


def record(*groups: dict, **more) -> dict:
    names = [{"text": one["x"], "label": one["x"]} for one in groups]
    panel = {
        "title": "Sequential write",
        "facet": "",
        "x": {"label": "File system", "values": names},
        "series": {"label": "", "values": [{"text": "", "label": ""}]},
        "baseline_label": "ext4",
        "groups": list(groups),
    }
    return {
        "address": STAMP.address,
        "frozen_at": STAMP.frozen_at,
        "title": "Writes & rewrites",
        "authors": "A. Rae",
        "counts": {"runs": 9},
        "fixed": {"cpu": "Xeon E5-1620", "compression": "off"},
        "left_out": {"impossible": 2, "partial": 0},
        "method": {"sentence": "median; whiskers: lowest to highest; claims: t-test; 5 % over 2 tests after Holm"},
        "flags": [{"id": "x", "sentence": "Every group: less data than twice the memory."}],
        "panels": [panel],
        "figures": [figure([one["x"] for one in groups], [""])],
    } | more


RECORD = record(
    group("ext4"),
    group("xfs", verdict("faster in this session", 1.52, 1.41, 1.63, ("drift not excluded",))),
    group("zfs", verdict("no difference seen", 1.01, 0.9, 1.1, ("drift not excluded", "from memory"))),
    group("ufs", verdict("", 0.75, None, None, withheld="one run each"), unmeasured=[{"reason": "too_fast", "count": 2}]),
)


@pytest.mark.parametrize(
    "told",
    [
        "Writes & rewrites.",
        "Sequential write, block, throughput (MiB/s, higher is better).",
        "The same in all groups: CPU Xeon E5-1620, compression off.",
        "n = 3 to 5 in each group, in 2 sessions on 1 machine.",
        "Median; whiskers: lowest to highest.",
        "Claims: t-test; 5 % over 2 tests after Holm.",
        "Against the baseline ext4: faster in this session: xfs 1.52\u00d7 (1.41 to 1.63);",
        "no difference seen: zfs 1.01\u00d7 (0.9 to 1.1; from memory);",
        "no claim about 1 of 3 groups: one run each.",
        "All claims: drift not excluded.",
        "Not measured: ufs: 2 faster than could be measured; 2 values left out: impossible.",
        "Every group: less data than twice the memory.",
    ],
)
def it_says(told):
    text = captions.to_text(captions.make_caption(RECORD, STAMP.digest)).replace("0.900", "0.9").replace("1.10)", "1.1)")
    assert told in text.replace("1.10;", "1.1;")


def it_names_few_groups_without_a_difference_and_counts_many():
    alike = [group(f"fs{number}", verdict("no difference seen", 1.0, 0.9, 1.1)) for number in range(5)]
    text = captions.to_text(captions.make_caption(record(group("ext4"), *alike), STAMP.digest))
    assert "Against the baseline ext4: no difference seen in 5 of 5 groups." in text


def it_counts_the_differences_that_it_does_not_name():
    faster = [group(f"fs{number}", verdict("faster", 2.34, 1.9, 2.1)) for number in range(9)]
    text = captions.to_text(captions.make_caption(record(group("ext4"), *faster), STAMP.digest))
    assert text.count("2.34\u00d7") == captions.MAX_CLAIMS and "3 more that differ in the table." in text


def it_leaves_out_what_the_author_hid_and_says_so():
    told = copy.deepcopy(RECORD)
    told["panels"][0]["groups"][1]["hidden"] = True
    told["figures"][0]["notes"] = ["3 of 4 levels shown (File system): not asked. Not shown by the author: xfs."]
    text = captions.to_text(captions.make_caption(told, STAMP.digest))
    assert "1.52" not in text and "3 of 4 levels shown (File system): not asked. Not shown by the author: xfs." in text


def it_says_nothing_of_a_baseline_where_there_is_none():
    told = copy.deepcopy(RECORD)
    told["panels"][0]["baseline_label"] = ""
    assert "baseline" not in captions.to_text(captions.make_caption(told, STAMP.digest))


@pytest.mark.parametrize(("wide", "width"), [(False, r"width=\columnwidth"), (True, r"width=\textwidth")])
def it_is_a_figure_of_latex_as_wide_as_the_column(wide, width):
    text = captions.to_latex_figure(captions.make_caption(RECORD, STAMP.digest), "f.pdf", "Bars of 50 % & more", wide)
    assert width in text and r"alt={Bars of 50 \% \& more}]{f.pdf}" in text and r"\Description{Bars of 50 \% \& more}" in text
    assert r"\caption[{Writes \& rewrites}]{Writes \& rewrites." in text and "$n = 3$" in text and r"1.52$\times$" in text
    assert (r"\begin{figure*}" in text) == wide and r"\label{fig:poolmark-k3m9xq2abc}" in text


@pytest.mark.parametrize(("count", "has_rest"), [(1, False), (12, True), (40, True)])
def it_leaves_a_figure_its_place_in_a_column(count, has_rest):
    """At most some 800 letters in LaTeX; every note elsewhere."""
    noted = [{"id": str(number), "sentence": f"Note {number:02}: {'words ' * 12}end."} for number in range(count)]
    caption = captions.make_caption(RECORD | {"flags": noted}, STAMP.digest)
    body = captions.to_latex(caption).split("]{", 1)[1]
    assert len(body) < 900 + len(STAMP.address)
    left_out = re.findall(r"(\d+) further notes at \\(?:url|texttt)\{", body)
    assert bool(left_out) == has_rest and body.count("further") == has_rest
    assert body.count("Note ") + sum(map(int, left_out)) == count
    assert captions.to_markdown(caption).count("Note ") == captions.to_text(caption).count("Note ") == count


def it_is_a_paragraph_of_html_and_markdown():
    caption = captions.make_caption(RECORD | {"title": "a < b *c*"}, STAMP.digest)
    page = captions.to_html(caption)
    assert page.startswith('<p class="caption"><b>a &lt; b *c*.</b> ') and f'href="{STAMP.address}"' in page
    assert html.unescape(re.sub("<[^>]*>", "", page)).startswith(captions.to_text(caption))
    assert captions.to_markdown(caption, "f.svg").startswith("![](f.svg)\n\n**a \\< b \\*c\\*.** ")
