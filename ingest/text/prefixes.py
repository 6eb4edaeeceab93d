"""Removes prefixes that every line has because of how the text was stored; line numbers stay."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.text import mail
from ingest.text.lines import Text, split_parts
from ingest.text.log_prefixes import DATED, HOST_PREFIX, NAMING, Prefix, find_host_test
from ingest.text.markup import STRING, string_content, strip_markup

_PART, _MAX_TRIES = 1 << 20, 20_000  # characters of a part of a long text; lines among which its end is searched
# Lines in the cache of matching prefixes, characters of the longest of them, and lines of a text that uses it.
_MAX_CACHED, _MAX_LINE, _MAX_LINES = 4000, 160, 400
_MIN_BLOCK = 3  # adjacent lines with a prefix

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
_PROMPTED = lazy(  # a shell whose prompt is `> `: commands without output, one after the other
    r"> (?:(?:sudo|time) )?(?:zpool|zfs|mount|umount|mkfs\S*|mdadm|sysctl|echo|cd|mkdir|sync|dd|rm|cp|export|modprobe|fio) "
)
_RANK = lazy(r"\s{0,4}\d{1,6}: ")
_TAG = lazy(r"\[\d+,\d+\]<std(?:out|err|diag)>: ?")
_CONTAINER = lazy(r"([\w.-]{1,60}) +\| ?")
_PREPENDED = lazy(r"\[\d{1,6}\] ")  # mpiexec -prepend-rank of MPICH
_GREP = lazy(
    r"((?:[\w./+-]{0,120}/)?(?:[\w.+-]{1,60}\.(?:txt|log|out|err|csv|dat|res|md|[oe]\d{1,9})|(?:results?|out|run|log)\.\d{6,12}))"
    r":(?:\d{1,7}:)?(?!/)"
)
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
_ONE_LINE = dict.fromkeys((0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0xA0, 0x2028, 0x2029), " ")  # an entity does not end a line
_ENTITY = lazy(r"&(?:nbsp|lt|gt|amp|quot|#\d{2,5}|#x[0-9a-fA-F]{2,4});")


def clean_lines(text: Text) -> Sequence[str]:
    """The lines without prefixes, quoted-printable and HTML entities, as many as before; the same object if there are none."""
    lines, body = text.lines, text.body
    if mail.is_quoted_printable(body):
        lines = mail.decode_quoted_printable(lines)
        return _dedent(_clean(lines, "\n".join(lines), lines))
    distinct = text.distinct_lines
    if "=3D" in body and mail.HEADER.search(body):
        lines = mail.decode_mail_parts(lines)
        return _dedent(_clean(lines, "\n".join(lines), lines))
    return _dedent(_clean(lines, distinct, distinct.split("\n")) if distinct else _clean(lines, body, lines))


def clean_body(body: str) -> str:
    """As `clean_lines`, for the joined lines of a long text, of which only a part at a time is split into lines."""
    if mail.is_quoted_printable(body):
        return "\n".join(clean_lines(Text("", body.split("\n"), body)))
    clean: list[str | tuple[int, int]] = []  # cleaned parts, and (start, end) of unchanged ones
    start = 0
    for part in _safe_parts(body):
        lines = part.split("\n")
        cleaned = _clean(lines, part, lines)
        clean.append((start, start + len(part)) if cleaned is lines else "\n".join(cleaned))
        start += len(part) + 1
    if any(isinstance(part, str) for part in clean):
        body = "\n".join([part if isinstance(part, str) else body[part[0] : part[1]] for part in clean])
    return _dedent_body(body)


def _clean(lines: Sequence[str], body: str, distinct: Sequence[str]) -> Sequence[str]:
    """The lines without entities and prefixes; the same object if there are none.

    `distinct`: a line of each shape among them; `body`: these, or all, joined.
    """
    original = distinct
    if "&" in body and _ENTITY.search(body):
        lines = distinct = [html.unescape(line).translate(_ONE_LINE) if "&" in line else line for line in lines]
        body = "\n".join(lines)
    if "[" in body and _LISTS.search(body):
        lines = distinct = _unquote_listed(lines)
    if "[/" in body or "{code" in body or "{noformat" in body:
        lines = distinct = [_BOARD.sub("", line) if "]" in line or "}" in line else line for line in lines]
    unstripped, lines = lines, strip_markup(lines, body, distinct)
    if lines is not unstripped:
        distinct = lines
    candidates = _matching_prefixes(distinct) if distinct is original and len(distinct) <= _MAX_LINES else -1
    first = "".join({line[:1] for line in distinct}) if candidates else ""
    for index, (first_character, literals, pattern, kind) in enumerate(_PREFIXES) if candidates else ():
        # Few texts have such a line: test the first characters before searching the pattern.
        if (
            candidates >> index & 1
            and first_character.search(first)
            and any(word in body for word in literals)
            and any(map(pattern.match, distinct))
        ):
            is_interleaved = pattern is HOST_PREFIX  # who stand in any order
            kind_of = find_host_test(lines) if is_interleaved else _grep_kind(lines) if pattern is _GREP else kind
            unstripped, lines = lines, _strip_prefix(lines, pattern, kind_of, is_interleaved)
            if lines is not unstripped:
                distinct, candidates = lines, -1
                first = "".join({line[:1] for line in lines})
    return lines


def _matching_prefixes(shapes: Sequence[str]) -> int:
    """A bit for each of the prefixes with which one of the lines begins; cached, since files of one tool share their shapes."""
    bits = 0
    for shape in shapes:
        shape_bits = _prefix_cache.get(shape)
        if shape_bits is None:
            shape_bits = sum(1 << index for index, (_, _, pattern, _) in enumerate(_PREFIXES) if pattern.match(shape))
            if len(shape) <= _MAX_LINE:
                if len(_prefix_cache) >= _MAX_CACHED:
                    _prefix_cache.clear()
                _prefix_cache[shape] = shape_bits
        bits |= shape_bits
    return bits


def _unquote_listed(lines: Sequence[str]) -> list[str]:
    """The lines without the quotes of strings on adjacent lines: lines of output as JSON or YAML lists them."""
    matches = [STRING.match(line) for line in lines]
    has_neighbour = [
        match is not None
        and any(neighbour is not None for neighbour in (matches[max(index - 1, 0) : index] + matches[index + 1 : index + 2]))
        for index, match in enumerate(matches)
    ]
    return [string_content(match) if match and has_neighbour[index] else lines[index] for index, match in enumerate(matches)]


def _safe_parts(body: str) -> Iterator[str]:
    """Parts of whole lines, each but the first beginning with a line that no block of prefixes spans.

    If there is no such line for very long, the block is so long that both halves are blocks.
    """
    start = 0
    while (end := body.find("\n", start + _PART)) >= 0:
        next_end, tries = body.find("\n", end + 1), 0
        while next_end >= 0 and tries < _MAX_TRIES and not _is_safe_start(body[end + 1 : next_end]):
            end, next_end, tries = next_end, body.find("\n", next_end + 1), tries + 1
        if next_end < 0:
            break
        yield body[start:end]
        start = end + 1
    yield body[start:]


def _is_safe_start(line: str) -> bool:
    return bool(line.strip(" \t>")) and "&" not in line and not any(pattern.match(line) for _, _, pattern, _ in _PREFIXES)


def _whole_prefix(match: re.Match[str]) -> str:
    """Prefixes of this kind must be identical on adjacent lines."""
    return match[0]


def _one_kind(match: re.Match[str]) -> str:
    """All prefixes of the pattern are of one kind."""
    return ""


def _file_name(match: re.Match[str]) -> str:
    return match[1]


def _grep_kind(lines: Sequence[str]) -> Callable[[re.Match[str]], str]:
    """The kind of grep's prefixes: of several files one kind, but with results of fio the file name, which identifies the job."""
    jobs = any(_OF_FIO.match(line, match.end()) for line in lines if (match := _GREP.match(line)))
    return _file_name if jobs else _one_kind


