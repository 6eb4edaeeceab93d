"""Every sample gives exactly the records beside it, and every parser has a sample. No test is written for a new pair."""

from __future__ import annotations

import json

import pytest

from ingest.detect import detect
from ingest.tests.samples import FOLDER, answer_of, outputs, records_of


@pytest.mark.parametrize("sample", list(outputs()), ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_sample_gives_the_records_beside_it(sample):
    assert answer_of(sample).exists(), f"no answer yet: python -m ingest.tests.update {sample}"
    assert records_of(sample) == answer_of(sample).read_text().splitlines()


def test_every_parser_has_a_sample():
    lines = [line for sample in outputs() for line in answer_of(sample).read_text().splitlines() if '"type": "file"' in line]
    reports = [json.loads(line) for line in lines]
    read = {report["parser"] for report in reports}
    formats = {name for report in reports for name in report["format"].split(", ")}
    assert {parser.name for parser in detect.parsers()} <= read | formats


@pytest.mark.parametrize("sample", list(outputs()), ids=lambda path: str(path.relative_to(FOLDER)))
def test_what_was_printed_stands_on_its_line(sample):
    lines = sample.read_bytes().decode("utf-8", "replace").split("\n")
    for line in answer_of(sample).read_text().splitlines():
        record = json.loads(line)
        if record["type"] in ("measurement", "unmeasured") and isinstance(record["line"], int):
            assert record["raw"] in lines[record["line"] - 1], record
