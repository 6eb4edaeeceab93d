"""Twice the blocks of a transcript cost twice the work of finding their configurations: instructions are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ingest

_PLACE = str(Path(ingest.__file__).parent / "configuration")
_RESULT = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, {rate:.0f} MB/s\n"


def block(number: int, before: str, path: str) -> str:
    seconds = 1.5 + number / 1000
    return f"{before}root@tank:~# dd if=/dev/zero of={path} bs=1M count=1024\n" + _RESULT.format(
        seconds=seconds, rate=1073741824 / seconds / 1e6
    )


KINDS: dict[str, Callable[[int], str]] = {
    "one property set each time": lambda at: block(
        at, f"root@tank:~# zfs set compression={('lz4', 'off', 'zstd')[at % 3]} tank\n", "/tank/f"
    ),
    "a data set for each": lambda at: block(at, f"root@tank:~# zfs create -o compression=lz4 tank/d{at}\n", f"/tank/d{at}/f"),
    "nothing between": lambda at: block(at, "", f"/tank/f{at}"),
}


def instructions(path: Path) -> int:
    """The bytecode instructions that `ingest.configuration` executes for the file."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if not frame.f_code.co_filename.startswith(_PLACE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for _ in ingest.read([path]):
            pass
    finally:
        sys.settrace(before)
    return count


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_blocks_cost_twice_the_work(kind, tmp_path):
    counts = []
    for number in (20, 150, 300):
        path = tmp_path / f"{number}.txt"
        path.write_text("".join(map(KINDS[kind], range(number))))
        counts.append(instructions(path))
    assert counts[2] <= 2.2 * counts[1], f"{counts} instructions for 20, 150 and 300 blocks"
