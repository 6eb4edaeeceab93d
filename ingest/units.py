"""The meaning of units as each tool prints them: one table per tool, not per symbol.

Every table maps the printed unit to bytes (or to the base unit in its name) and cites the definition.
"""

from __future__ import annotations

import re

K, M, G, T, P, E = 1024, 1024**2, 1024**3, 1024**4, 1024**5, 1024**6
KB, MB, GB, TB, PB, EB = 1000, 1000**2, 1000**3, 1000**4, 1000**5, 1000**6

IEC = {"B": 1, "KiB": K, "MiB": M, "GiB": G, "TiB": T, "PiB": P, "EiB": E}
SI = {"B": 1, "kB": KB, "MB": MB, "GB": GB, "TB": TB, "PB": PB, "EB": EB}

# bonnie++ (readme.html; bon_time.cpp divides bytes by 1024 before it prints K/sec): K, M, G are powers of 1024 both
# in the size column (`16G`, `8096M`) and, since 2.00, as lower-case suffixes of rates given per second.
BONNIE_SIZE = {"": M, "b": 1, "k": K, "K": K, "m": M, "M": M, "g": G, "G": G, "t": T, "T": T}
BONNIE_RATE = {"": 1, "k": K, "m": M, "g": G, "t": T}

# GNU dd: human_readable() with human_base_1000 (coreutils src/dd.c, human_opts): kB = 1000, since 8.24 also IEC.
DD_GNU = {**SI, **IEC, "KB": KB}
# BusyBox dd: make_human_readable_str() divides by 1024 (libbb/human_readable.c, coreutils/dd.c).
DD_BUSYBOX = {"B": 1, "": 1, "KB": K, "kB": K, "K": K, "MB": M, "M": M, "GB": G, "G": G, "TB": T, "T": T}
# NuttX dd (apps/nshlib/nsh_ddcmd.c): bytes / 1024 per second under the name KB/s.
DD_NUTTX = {"KB": K}

# rsync -h (lib/compat.c, do_big_num; rsync.1: "units of 1000 ... if repeated, units of 1024").
RSYNC_H = {"": 1, "K": KB, "M": MB, "G": GB, "T": TB, "P": PB}
RSYNC_HH = {"": 1, "K": K, "M": M, "G": G, "T": T, "P": P}
# openrsync (human_readable in its log.c): lower-case k, powers of 1000, a B where nothing is scaled.
OPENRSYNC = {"": 1, "B": 1, "k": KB, "kB": KB, "M": MB, "MB": MB, "G": GB, "GB": GB, "T": TB, "TB": TB}

# hdparm.c (time_device, time_cache): the figures are divided by (1024 * 1024) and printed as MB/sec, below 1 as kB/sec.
HDPARM = {"MB": M, "kB": K, "KB": K, "GB": G}

# fdtree.bash: file sizes are counted in blocks of 4 KiB and printed as KiB.
FDTREE_KIB = K

# du (GNU du.c, BSD du.c): one-letter suffixes of -h and -BM are powers of 1024; `kB`, `MB` come of --si and -BMB.
DU = {**SI, **IEC, "": K, "K": K, "M": M, "G": G, "T": T, "P": P, "k": K, "m": M, "g": G}

# Operands of dd (POSIX dd: k, b; GNU: c=1 w=2 b=512 kB=1000 K=1024 MB M ...; BSD: b k m g t p, w = the size of an int).
_DD_OPERAND = {
    "": 1, "c": 1, "w": 2, "b": 512, "k": K, "K": K, "m": M, "M": M, "g": G, "G": G, "t": T, "T": T, "p": P, "P": P, "kB": KB,
    "KB": KB, "MB": MB, "GB": GB, "TB": TB, "PB": PB, "KiB": K, "MiB": M, "GiB": G, "TiB": T,
}  # fmt: skip


def parse_dd_operand(text: str) -> int | None:
    """The value of an operand of dd: `1M`, `2048`, `4k`, `2x512`; None if it is not a number (`$BS`)."""
    product = 1
    for factor in re.split(r"[x*]", text) if re.fullmatch(r"[\dxA-Za-z*]{1,40}", text) else [""]:
        match = re.fullmatch(r"(\d{1,18})([A-Za-z]{0,3})", factor)
        if not match or match[2] not in _DD_OPERAND:
            return None
        product *= int(match[1]) * _DD_OPERAND[match[2]]
    return product


def parse_bonnie_size(text: str) -> int | None:
    """Bytes of bonnie++'s size column, `16G`, `8096M`; a bare number is MiB (option -s). None if it is no size."""
    match = re.fullmatch(r"(\d{1,12})([bkKmMgGtT]?)", text)
    return int(match[1]) * BONNIE_SIZE[match[2]] if match else None
