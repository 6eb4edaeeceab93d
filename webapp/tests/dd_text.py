"""Text as GNU dd prints it, without anything of Django."""

from __future__ import annotations

GIB = 2**30
UNAME = "Linux tank 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29) x86_64 GNU/Linux"


def dd(*seconds: float, damage: bool = False) -> bytes:
    """A terminal transcript: uname, and a write of 1 GiB for each number of seconds."""
    text = f"root@tank:~# uname -a\n{UNAME}\n"
    for time in seconds:
        text += (
            "root@tank:~# dd if=/dev/zero of=/tank/f bs=1M count=1024\n1024+0 records in\n1024+0 records out\n"
            f"1073741824 bytes (1.1 GB, 1.0 GiB) copied, {time} s, {GIB / time / 1e6:.0f} MB/s\n"
        )
    if damage:
        text += "root@tank:~# dd if=/dev/zero of=/full/f bs=1M count=1024\ndd: error writing '/full/f': No space left on device\n"
    return text.encode()
