"""Spellings of processors: what is one, and what may be two models."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import normalise
from webapp.systems.system_index import canonical_cpu, group_spellings

SAME = [
    ("Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz", "Xeon E5-2620 v3", "xeon e5-2620v3", "Intel Xeon E5-2620 v3 2400 MHz"),
    ("AMD EPYC 7742 64-Core Processor", "EPYC 7742", "AMD EPYC\u2122 7742"),
    ("Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz", "Core i7 6700"),
    ("Intel(R) Core(TM)2 Duo CPU E8400 @ 3.00GHz", "Core 2 Duo E8400"),
    ("Intel(R) Xeon(R) CPU E5-1620 0 @ 3.60GHz", "Xeon E5-1620"),
    ("11th Gen Intel(R) Core(TM) i7-11700 @ 2.50GHz", "Core i7-11700"),
    ("AMD Ryzen 7 5700G with Radeon Graphics", "Ryzen 7 5700G"),
    ("Intel(R) Pentium(R) 4 CPU 3.00GHz", "Pentium 4, 3000 MHz"),
    ("AMD EPYC 7B13 64-Core Processor", "EPYC 7B13"),
    ("UltraSPARC IV, 1200 MHz", "UltraSPARC-IV 1.2 GHz"),
]
TWO = [
    ("Xeon E5-2620", "Xeon E5-2620 v3"),
    ("Xeon E5-2620 v3", "Xeon E5-2630 v3"),
    ("Pentium 4 3.00GHz", "Pentium 4 2.40GHz"),
    ("Pentium 4", "Pentium(R) 4"),  # which of them is unknown of both
    ("Pentium 4", "Pentium 4 3.00GHz"),
    ("AMD EPYC", "EPYC Processor"),
    ("UltraSPARC T1 1.0 GHz", "UltraSPARC T1"),
    ("AMD quad core, 2.3 GHz", "AMD dual core, 2.3 GHz"),
    ("Athlon 64 X2 4200+", "Athlon 64 X2 4200"),
    ("Core i7 620M", "Core i7 M 620"),
    ("Xeon X5560", "Core X5560"),
    ("i7 12 34", "i7 1 234"),
]


@pytest.mark.parametrize("texts", SAME, ids=lambda texts: texts[1])
def test_one_processor(texts):
    assert len({*group_spellings(texts).values()}) == 1


@pytest.mark.parametrize("texts", TWO, ids="|".join)
def test_what_may_be_two(texts):
    assert len({*group_spellings(texts).values()}) == 2


def test_an_unknown_clock_rate_is_not_equal_to_one_of_several():
    texts = ("Athlon 64 X2 4800+", "Athlon 64 X2 4800+ @ 2.4GHz", "Athlon(tm) 64 X2 4800+ @ 2.5GHz")
    assert len({*group_spellings(texts).values()}) == 3


WORDS = st.sampled_from(
    ["Intel", "AMD", "Xeon", "Core", "Core2", "Pentium", "EPYC", "CPU", "Processor", "Genuine", "(R)", "(TM)", "®", "E5", "i7"]
    + ["v3", "X2", "64", "4", "0", "@", "2.40GHz", "2400 MHz", "64-Core", "Quad core", "11th Gen", "with Radeon", "-", "(2)", "Duo"]
)
TEXTS = st.lists(st.one_of(WORDS, st.text("0123456789aAxXvV+-. ", max_size=6)), max_size=9).map(" ".join)


@given(TEXTS)
def test_the_canonical_name_is_canonical(text):
    assert canonical_cpu(canonical_cpu(text)) == canonical_cpu(text)


MODELS = st.from_regex(r"\A(E[357]-|X|L|W-|i[3579]-|)[1-9][0-9]{2,4}[A-Z]{0,2}( v[1-6])?\Z")
DRESSED = st.sampled_from(
    ["{}", "Intel(R) Xeon(R) CPU {} @ 2.40GHz", "xeon {}", "Intel Xeon {} 0 @ 2.4 GHz", "Genuine Intel(R) Xeon(TM) Processor {}"]
)


@given(MODELS, MODELS, DRESSED, DRESSED)
def test_different_model_numbers_are_never_one(one, other, dress, redress):
    same = re.sub("[- ]", "", one.lower()) == re.sub("[- ]", "", other.lower())
    names = group_spellings({dress.format(one), redress.format(other)})
    if not same:
        assert names[dress.format(one)] != names[redress.format(other)]
    elif ("xeon" in dress.lower()) == ("xeon" in redress.lower()):
        assert names[dress.format(one)] == names[redress.format(other)]


@given(st.lists(TEXTS, max_size=6))
def test_one_class_has_the_same_letters_and_digits(texts):
    """Apart from what is dropped on purpose, and from clock rates."""
    drop = r"\((r|tm|c)\)|®|@?\s*(?<![\w.])\d{1,5}([.,]\d{1,3})?\s*[gm]hz\b|with radeon.*|\d{1,2}th gen|(\d{1,3}|quad)[- ]?core\b"
    by_class: dict[str, set[str]] = {}
    for text, name in group_spellings(texts).items():
        by_class.setdefault(name, set()).add(text)
    for spelt in by_class.values():
        if len(spelt) > 1:
            rest = [re.sub(drop, " ", re.sub(drop, " ", text.lower())) for text in spelt]
            digits = {re.sub(r"\D", "", re.sub(r"(?<=\d)[\W_]+0[\W_]*\Z", "", text)) for text in rest}
            assert len(digits) == 1, spelt


def test_what_readers_store_is_one_with_what_people_type():
    typed = "Intel Xeon E5-2620 v3"
    stored = normalise.cpu_model("Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz")
    assert len({*group_spellings([typed.upper(), stored]).values()}) == 1
