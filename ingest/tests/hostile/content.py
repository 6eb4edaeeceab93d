"""Output of dd and bonnie++ with known values, made in code: what the constructed containers hold."""

from __future__ import annotations

_SIZE = 1_073_741_824  # bytes that each dd copies
_DD = "32768+0 records in\n32768+0 records out\n{size} bytes (1.1 GB, 1.0 GiB) copied, {seconds:.3f} s, {rate:.0f} MB/s\n"
_BONNIE = (
    "1.97,1.97,host{n},1,1700000000,16G,,{put},99,{write},31,{rewrite},17,{get},97,{read},29,{seeks}.1,11,,,,,,,,,,,,,,,,,,"
    "{ms}ms,120ms,130ms,140ms,150ms,160ms,,,,,,\n"
)


def dd(*numbers: int) -> bytes:
    """The output of a dd for each number; the copies took a time that no other number has."""
    return "".join([_DD.format(size=_SIZE, seconds=seconds(n), rate=_SIZE / seconds(n) / 1e6) for n in numbers]).encode()


def seconds(number: int) -> float:
    """What the dd of that number took."""
    return round(2 + number * 7919 % 9973 * 0.003, 3)


def many(first: int, count: int) -> bytes:
    """The output of `count` dd with numbers from `first`."""
    return dd(*range(first, first + count))


def bonnie(*numbers: int) -> bytes:
    """A line of bonnie++ 1.97's CSV for each number."""
    return "".join(
        [
            _BONNIE.format(
                n=n,
                put=500 + n,
                write=91_234 + 7 * n,
                rewrite=40_321 + 5 * n,
                get=1_812 + n,
                read=120_455 + 11 * n,
                seeks=231 + n,
                ms=20 + n,
            )
            for n in numbers
        ]
    ).encode()