def _container_name(match: re.Match[str]) -> str | None:
    """Only a name, no title of a table's row: `bench-1  | `."""
    word = match[1]
    return None if word.isalpha() or word.replace(".", "").isdigit() or not any(letter.isalpha() for letter in word) else word


# (first character of a line, literals of which the text contains one, the prefix, its kind or None if it is no prefix)
_PREFIXES: tuple[Prefix, ...] = (
    (lazy(">"), (">",), _QUOTE, _one_kind),
    *DATED,
    (lazy(r"[<\[\d]"), ("> ",), _NICK, lambda match: match[0].partition("<")[2]),  # chats
    (lazy("[A-Z]"), (":",), _SYSLOG, lambda match: match[1]),
    (lazy("[A-Z]"), (":",), _TS, _one_kind),
    (lazy(r"\d"), (":",), _RSYSLOG, lambda match: match[1]),
    (lazy(r"[\[(\d]"), (":",), _STAMP, _one_kind),
    (lazy(r"[\[\d]"), ("] ", ":"), _CLOCK, _one_kind),
    (lazy(r"[-\w\[]"), ("INFO", "DEBUG", "TRACE", "info", "[std"), _LEVEL, _one_kind),
    (lazy("#"), ("#",), _STEP, _one_kind),
    (lazy(r"[\[\w =]"), ("out:", "err:", "OUT:", "ERR:", "-exec):", " default:"), _OUT, _one_kind),
    (lazy(r"\["), ("<std",), _TAG, _one_kind),  # mpirun --tag-output
    (lazy(r"[\w./]"), tuple(".txt: .log: .out: .err: .csv: .dat: .res: .md: .o .e result run. log.".split()), _GREP, _file_name),
    (lazy(r"\["), ("] ",), _PREPENDED, _whole_prefix),
    (lazy(r"\["), ("] ",), _BRACKET, _whole_prefix),  # kubectl logs --prefix
    (lazy(r"\w"), (" | ",), _CONTAINER, _container_name),  # docker compose logs
    (lazy(":"), (": ",), _COLON, _one_kind),  # Org mode
    (lazy("-"), ("- ",), _DASH, _one_kind),  # a list, as some people quote
    (lazy(r"[\s\d]"), (": ",), _RANK, lambda m: m[0].strip()),
    *NAMING,
    (lazy("[A-Za-z]"), (": ",), HOST_PREFIX, _one_kind),  # pdsh, its kind from `find_host_test`
)


