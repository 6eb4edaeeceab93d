"""Which lines of a text only mention a setting, and so are no evidence of a configuration.

Evidence is what was set or printed: a command behind a prompt, the output of a tool, a label beside results. A mention is what
could have been set: comments and branches of programs, options that are commented out, placeholders of templates, help texts,
lists of packages, advice and comparisons in prose. The rules hold for texts without results of their own (`mention_test`);
`ADVICE`, `GUESS` and `PLAN` are for readers of prose in any text.

Programs are known by `#!` in the first line, by the name of the file or, of batch jobs, playbooks, job files of fio and help texts,
by their first lines. A shell script beside results sets what its lines outside of functions, branches, loops, quotes and
here-documents do (`unconditional_lines`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.records import Clue, Doubt, Member, Value
from ingest.text.lines import Text
from ingest.toml_tables import read_table

_FIRST = 200  # lines in which the kind of a text is looked for

_LISTS = read_table(__file__)


def _words(kind: str) -> str:
    """The words of a kind in all languages, as one pattern."""
    return "|".join("|".join(words) if isinstance(words, list) else words for words in _LISTS[kind].values())


_CHANGE = lazy(r"[\w)][ \t]*(?:[-=]>|\u2192)[ \t]*\w")
_QUESTION = lazy(r"\?(?=\W*\s|\W*\Z)\W*")
# Prose that recommends, compares or says what is possible; that asks, guesses or wishes; that is about what was not done yet.
ADVICE = lazy(rf"(?i)\b(?:{_words('advice')})\b|\be\.g\.|\bsee https?:")
GUESS = lazy(rf"(?i)\A\W*(?:¿|(?:{_words('asks')})\b)|\b(?:{_words('guess')})\b|可能|也许|大概|吗|かも|たぶん")
PLAN = lazy(rf"(?i)\b(?:{_words('plan')})\b|\w'll\b")

_SHELL_NAME = lazy(r"(?i).*\.(?:sh|bash|zsh|ksh|csh|tcsh|sbatch|slurm|slm|pbs|qsub|lsf|bsub)\Z")
_SHELL_FIRST = lazy(r"#![ \t]*\S*?(?:/env[ \t]+(?:-S[ \t]+)?)?(?:\S*/)?(?:ba|z|k|c|tc|da|a|mk|)sh\b")
_PROGRAM_NAME = lazy(
    r"(?i)(?:(?:GNU)?Makefile(?:\..*)?|Dockerfile(?:\..*)?|Containerfile|Jenkinsfile|Vagrantfile|CMakeLists\.txt"
    r"|requirements[\w.-]*\.txt|(?:apt-?|dnf-?|yum-?)?packages?(?:[-_.]list)?(?:\.txt)?"
    r"|.*\.(?:pyx?|p[lm]|rb|lua|[jt]s|go|rs|java|cc?|cpp|hp?p?|f90|jl|awk|tcl|ps1|bat|cmd|mk|cmake|tf|nix|dockerfile|man"
    r"|j2|jinja2?|erb|tmpl|tpl|template|dist|sample|example|skel|(?:conf|cfg|ini|sh|h|ya?ml)\.in))\Z"
)
_SETTINGS_NAME = lazy(r"(?i).*\.(?:ini|fio|job|conf|cfg|cnf|yml|yaml|toml|properties|service|mount)\Z")
_PROSE_NAME = lazy(r"(?i)(?:README|INSTALL|HOWTO|GUIDE|MANUAL|FAQ)\b.*|.*\.(?:md|markdown|rst|adoc)\Z")
_JOB = lazy(r"#(?:SBATCH|PBS|BSUB|COBALT|\$)[ \t]+-")
_PLAYBOOK = lazy(r"[ \t]*-[ \t]+(?:hosts|become|import_playbook):|[ \t]*(?:pre_tasks|tasks|handlers|roles):[ \t]*\Z")
_TASK = lazy(r"-[ \t]+name:")
_MODULE = lazy(
    r"[ \t]+(?:shell|command|raw|script|apt|yum|dnf|package|zfs|mount|filesystem|copy|template|service|systemd"
    r"|ansible\.[\w.]+|community\.[\w.]+):"
)
_SECTION = lazy(r"\[[\w .:/-]{1,60}\][ \t]*\Z")
_ASSIGNMENT = lazy(r"[\w.-]{1,60}[ \t]*=|[A-Za-z_-]{1,40}\Z")
_PLACEHOLDER = lazy(r"=[ \t]*(?:<[\w |-]+>|@\w+@|\{\{|\$\{\w+\}|CHANGE_?ME\b|FIXME\b|TODO\b)[^\n]*\Z")
_HELP_TITLE = lazy(r"(?:NAME|SYNOPSIS|DESCRIPTION|OPTIONS|EXAMPLES)[ \t]*\Z")
_USAGE = lazy(r"(?i)[ \t]*usage:[ \t]+\S")
_OPTION = lazy(r"[ \t]{1,24}-{1,2}[A-Za-z][\w-]*(?:[ ,=<\[]|\Z)")
_PACKAGE = lazy(r"[A-Za-z0-9][\w.+]*-[\w.+~:=-]*\S*[ \t]*\Z")
_PACKAGE_ROW = lazy(r"[A-Za-z0-9][\w.+:~-]*(?:[=<>~!]{1,2}[\w.+:~*-]+)?[ \t]*\Z")
_COMMENT = lazy(r"[ \t]*(?:#|;|//|/\*|\*[ /]|--[ \t]|%|rem\b)")
_HEADING = lazy(r"#{1,6}[ \t]+\S")
_ITEM = lazy(r"[ \t]{2}|[^\n]{1,60}(?<![.!?:])\Z")  # the mark of a list's item may have been removed
_FENCE = lazy(r"[ \t]*(?:```|~~~)")

_OPENS = lazy(r"(?:if|case|for|while|until|select)\b|(?:function[ \t]+)?[\w:-]+[ \t]*\([ \t]*\)[ \t]*\{|function\b.*\{|\{|\(")
_HEAD_OF_FUNCTION = lazy(r"(?:[\w:-]+[ \t]*\([ \t]*\)|function\b[^{]*)[ \t]*(?:#.*)?\Z")  # its brace is on the next line
_CLOSES = lazy(r"(?:fi|esac|done)\b|\}|\)")
_CLOSED = lazy(r"(?:.*[;&|)\s])?(?:fi|esac|done|\})[ \t]*(?:[|&;<>#].*)?\Z|\(.*\)")
_HERE = lazy(r"(?:.*[^<])?<<-?[ \t]*(['\"\\]?)(?P<end>\w+)\1(?!<)")
_CONDITION = lazy(r".*(?:&&|\|\|)")
_LEAVES = lazy(r"(?:exit|return|exec)\b")


def is_doubtful(words: str) -> bool:
    """Whether a heading, caption or comment recommends, compares, asks, guesses, wishes or plans, or tells of a change."""
    words = after_question(words)
    return not words.strip() or any(form.search(words) for form in (ADVICE, _CHANGE)) or is_supposed(words)


def is_supposed(words: str) -> bool:
    """Whether words ask, guess, wish or plan."""
    return GUESS.search(words) is not None or PLAN.search(words) is not None


def after_question(words: str) -> str:
    """What follows the last question, which may be its answer; all words where nothing is asked."""
    return _QUESTION.split(words)[-1] if "?" in words else words


def mention_test(text: Text) -> Callable[[int, str], bool] | None:
    """Whether a line only mentions a setting, given its number and the kind of the clue; None if no line of the text does."""
    head = text.lines[:_FIRST]
    if _is_shell(text.name, head):
        certain = unconditional_lines(text.lines)
        return lambda line, kind: kind != "command" or line not in certain
    if _is_program(text.name, head):
        return lambda line, kind: True
    if _SETTINGS_NAME.match(text.name) or _has_sections(head):
        return lambda line, kind: _COMMENT.match(text.lines[line - 1]) is not None
    if _PROSE_NAME.match(text.name):
        mentions = frozenset(_advising_lines(text.lines))
        return (lambda line, kind: kind != "dump" and line in mentions) if mentions else None
    return None


def unconditional_lines(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of a shell script's lines that run whenever it does: none in a branch, loop, function, quote, here-document or
    comment, and none below an unconditional `exit`.
    """
    certain, depth = set[int](), 0
    for number, words, is_complete in command_lines(lines):
        opens = _OPENS.match(words) is not None
        if not depth and not opens and is_complete and not _HEAD_OF_FUNCTION.match(words):
            if _LEAVES.match(words):
                break
            if not _CONDITION.match(words):
                certain.add(number)
        if opens:
            depth += not _CLOSED.match(words)
        elif depth and _CLOSES.match(words):
            depth -= 1
    return frozenset(certain)


