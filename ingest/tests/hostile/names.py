"""Constructed archives whose members have names of any bytes: case -> (name of the upload, bytes)."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from ingest.tests.hostile import build
from ingest.tests.hostile.content import bonnie, dd

Case = Callable[[], tuple[str, bytes]]

# Case -> the name in the archive, and the path under which the file is read.
NAMES: dict[str, tuple[bytes, str]] = {
    "line-feed": (b"run/a\nb.log", "run/a\nb.log"),
    "carriage-return": (b"run/a\r\nb.log", "run/a\r\nb.log"),
    "tab-and-bell": (b"run/a\tb\x07.log", "run/a\tb\x07.log"),
    "escape": (b"run/\x1b[31mred.log", "run/\x1b[31mred.log"),
    "delete": (b"run/a\x7fb.log", "run/a\x7fb.log"),
    "next-line": ("run/a\u0085b\u2028c.log".encode(), "run/a\u0085b\u2028c.log"),
    "bytes-not-utf-8": (b"run/a\xff\xe4.log", "run/a\ufffd\ufffd.log"),
    "lone-surrogate": (b"run/a\xed\xa0\x80b.log", "run/a\ufffd\ufffd\ufffdb.log"),
    "right-to-left": ("run/\u202egol.a\u200f.log".encode(), "run/\u202egol.a\u200f.log"),
    "dot": (b".", "?"),
    "dot-dot": (b"..", "?"),
    "slashes-only": (b"///", "?"),
    "climbing": (b"../../etc/x.log", "etc/x.log"),
    "climbing-within": (b"run/../../a/../b.log", "b.log"),
    "absolute": (b"/var/log/x.log", "var/log/x.log"),
    "drive": (b"C:\\logs\\x.log", "C:/logs/x.log"),
    "share": (b"\\\\host\\share\\x.log", "host/share/x.log"),
    "backslash": (b"a\\b\\c.log", "a/b/c.log"),
    "query": (b"run/a?b#c%d&e=%2e%2e;f.log", "run/a?b#c%d&e=%2e%2e;f.log"),
    "percent-zero": (b"run/%00%0a.log", "run/%00%0a.log"),
    "blanks": (b" run / a.log ", " run / a.log "),
    "blank-only": (b" ", " "),
    "quotes": (b"run/\"'<script>`$(x).log", "run/\"'<script>`$(x).log"),
    "colon": (b"run/a:12:b.log", "run/a:12:b.log"),
    "leading-dash": (b"-rf", "-rf"),
    "star": (b"run/[a]*{b}.log", "run/[a]*{b}.log"),
    "trailing-dots": (b"run/.../a.log...", "run/.../a.log..."),
    "combining": ("run/e\u0301\u0301.log".encode(), "run/e\u0301\u0301.log"),
    "beyond-bmp": ("run/\U0001f4be.log".encode(), "run/\U0001f4be.log"),
    "noncharacter": ("run/\uffff\ufeff.log".encode(), "run/\uffff\ufeff.log"),
    "long-component": (b"n" * 255 + b".log", "n" * 255 + ".log"),
    "long-4096": (b"d/" * 2044 + b"name.log", "d/" * 2044 + "name.log"),
    "long-4096-component": (b"n" * 4092 + b".log", "n" * 4092 + ".log"),
    "long-4096-wide": (("\u4e00" * 4092).encode() + b".log", "\u4e00" * 4092 + ".log"),
}

CASES: dict[str, Case] = {}


def content(case: str) -> bytes:
    """What the file of that name holds."""
    number = 1 + list(NAMES).index(case) if case in NAMES else 1
    return dd(2 * number, 2 * number + 1)


def _add(case: str, name: str, make: Callable[[], bytes]) -> None:
    CASES[case] = lambda: (name, make())


for _case, (_name, _) in NAMES.items():
    _add(f"tar-{_case}", "names.tar", lambda name=_name, case=_case: build.tar((name, content(case)), ("plain.log", bonnie(1))))
    _add(f"zip-{_case}", "names.zip", lambda name=_name, case=_case: build.zipped((name, content(case)), ("plain.log", bonnie(1))))

_add("tar-empty-name", "names.tar", lambda: build.tar(("plain.log", bonnie(1)), (b"", content("empty"))))
_add("zip-empty-name", "names.zip", lambda: build.zipped((b"", content("empty")), ("plain.log", bonnie(1))))
_add("tar-pax-surrogate", "names.tar", lambda: build.pax(("run/a\udcffb.log", content("pax")), ("plain.log", bonnie(1))))
_add("tar-pax-long", "names.tar", lambda: build.pax(("\u00fc/" * 2040 + "name.log", content("pax")), ("plain.log", bonnie(1))))
_add("tar-nul-in-long-name", "names.tar", lambda: build.tar((b"a\0" * 100 + b".log", content("nul")), ("plain.log", bonnie(1))))
_add("zip-nul", "names.zip", lambda: build.zipped((b"run/a\0b.log", content("nul")), ("plain.log", bonnie(1))))
_add(
    "zip-utf8-flag-bad-bytes",
    "names.zip",
    lambda: build.zipped((b"run/\xff\xfea.log", content("flag")), ("plain.log", bonnie(1))).replace(
        b"\x14\x00\x00\x00\x08\x00\x00\x00\x21\x00", b"\x14\x00\x00\x08\x08\x00\x00\x00\x21\x00"
    ),
)
_add("tar-all", "names.tar", lambda: build.tar(*[(name, content(case)) for case, (name, _) in NAMES.items()]))
_add("zip-all", "names.zip", lambda: build.zipped(*[(name, content(case)) for case, (name, _) in NAMES.items()]))
_add("tar-gz-all", "names.tar.gz", lambda: gzip.compress(CASES["tar-all"]()[1]))
_add("zip-in-tar-all", "names.tar", lambda: build.tar((b"../in\n\xff.zip", CASES["zip-all"]()[1])))
_add("tar-too-long", "names.tar", lambda: build.tar((b"d/" * 40_000 + b"name.log", content("too")), ("plain.log", bonnie(1))))
_add("upload-name-line-feed", "a\nb\u202e?#%.log", lambda: content("upload"))
_add("upload-name-of-gz", "../x\ty.log.gz", lambda: gzip.compress(content("upload")))
