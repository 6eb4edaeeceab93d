"""What stands before every line because of how the text was saved, taken away; line numbers stay."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.text.host_prefixes import HOST_PREFIX, find_host_test
from ingest.text.lines import Text, split_parts
from ingest.text.log_prefixes import DATED, NAMING, Prefix
from ingest.text.markup import STRING, string_content, strip_markup

_PART, _TRIES = 1 << 20, 20_000  # characters of a part of a long text; lines among which its end is looked for
# Lines of which it is remembered with what they begin, characters of the longest of them, and of how many it is asked at once.
_KEPT, _SHORT, _FEW = 4000, 160, 400
_LEAST = 3  # so many neighbours must carry a prefix before it is one

_SYSLOG = lazy(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (\S+) [^\s:\[]+(?:\[\d+\])?: ?")
_TS = lazy(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? ")  # moreutils' ts
_STAMP = lazy(
    r"[\[(]?\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?: UTC)?[\])]?:? +"
    r"(?:[\w.-]{1,60} [^\s:\[]{1,40}\[\d+\]: |std(?:out|err) [FP](?: |$))?"
)  # journalctl -o short-iso; containerd
_RSYSLOG = lazy(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d) ([\w.-]{1,60} [\w.-]{1,40}): ?")
_CLOCK = lazy(r"\[\d\d:\d\d:\d\d(?:[.,]\d+)?\] |\[ *\d+\.\d{6}\] |\d\d:\d\d:\d\d(?:[.,]\d+)? (?![AP]M\b)")
_LEVEL = lazy(
    r"(?:- )?(?:[\w.]{1,40} - )?(?:\[(?:TRACE|DEBUG|INFO|info|stdout|stderr)\]:?(?=[ \t]|$)|"
    r"(?:TRACE|DEBUG|INFO|info)(?:(?::| -| \||\|(?: \[std(?:out|err)\])?)?(?=[ \t]|$)|:[\w.]{1,40}:))[ \t]?"
)
_STEP = lazy(r"#\d{1,4} \d{1,6}\.\d{1,3} ")  # docker build
_OUT = lazy(
    r"(?:\[[\w.@:-]{1,60}\] (?:out|err)|std(?:out|err)|STD(?:OUT|ERR)|(?:==>| {3}) default|"
    r"[\w.-]{1,60} \((?:remote|local)-exec\)):(?: |$)"
)  # fabric, vagrant, terraform
_LISTS = lazy(r"""(?:_lines|"text)["']?:? *(?:=> *)?\[""")  # Ansible, notebooks
_QUOTE = lazy(r"(?:> ?)+")
_PROMPTED = lazy(  # a shell whose prompt is `> `: commands without output, one below the other
    r"> (?:(?:sudo|time) )?(?:zpool|zfs|mount|umount|mkfs\S*|mdadm|sysctl|echo|cd|mkdir|sync|dd|rm|cp|export|modprobe|fio) "
)
_RANK = lazy(r"\s{0,4}\d{1,6}: ")
_TAG = lazy(r"\[\d+,\d+\]<std(?:out|err|diag)>: ?")
_CONTAINER = lazy(r"([\w.-]{1,60}) +\| ?")
_PREPENDED = lazy(r"\[\d{1,6}\] ")  # mpiexec -prepend-rank of MPICH
_GREP = lazy(r"((?:[\w./+-]{0,120}/)?[\w.+-]{1,60}\.(?:txt|log|out|err|csv|dat|res|md|[oe]\d{1,9})):(?:\d{1,7}:)?(?!/)")
_OF_FIO = lazy(r"\s*(?:read|write|trim|mixed|READ|WRITE|TRIM)\s*:")
_BOARD = lazy(
    r"(?i)\[(?:code|pre|quote)(?:[=:][^\]\n]{0,60})?\](?=.*\S)|"
    r"(?<=\S)\s*(?:\[/(?:code|pre|quote)\]|\{(?:code|noformat)\})\s*\Z"
)
_BRACKET = lazy(r"\[([A-Za-z][\w.:-]{0,40}/[\w./:-]{1,120})\] ")
_COLON = lazy(r": ")
_DASH = lazy(r"- |-\Z")
_NICK = lazy(
    r"(?:\[?\d\d:\d\d(?::\d\d)?\]? )?<(?!/?(?:t[dhr]|tt|li|p|pre|code|div|span|br|b|i|h\d|table|option|[ou]l|a)>)"
    r"[@+%&~]?[A-Za-z_\[\]\\^{}|`][\w\[\]\\^{}|`-]{0,30}>(?: |\Z)"
)
# Of bytes that are letters or digits no mailer writes the code (RFC 2045, 6.7, and 2.4 on gateways): =11 is what was printed.
_QP = lazy(r"=(?:09|2[0-9A-F]|3[A-F]|40|5[B-F]|60|7[B-E]|[89A-F][0-9A-F])")
_QP_SIGNS = ("=\n", "=3D", "=20", "=09", "=C3=", "=E2=80=")  # of which what is sure holds one, or ends with =
# A soft line break; behind a blank only where the line is as long as mailers make it. Rules of equals signs end in two.
_QP_BREAK = r"[^=\s]=$|^.{58,74}[^=\n]=$"
_QP_BREAKS = lazy(_QP_BREAK, re.M)
_QP_SURE = lazy(rf"=(?:3D|20$|09|C3=|E2=80=)|{_QP_BREAK}", re.M)
_QP_TOLD = lazy(r"^Content-Transfer-Encoding:[ \t]*quoted-printable[ \t]*$", re.M | re.I)
# A separator of mails or of parts, a header; no sentence that begins with From, and no rule of hyphens.
_PART_ENDS = lazy(r"From \S.{0,80} \d\d:\d\d:\d\d\b|--(?=-*[^-\s])\S{8,70}\s*\Z|(?i:Content-Transfer-Encoding:)")
_NOT_QP = lazy(r"\b(?:if|of|bs|count)=(?!3D|$)", re.M)  # an operand whose sign is written as it is: count=20
_ONE_LINE = dict.fromkeys((0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0xA0, 0x2028, 0x2029), " ")  # an entity breaks no line of the file
_ENTITY = lazy(r"&(?:nbsp|lt|gt|amp|quot|#\d{2,5}|#x[0-9a-fA-F]{2,4});")


def clean_lines(text: Text) -> Sequence[str]:
    """The lines without prefixes, quoted-printable and HTML entities, as many as before; the very list where there is none."""
    lines, body = text.lines, text.body
    if _is_printable(body):
        lines = _printable(lines)
        return _dedented(_cleaned(lines, "\n".join(lines), lines))
    alike = text.alike
    if "=3D" in body and _QP_TOLD.search(body):
        lines = _printable_parts(lines)
        return _dedented(_cleaned(lines, "\n".join(lines), lines))
    return _dedented(_cleaned(lines, alike, alike.split("\n")) if alike else _cleaned(lines, body, lines))


def clean_body(body: str) -> str:
    """The same for the joined lines of a long text, of which only a part at a time is cut into lines."""
    if _is_printable(body):
        return "\n".join(clean_lines(Text("", body.split("\n"), body)))
    clean: list[str | tuple[int, int]] = []  # what was cleaned, and the places of what needed none
    at = 0
    for part in _calm_parts(body):
        lines = part.split("\n")
        cleaned = _cleaned(lines, part, lines)
        clean.append((at, at + len(part)) if cleaned is lines else "\n".join(cleaned))
        at += len(part) + 1
    if any(isinstance(part, str) for part in clean):
        body = "\n".join([part if isinstance(part, str) else body[part[0] : part[1]] for part in clean])
    return _dedented_in_parts(body)


def _is_printable(body: str) -> bool:
    """Whether the text is quoted-printable."""
    if "=" not in body or not (body.endswith("=") or any(sign in body for sign in _QP_SIGNS)) or not _QP_SURE.search(body):
        return False
    if _NOT_QP.search(body):
        return False
    return len(_QP.findall(body)) + len(_QP_BREAKS.findall(body)) > 2 or bool(_QP_TOLD.search(body))


def _cleaned(lines: Sequence[str], body: str, alike: Sequence[str]) -> Sequence[str]:
    """Without entities and prefixes; the very list where nothing was to be done.

    `alike`: a line of each kind among them, `body`: these, or all, joined.
    """
    kinds = alike
    if "&" in body and _ENTITY.search(body):
        lines = alike = [html.unescape(line).translate(_ONE_LINE) if "&" in line else line for line in lines]
        body = "\n".join(lines)
    if "[" in body and _LISTS.search(body):
        lines = alike = _listed(lines)
    if "[/" in body or "{code" in body or "{noformat" in body:
        lines = alike = [_BOARD.sub("", line) if "]" in line or "}" in line else line for line in lines]
    before, lines = lines, strip_markup(lines, body, alike)
    if lines is not before:
        alike = lines
    may = _met(alike) if alike is kinds and len(alike) <= _FEW else -1
    first = "".join({line[:1] for line in alike}) if may else ""
    for at, (begins, holds, pattern, accept) in enumerate(_PREFIXES) if may else ():
        # Few texts have any line that begins so; what a look at the first characters tells needs no pattern.
        if may >> at & 1 and begins.search(first) and any(word in body for word in holds) and any(map(pattern.match, alike)):
            several = pattern is HOST_PREFIX  # who stand in any order
            kind = find_host_test(lines) if several else _grepped(lines) if pattern is _GREP else accept
            before, lines = lines, _strip(lines, pattern, kind, several)
            if lines is not before:
                alike, may = lines, -1
                first = "".join({line[:1] for line in lines})
    return lines


def _met(kinds: Sequence[str]) -> int:
    """A bit for each of the prefixes with which one of the kinds begins; files of one tool are made of the same kinds."""
    met = 0
    for kind in kinds:
        known = _known.get(kind)
        if known is None:
            known = sum(1 << at for at, (_, _, pattern, _) in enumerate(_PREFIXES) if pattern.match(kind))
            if len(kind) <= _SHORT:
                if len(_known) >= _KEPT:
                    _known.clear()
                _known[kind] = known
        met |= known
    return met


def _listed(lines: Sequence[str]) -> list[str]:
    """Without the quotes of strings that stand in a row, each on a line: lines of output as JSON or YAML lists them."""
    found = [STRING.match(line) for line in lines]
    row = [
        one is not None and any(two is not None for two in (found[max(at - 1, 0) : at] + found[at + 1 : at + 2]))
        for at, one in enumerate(found)
    ]
    return [string_content(one) if one and row[at] else lines[at] for at, one in enumerate(found)]


def _calm_parts(body: str) -> Iterator[str]:
    """Parts of whole lines, each but the first beginning with a line that no block of prefixes goes across.

    Where no such line comes for very long, a block is so long that its halves are blocks as well.
    """
    at = 0
    while (end := body.find("\n", at + _PART)) >= 0:
        after, tries = body.find("\n", end + 1), 0
        while after >= 0 and tries < _TRIES and not _is_calm(body[end + 1 : after]):
            end, after, tries = after, body.find("\n", after + 1), tries + 1
        if after < 0:
            break
        yield body[at:end]
        at = end + 1
    yield body[at:]


def _is_calm(line: str) -> bool:
    return bool(line.strip(" \t>")) and "&" not in line and not any(pattern.match(line) for _, _, pattern, _ in _PREFIXES)


def _same(match: re.Match[str]) -> str:
    """Prefixes that must be one and the same on neighbouring lines."""
    return match[0]


def _any(match: re.Match[str]) -> str:
    return ""


def _file_of(match: re.Match[str]) -> str:
    return match[1]


def _grepped(lines: Sequence[str]) -> Callable[[re.Match[str]], str]:
    """What grep found in several files stands together, but where there are results of fio: the name of each tells its job."""
    jobs = any(_OF_FIO.match(line, found.end()) for line in lines if (found := _GREP.match(line)))
    return _file_of if jobs else _any


def _same_container(match: re.Match[str]) -> str | None:
    """Only a word that is a name and no title of a table's row: `bench-1  | `."""
    word = match[1]
    return None if word.isalpha() or word.replace(".", "").isdigit() or not any(letter.isalpha() for letter in word) else word


# What a line with the prefix begins with, words of which the text then holds one, the prefix, and which of them are of one kind.
_PREFIXES: tuple[Prefix, ...] = (
    (lazy(">"), (">",), _QUOTE, _any),
    *DATED,
    (lazy(r"[<\[\d]"), ("> ",), _NICK, lambda match: match[0].partition("<")[2]),  # chats
    (lazy("[A-Z]"), (":",), _SYSLOG, lambda match: match[1]),
    (lazy("[A-Z]"), (":",), _TS, _any),
    (lazy(r"\d"), (":",), _RSYSLOG, lambda match: match[1]),
    (lazy(r"[\[(\d]"), (":",), _STAMP, _any),
    (lazy(r"[\[\d]"), ("] ", ":"), _CLOCK, _any),
    (lazy(r"[-\w\[]"), ("INFO", "DEBUG", "TRACE", "info", "[std"), _LEVEL, _any),
    (lazy("#"), ("#",), _STEP, _any),
    (lazy(r"[\[\w =]"), ("out:", "err:", "OUT:", "ERR:", "-exec):", " default:"), _OUT, _any),
    (lazy(r"\["), ("<std",), _TAG, _any),  # mpirun --tag-output
    (lazy(r"[\w./]"), (".txt:", ".log:", ".out:", ".err:", ".csv:", ".dat:", ".res:", ".md:", ".o", ".e"), _GREP, _file_of),
    (lazy(r"\["), ("] ",), _PREPENDED, _same),
    (lazy(r"\["), ("] ",), _BRACKET, _same),  # kubectl logs --prefix
    (lazy(r"\w"), (" | ",), _CONTAINER, _same_container),  # docker compose logs
    (lazy(":"), (": ",), _COLON, _any),  # Org mode
    (lazy("-"), ("- ",), _DASH, _any),  # a list, as some people quote
    (lazy(r"[\s\d]"), (": ",), _RANK, lambda m: m[0].strip()),
    *NAMING,
    (lazy("[A-Za-z]"), (": ",), HOST_PREFIX, _any),  # pdsh, by `host_among`
)


_known: dict[str, int] = {}


def _strip(
    lines: Sequence[str], pattern: re.Pattern[str], kind: Callable[[re.Match[str]], str | None], several: bool = False
) -> Sequence[str]:
    """Take the prefix away where at least `_LEAST` neighbouring lines carry one of the same kind (empty ones do not count)."""
    begins = pattern.match
    found = [begins(line) for line in lines]
    if len(found) - found.count(None) < _LEAST:
        return lines
    out, last = list(lines), None
    block: list[tuple[int, re.Match[str]]] = []

    def flush() -> None:
        if several and len(block) >= _LEAST:
            times = Counter(match[1] for _, match in block)
            block[:] = [one for one in block if times[one[1][1]] >= _LEAST]
        if len(block) >= _LEAST and not (pattern is _QUOTE and all(_PROMPTED.match(lines[at]) for at, _ in block)):
            # blanks behind the prefix that not every line has are columns of the text itself
            ends = [(at, match.end()) for at, match in block]
            blanks = [end - len(lines[at][:end].rstrip(" ")) for at, end in ends if lines[at][end:]]
            least = min(blanks, default=0)
            for at, end in ends:
                out[at] = lines[at][max(len(lines[at][:end].rstrip(" ")) + least, 0) :]
        block.clear()

    for at, match in enumerate(found):
        this = kind(match) if match else None
        if match is None or this is None:
            if (block or last is not None) and lines[at].strip(" \t>"):
                if block:
                    flush()
                last = None
            continue
        if this != last and not (several and last is not None):
            flush()
            last = this
        block.append((at, match))
    flush()
    return out if out != lines else lines


def _printable(lines: Sequence[str]) -> list[str]:
    """Quoted-printable decoded; what a soft break continues joins its first line and leaves an empty one."""
    out: list[str] = [""] * len(lines)
    first = 0
    for at, line in enumerate(lines):
        if at == 0 or not _goes_on(lines[at - 1]):
            first = at
        part = line[:-1] if _goes_on(line) else line
        out[first] += part
    return [_unquoted(line) if "=" in line else line for line in out]


def _printable_parts(lines: Sequence[str]) -> list[str]:
    """Only the parts of mails decoded whose headers say that they are so written, where others in the text are not."""
    out, start = list(lines), None
    for at in range(len(lines) + 1):
        if start is not None and (at == len(lines) or _PART_ENDS.match(lines[at])):
            out[start:at], start = _printable(lines[start:at]), None
        if at < len(lines) and _QP_TOLD.match(lines[at]):
            start = at + 1
    return out


def _goes_on(line: str) -> bool:
    """Whether it ends in a soft break; a sign of its own before that would be written =3D."""
    return line.endswith("=") and not line.endswith("==")


def _unquoted(line: str) -> str:
    text = _QP.sub(lambda code: chr(int(code[0][1:], 16)), line)
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


def _dedented(lines: Sequence[str]) -> Sequence[str]:
    """Without the blanks or tabs that every line begins with."""
    common = _indent(lines, None)
    return _without(lines, common) if common else lines


def _indent(lines: Iterable[str], common: str | None) -> str | None:
    """What every line that is not blank begins with in blanks, and `common` too; None where none was seen yet."""
    for line in lines:
        if common is None:
            if line.strip():
                common = line[: len(line) - len(line.lstrip())]
        elif not line.startswith(common) and line.strip():
            while not line.startswith(common):
                common = common[:-1]
        if common == "":
            break
    return common


def _without(lines: Sequence[str], common: str) -> list[str]:
    return [line[len(common) :] if line.startswith(common) else line for line in lines]


def _dedented_in_parts(body: str) -> str:
    common: str | None = None
    for part in split_parts(body):
        common = _indent(part.split("\n"), common)
        if common == "":
            return body
    return "\n".join("\n".join(_without(part.split("\n"), common)) for part in split_parts(body)) if common else body
