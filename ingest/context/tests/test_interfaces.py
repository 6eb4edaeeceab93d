"""The file system by the interface that IOR and mdtest print."""

from __future__ import annotations

import pytest

from ingest.records import Clue
from ingest.tests.context_reading import read_clue_values, read_items


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("api                 : DFS", {"fs.type": "daos"}),
        ("Command line        : /opt/ior -w -a DFS --dfs.pool=p -o /a/b", {"fs.type": "daos"}),
        ("Command line used: mdtest '-a' 'DFS' '-d' '/lustre/x/'", {"fs.type": "daos"}),
        ("api                 : POSIX", {}),
        ("API = DFS --dfs.pool=p", {}),
        ("#API = DFS", {}),
        ("Path                : /mnt/nfs/x/y", {}),
        ("Command line        : ior -a POSIX -o /dfs/x/y", {}),
    ],
)
def test_the_interface_of_a_tool(line, expected):
    assert read_clue_values(line, only="test paths") == expected


def test_the_next_run_with_another_interface_ends_it():
    text = "api : DFS\nPath: /a/b\nCommand line: ior -a POSIX -o /a/b\napi : POSIX\n"
    clues = [clue for clue in read_items(text, only="test paths") if isinstance(clue, Clue)]
    assert [(clue.line, clue.effect) for clue in clues] == [(1, "labels"), (3, "ends")]