class CommandLine(NamedTuple):
    """A line of a script; `is_complete`: whether neither a quote nor a here-document begins there."""

    number: int
    words: str
    is_complete: bool


def command_lines(lines: Sequence[str]) -> Iterator[CommandLine]:
    """The lines outside of quotes, here-documents and comments."""
    end = quote = ""
    for number, line in enumerate(lines, 1):
        words = line.strip()
        if end:
            end = "" if words == end else end
        elif quote:
            quote = _open_quote(line, quote)
        elif words and not words.startswith("#"):
            quote, here = _open_quote(line, ""), _HERE.match(line)
            end = here["end"] if here else ""
            yield CommandLine(number, words, not quote and not end)


def _open_quote(line: str, quote: str) -> str:
    """The quotation mark that is open at the end of a line which begins inside `quote`; empty for none."""
    skip = False
    for position, letter in enumerate(line):
        if skip:
            skip = False
        elif letter == "\\" and quote != "'":
            skip = True
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (not position or line[position - 1].isspace()):
            break
    return quote


def is_shell_script(text: Text) -> bool:
    """Whether a text is a script of a shell, by its name or first lines."""
    return _is_shell(text.name, text.lines[:3])


def is_prose_name(name: str) -> bool:
    """Whether a file name is that of a document: README, guide, Markdown."""
    return _PROSE_NAME.match(name) is not None


