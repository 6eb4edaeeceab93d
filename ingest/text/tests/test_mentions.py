"""Lines of programs, settings and prose that only mention a setting."""

from __future__ import annotations

import pytest

from ingest.text.decode import read_text
from ingest.text.mentions import mention_test, unconditional_lines


def mentions(name, content, kind="label"):
    text, _ = read_text(name, content.encode())
    test = mention_test(text)
    return [number for number in range(1, len(text.lines) + 1) if text.lines[number - 1] and test and test(number, kind)]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.sh", "fs=xfs\n# zfs\n", [1, 2]),
        ("a", "#!/usr/bin/env bash\nfs=xfs\n", [1, 2]),
        ("a", "#SBATCH -N 1\nfs=xfs\n", [1, 2]),
        ("a.py", "fs='xfs'\n", [1]),
        ("Makefile", "FS=xfs\n", [1]),
        ("a.yml", "- hosts: all\n  tasks:\n", [1, 2]),
        ("main.yml", "- name: a\n  shell: zpool create a sda\n- name: b\n  zfs:\n    fs: zfs\n", [1, 2, 3, 4, 5]),
        ("a.yml", "fs: xfs\n# fs: zfs\n", [2]),
        ("a.ini", "[global]\nfs=xfs\n;fs=zfs\n#fs=zfs\n", [3, 4]),
        ("job", "[global]\nrw=read\n; ZFS\n", [3]),
        ("a.txt", "fs=<xfs|zfs>\ncompression=${ALGORITHM}\n", [1, 2]),
        ("a.txt", "NAME\n    x\nSYNOPSIS\n    x FOLDER\n", [1, 2, 3, 4]),
        ("a.txt", "usage: x\n  -t TYPE\n  --fs=xfs\n", [1, 2, 3]),
        ("a.txt", "zfs-utils\nxfs-progs=5\nlustre-client\nnfs-common\n", [1, 2, 3, 4]),
        ("a.txt", "# ZFS, lz4\nfs=zfs\n", []),
        ("README.md", "## ZFS\nWe compare others.\n## XFS\nOn two disks.\n", [1, 2]),
        ("README.md", "For example:\n\n```\nzpool create tank sda\n```\nDone.\n\n```\nzpool list\n```\n", [1, 4]),
    ],
)
def test_lines_that_are_mentions(name, content, expected):
    assert mentions(name, content) == expected


@pytest.mark.parametrize(
    "script",
    [
        "if true\nthen\nX\nfi\n",
        "if true; then\n  if true; then Y; fi\nX\nfi\n",
        "case $1 in\na) X ;;\nesac\n",
        "for i in 1 2; do\nX\ndone\n",
        "f() {\nX\n}\n",
        "function f\n{\nX\n}\n",
        "cat <<EOF\nX\nEOF\n",
        "cat <<-'EOF'\nX\nEOF\n",
        "echo 'a\nX\n'\n",
        "# X\n",
        "[ -e a ] && X\n",
        "exit 0\nX\n",
    ],
)
def test_a_line_that_need_not_run(script):
    lines = script.split("\n")
    certain = unconditional_lines(lines)
    assert not any("X" in line and number in certain for number, line in enumerate(lines, 1))


@pytest.mark.parametrize(
    "before",
    [
        "if true; then\n:\nfi",
        "if a; then b; fi",
        "case $1 in\na) b ;;\nesac",
        "for i in 1 2; do b; done",
        "while a\ndo\nb\ndone < c",
        "f() { b; }",
        "f()\n{\nb\n}",
        "cat <<EOF\n'\nEOF",
        "echo \"it's\"  # it's",
        "(cd a; b)",
    ],
)
def test_a_line_that_runs(before):
    lines = f"{before}\nX\n".split("\n")
    assert lines.index("X") + 1 in unconditional_lines(lines)


def test_a_command_of_a_shell_script_is_evidence_where_it_runs():
    assert mentions("a.sh", "zpool create a sda\nif b; then\nzpool create a sdb\nfi\n", "command") == [2, 3, 4]
