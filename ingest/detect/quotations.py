"""What a text only shows: examples of manuals, data of programs, tests and plots, what mails and posts quote of others.

The lines of a quotation give no values and no evidence, unless a person takes it. The text has to say that it quotes: an output
without such a sign is the author's own. What replies quote is theirs too as long as it stands nowhere else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from ingest.detect.findings import FileFindings
from ingest.lazy_regex import lazy
from ingest.records import QUOTED, Doubt, MissingValue, Value
from ingest.text import mentions
from ingest.text.lines import Text

_MAX_CHARACTERS = 1 << 20  # a longer text is a log
_MAX_BLOCK = 400  # lines of an output that no fence and no indentation ends
_LOST = ("by-hand", "cut", "no-header", "unread", "not-read-yet", "short-row", "no-command", "failed-run")

# The words of an author who measured, which make an output their own however it is introduced.
_OWN = lazy(
    r"\b(?:I(?![/.\w-]|\))|[Mm]y|[Mm]ine|[Ii]ch|[Mm]ein(?:e[mnrs]?)?|[Jj]['’]ai|[Jj]e|mes|[Yy]o|[Mm]is?)\b|\b(?:[Мм]о[йяиею]|я)\b"
    r"|我的?|私の?|제가"
)
_OUTPUT = r"(?:outputs?|results?|reports?|listings?|responses?|numbers|invocations?|console|usage|screens?)"
# Says that an output is one that the reader will see, or is an example.
_SAYS_EXAMPLE = lazy(
    r"(?i)\b(?:you|one) (?:should|will|would|might|may|must|ought to|can expect to) (?:\w+ ){0,2}"
    r"(?:see|get|obtain|receive|find|have)\b"
    rf"|you['’]ll (?:\w+ )?(?:see|get)\b|\b(?:{_OUTPUT}|it|this|that|which|log|screen|summary) (?:\w+ )?"
    r"(?:should|will|would|may|might|must|ought to) (?:\w+ )?(?:look|be (?:similar|like|something)|read|resemble|appear)\b"
    r"|(?:should|will|would|may|might) (?:\w+ )?(?:print|show|output|produce|display|return|report|give|yield|see)\b"
    r"[^.\n]{0,60}\b(?:like|similar|following|below)"
    rf"|\b(?:sample|example|expected|exemplary|illustrative) (?:\w+ ){{0,2}}?{_OUTPUT}\b(?! ?\d)"
    r"|\b(?:sample|example|expected) (?:runs?|sessions?|executions?|logs?|measurements?)\b(?! ?\d)"
    rf"|\bexamples? of (?:the |an? |its |typical )*{_OUTPUT}|\b(?:the|an?|this) example (?:above|below)\b"
    r"|\b(?:copied|taken|quoted|borrowed|excerpt(?:ed)?|cited) (?:verbatim )?from (?:the |a |its |their )?(?:\S+ )?"
    r"(?:man(?:ual)?\b|docs?\b|documentation|wiki|readme|web ?site|article|book|blog|how-?to|faq|https?:)"
    r"|\baccording to (?:the |its |their )?(?:\S+ )?(?:man(?:ual)?|docs?|documentation|wiki|readme|vendor|data ?sheet)\b"
    r"|\bBeispiel-?(?:ausgaben?|ergebnis\w*|lauf|aufruf|sitzung|protokoll)|\berwartete[sn]? (?:Ausgabe|Ergebnis)"
    r"|\b(?:sollte|müsste|wird|sieht)\w* (?:[\w()]+ ){0,6}(?:so|wie folgt|ähnlich\w*|folgend\w*|folgendermaßen|ungefähr|etwa)"
    r" ?(?:[\w()]+ ){0,3}(?:aus|aus(?:sehen|schauen|gegeben)|erschein\w+|ausgeben|liefern|anzeigen|angezeigt)\b"
    r"|\bexemples? (?:de |d['’])(?:sortie|résultat|affichage|exécution|utilisation)"
    r"|\b(?:devriez|devrait|devrez|doit|devraient|allez|obtiendrez|verrez) (?:[\w']+ ){0,4}?(?:voir|obtenir|ressembler"
    r"|afficher|donner"
    r"|quelque chose)\b|\b(?:obtiendrez|verrez) (?:alors |ensuite )?(?:quelque chose|une sortie|un résultat)"
    r"|\b(?:sortie|résultat)s? (?:attendue?s?|typiques?)\b|\bressembler(?:a| à)"
    r"|\b(?:salida|resultado)s? (?:de ejemplo|esperad[ao]s?)|\bejemplos? de (?:salida|resultado|uso)"
    r"|\bdeber(?:ía|íamos|ías|á|ás|ían)\w* (?:\w+ ){0,2}?(?:ver|obtener|verse|mostrar|parecer)"
    r"|\boutput (?:di esempio|attes[oi]|previsto)|\besempio di (?:output|uscita|utilizzo)"
    r"|\bdovrest[ei] (?:\w+ )?(?:vedere|ottenere)"
    r"|\b(?:saída|resultado) (?:de exemplo|esperad[ao])|\bexemplo de (?:saída|uso)|\bvocê (?:deve|deverá|verá)"
    r"|\bvoorbeeld-?uitvoer|\bverwachte uitvoer|\bprzykładow\w+ (?:wynik|wyj)|\bukázkov\w+ výst|\bexempel på ut"
    r"|пример\w* вывод|ожидаемый (?:вывод|результат)|долж\w+ (?:увидеть|выглядеть|получ)|(?:выглядит|будет) примерно"
    r"|示例输出|输出示例|输出样例|样例输出|预期(?:输出|结果)|期望输出|(?:输出|结果)(?:应该?|大致|类似)|出力例|実行例|表示例"
    r"|예제 출력|출력 예|예상 출력"
)
# The same where the document instructs, and nobody tells of own measurements.
_MAY_BE_EXAMPLE = lazy(
    r"(?i)\bfor (?:example|instance)\b|\be\.g\.|\bexamples? ?:|\bin (?:this|the above|the following|our) example\b"
    rf"|\blooks? (?:\w+ )?(?:like|similar)|\bsomething (?:like|similar)|\bsimilar to (?:this|the following|that|below)"
    rf"|\btypical {_OUTPUT}"
    r"|\bzum beispiel\b|\bz\. ?b\.|\bbeispiel ?:|\bin diesem beispiel|\bpar exemple\b|\bexemple ?:|\bdans cet exemple"
    r"|\bpor ejemplo\b|\bejemplo ?:|\ben este ejemplo|\bper esempio\b|\bpor exemplo\b|\bнапример\b"
    r"|例如|比如|在此示例|この例|例えば|たとえば|예를 들어|이 예"
)
_WORDS = (  # every such sentence or heading has one of them, in lower case
    "you", "exampl", "sampl", "expect", "should", "would", "will ", "might", "may ", "like", "similar", "from", "according",
    "beispiel", "erwartet", "sollte", "müsste", "wird", "sieht", "z.b", "z. b", "exempl", "devr", "doit", "allez", "verrez",
    "obtien", "attendu", "ressembl", "ejempl", "deber", "esperad", "esempi", "attes", "dovre", "você", "voorbeeld", "uitvoer",
    "przyk", "ukáz", "exempel", "usage", "start", "how", "tutorial", "demo", "synopsis", "illustrat", "typi", "use", "uso",
    "verwendung", "nutzung", "aufruf", "bedienung", "anwendung", "util", "пример", "долж", "ожида", "напр", "исполь", "будет",
    "例", "示", "预期", "期望", "结果", "用法", "使", "예", "이", "사용",
)  # fmt: skip
_EXAMPLE_TITLE = lazy(
    r"(?i)(?:\d+[.)]?[\d.]* |step \d+:? |[^\w\s]+ ?)*(?:"
    r"(?:sample|example|expected|typical|illustrative)(?: \w+)?(?: (?:outputs?|results?|runs?|sessions?|reports?|usage"
    r"|logs?|listing))"
    r"|(?:usage |command |cli |quick |more |simple |basic )?examples?(?: \d+| usage| of use| commands?| outputs?)?"
    r"|(?:basic |typical |simple |command[- ]line |cli )?usage(?: examples?| notes?| guide)?|synopsis"
    r"|quick ?-?start(?: guide)?|getting started|how to (?:use|run)(?: \w+)?|tutorial|demo|output (?:examples?|formats?|samples?)"
    r"|expected(?: behaviou?rs?| performance| results?)?|what to expect"
    r"|beispiele?(?: \d+)?|beispielausgaben?|verwendung|benutzung|nutzung|anwendung|aufruf|bedienung|schnellstart"
    r"|exemples?(?: \d+)?(?: de sortie| d['’]utilisation)?|utilisation|démarrage rapide"
    r"|ejemplos?(?: \d+| de (?:salida|uso))?|uso|esemp(?:io|i)|utilizzo|exemplos?|voorbeeld(?:en)?|przykłady?"
    r"|примеры?(?: вывода| использования)?|использование|用法|使用方法|使用|示例|例子|示例输出"
    r"|使い方|使用例|実行例|出力例|例|사용법|예제|예시"
    r")(?: ?[^\w\s]+)*"
)
_FENCE = lazy(r"[ \t]*(?:```+|~~~+)|[ \t]*(?:\{\{\{|\}\}\}|\[/?code\b|</?pre\b|\{code\b|\{noformat\b)|(?:-{4}|\.{4}|={4})\s*\Z")
_HEADING = lazy(r"#{1,6}[ \t]+\S|={2,}[ \t]\S")
_SENTENCE = lazy(
    r"(?i)(?=[^\n]{0,200}\b(?:the|an?|is|are|was|were|you|this|that|and|to|of|with|we|it|i|der|die|das|ist|und|mit|wir"
    r"|sie|le|la|les"
    r"|est|et|vous|nous|el|los|es|con)\b)[*_\"'(\[]{0,3}[^\W\d_][^\n|=]{24,}|[^\n|=]*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{6}"
)
_COMMAND = lazy(r"[ \t]*(?:\S*[$#%>❯➜])[ \t]+\S|[ \t]*(?:sudo|dd|fio|hdparm|iozone|bonnie|sysbench|sync|time)\b")
_DIRECTIVE = lazy(r"[ \t]*(?:\.\.[ \t]|:\w+:|\[source|<|//|\+\Z)")

# Programs and plots, by their names or first lines.
_PROGRAM_NAME = lazy(
    r"(?i).*\.(?:pyx?|p[lm]|rb|lua|[jt]sx?|mjs|go|rs|java|kt|cs|swift|cc?|cpp|cxx|hp?p?|f90|jl|awk|tcl"
    r"|ps1|r|gp|gpi?|gnu|gnuplot|plt|plot|m|scala|php|hs|ml|exs?|t|bats|asy)\Z"
)
_COMMENT = lazy(r"[ \t]*(?:#|//|;|--|%|\*|/\*)")
_CODE = lazy(
    r"\s*(?:#!|import\b|from [\w.]+ import\b|def \w|class \w|#include|#define|package \w|use [\w:]+;|func \w|fn \w|pub |const\b"
    r"|let \w|var \w|function\b|sub \w|my [$@%]|require\b|module\b|set (?:term|output|title|[xy]label|style|key"
    r"|datafile)|s?plot\b|reset\b"
    r"|\w+ *<- |library\(|describe\(|it\(|public |private |static |@\w+\b|[$]\w+ *(?:=|<<)|  [$] |//|/\*|\w+ *= *[\[({\"'])"
)
_PLOT = lazy(
    r"^[ \t]*(?:set (?:term(?:inal)?|output|[xy]label|title|style|key|xtics|logscale|boxwidth)\b|s?plot [\"'$<\[]"
    r"|(?:import|from) (?:matplotlib|pylab|seaborn|plotly|pandas|numpy|pytest|unittest)\b"
    r"|library\((?:ggplot2|lattice|tidyverse)\)|plt\.\w+\("
    r"|def test_\w+\(|class Test\w+)",
    re.M,
)
_MANUAL_NAME = lazy(r"(?i).*\.[1-8](?:\.(?:txt|md|rst|adoc|in|ronn|roff))?\Z|(?:.*[-_.])?(?:man(?:page|ual)?)\.\w+\Z")
_MANUAL_TITLE = lazy(
    r"^(?:#{1,2} |==? |\.SH \"?)?(?:NAME|SYNOPSIS|DESCRIPTION|OPTIONS|EXAMPLES?|SEE ALSO|BEZEICHNUNG|ÜBERSICHT|NOM)\"?[ \t]*$", re.M
)
_TEST_DATA = lazy(
    r"(?i)(?:\A|.*/)(?:__(?:fixtures|snapshots|mocks)__|testdata|test[-_]fixtures?"
    r"|(?:unit-?|integration-?)?(?:tests?|specs?)/(?:[^/]+/)*(?:fixtures?|golden|expected|resources|mocks?|snapshots))/.*"
    r"|.+/fixtures?/.*"
)

# What replies quote.
_WROTE = lazy(
    r"(?i)(?:On .*|Am .*|Le .*|El .*|Il .*|Op .*|Em .*|Den .*|Dne .*|W dniu .*|\d.*|.*<\S+@\S+>.*|.*\d{4}.*|\S+(?: \S+){0,3})"
    r"(?:^|[ ,)>\"])"
    r"(?:wrote|writes|said|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napsal|napisał|пишет|написал|写道)"
    r"(?: (?:(?:on|in|am|le|at) )?[^\n]{4,60})?\s?:\s*\Z"
    r"|\s*(?:Originally )?posted by:? ?\S.*|\s*(?:Zitat|Quote|Citation|Cita)(?: (?:von|from|de|by) \S[^\n]{0,60})?:\s*\Z"
    r"|-+ ?(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine|Mensaje original)\b.*"
)
_TOLD = lazy(
    r"(?i)\s*(?:\S+ ){1,3}(?:wrote|said|schrieb|a écrit|escribió)\s?:\s*\Z|\s*(?:Originally )?posted by|\s*(?:Zitat"
    r"|Quote)\b.*:\s*\Z"
)
_OWN_REPLY = lazy(r"(?i)(?:.*\W)?(?:I wrote|ich schrieb|schrieb ich|j['’]ai écrit|escribí)\b")
_TO_THE_END = lazy(r"(?i)-+ ?(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original)")
_MARKED, _MARKED_TWICE = lazy(r"\s{0,3}>"), lazy(r"\s{0,3}>\s?>")
_OPENS_QUOTE = lazy(r"(?i)\s*\[quote(?P<by>[^\]]*)\]|\s*<blockquote\b(?P<cite>[^>]*)>")
_QUOTE_OPENS, _QUOTE_CLOSES = lazy(r"(?i)\[quote\b|<blockquote\b"), lazy(r"(?i)\[/quote\]|</blockquote>")
_MAIL_START = lazy(r"From \S+.*\d\d:\d\d|(?:From|Von|De|Date|Subject|Betreff|Objet): \S")
_SIGNATURE = lazy(r"-- ?\Z|_{8,}\s*\Z")
_MAX_SIGNATURE = 8


class Quotation(NamedTuple):
    """Lines `first` to `last`. `is_reply`: quoted only where its results stand elsewhere, or the reply has others."""

    first: int
    last: int
    reason: str
    is_reply: bool = False


def find_quotations(text: Text, path: str, raw_lines: Sequence[str], results: Sequence[int]) -> list[Quotation]:
    """The quotations of a text with results on these lines, in order. `raw_lines`: its lines with the marks of replies."""
    if len(text.body) > _MAX_CHARACTERS or not results:
        return []
    if reason := _kind_of_file(text, path):
        return [Quotation(1, len(text.lines), reason)]
    if reason := _kind_of_program(text, raw_lines, results):
        # A comment beside a program is its author's note.
        noted = [_COMMENT.match(raw_lines[line - 1]) is not None for line in results]
        if not any(noted):
            return [Quotation(1, len(text.lines), reason)]
        blocks = [list(block) for is_note, block in groupby(zip(noted, results, strict=True), itemgetter(0)) if not is_note]
        return [Quotation(block[0][1], block[-1][1], reason) for block in blocks]
    found = [*_replies(raw_lines), *_signatures(raw_lines)]
    lower = text.body.lower()
    if any(map(lower.__contains__, _WORDS)):
        found += _Document(text, results).examples()
    return sorted(found)


def _kind_of_file(text: Text, path: str) -> str:
    """Why nothing in a file was measured by its author, '' if that cannot be said."""
    if _TEST_DATA.match(path):
        text.path_used = True
        return "data of a test, by its folder"
    if _MANUAL_TITLE.search(text.body) and (
        len(set(_MANUAL_TITLE.findall(text.body))) > 2
        or (_MANUAL_NAME.match(text.name) and len(_MANUAL_TITLE.findall(text.body)) > 1)
    ):
        return "in a manual page"
    return ""


def _kind_of_program(text: Text, raw_lines: Sequence[str], results: Sequence[int]) -> str:
    """What holds results in its strings and data, as a test or a plot; '' of any other text."""
    head = text.lines[:200]
    if mentions.is_shell_script(text):
        plain = {line.number for line in mentions.command_lines(raw_lines)}
        return "in a here-document or string of a script" if plain.isdisjoint(results) else ""
    is_named = _PROGRAM_NAME.match(text.name) is not None and any(map(_CODE.match, head))
    first = next((line for line in head if line.strip()), "")
    if is_named or first.startswith("#!"):
        return "in a program"
    code = next((line for line in head if line.strip() and not line.lstrip().startswith(("#", "//", "%"))), "")
    if _CODE.match(code) and len(_PLOT.findall(text.body)) > 1:
        return "data of a program that draws or tests"
    return ""


class _Document:
    """A text that may introduce outputs as examples."""

    def __init__(self, text: Text, results: Sequence[int]) -> None:
        self._lines, self._results, self._name = text.lines, results, text.name
        self._commands = {command.line for command in text.commands}
        self._inside = list(self._fences())
        self._titles = text.sections[1:]
        self._body = text.body

    def _fences(self) -> Iterator[int]:
        """For each line, 0 outside of blocks of code, else the line that opened the block."""
        opened, mark = 0, ""
        for number, line in enumerate(self._lines, 1):
            if (match := _FENCE.match(line)) is None:
                yield opened
                continue
            word = match[0].strip()
            if not opened:
                opened, mark = number, word[:3]
                yield opened
                if re.search(r"\[/code\]|</pre>", line):
                    opened = 0
            elif word[:3] == mark or (mark in ("{{{", "[co", "<pr") and word[:2] in ("}}", "[/", "</")):
                yield opened
                opened = 0
            else:
                yield opened

    def examples(self) -> Iterator[Quotation]:
        yield from self._sections()
        instructs = self._instructs()
        for number, line in enumerate(self._lines, 1):
            if len(line) > 2000 or number in self._results:
                continue
            match = _SAYS_EXAMPLE.search(line) or (_MAY_BE_EXAMPLE.search(line) if instructs else None)
            if match and (span := self._introduced(number)):
                yield Quotation(*span, f"“{match[0].strip()}” (line {number})")

    def _sections(self) -> Iterator[Quotation]:
        """Sections whose heading names an example or the usage, in which nobody tells of own measurements."""
        for section in self._titles:
            if not section.is_weak and _EXAMPLE_TITLE.fullmatch(section.title):
                last = min(section.end - 1, len(self._lines))
                if not any(map(_OWN.search, self._prose(section.line, last))):
                    yield Quotation(section.line, last, f"the section “{section.title}” (line {section.line})")

    def _prose(self, first: int, last: int) -> Iterator[str]:
        for number in range(first, last + 1):
            if not self._inside[number - 1] and number not in self._commands:
                yield self._lines[number - 1]

    def _instructs(self) -> bool:
        """Whether it is a document that speaks to its reader, and in which nobody tells of own measurements."""
        if not mentions.is_prose_name(self._name) and not re.search(r"\b(?:[Yy]ou|[Yy]our|Sie|[Vv]ous|usted|您|你)\b", self._body):
            return False
        return not any(map(_OWN.search, self._prose(1, len(self._lines))))

    def _introduced(self, number: int) -> tuple[int, int] | None:
        """The lines of the output that the sentence on a line introduces."""
        if self._inside[number - 1]:  # a comment inside of the block
            last = self._end_of_block(number)
            return (number, last) if self._has_results(number, last) else None
        first, last = self._paragraph(number)
        if self._is_own(first, last):
            return None
        for _ in range(4):  # blocks without results, as the command, and a line before the output may be between
            start = self._next_line(last + 1)
            if start is None or _HEADING.match(self._lines[start - 1]):
                return None
            if self._is_prose(start):
                last = self._paragraph(start)[1]
                if not self._lines[last - 1].rstrip().endswith(":") or self._is_own(start, last):
                    return None
                continue
            last = self._end_of(start, self._indent(number))
            if self._has_results(start, last):
                return number, last
        return None

    def _paragraph(self, number: int) -> tuple[int, int]:
        first, last = number, number
        while first > 1 and self._is_prose(first - 1):
            first -= 1
        while last < len(self._lines) and self._is_prose(last + 1):
            last += 1
        return first, last

    def _is_own(self, first: int, last: int) -> bool:
        return any(map(_OWN.search, self._lines[first - 1 : last]))

    def _end_of(self, start: int, indent: int) -> int:
        """The last line of the block of code, indented lines or output that begins on a line."""
        if self._inside[start - 1]:
            return self._end_of_block(start)
        return self._end_of_indent(start, indent) if self._indent(start) > indent else self._end_of_output(start)

    def _is_prose(self, number: int) -> bool:
        line = self._lines[number - 1]
        return bool(
            not self._inside[number - 1]
            and number not in self._commands
            and not _COMMAND.match(line)
            and not _HEADING.match(line)
            and number not in self._results
            and _SENTENCE.match(line.strip())
        )

    def _next_line(self, number: int) -> int | None:
        """The next line that is neither blank nor a directive of a markup language."""
        for line in range(number, len(self._lines) + 1):
            text = self._lines[line - 1]
            if text.strip() and (self._inside[line - 1] or not _DIRECTIVE.match(text)):
                return line
        return None

    def _indent(self, number: int) -> int:
        line = self._lines[number - 1].expandtabs(8)
        return len(line) - len(line.lstrip())

    def _end_of_block(self, number: int) -> int:
        opened = self._inside[number - 1]
        while number < len(self._lines) and self._inside[number] == opened:
            number += 1
        return number

    def _end_of_indent(self, number: int, indent: int) -> int:
        last = number
        for line in range(number, len(self._lines) + 1):
            if self._lines[line - 1].strip():
                if self._indent(line) <= indent:
                    break
                last = line
        return last

    def _end_of_output(self, start: int) -> int:
        """The last line before a sentence or heading below a blank line, behind the first results."""
        first_result = bisect_left(self._results, start)
        if first_result == len(self._results):
            return start
        number = max(start, self._results[first_result])
        for line in range(start + 1, number):
            if self._ends_output(line):
                return line - 1
        last = number
        for line in range(number + 1, min(len(self._lines), start + _MAX_BLOCK) + 1):
            if self._ends_output(line):
                break
            last = line
        return last

    def _ends_output(self, line: int) -> bool:
        if _HEADING.match(self._lines[line - 1]) or (self._inside[line - 1] == line):
            return True
        return not self._lines[line - 2].strip() and self._is_prose(line)

    def _has_results(self, first: int, last: int) -> bool:
        return bisect_right(self._results, last) > bisect_left(self._results, first)


def _replies(lines: Sequence[str]) -> Iterator[Quotation]:
    """What a mail or post quotes with the name of who wrote it, or marked twice."""
    number = 1
    while number <= len(lines):
        line, last = lines[number - 1], 0
        if _MARKED.match(line):
            last, is_quoted = _marked_block(lines, number)
        elif match := _OPENS_QUOTE.match(line):
            last, is_quoted = _tagged_block(lines, number, match)
        elif _WROTE.match(line) and not _OWN_REPLY.match(line):
            last, is_quoted = _told_block(lines, number)
        if last and is_quoted:
            yield Quotation(number, last, "quoted by a reply", True)
        number = max(last, number) + 1


def _marked_block(lines: Sequence[str], number: int) -> tuple[int, bool]:
    """The last line of those with `>`, and whether somebody else wrote them."""
    last = number
    while last < len(lines) and (_MARKED.match(lines[last]) or (not lines[last].strip() and _is_marked_below(lines, last))):
        last += 1
    return last, _attribution(lines, number) or any(map(_MARKED_TWICE.match, lines[number - 1 : last]))


def _tagged_block(lines: Sequence[str], number: int, match: re.Match[str]) -> tuple[int, bool]:
    """The line that closes `[quote]` or `<blockquote>`, and whether somebody else wrote what is between."""
    depth = 0
    for last in range(number, len(lines) + 1):
        depth += len(_QUOTE_OPENS.findall(lines[last - 1])) - len(_QUOTE_CLOSES.findall(lines[last - 1]))
        if depth <= 0:
            break
    begins = match["by"] is not None and not any(one.strip() for one in lines[max(number - 4, 0) : number - 1])
    named = bool(match["by"]) or "cite" in (match["cite"] or "") or any(map(_WROTE.match, lines[number : number + 3]))
    return last, begins or named or _attribution(lines, number)


def _told_block(lines: Sequence[str], number: int) -> tuple[int, bool]:
    """The last line of what follows `Bob wrote:` without marks, up to a blank line or, of a forwarded mail, to its end."""
    if _TO_THE_END.match(lines[number - 1]):
        return next((one for one in range(number + 1, len(lines)) if lines[one].startswith("From ")), len(lines)), True
    below = next((one for one in lines[number : number + 3] if one.strip()), "")
    if not _TOLD.match(lines[number - 1]) or _MARKED.match(below) or _OPENS_QUOTE.match(below):
        return number, False
    return next((one for one in range(number + 2, len(lines)) if not lines[one].strip()), len(lines)), True


def _is_marked_below(lines: Sequence[str], index: int) -> bool:
    return index + 1 < len(lines) and _MARKED.match(lines[index + 1]) is not None


def _attribution(lines: Sequence[str], number: int) -> bool:
    """Whether who wrote what is quoted from a line on stands above it."""
    above = [line for line in lines[max(number - 4, 0) : number - 1] if line.strip()][-2:]
    return any(
        _WROTE.match(" ".join(above[index:])) and not _OWN_REPLY.match(" ".join(above[index:])) for index in range(len(above))
    )


def _signatures(lines: Sequence[str]) -> Iterator[Quotation]:
    """The signatures of mails and posts: a few lines below `-- ` or a rule, at the end of one."""
    for number, line in enumerate(lines, 1):
        if line[:1] not in ("-", "_") or not _SIGNATURE.match(line):
            continue
        last = number
        while last < len(lines) and lines[last].strip() and not _MAIL_START.match(lines[last]):
            last += 1
        following = next((one for one in lines[last:] if one.strip()), "")
        is_last = not following or _MAIL_START.match(following) or _WROTE.match(following)
        if number < last <= number + _MAX_SIGNATURE and (line == "-- " or (is_last and _is_post(lines))):
            yield Quotation(number + 1, last, "the signature of a mail or post")


def _is_post(lines: Sequence[str]) -> bool:
    return any(_WROTE.match(line) or _MAIL_START.match(line) or _OWN.search(line) for line in lines[:200])


# What is taken out of the findings of a file.


def drop_quotations(findings: FileFindings, text: Text | None) -> None:
    """Take what stands in quotations out of the findings, with a warning for each that has results, but for those that a person
    takes."""
    if text is None or findings.spilled is not None or not findings.count:
        return
    raw_lines = text.unstripped if len(text.unstripped) == len(text.lines) else text.lines
    values: list[Value | MissingValue] = [*findings.gathered, *findings.missing]
    results = sorted(
        {
            line
            for line in chain(
                (item.line for item in values),
                (one.line for one in findings.series),
                (doubt.line for doubt in findings.doubts if doubt.code == "by-hand"),
                (clue.line for clue in findings.clues if clue.kind == "dump"),
            )
            if isinstance(line, int) and line
        }
    )
    for quotation in _settled(find_quotations(text, findings.path, raw_lines, results), values, raw_lines):
        _drop(findings, quotation)


def _settled(found: Sequence[Quotation], values: Sequence[Value | MissingValue], lines: Sequence[str]) -> Iterator[Quotation]:
    """The quotations apart from each other, of replies only those whose results stand elsewhere or whose mail has others."""
    starts = [number for number, line in enumerate(lines, 1) if _MAIL_START.match(line)] if found else []
    replies = [one for one in found if one.is_reply]
    own = [
        one for one in values if isinstance(one.line, int) and not any(reply.first <= one.line <= reply.last for reply in replies)
    ]
    seen = {_printed(one) for one in own}
    mails = {bisect_right(starts, one.line) for one in own if isinstance(one.line, int)}
    end = 0
    for quotation in found:
        if quotation.is_reply:
            inside = {
                _printed(one) for one in values if isinstance(one.line, int) and quotation.first <= one.line <= quotation.last
            }
            if not inside <= seen and bisect_right(starts, quotation.first) not in mails:
                seen |= inside
                continue
            if not values:
                continue
        if quotation.last > end:
            yield quotation._replace(first=max(quotation.first, end + 1))
            end = quotation.last


def _printed(item: Value | MissingValue) -> tuple[str, str, str]:
    return item.tool, item.native, item.raw


def _drop(findings: FileFindings, quotation: Quotation) -> None:
    def inside(line: int | str) -> bool:
        return isinstance(line, int) and quotation.first <= line <= quotation.last

    taken_out = [one for one in chain[Value | MissingValue](findings.gathered, findings.missing) if inside(one.line)]
    series = [one for one in findings.series if inside(one.line)]
    tables = [doubt for doubt in findings.doubts if doubt.code == "by-hand" and inside(doubt.line)]
    clues = [clue for clue in findings.clues if inside(clue.line)]
    lines = sorted({one.line for one in chain(taken_out, series, tables) if isinstance(one.line, int)})
    lines = lines or sorted({clue.line for clue in clues if clue.kind == "dump"})
    if lines and findings.taken_at(lines[0]) == QUOTED:
        return
    findings.gathered = [one for one in findings.gathered if not inside(one.line)]
    findings.missing = [one for one in findings.missing if not inside(one.line)]
    findings.series = [one for one in findings.series if not inside(one.line)]
    findings.clues = [clue for clue in findings.clues if not inside(clue.line)]
    findings.members = [one for one in findings.members if not inside(one.line)]
    findings.doubts = [doubt for doubt in findings.doubts if doubt.code not in _LOST or not inside(doubt.line)]
    if lines:
        findings.doubts.append(Doubt(lines[0], "quoted", _message(quotation, taken_out, len(series) + len(tables), lines)))
    if not findings.gathered and not findings.missing:
        findings.parsers = []
    if not findings.series:
        findings.series_readers = []


def _message(quotation: Quotation, values: Sequence[Value | MissingValue], others: int, lines: Sequence[int]) -> str:
    tools = ", ".join(dict.fromkeys(one.tool for one in values))
    what = (
        f"{len(values)} value{'s' if len(values) > 1 else ''} of {tools}"
        if values
        else "a table or curve"
        if others
        else "a configuration"
    )
    where = f"lines {lines[0]} to {lines[-1]}" if lines[-1] > lines[0] else f"line {lines[0]}"
    return f"{what} on {where}: {quotation.reason}. It is an example or quotation, so nothing was recorded."