def _is_shell(name: str, head: Sequence[str]) -> bool:
    first = head[0] if head else ""
    if first.startswith("#!"):
        return _SHELL_FIRST.match(first) is not None
    return _SHELL_NAME.match(name) is not None or any(map(_JOB.match, head[:3]))


def _is_program(name: str, head: Sequence[str]) -> bool:
    """Whether a text is a program, template, list of packages or help text."""
    return (
        (bool(head) and head[0].startswith("#!"))
        or _PROGRAM_NAME.match(name) is not None
        or any(map(_PLAYBOOK.match, head))
        or (any(map(_TASK.match, head)) and any(map(_MODULE.match, head)))
        or sum(1 for _ in filter(_PLACEHOLDER.search, head)) > 1
        or _is_help(head)
        or _is_package_list(head)
    )


def _is_help(head: Sequence[str]) -> bool:
    """Whether it has the sections of a manual page, or a line `usage:` and options below it."""
    if len(set(filter(_HELP_TITLE.match, head))) > 1:
        return True
    used = next((index for index, line in enumerate(head[:5]) if _USAGE.match(line)), None)
    return used is not None and sum(1 for _ in islice(filter(_OPTION.match, head[used:]), 2)) == 2


def _is_package_list(head: Sequence[str]) -> bool:
    rows = [line for line in head if line.strip() and not line.startswith("#")]
    return len(rows) > 3 and all(map(_PACKAGE_ROW.match, rows)) and 2 * sum(1 for _ in filter(_PACKAGE.match, rows)) > len(rows)


def _has_sections(head: Sequence[str]) -> bool:
    """Whether it has the form of an ini file: nothing but sections, assignments and comments."""
    rows = [line for line in head if line.strip() and not _COMMENT.match(line)]
    return any(map(_SECTION.match, rows)) and all(_SECTION.match(row) or _ASSIGNMENT.match(row) for row in rows)


