"""Options of tools: equal values in one spelling, defaults as absence, what does not count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import options as tool_options
from ingest.options import Default, ToolOptions

TABLE = ToolOptions(
    "manual",
    {"reason (section)": "quiet write_*_log"},
    named="size",
    defaults={"alloc": (Default("native", "3.0"), Default("posix", before="3.0")), "cached": (Default("1"),)},
    synonyms={"timeout": "runtime"},
    sizes="*",
    switches="thread cached",
    times={"s": "runtime", "us": "think"},
    per_direction="rate",
    values={"alloc": {"0": "none"}},
)


@pytest.fixture(autouse=True)
def _table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tool_options.TOOLS, "sometool", TABLE)


@pytest.mark.parametrize(
    ("option", "value", "spelled"),
    [
        ("offset", "64K", "65536"),
        ("offset", "1.5gb", "1610612736"),
        ("offset", "20%", "20%"),
        ("split", "4k/50:64k/", "4096/50:65536/"),
        ("blocks", "$bs", "$bs"),
        ("distribution", "zipf:1.2", "zipf:1.2"),
        ("rate", "1m,500k", "1048576,512000"),
        ("rate", "500k,500k,500k", "512000"),
        ("rate", "500k,", "512000,"),
        ("rate", ",500k", ",512000"),
        ("timeout", "1m", "60s"),
        ("runtime", "60", "60s"),
        ("think", "1ms", "1000us"),
        ("thread", "", "1"),
        ("thread", "true", "1"),
        ("cached", "no", "0"),
        ("alloc", "0", "none"),
        ("percent", "99.50", "99.5"),
        ("unheard_of", " two   words ", "two words"),
    ],
)
def test_equal_values_have_one_spelling(option: str, value: str, spelled: str) -> None:
    option_of = TABLE.synonyms.get(option, option)
    assert tool_options.open_params("sometool", {option: value}) == {f"sometool.{option_of}": spelled}


@pytest.mark.parametrize(
    ("option", "value", "version", "counts"),
    [
        ("alloc", "native", "3.1", False),
        ("alloc", "native", "2.21", True),
        ("alloc", "native", None, True),
        ("alloc", "posix", "2.21", False),
        ("cached", "1", None, False),
        ("cached", "0", None, True),
        ("thread", "0", None, False),
        ("thread", "1", None, True),
        ("size", "1g", None, False),
        ("quiet", "", None, False),
        ("write_bw_log", "x", None, False),
        ("write_bw", "x", None, True),
    ],
)
def test_what_does_not_count(option: str, value: str, version: str | None, counts: bool) -> None:
    assert bool(tool_options.open_params("sometool", {option: value}, version)) == counts


@pytest.mark.parametrize(
    ("prefix", "under"),
    [
        ("$ sudo taskset -c 0-3 ", "taskset -c 0-3"),
        ("# nice -n 19 ionice -c idle /usr/bin/", "nice -n 19 ionice -c idle"),
        ("$ numactl --cpunodebind=0 --membind=0 ", "numactl --cpunodebind=0 --membind=0"),
        ("cd /mnt && eatmydata ", "eatmydata"),
        ("$ systemd-run --scope -p IOWeight=10 ", "systemd-run --scope -p IOWeight=10"),
        ("$ perf stat -d ", "perf stat -d"),
        ("$ sudo time env A=1 ", ""),
        ("It would be nice if you run ", ""),
        ("$ taskset -c 0 true; ", ""),
        ("", ""),
    ],
)
def test_what_a_command_runs_under(prefix: str, under: str) -> None:
    assert tool_options.run_under(prefix) == under


@given(st.text("ab-=./ \t\r\n;|&<>()~*?#:,\x0b\xa0\x1c"))
def test_words_without_quotes_are_those_of_the_lexer(command: str) -> None:
    quoted = tool_options.split_words(f"{command} ''")
    assert tool_options.split_words(command) == quoted[:-1]
