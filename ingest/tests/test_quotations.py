"""Results that a text quotes or shows as an example are told from those of its author."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ingest
from ingest.detect import quotations
from ingest.records import RUNS, TAKE, Measurement, StatedFact, Warning
from ingest.tests.quotations_check import Case, list_cases, read_case

CASES = list_cases()
LETTERS = st.characters(categories=("L", "Nd", "P", "Zs"), exclude_characters="\u0130\u0131\u017f\u212a")  # fold to ASCII
LANGUAGES = tomllib.loads(Path(quotations.__file__).with_suffix(".toml").read_text(encoding="utf-8"))["language"]


def test_there_are_forty_kinds_of_each():
    assert sum(bool(case.quoted) for case in CASES) >= 40
    assert sum(not case.quoted for case in CASES) >= 40
    assert len({case.what for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def it_takes_results_and_warns_of_quotations(case: Case):
    seeds, keys, warnings = read_case(case)
    assert seeds == case.own
    assert bool(warnings) == bool(case.quoted)
    assert case.own or not keys


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language["name"])
@settings(max_examples=120, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_phrase_has_a_word_by_which_its_line_is_found(language: dict[str, list[str]], data: st.DataObject):
    phrase = data.draw(st.sampled_from([one for kind in ("says", "may", "after", "titles") for one in language.get(kind, ())]))
    pattern = re.compile(phrase.replace("OUTPUT", quotations._OUTPUT), re.I | re.A)
    text = data.draw(st.from_regex(pattern, alphabet=LETTERS))
    assert any(word in text.lower() for word in language["words"])


DD = "101+0 records in\n101+0 records out\n105906176 bytes (106 MB, 101 MiB) copied, 1.1 s, 96.3 MB/s\n"
FASTER, MARKED = DD.replace("1.1 s", "1.0 s"), DD.replace("\n", "\n> ")
POOL = (
    "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n"
)
POOL += "\t  raidz2-0  ONLINE       0     0     0\n" + "".join(
    f"\t    sd{disk}     ONLINE       0     0     0\n" for disk in "abcd"
)


def read(folder, files, stated=()):
    for name, content in files.items():
        (folder / name).write_text(content)
    return list(ingest.read([folder], list(stated)))


@pytest.mark.parametrize(
    "files",
    [
        {"out.txt": f"My array:\n\n{DD}\n-- \nserver: FreeBSD 12, ZFS raidz2, 8x WD Red\n"},
        {"out.txt": f"I get this on the share:\n\n{DD}\n______________\nUbuntu 20.04, XFS, 16 GB\n"},
        {"out.txt": f"Bob wrote:\n> I use XFS on CentOS 7.\n> {MARKED}\n\nMine is faster:\n\n{FASTER}"},
        {"out.txt": DD, "README.md": f"# pooltest\n\n## Example output\n\n```\n$ zpool status\n{POOL}```\n"},
        {"out.txt": DD, "pooltest.1": f".TH POOLTEST 1\n.SH NAME\npooltest\n.SH EXAMPLES\n.nf\n$ zpool status\n{POOL}.fi\n"},
    ],
    ids=["signature", "rule", "reply", "section", "manual"],
)
def it_takes_no_configuration_from_quotations(files, tmp_path):
    configurations = [record.config for record in read(tmp_path, files) if isinstance(record, Measurement)]
    assert configurations and not any(configurations)


def it_reads_what_a_person_takes_and_nothing_else(tmp_path):
    files = {"a.md": f"## Example\n\n```\n{DD}```\n\n## Notes\n\nYou should see:\n\n```\n{FASTER}```\n"}
    quoted = [record for record in read(tmp_path, files) if isinstance(record, Warning) and record.code == "quoted"]
    assert len(quoted) == 2
    fact = StatedFact(TAKE, "quoted", RUNS, quoted[1].file, frozenset({quoted[1].line}))
    records = read(tmp_path, files, [fact])
    assert {record.line for record in records if isinstance(record, Measurement)} == {quoted[1].line}
    assert [record.line for record in records if isinstance(record, Warning) and record.code == "quoted"] == [quoted[0].line]


def it_names_all_lines_of_a_quoted_table(tmp_path):
    table = "| FS | MB/s |\n|---|---|\n| ext4 | 512 |\n| xfs | 530 |\n| zfs | 401 |\n"
    (warning,) = (one for one in read(tmp_path, {"a.md": f"## Example output\n\n{table}"}) if isinstance(one, Warning))
    assert (warning.code, warning.line) == ("quoted", 5) and "lines 5 to 7" in warning.message
