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
from ingest.records import Clue, Doubt, Member
from ingest.text.lines import Text

_FIRST = 200  # lines in which the kind of a text is looked for

_ASKS = (  # the first word of a question that lost its mark
    r"\A\W*(?:¿|(?:why|does|do|did|is|are|can|could|would|should|which|how (?:fast|slow|much|many|does|do|is|to|well|good)"
    r"|what (?:is|are"
    r"|do|does|about|if)|warum|wieso|weshalb|ist|hilft|lohnt|welche\w?|soll|kann|pourquoi|est-ce|faut-il|quel\w{0,3}|comment"
    r"|por qu[eé]"
    r"|cu[aá]l\w{0,2}|c[oó]mo|debo|perch[eé]|waarom)\b)"
)
_QUESTION = lazy(r"\?(?=\W*\s|\W*\Z)\W*")
# Prose that recommends, compares, or says what is possible; in English, German, French and Spanish.
ADVICE = lazy(
    r"(?i)\b(?:recommend\w*|suggest\w*|advis\w+|examples?|for instance|should|supports?|supported|compatible|requires?"
    r"|works (?:on|with)|compare[ds]?|versus|vs|unlike|instead|rather than|than|as \w+ as|same as|just like|similar(?:ly)? to"
    r"|(?:in contrast|contrary|as opposed) to|used to|no longer|(?:if|before|when) (?:you|I|we)|until (?:I|we)|as you (?:like"
    r"|wish)"
    r"|you (?:can|may|must|need)(?! see)|by others|other (?:systems|users|people|sites)|optional(?:ly)?|avoid|better use"
    r"|prefer\w*"
    r"|(?:try|consider|do(?:n't| not) use|never use)(?= \w)|supposed to|(?:said|known) to|(?:people|they|some) say|worth"
    r"|(?:on|from|with) (?:the|my|our|an?|his|their) (?:old|other|previous|former)\b(?!.*:\W*\Z)"
    r"|(?:old|other|previous|former|another)\b.*\b(?:had|got|gave|gives|was|were|did|has|runs?|ran|is|does|took|made|reached"
    r"|used|uses)"
    r"|empfehl\w+|empfiehlt|sollten?|(?:anders|\w{2,}er) als|im (?:Gegensatz|Vergleich)|verglichen|gegenüber"
    r"|(?:genau)?so \w+ wie|statt"
    r"|stattdessen|anstatt|lieber|besser (?:mit|wäre|nehmen)|auf (?:dem|der|meine[mr]|unsere[mr]) (?:alten|anderen)\b(?!.*:\W*\Z)"
    r"|recommand\w+|conseill\w+|contrairement|par rapport|comparé\w*|(?:plus|moins|aussi) \w+ qu\w?|(?:vaut mieux|mieux vaut)"
    r"|plutôt"
    r"|au lieu|évit\w+|sur (?:l['’]|mon |un )(?:ancien\w*|autre)\b(?!.*:\W*\Z)"
    r"|recom(?:iend|end)\w+|aconsej\w+|a diferencia|en comparación|comparad\w+|(?:más|menos|tan) \w+ (?:que|como)|en (?:lugar"
    r"|vez) de"
    r"|en (?:el|mi|un) (?:(?:otro|antiguo|anterior) \w+|\w+ (?:antiguo|anterior))\b(?!.*:\W*\Z)|mejor (?:usar|con|z?raid\w*|zfs"
    r"|btrfs|xfs|ext\d)"
    r")\b|\be\.g\.|\bsee https?:"
)
# Prose that asks, guesses or wishes; the last also in other languages.
GUESS = lazy(
    rf"(?i){_ASKS}|\b(?:maybe|may be|perhaps|probably|possibly|presumably|supposedly|apparently|likely|guess\w*|I (?:think"
    rf"|believe|suspect"
    r"|assume|suppose|wonder)|assum(?:e|ing)|not sure|unsure|might|could|would|seems?|looks like|wish\w*|hop(?:e|es|ing)"
    r"|if only|if (?:it|I|we)"
    r"|in case|I'd|vielleicht|vermutlich|wahrscheinlich|möglicherweise|eventuell|evtl|wohl|ich (?:glaube|denke|vermute|meine"
    r"|tippe)"
    r"|(?:glaube|denke|vermute|schätze) ich|scheint|könnte|würde|dürfte|müsste|nicht sicher|hätte|wäre|wünsch\w+|gern|hoff\w+"
    r"|peut[- ][eê]tre|probablement|sans doute|sûrement|je (?:pense|crois|suppose|dirais)|semble|pas sûr|pourrait|devrait"
    r"|faudrait"
    r"|(?:ser|aur)ait|aimerais|voudrais|souhait\w+|espère|si j['’]avais|qui[zs][aá]s?|tal vez|probablemente|posiblemente"
    r"|a lo mejor|creo que|supongo|pienso|(?:me )?parece|no estoy segur\w|podría|debería|sería|habría|ojalá|quisiera|me gustaría"
    r"|espero|si tuviera"
    r"|forse|magari|credo|talvez|acho que|misschien|waarschijnlijk)\b"
    r"|\b(?:возможно|наверное|может быть)\b|可能|也许|大概|吗|かも|たぶん"
)
PLAN = lazy(  # prose about what was not done yet
    r"(?i)\b(?:will|going to|gonna|wan(?:na|t(?:ed)? to)|plan(?:s|ned|ning)?(?! 9)|intend\w*|to-?do|to do(?=:)|(?:thinking"
    r"|thought) (?:of|about)"
    r"|consider\w*|soon|tomorrow|in (?:the )?future|some ?day|next (?:time|step|week|month|try|I|we)|als nächstes|demnächst"
    r"|geplant|plane|ich werde|werde ich|wir werden|werden wir"
    r"|will ich|möchte|nächste\w? (?:Mal|Schritt)|später|bald|je vais|on va|nous allons|prochain\w*|bientôt|plus tard|prévoi\w+"
    r"|prévu|envisag\w+"
    r"|v(?:oy|amos) a|próxim\w+|pronto|más tarde|planeo|pensando en)\b|\w'll\b|\blater\W*\Z"
)

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
    """Whether a heading, caption or comment recommends, compares, asks, guesses, wishes or plans."""
    words = after_question(words)
    return not words.strip() or any(kind.search(words) for kind in (ADVICE, GUESS, PLAN))


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


# Leaves out what a text without results only mentions (`ingest.text.mentions`).


class MentionFilter:
    """Drops the clues that readers take from mentions of one text, whose kind is found at the first clue."""

    def __init__(self, text: Text) -> None:
        self._text = text

    @cached_property
    def _is_mention(self) -> Callable[[int, str], bool] | None:
        return mention_test(self._text)

    def read(self, reader: Callable[[Text], Iterable[Clue | Doubt | Member]], text: Text) -> Iterator[Clue | Doubt | Member]:
        """What the reader finds in the text, without clues of lines that only mention a setting."""
        for item in reader(text):
            if not isinstance(item, Doubt) and item.line and self._is_mention is not None:
                kind = item.kind if isinstance(item, Clue) else "dump"
                if self._is_mention(item.line, kind):
                    continue
            yield item
