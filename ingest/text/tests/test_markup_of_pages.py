"""The same output as pages, typesetters, converters, loggers and runners leave it gives the same values."""

from __future__ import annotations

import base64
import html
import json
import quopri
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest import read
from ingest.records import Evidence, Measurement, Warning
from ingest.text.decode import read_text
from ingest.text.tests.test_markup_and_prefixes import OUTPUTS, _before, _clock, _differing, _inside


def _lines(made: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "\n".join(made(line) for line in text.split("\n"))


def _of_html(before: str, after: str, blank: str = " ") -> Callable[[str], str]:
    return _lines(lambda line: before + html.escape(line).replace(" ", blank) + after)


PAGES: dict[str, Callable[[str], str | bytes]] = {
    "typewriter and break": _of_html("<tt>", "</tt><br>"),
    "no-break entities": _of_html("", "<br>", "&nbsp;"),
    "a break that closes": _of_html("", "</br>"),
    "blocks": _of_html("<div>", "</div>"),
    "paragraphs": _of_html('<p class="x">', "</p>"),
    "items": _of_html("<li>", "</li>"),
    "spans": _of_html('<span style="color: #333">', "</span>"),
    "block of a page generator": lambda text: '<div class="highlight"><pre><span></span>' + html.escape(text) + "</pre></div>\n",
    "pre behind a paragraph": lambda text: "<p>It printed:</p><pre>" + html.escape(text) + "</pre><p>Fine.</p>\n",
    "breaks on one line": lambda text: "<p>" + html.escape(text).replace("\n", "<br>") + "</p>\n",
    "CDATA of a test case": _inside('<testcase name="a"><system-out><![CDATA[', "]]></system-out></testcase>\n"),
    "test case": lambda text: '<testcase name="a"><system-out>' + html.escape(text) + "</system-out></testcase>\n",
    "CDATA": _inside("<system-out><![CDATA[", "]]></system-out>\n"),
    "DokuWiki": _inside("<file txt out.txt>", "</file>\n"),
    "MediaWiki": _inside('<syntaxhighlight lang="console">', "</syntaxhighlight>\n"),
    "Trac": _inside("{{{", "}}}\n"),
    "Jira on the line": _inside("{noformat}", "{noformat}\n"),
    "Confluence": _inside("{code:title=Result|borderStyle=solid}", "{code}\n"),
    "Textile": _inside("bc.. ", "\n\np. Done.\n"),
    "font of a board": _lines(lambda line: f"[FONT=Courier New]{line}[/FONT]"),
    "size of a board": lambda text: f'[SIZE=1][FONT="Courier New"]{text}[/FONT][/SIZE]\n',
    "escaped signs": lambda text: re.sub(r"([*_#\[\]|>+-])", r"\\\1", text),
    "escaped underscores": lambda text: re.sub(r"(?<=\w)_(?=\w)", r"\\_", text),
    "rates in bold": lambda text: re.sub(r"\b(\d+(?:\.\d+)? ?[kKMG]i?B/s(?:ec)?)\b", r"***\1***", text),
    "box": _lines(lambda line: f"| {line.ljust(90)} |" if "|" not in line else line),
    "drawn box": _lines(lambda line: f"\u2502 {line.ljust(90)} \u2502"),
    "gist as a table": lambda text: "Last active\nJuly 3, 2018\n" + text.rstrip("\n").replace("\n", " | |\n") + " |\n",
    "paste as a list": lambda text: "Untitled\n\n" + "".join(f"  {n}. {s}\n" for n, s in enumerate(text.split("\n"), 1)) + "Add\n",
    "cells of a spreadsheet": _lines(lambda line: '"' + line.replace('"', '""') + '"'),
    "list of YAML": _lines(lambda line: "  - " + json.dumps(line)),
    "minus signs": lambda text: text.replace("-", "\u2212"),
    "ligatures": lambda text: text.replace("fi", "\ufb01").replace("fl", "\ufb02"),
    "wide blanks": lambda text: text.replace(" ", "\u2003"),
    "marks without width": lambda text: text.replace("\n", "\n\u200b"),
    "soft hyphens": lambda text: text.replace("ea", "e\u00ada"),
    "classic Mac": lambda text: text.replace("\n", "\r"),
    "line separators": lambda text: text.replace("\n", "\u2028"),
    "quoted-printable": lambda text: quopri.encodestring(text.encode()).decode(),
}
_MAIL = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\nX-Mailer: x\n\n"
STRINGS: dict[str, Callable[[str], str | bytes]] = {
    "JSON": lambda text: json.dumps({"host": "n1", "stdout": text}) + "\n",
    "a page on one line": lambda text: "<p>" + "<br/>".join(html.escape(text).replace("  ", " &nbsp;").split("\n")) + "</p>\n",
    "JSON over lines": lambda text: json.dumps({"rc": 0, "stdout": text}, indent=2) + "\n",
    "JSON's list in a row": lambda text: json.dumps({"stdout_lines": text.split("\n")}) + "\n",
    "both of Ansible": lambda text: json.dumps({"stdout": text, "stdout_lines": text.rstrip("\n").split("\n")}) + "\n",
    "both over lines": lambda text: json.dumps({"stdout": text, "stdout_lines": text.rstrip("\n").split("\n")}, indent=4) + "\n",
    "Ansible's one line": lambda text: "n1 | CHANGED | rc=0 | (stdout) " + text.replace("\n", "\\n") + "\n",
    "mail in base64": lambda text: _MAIL + base64.encodebytes(text.encode()).decode(),
    "part in base64": lambda text: (
        f"See below.\n--XX1234567890\n{_MAIL}"
        + base64.encodebytes(text.replace("\n", "\r\n").encode()).decode()
        + "--XX1234567890--\n"
    ),
    "bytes of Python": lambda text: repr(text.encode()) + "\n",
    "a shell's answer": lambda text: "Out[3]: " + repr(text) + "\n",
}
LOGS: dict[str, Callable[[str], str | bytes]] = {
    name: _before(prefix)
    for name, prefix in {
        "gh run view": lambda at: f"bench\tRun tests\t2024-03-01T{_clock(at)}.1234567Z ",
        "GitLab": lambda at: f"2024-03-01T{_clock(at)}.123456Z 01O ",
        "Azure": lambda at: f"2024-03-01T{_clock(at)}.1234567Z ##[debug]",
        "Heroku": lambda at: f"2024-03-01T{_clock(at)}.123456+00:00 app[run.1234]: ",
        "CloudWatch": lambda at: f"2024-03-01T{_clock(at)}.123Z\t",
        "Zuul": lambda at: f"2024-03-01 {_clock(at)}.123456 | node-1 | ",
        "log4j": lambda at: f"2024-03-01 {_clock(at)},123 INFO  [main] c.e.Bench - ",
        "avocado": lambda at: f"2024-03-01 {_clock(at)},123 process          L0458 DEBUG| [stdout] ",
        "avocado since 90": lambda at: (
            f"[stdlog] 2024-03-01 {_clock(at)},123 avocado.utils.process process  L0458 DEBUG| [stdout] "
        ),
        "avocado without line": lambda at: f"[stdlog] 2024-03-01 {_clock(at)},123 avocado.bench INFO | ",
        "Robot Framework": lambda at: f"20240301 {_clock(at)}.123 : INFO : ",
        "klog": lambda at: f"I0301 {_clock(at)}.123456       1 bench.go:123] ",
        "go test": lambda at: f"    bench_test.go:{at + 95}: ",
        "beaker": lambda at: f":: [ {_clock(at)} ] :: [   LOG    ] :: ",
        "TeamCity": lambda at: f"[{_clock(at)}]W:\t ",
        "epoch": lambda at: f"[{1709290000 + at}.123] ",
        "month first": lambda at: f"[3/1/2024 {_clock(at)} PM] ",
        "multilog": lambda at: "@400000005f0b1c2d1a2b3c4d ",
        "Capistrano": lambda at: " ** [out :: node07] ",
        "Packer": lambda at: "    amazon-ebs: ",
        "Terraform": lambda at: "null_resource.x[0] (remote-exec): ",
        "initials": lambda at: "JD> ",
        "name in brackets": lambda at: "[node07] ",
    }.items()
}


@pytest.mark.parametrize("name", OUTPUTS[::6])
def it_reads_the_same_from_pages_and_logs(name: str, tmp_path: Path) -> None:
    assert _differing(name, PAGES | STRINGS | LOGS, tmp_path) == {}


@pytest.mark.parametrize(
    "text",
    (
        "find . \\( -name \\*.c \\) -print\n",
        "[write] 5\n[read] 6\n[seek] 7\n",
        "1073741824 5.123 a\n2147483648 5.124 b\n3221225472 5.125 c\n",
        '"1.96","host",5\n' * 3,
        '{\n"a": [\n"x",\n"y",\n"z"\n],\n"b": 1,\n"c": 2,\n"d": 3\n}\n',
        "SQL> a\nSQL> b\nSQL> c\n",
        "cp a \\\n  b \\\n  c \\\n  d\n",
        f"{'=' * 72}\n2.6.19.1, SATA:\n{'=' * 72}\nb=20\n{' ext4 '.center(70, '=')}\nc\n",  # rules, not soft line breaks
    ),
)
def it_leaves_what_only_looks_like_it(text: str) -> None:
    assert _read(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    (
        ("1 GB\r2 GB\r3 GB\r4 GB", "4 GB"),  # written over, not lines
        ("in 3 s =11.5 MB/s\na =3D b=20\nc =3D d\n", "in 3 s =11.5 MB/s\na = b \nc = d\n"),  # no mailer writes a digit as =11
        (f"{'=' * 72}\na =3D b=20\nc =3D d\n", f"{'=' * 72}\na = b \nc = d\n"),  # a rule in a mail that was decoded by halves
        ('a<p title="x&#10;y&#13;">&nbsp;b</p>\nc\n', 'a<p title="x y "> b\nc\n'),  # an entity breaks no line
        ("caf=E9 =3D a=20\nb =3D c\n", "caf\u00e9 = a \nb = c\n"),
    ),
)
def it_takes_no_more_away(text: str, left: str) -> None:
    assert _read(text) == left


def _read(text: str) -> str | None:
    read, _ = read_text("a", text.encode())
    return read and read.body


def it_tells_the_line_of_the_file_for_what_stands_in_a_string(tmp_path: Path) -> None:
    file, blocks = tmp_path / "a.json", []
    for seconds in (4, 5):
        printed = (
            "compression=lz4\n$ dd if=/dev/zero of=x\n1+0 records in\n1+0 records out\n"
            f"1048576 bytes (1.0 MB) copied, {seconds} s, {1.048576 / seconds:.3g} MB/s\n"
        )
        blocks.append(json.dumps({"rc": 0, "stderr": printed}))
    file.write_text("\n".join([*blocks, json.dumps({"stderr": "a\nb\nreal 0m1."})]))
    found = list(read([file]))
    assert [(one.line, one.value) for one in found if isinstance(one, Measurement) and one.unit == "s"] == [(1, 4), (2, 5)]
    assert {one.config_from["pool.compression"] for one in found if isinstance(one, Measurement)} == {f"{file}:1", f"{file}:2"}
    assert {one.line for one in found if isinstance(one, Evidence)} == {1, 2}
    assert {one.line for one in found if isinstance(one, Warning)} <= {1, 2, 3}
