"""Twice the blocks of a transcript cost twice the work, whatever the prompt: instructions or lines are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ingest

_PACKAGE = Path(ingest.__file__).parent
_RESULT = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, {rate:.0f} MB/s\n"


PROMPTS = (
    "root@tank:~# ",
    "[bench@tank ~]$ ",
    "bench@tank /tank % ",
    "root@nas[/mnt/tank]# ",
    "    root@tank:~# ",
    "tank:~ bench$ ",
    "bash-5.2# ",
    "tank# ",
    "tank% ",
    "tank:/data # ",
    "tank ~ # ",
    "~ $ ",
    "[/share] # ",
    "[root@esx1:~] ",
    "\u250c\u2500\u2500(root\u327fkali)-[~]\n\u2514\u2500# ",
    "bench@PC MINGW64 ~\n$ ",
    "$ ",
    "# ",
    "% ",
    "+ ",
    "> ",
    "\u279c  ~ ",
    "PS C:\\tank> ",
    "",
)
"""One of each form that `ingest.text.commands` recognises, and none."""


def block(number: int, before: str, path: str, prompt: str = "root@tank:~# ") -> str:
    seconds = 1.5 + number / 1000
    return f"{before}{prompt}dd if=/dev/zero of={path} bs=1M count=1024\n" + _RESULT.format(
        seconds=seconds, rate=1073741824 / seconds / 1e6
    )


KINDS: dict[str, Callable[[int], str]] = {
    "one property set each time": lambda at: block(
        at, f"root@tank:~# zfs set compression={('lz4', 'off', 'zstd')[at % 3]} tank\n", "/tank/f"
    ),
    "a data set for each": lambda at: block(at, f"root@tank:~# zfs create -o compression=lz4 tank/d{at}\n", f"/tank/d{at}/f"),
    "nothing between": lambda at: block(at, "", f"/tank/f{at}"),
}


def count(path: Path, event: str, place: Path) -> int:
    """The `opcode` or `line` events of the modules in that folder while the file is read."""
    total, folder = 0, f"{place}/"

    def trace(frame, kind, argument):
        nonlocal total
        if not frame.f_code.co_filename.startswith(folder):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = event == "opcode", event == "line"
        if kind == event:
            total += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for _ in ingest.read([path]):
            pass
    finally:
        sys.settrace(before)
    return total


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_blocks_cost_twice_the_work(kind, tmp_path):
    counts = []
    for number in (20, 150, 300):
        path = tmp_path / f"{number}.txt"
        path.write_text("".join(map(KINDS[kind], range(number))))
        counts.append(count(path, "opcode", _PACKAGE / "configuration"))
    assert counts[2] <= 2.2 * counts[1], f"{counts} instructions for 20, 150 and 300 blocks"


@pytest.mark.thorough
@pytest.mark.parametrize("prompt", PROMPTS)
def test_twice_the_blocks_below_any_prompt_cost_twice_the_work(prompt, tmp_path):
    counts = []
    for number in (10, 100, 200):
        path = tmp_path / f"{number}.txt"
        settings = (f"{prompt}zfs set compression={('lz4', 'off', 'zstd')[at % 3]} tank\n" for at in range(number))
        path.write_text("".join(block(at, before, "/tank/f", prompt) for at, before in enumerate(settings)))
        counts.append(count(path, "line", _PACKAGE))
    assert counts[2] <= 2.2 * counts[1], f"{counts} lines for 10, 100 and 200 blocks"
