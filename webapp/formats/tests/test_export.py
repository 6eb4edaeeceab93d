"""The export's own lines: what is made once for many of them stands in each, in CSV as in JSON."""

import csv
import json
from io import StringIO

import pytest

from webapp.formats import export
from webapp.formats.records import CSV, FIELDS, JSONL, PARAM_COLUMNS
from webapp.tests import making

pytestmark = pytest.mark.django_db


def written(write) -> str:
    out = StringIO(newline="")
    write(out)
    return out.getvalue()


def rows() -> list[dict]:
    return list(csv.DictReader(StringIO(written(export.write_csv), newline="")))


def records() -> list[dict]:
    return [json.loads(line) for line in written(export.write_jsonl).splitlines()]


def several(path: str) -> list:
    """Files of an archive with different runs, configurations and parameters, some alike, some hard to quote."""
    made = []
    for at in range(4):
        made += making.file_records(
            f"{path}/{at}",
            f"{path} {at}",
            [1.0 + at, 2.5, 1e30],
            metric=("read.throughput", "write.rate")[at % 2],
            params={"file_size": 2**20 << at % 2, "command": f'a "{at}", b', "own": [at], "ok": True},
            config={"os.family": "Linux", "memory": 16_267_444_224 + at, "x.y": at % 2},
            native='K/sec, "Block"',
            raw="1,5\r2\n3",
            source_note=None if at else "page 3",
        )
    return made


def it_says_the_same_in_csv_and_in_json():
    making.archive(public=True, records=several("a"))
    found = records()
    assert len(found) == 12
    for row, record in zip(rows(), found, strict=True):
        for name in FIELDS:
            if name not in ("params", "config", "config_from", "implied"):
                assert row[name] == ("" if record[name] is None else str(record[name]))
        assert json.loads(row["config_from"]) == record["config_from"]
        assert row["implied"].split() == record["implied"]
        assert json.loads(row["params"]) == {name: one for name, one in record["params"].items() if name not in PARAM_COLUMNS}
        assert row["params.command"] == record["params"]["command"]
        assert (row["config.memory"], row["config.cpu.model"]) == (str(record["config"]["memory"]), "")
        assert json.loads(row["config"]) == {"x.y": record["config"]["x.y"]}


def it_writes_the_same_whatever_it_can_keep(monkeypatch):
    for name in "ab":
        making.archive(public=True, records=several(name))
    making.archive(public=True, records=several("a"))  # counts elsewhere
    whole = written(export.write_csv), written(export.write_jsonl)
    monkeypatch.setattr(export, "_BLOCK", 2)
    monkeypatch.setattr(export, "_CACHE_SIZE", 1)
    assert (written(export.write_csv), written(export.write_jsonl)) == whole
    assert whole[1].count("\n") == 36


def it_asks_once_for_what_many_lines_share(django_assert_max_num_queries):
    making.archive(public=True, records=several("a"))
    with django_assert_max_num_queries(12):  # snapshot, archives, two cursors, four look-ups
        export.write_csv(StringIO())


def it_writes_every_number_as_json_has_it():
    values = [0.0, -1.5, 1e22, 1e-7, 123456789.125, float("inf")]
    assert [JSONL.number(value) for value in values] == [json.dumps(value) for value in values]
    assert [CSV.number(value) for value in values] == [str(value) for value in values]


@pytest.mark.parametrize("text", [None, "", "plain", " a", 'x"y', "a,b", "a\rb", "a\nb", "é\u2028", "\\"])
def it_quotes_a_text_so_that_it_comes_back(text):
    assert next(csv.reader(StringIO(f"{CSV.text(text)},z\n", newline=""))) == [text or "", "z"]
    assert json.loads(JSONL.text(text)) == text


def it_writes_the_state_before_each_run_as_keys_of_its_configuration():
    for name, state in (("a", {"state.capacity": 93, "state.scrub": "yes"}), ("b", {"state.capacity": 4}), ("c", {})):
        making.archive(public=True, records=making.file_records(name, name, [1.0], config={"os.family": "Linux"} | state))
    assert [(one["config"], one["config_from"]) for one in records()] == [
        (config, dict.fromkeys(config, f"{name}:1"))
        for name, config in (
            ("a", {"os.family": "Linux", "state.capacity": 93, "state.scrub": "yes"}),
            ("b", {"os.family": "Linux", "state.capacity": 4}),
            ("c", {"os.family": "Linux"}),
        )
    ]