_prefix_cache: dict[str, int] = {}


_Block = list[tuple[int, re.Match[str]]]  # (index of the line, prefix) of adjacent lines with prefixes of one kind


def _strip_prefix(
    lines: Sequence[str], pattern: re.Pattern[str], kind_of: Callable[[re.Match[str]], str | None], is_interleaved: bool = False
) -> Sequence[str]:
    """The lines without the prefix where at least `_MIN_BLOCK` adjacent lines have one of the same kind (blank lines do not
    count). `is_interleaved`: prefixes of several kinds may alternate; those that occur fewer times stay.
    """
    prefix = pattern.match
    matches = [prefix(line) for line in lines]
    if len(matches) - matches.count(None) < _MIN_BLOCK:
        return lines
    stripped = list(lines)
    for block in _prefix_blocks(lines, matches, kind_of, is_interleaved):
        if is_interleaved and len(block) >= _MIN_BLOCK:
            counts = Counter(match[1] for _, match in block)
            block = [(index, match) for index, match in block if counts[match[1]] >= _MIN_BLOCK]
        if len(block) >= _MIN_BLOCK and not (pattern is _QUOTE and all(_PROMPTED.match(lines[index]) for index, _ in block)):
            _strip_block(stripped, block)
    return stripped if stripped != lines else lines


def _prefix_blocks(
    lines: Sequence[str],
    matches: Sequence[re.Match[str] | None],
    kind_of: Callable[[re.Match[str]], str | None],
    is_interleaved: bool,
) -> Iterator[_Block]:
    """Adjacent lines, blank ones aside, whose prefixes are of one kind, or of any kind if they are interleaved."""
    block: _Block = []
    last_kind: str | None = None
    for index, match in enumerate(matches):
        kind = kind_of(match) if match else None
        if match is None or kind is None:
            if last_kind is not None and lines[index].strip(" \t>"):
                yield block
                block, last_kind = [], None
            continue
        if kind != last_kind and not (is_interleaved and last_kind is not None):
            yield block
            block, last_kind = [], kind
        block.append((index, match))
    yield block


def _strip_block(lines: list[str], block: _Block) -> None:
    """Remove the prefixes of a block in place. Blanks after the prefix that not every line has are part of the text."""
    ends = [(index, match.end()) for index, match in block]
    blanks = [end - len(lines[index][:end].rstrip(" ")) for index, end in ends if lines[index][end:]]
    least = min(blanks, default=0)
    for index, end in ends:
        lines[index] = lines[index][max(len(lines[index][:end].rstrip(" ")) + least, 0) :]


def _dedent(lines: Sequence[str]) -> Sequence[str]:
    """The lines without the blanks or tabs that all of them begin with."""
    common = _common_indent(lines, None)
    return _remove_indent(lines, common) if common else lines


def _common_indent(lines: Iterable[str], common: str | None) -> str | None:
    """The blanks that every nonblank line, and `common`, begin with; None if there was no such line yet."""
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


def _remove_indent(lines: Sequence[str], common: str) -> list[str]:
    return [line[len(common) :] if line.startswith(common) else line for line in lines]


def _dedent_body(body: str) -> str:
    common: str | None = None
    for part in split_parts(body):
        common = _common_indent(part.split("\n"), common)
        if common == "":
            return body
    return "\n".join("\n".join(_remove_indent(part.split("\n"), common)) for part in split_parts(body)) if common else body