def _advising_lines(lines: Sequence[str]) -> Iterator[int]:
    """Lines of prose that advise or compare, the headings of their sections, and lists or code below such a line that ends in a
    colon.
    """
    heading, fenced, introduced = 0, False, False
    for number, line in enumerate(lines, 1):
        if _FENCE.match(line):
            fenced, introduced = not fenced, introduced and not fenced
        elif fenced:
            if introduced:
                yield number
        elif _HEADING.match(line):
            heading, introduced = number, False
            if ADVICE.search(line):
                yield number
        elif ADVICE.search(line):
            introduced = line.rstrip(" *_").endswith(":")
            yield from {heading, number} - {0}
        elif introduced and _ITEM.match(line):
            yield number
        elif line.strip():
            introduced = False


# What tables and terminals leave in names.

_NAMES = frozenset(
    ("disk.model", "cpu.model", "host", "os.name", "os.version", "kernel", "arch", "network", "pool.name", "fs.version")
)
_REMAINS = lazy(r"[|\u2500-\u25ff\x1b]|\[[\d;]{1,8}[mKGHJ]|[#=.>]{4}|\d%")
_ESCAPE = lazy(r"(?:\x1b|\^\[|\\033|\\e)?\[(?:\d{1,3}(?:;\d{1,3})*)?[mKGHJ]")
_BARS = lazy(r"(?:\A|(?<= \+ ))[\s|\u2500-\u257f]+|[\s|\u2500-\u257f]+(?= \+ |\Z)")


def without_remains(clue: Clue) -> Clue | None:
    """The clue, its name without bars of a table and escapes of a terminal; None of a name with a progress bar or a bar inside."""
    if clue.key not in _NAMES or not isinstance(clue.value, str) or not _REMAINS.search(clue.value):
        return clue
    name = _BARS.sub("", _ESCAPE.sub("", clue.value))
    return replace(clue, value=name) if name and not _REMAINS.search(name) else None


_SUPPOSES = lazy(r"(?i)\b(?:should|instead|recommend\w*|suggest\w*|advise|next time|empfehle|sollte|recommande|recomiendo)\b")


def _supposed_lines(lines: Sequence[str], results: Sequence[Value]) -> Iterator[int]:
    """Lines of the blocks without a result below a line that asks, guesses or advises."""
    lines_of_results = {value.line for value in results}
    above, first, fenced = 0, 0, False
    for number, line in enumerate(lines, 1):
        if _FENCE.match(line):
            fenced = not fenced
            if fenced:
                words = lines[above - 1] if 0 < number - above < 3 else ""
                first = number if words and (GUESS.search(words) or words.rstrip().endswith("?") or _SUPPOSES.search(words)) else 0
            elif first and lines_of_results.isdisjoint(range(first, number)):
                yield from range(first, number)
        elif not fenced and line.strip():
            above = number


# Leaves out what a text without results only mentions (`ingest.text.mentions`).


class MentionFilter:
    """Drops the clues that readers take from mentions of one text, whose kind is found at the first clue."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self.results: Sequence[Value] | None = None
        """What parsers found, beside which labels are evidence in any text; None if nothing."""

    @cached_property
    def _is_mention(self) -> Callable[[int, str], bool]:
        if self.results is None:
            return mention_test(self._text) or (lambda line, kind: False)
        has_blocks = "```" in self._text.body or "~~~" in self._text.body
        supposed = frozenset(_supposed_lines(self._text.lines, self.results)) if has_blocks else frozenset()
        return lambda line, kind: kind == "command" and line in supposed

    def read(self, reader: Callable[[Text], Iterable[Clue | Doubt | Member]], text: Text) -> Iterator[Clue | Doubt | Member]:
        """What the reader finds in the text, without clues of lines that only mention a setting."""
        for item in reader(text):
            if not isinstance(item, Doubt) and item.line:
                kind = item.kind if isinstance(item, Clue) else "dump"
                if self._is_mention(item.line, kind):
                    continue
                if isinstance(item, Clue) and kind == "label" and item.effect != "ends" and is_supposed(after_question(item.raw)):
                    continue
            yield item
