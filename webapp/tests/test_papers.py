"""What the check of papers takes for a label on another: boxes of words as pdftotext gives them, higher than their letters."""

from __future__ import annotations

import pytest

from webapp.tests import papers

HIGH = 12.0


def level(text: str, left: float, top: float, length: float = 30.0) -> papers.Word:
    return left, top, left + length, top + HIGH, text


def turned(text: str, left: float, top: float, length: float = 30.0) -> papers.Word:
    return left, top, left + HIGH, top + length, text


@pytest.mark.parametrize(
    ("words", "covered"),
    [
        ([level("higher", 0, 0), level("better", 0, 8.4)], 0),  # lines of a paragraph, whose boxes share 30 %
        ([level("higher", 0, 0), level("better", 0, 7)], 1),
        ([level("higher", 0, 0), level("better", 29.5, 0)], 0),
        ([level("higher", 0, 0), level("better", 26, 0)], 1),
        ([turned("higher", 0, 0), turned("better", 8.4, 0)], 0),
        ([turned("higher", 0, 0), turned("is", 8.4, 0, 8), turned("better", 8.4, 10)], 0),
        ([turned("higher", 0, 0), turned("better", 7, 0)], 1),
        ([turned("higher", 0, 0), turned("better", 0, 29.5)], 0),
        ([turned("higher", 0, 0), turned("better", 0, 26)], 1),
        ([turned("higher", 0, 0), level("1000", 8.4, 5)], 1),  # a number that reaches into the title beside it
        ([level("2", 0, 0, 5), level("3", 3, 0, 5)], 1),
        ([], 0),
    ],
)
def it_finds_words_that_cover_others(words, covered):
    assert len(papers.find_covered(words)) == len(papers.find_covered(words[::-1])) == covered
