"""The tree of the headings of a text, whatever their markup."""

from __future__ import annotations

import pytest

from ingest.text.decode import read_text


def tree(body: str, name: str = "notes.md") -> list[tuple[int, str]]:
    """Depth and title of each section."""
    text, _ = read_text(name, body.encode())
    return [(section.depth, section.title) for section in text.sections[1:]]


OUTPUT = "\n```\n$ dd if=/dev/zero of=t\n```\n\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("## Server one", "## Server two"),
        ("Server one\n==========", "Server two\n=========="),
        ("Server one\n~~~~~~~~~~", "Server two\n~~~~~~~~~~"),
        ("==========\nServer one\n==========", "==========\nServer two\n=========="),
        ("== Server one ==", "== Server two =="),
        ("--- Server one", "--- Server two"),
        ("h2. Server one", "h2. Server two"),
        ("<h3>Server one</h3>", "<h3>Server two</h3>"),
        ("**Server one**", "**Server two:**"),
        ("*Server one:*", "*Server two:*"),
        ("__Server one__", "__Server two__"),
        ("1. Server one", "2. Server two"),
        ("a) Server one", "b) Server two"),
        (".Server one", ".Server two"),
        ("Server one:", "Server two :"),
        ("Server one", "Server two"),
        ("\u3010Server one\u3011", "\u3010Server two\u3011"),
        ("\\section{Server one}", "\\section{Server two}"),
        ("<details><summary>Server one</summary>", "</details>\n<details><summary>Server two</summary>"),
    ],
)
def test_headings_of_one_form_are_siblings(first: str, second: str) -> None:
    assert tree(f"{first}\n{OUTPUT}{second}\n{OUTPUT}") == [(1, "Server one"), (1, "Server two")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# Desktop\n\n## ext4\nwords\n# Laptop\n", [(1, "Desktop"), (2, "ext4"), (1, "Laptop")]),
        ("# Desktop\n\n**ext4**\n\n# Laptop\n", [(1, "Desktop"), (2, "ext4"), (1, "Laptop")]),
        ("====== Rechner ======\n\n=== ext4 ===\n\n====== Notebook ======\n", [(1, "Rechner"), (2, "ext4"), (1, "Notebook")]),
        ("== Rechner ==\n\n=== ext4 ===\n\n== Notebook ==\n", [(1, "Rechner"), (2, "ext4"), (1, "Notebook")]),
        ("== lz4 ==\n\n== run 1 ==\n\n== gzip ==\n", [(1, "lz4"), (2, "run 1"), (1, "gzip")]),
        ("# A box\n```\n=== lz4 ===\n```\n# Another\n", [(1, "A box"), (2, "lz4"), (1, "Another")]),
        ("**Server A** - 64 GB, 2 disks\n\n**Server B**\n\n**CPU**: Xeon\n", [(1, "Server A - 64 GB, 2 disks"), (1, "Server B")]),
        ("<details><summary>xfs</summary>\n\n# NVMe\n\n</details>\n\n# Disk\n", [(1, "xfs"), (2, "NVMe"), (1, "Disk")]),
    ],
)
def test_a_heading_ends_those_of_its_level_and_below(body: str, expected: list[tuple[int, str]]) -> None:
    assert tree(body) == expected


@pytest.mark.parametrize(
    "body",
    ["a | b\n--- | ---\n", "read  write\n-----------\n", "-- started at 1/1/2020 --\n", "```\n**x**\n```\n", "2.1 GB copied\n"],
)
def test_tables_and_what_tools_print_are_no_headings(body: str) -> None:
    assert tree(body) == []


def test_the_innermost_section_contains_a_line() -> None:
    text, _ = read_text("notes.md", b"a\n# Desktop\n## ext4\nx\n# Laptop\ny\n")
    assert [text.sections.at(line).title for line in range(1, 7)] == ["", "Desktop", "ext4", "ext4", "Laptop", "Laptop"]


def test_folds_without_end_nest_no_deeper_than_a_limit() -> None:
    text, _ = read_text("notes.md", b"<details><summary>ext4 one</summary>\n" * 3000 + b"</details>\nx\n")
    assert len(text.sections) == 3001 and max(section.depth for section in text.sections) < 300
