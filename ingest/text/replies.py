"""What mails, posts and comments quote of others, and their signatures, by the lines with their marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy

Span = tuple[int, int]  # first and last line, 1-based

_VERB = r"(?:wrote|writes|said|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napsal|napisał|пишет|написал|写道)"
_FORWARDED = (
    r"-+ ?(?:Original Message|Forwarded message|Message transféré|Weitergeleitete Nachricht|Ursprüngliche Nachricht"
    r"|Message d'origine|Mensaje original)"
)
_WROTE = lazy(  # after a date, an address or a short name
    r"(?i)(?:(?:On|Am|Le|El|Il|Op|Em|Den|Dne|W dniu) .*|\d.*|.*<\S+@\S+>.*|.*\d{4}.*|(?:\S+ ){1,4})(?<=[ ,)>\"])"
    rf"{_VERB}(?: (?:(?:on|in|am|le|at) )?[^\n]{{4,60}})?\s?:\s*\Z"
    r"|\s*\(?(?:In reply|Replying) to .*[:)]\s*\Z"
    r"|\s*(?:Originally )?posted by:? ?\S.*|\s*(?:Zitat|Quote|Citation|Cita)(?:(?: (?:von|from|de|by):? \S[^\n]{0,60})?:?|:)\s*\Z"
    rf"|In article <.*(?:says|writes|wrote)\W*\Z|{_FORWARDED}\b.*"
)
_WROTE_ITSELF = lazy(r"(?i)(?:.*\W)?(?:I wrote|ich schrieb|schrieb ich|j\Wai écrit|escribí)\b")
_UNMARKED = lazy(rf"(?i)\s*(?:\S+ ){{1,3}}{_VERB}\s?:\s*\Z|\s*(?:Originally )?posted by|\s*(?:Zitat|Quote)\b.*\Z")
_TO_THE_END = lazy(rf"(?i){_FORWARDED}")
_MARKED, _MARKED_TWICE = lazy(r"\s{0,3}>"), lazy(r"\s{0,3}>\s?>")
_TAG = lazy(r"(?i)\s*(?:\[quote(?P<by>[^\]]*)\]|<blockquote\b(?P<cite>[^>]*)>)")
_OPENS, _CLOSES = lazy(r"(?i)\[quote\b|<blockquote\b"), lazy(r"(?i)\[/quote\]|</blockquote>")
_HEADERS = lazy(
    r"\s*(?:From|Von|De|Da): \S[^\n]*\n\s*(?:Sent|Gesendet|Envoyé|Enviado|Inviato)\b[^\n]{0,4}: "
)  # as Outlook puts them
_MAIL = lazy(r"From \S+.*\d\d:\d\d|(?:From|Von|De|Date|Subject|Betreff|Objet): \S")
_SIGNATURE = lazy(r"-- ?\Z|_{8,}\s*\Z")
_SPEAKS = lazy(r"\b(?:I(?![/.\w-])|[Mm]y|[Ii]ch|[Mm]ein\w*|[Jj]e|Hi|Hello|Hallo|Regards)\b")
_BYLINE = lazy(r"(?:@?\S+[ \t]+){1,7}\S*[^\s:.]\Z")  # who wrote a comment, and when
_MAX_SIGNATURE = 8


def mail_starts(lines: Sequence[str]) -> list[int]:
    """The lines on which the headers of mails stand."""
    return [number for number, line in enumerate(lines, 1) if line[:1] in "FVDSBO" and _MAIL.match(line)]


def find_replies(lines: Sequence[str]) -> Iterator[Span]:
    """What is quoted with the name of who wrote it, is marked twice, or stands where a reply begins."""
    number = 1
    while number <= len(lines):
        line = lines[number - 1]
        start, block = line.lstrip()[:1], None
        if start == ">" and _MARKED.match(line):
            block = _marked_block(lines, number)
        elif start in ("[", "<") and (match := _TAG.match(line)):
            block = _tagged_block(lines, number, match)
        elif (
            start
            and (line.rstrip()[-1] == ":" or start in "-oOpPqQzZcCI(R")
            and _WROTE.match(line)
            and not _WROTE_ITSELF.match(line)
        ):
            block = _unmarked_block(lines, number)
        elif start in ("F", "V", "D") and number > 1 and _HEADERS.match("\n".join(lines[number - 1 : number + 1])):
            block = len(lines), True
        last, is_quoted = block or (number, False)
        if is_quoted:
            yield number, last
        number = last + 1


def _marked_block(lines: Sequence[str], number: int) -> tuple[int, bool]:
    """The last line of those with `>`, and whether they are of another author."""
    last = number
    while last < len(lines) and (_MARKED.match(lines[last]) or (not lines[last].strip() and _is_marked_below(lines, last))):
        last += 1
    above = [line for line in lines[: number - 1] if line.strip()][:2]
    begins = not above or (len(above) == 1 and _BYLINE.match(above[0]) is not None)
    begins = begins and any(map(_SPEAKS.search, lines[last : last + 4]))
    return last, begins or _attribution(lines, number) or any(map(_MARKED_TWICE.match, lines[number - 1 : last]))


def _is_marked_below(lines: Sequence[str], index: int) -> bool:
    return index + 1 < len(lines) and _MARKED.match(lines[index + 1]) is not None


def _tagged_block(lines: Sequence[str], number: int, match: re.Match[str]) -> tuple[int, bool]:
    """The line that closes `[quote]` or `<blockquote>`, and whether what is between is of another author."""
    depth = 0
    for last in range(number, len(lines) + 1):
        depth += len(_OPENS.findall(lines[last - 1])) - len(_CLOSES.findall(lines[last - 1]))
        if depth <= 0:
            break
    begins = match["by"] is not None and not any(line.strip() for line in lines[max(number - 4, 0) : number - 1])
    named = bool(match["by"]) or "cite" in (match["cite"] or "") or any(map(_WROTE.match, lines[number : number + 3]))
    return last, begins or named or _attribution(lines, number)


def _unmarked_block(lines: Sequence[str], number: int) -> tuple[int, bool]:
    """The last line of what follows `Bob wrote:` without marks, up to a blank line or, of a forwarded mail, to its end."""
    if _TO_THE_END.match(lines[number - 1]):
        return next((one for one in range(number + 1, len(lines)) if lines[one].startswith("From ")), len(lines)), True
    below = next((line for line in lines[number : number + 3] if line.strip()), "")
    if not _UNMARKED.match(lines[number - 1]) or _MARKED.match(below) or _TAG.match(below):
        return number, False
    return next((one for one in range(number + 2, len(lines)) if not lines[one].strip()), len(lines)), True


def _attribution(lines: Sequence[str], number: int) -> bool:
    """Whether who wrote what is quoted from a line on stands above it, on one line or two."""
    above = [line.strip() for line in lines[max(number - 4, 0) : number - 1] if line.strip()][-2:]
    joined = (" ".join(above[index:]) for index in range(len(above)))
    return any(_WROTE.match(words) and not _WROTE_ITSELF.match(words) for words in joined)


def find_signatures(lines: Sequence[str]) -> Iterator[Span]:
    """A few lines below `-- `, or below a rule at the end of a mail or a post."""
    for number, line in enumerate(lines, 1):
        if line[:2] not in ("--", "__") or not _SIGNATURE.match(line):
            continue
        last = number
        while last < len(lines) and lines[last].strip() and not _MAIL.match(lines[last]):
            last += 1
        following = next((one for one in lines[last:] if one.strip()), "")
        is_last = not following or _MAIL.match(following) or _WROTE.match(following)
        if number < last <= number + _MAX_SIGNATURE and (line == "-- " or (is_last and any(map(_SPEAKS.search, lines[:200])))):
            yield number + 1, last
