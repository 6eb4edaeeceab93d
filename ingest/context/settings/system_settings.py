"""Settings of a whole system: /etc/system of SunOS, the active profile of tuned, the CPUs' governor.

Forms: `set zfs:zil_disable=1` in a file that the upload holds as `system` or etc/system, or below `cat /etc/system` (a person set
these); `Current active profile: NAME` of tuned-adm; `The governor "NAME" may decide` of cpupower and cpufreq-info.
Evidence: these. Mentions: `set` lines elsewhere, and those behind `*` or `#`, which are comments of that file.
Source: system(4) of SunOS, tuned-adm(8), cpupower-frequency-info(1).

Source of sysctl: sysctl(8), sysctl.conf(5), loader.conf(5)
Source of modules: systool(1), modprobe.d(5)
Source of system settings: system(4), tuned-adm(8), cpupower(1)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest import normalise
from ingest.context._clues import line_clue, open_clues
from ingest.context.settings._dumped_files import chosen_word
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import ShownCommand, Text

# Settings of the kernel as sysctl lists them, and the files that set them.
#
# Forms: `vm.dirty_ratio = 20` (Linux, NetBSD, macOS), `vfs.zfs.arc_max: 8589934592` (FreeBSD), `vm.loadavg=...` (OpenBSD):
# below a prompt with sysctl; in a file named after it; below a heading that is its command; and rows of more than `_LISTING`
# lines anywhere. `sysctl -n NAME` with the value alone below its prompt. Files that the upload holds as etc/sysctl.conf,
# sysctl.d/*.conf and boot/loader.conf set the same names (FreeBSD's loader tunables are among them); a person set these.
# Evidence: these. Mentions: a few such lines elsewhere, as advice and scripts have them. Source: sysctl(8), sysctl.conf(5),
# loader.conf(5).

_ROOTS = "vm|kernel|fs|net|dev|user|abi|sunrpc|crypto|debug|lnet|lustre|kern|vfs|hw|machdep|compat|security|kstat|ddb|sysctl"
_ROW = rf"^[ \t]*(?P<name>(?:{_ROOTS})\.[\w.:/@%+-]{{0,149}}[\w%])(?P<mark>[ \t]*=[ \t]*|:[ \t])(?P<value>[^\n]*)$"
_ROWS = lazy(_ROW, re.MULTILINE)
_SYSCTL_ANCHOR = Anchor(
    lazy(rf"^[ \t]*(?:{_ROOTS})\.[\w.:/@%+-]*[\w%](?:[ \t]*=|:[ \t])", re.MULTILINE), _ROOTS.replace("|", ".|") + "."
) | Anchor(lazy(r"\bsysctl[ \t]+-\w*n|^[ \t]*(?:vm|net|kernel|fs)/[\w/]+[ \t]*=", re.MULTILINE), "sysctl|vm/|net/|kernel/|fs/")
_SETS = lazy(
    r'^[ \t]*(?P<name>[a-z][\w-]*(?:[./][\w%*-]+)+)[ \t]*=[ \t]*(?P<quote>"?)(?P<value>[^"\n#]*?)(?P=quote)[ \t]*(?:#[^\n]*)?$',
    re.M,
)
_SETTINGS_FILE = lazy(
    r"(?:.*/)?(?:sysctl\.conf(?:\.local)?|sysctl\.d/[^/]+\.conf|loader\.conf(?:\.local)?|loader\.conf\.d/[^/]+)\Z"
)
_LISTING_NAME = lazy(r"(?i)(?:.*[^a-z])?sysctl(?![a-z.]*conf|\.d)[\w.-]*\Z")
_HEADING = lazy(
    r"(?!\s*#\s*sysctl\s+-w)[\W_]{0,12}(?:output of[ :`']{1,3})?(?:/sbin/)?sysctl(?:[ \t]+-[a-zA-Z]+|[ \t]+[\w.]+)*[\W_]*\Z"
)
_COMMAND = lazy(r"\bsysctl\b(?![./\w-])")
_ONLY_VALUES = lazy(r"(?:(?:sudo|doas|pfexec|run0)[ \t]+)?(?:/sbin/)?sysctl[ \t]+-(?:n|en|ne)((?:[ \t]+[a-z][\w.]+)+)[ \t]*\Z")
_SIZE = lazy(r"\d{1,9}[kKmMgGtT]\Z")
_LISTING = 40  # rows without a break that only sysctl prints: guides and files of settings have fewer


def read_sysctl(text: Text) -> Iterator[Clue]:
    """Clues of every row of a listing or a file of settings."""
    if text.name.endswith((".conf", ".conf.local")) or text.name.startswith("loader.conf"):
        if _SETTINGS_FILE.match(text.path):
            yield from _setting_clues(text)
        return
    rows = [(text.line_at(match.start("name")), match) for match in _ROWS.finditer(text.body)]
    if rows:
        is_listing = _LISTING_NAME.match(text.name) is not None and not text.name.endswith((".sh", ".md", ".py", ".yml", ".yaml"))
        shown = {row for rows_of in _shown(text, [line for line, _ in rows]) for row in rows_of} if not is_listing else None
        for line, match in rows:
            if shown is None or line in shown:
                # FreeBSD prints `NAME: OLD -> NEW` where it sets.
                value = match["value"].rpartition(" -> ")[2] if ":" in match["mark"] else match["value"]
                yield from open_clues(line, f"sysctl.{match['name'].replace('/', '.')}", value, match[0].strip())
    for command in text.commands:
        yield from _value_clues(text, command)


def _shown(text: Text, lines: Sequence[int]) -> Iterator[Sequence[int]]:
    """The rows, in blocks of consecutive lines, that sysctl printed."""
    first = 0
    for index, line in enumerate(lines):
        if index + 1 == len(lines) or lines[index + 1] > line + 1 + _wrapped(text, line, lines[index + 1]):
            block = lines[first : index + 1]
            first = index + 1
            command = text.command_for(block[0])
            asked = command.text if command else ""
            if (
                len(block) >= _LISTING
                or (_COMMAND.search(asked) and ".conf" not in asked)
                or (block[0] > 1 and len(text.lines[block[0] - 2]) < 80 and _HEADING.match(text.lines[block[0] - 2]))
            ):
                yield block


def _wrapped(text: Text, line: int, following: int) -> int:
    """Number of lines between two rows, at most 40, if they continue a value of several lines (`kern.geom.conftxt`); else 0."""
    between = text.lines[line : min(following - 1, line + 41)]
    return len(between) if len(between) <= 40 and all(row.strip() and ":" not in row[:2] for row in between) else 0


def _value_clues(text: Text, command: ShownCommand) -> Iterator[Clue]:
    """Clues of `sysctl -n NAME...`, which prints a line for each name."""
    asked = _ONLY_VALUES.match(command.text)
    names = asked[1].split() if asked else []
    rows = text.lines[command.first - 1 : command.last]
    if names and len(rows) >= len(names) and not any(row.startswith("sysctl:") for row in rows):
        for number, name in enumerate(names):
            yield from open_clues(command.first + number, f"sysctl.{name}", rows[number], rows[number].strip())


def _setting_clues(text: Text) -> Iterator[Clue]:
    """Clues of a file of settings; what the running kernel shows takes precedence, so they are of the kind of a command."""
    for match in _SETS.finditer(text.body):
        name, value = match["name"].replace("/", "."), match["value"].strip()
        size = normalise.parse_size(value) if _SIZE.match(value) else None
        for clue in open_clues(
            text.line_at(match.start("name")), f"sysctl.{name}", size or value, match[0].strip(), by_person=True
        ):
            clue.kind = "command"
            yield clue


SYSCTL = Reader("sysctl", 1, _SYSCTL_ANCHOR, read_sysctl)


# Parameters of kernel modules: `systool -vm zfs`, and the files of modprobe.d that set them.
#
# Forms: rows `NAME = "VALUE"` below `Module = "zfs"` and `Parameters:`; lines `options zfs zfs_arc_max=8589934592` of a file
# that the upload holds as modprobe.d/*.conf (a person set these; those that the running module shows take precedence).
# Evidence: these. Mentions: `options` lines elsewhere, and modinfo, which lists what could be set. Source: systool(1),
# modprobe.d(5). `kernel_files` reads /sys/module/*/parameters.

_SYSTOOL = lazy(
    r'^[ \t]*Module = "(?P<module>\w+)"[ \t]*\n(?:(?![ \t]*(?:Module = |Parameters:))[^\n]*\n){0,40}?'
    r'[ \t]*Parameters:[ \t]*\n(?P<rows>(?:[ \t]+\w+[ \t]*= "[^"\n]*"[ \t]*(?:\n|\Z))+)',
    re.MULTILINE,
)
_PARAMETER = lazy(r'^[ \t]+(\w+)[ \t]*= "([^"\n]*)"', re.MULTILINE)
_OPTIONS = lazy(r"^[ \t]*options[ \t]+(?P<module>[\w-]+)[ \t]+(?P<options>\w[^\n#]*)", re.MULTILINE)
_OPTION = lazy(r"(\w+)=(\"[^\"]*\"|\S+)")
_MODPROBE = lazy(r"(?:.*/)?modprobe(?:\.d/[^/]+)?\.conf\Z")
_MODULE_ANCHOR = Anchor(lazy(r'^[ \t]*Module = "\w', re.MULTILINE), 'module = "') | Anchor(
    lazy(r"^[ \t]*options[ \t]+[\w-]+[ \t]+\w+=", re.MULTILINE), "options"
)


def read_module(text: Text) -> Iterator[Clue]:
    """Clues of every parameter."""
    for listing in _SYSTOOL.finditer(text.body):
        for row in _PARAMETER.finditer(text.body, listing.start("rows"), listing.end("rows")):
            key = f"module.{listing['module']}.{row[1]}"
            yield from open_clues(text.line_at(row.start(1)), key, chosen_word(row[2].strip()), row[0].strip())
    if text.name.endswith(".conf") and _OPTIONS.search(text.body) and _MODPROBE.match(text.path):
        for line in _OPTIONS.finditer(text.body):
            for option in _OPTION.finditer(line["options"]):
                key = f"module.{line['module'].replace('-', '_')}.{option[1]}"
                for clue in open_clues(
                    text.line_at(line.start("module")), key, option[2].strip('"'), line[0].strip(), by_person=True
                ):
                    clue.kind = "command"
                    yield clue


MODULE = Reader("modules", 1, _MODULE_ANCHOR, read_module)


_SET = lazy(r"^[ \t]*set[ \t]+(?P<name>[A-Za-z_]\w*(?::[A-Za-z_]\w*)?)[ \t]*=[ \t]*(?P<value>-?\w+)[ \t]*$", re.MULTILINE)
_SYSTEM = lazy(r"(?:.*/)?etc/system|system\Z")
_SHOWN = lazy(r"\b(?:cat|grep|egrep|tail|head|more)\b[^;|&]*[ \t]/etc/system(?:\s|\Z)")
_PROFILE = lazy(r"^[ \t]*Current active profile: ([\w.-]+(?: [\w.-]+)*)[ \t]*$", re.MULTILINE)
_NO_PROFILE = lazy(r"^[ \t]*No current active profile\.[ \t]*$", re.MULTILINE)
_GOVERNOR = lazy(r'^[ \t]*The governor "([\w-]+)" may decide', re.MULTILINE)
_ANCHOR = Anchor(_SET, "set |set\t") | Anchor(
    lazy(r"urrent active profile|The governor \""), 'urrent active profile|the governor "'
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every setting; where CPUs have unlike governors, all of them in one clue."""
    rows = [(text.line_at(row.start("name")), row) for row in _SET.finditer(text.body)]
    is_file = bool(rows) and text.name == "system" and _SYSTEM.match(text.path) is not None
    for line, row in rows:
        command = None if is_file else text.command_for(line)
        if is_file or (command and command.line < line and _SHOWN.search(command.text)):
            key = f"system.{row['name'].replace(':', '.')}"
            yield from open_clues(line, key, decimal(row["value"]), row[0].strip(), by_person=True)
    for form, value in ((_PROFILE, None), (_NO_PROFILE, "off")):
        for match in form.finditer(text.body):
            yield from open_clues(text.line_at(match.end()), "system.tuned", value or match[1], match[0].strip())
    governors = {match[1]: text.line_at(match.start(1)) for match in _GOVERNOR.finditer(text.body)}
    if governors:
        yield line_clue(text, min(governors.values()), "system.governor", " + ".join(sorted(governors)))


def decimal(printed: str) -> str:
    """A number in hexadecimal as a decimal one, as dumps print it; any other text as it is."""
    return str(int(printed, 16)) if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", printed) else printed


READER = Reader("system settings", 1, _ANCHOR, read)
