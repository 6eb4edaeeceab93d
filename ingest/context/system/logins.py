"""Greetings at a log-in that name the system: Ubuntu's and Armbian's, and copies of Ubuntu's without `Welcome to`.

Source: /etc/update-motd.d/00-header of Ubuntu's base-files (DISTRIB_DESCRIPTION, then `uname -o`, `-r` and `-m` in brackets);
10-armbian-header (`Welcome to Armbian 23.8.1 Jammy with Linux 6.1.50-current`).

Source of job header: sbatch(1), scontrol(1), qstat(1B)
Source of banners: dshbak(1), clush(1), Ansible's minimal callback, parallel-ssh(1)
Source of greetings: update-motd.d/00-header of Ubuntu, 10-armbian-header
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ingest import normalise
from ingest.context._clues import line_clue
from ingest.context.labels._setting_words import read_setting_words
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

# Headers that batch systems print into a job's output: the node it ran on.
#
# Source: sbatch(1), output environment variables; scontrol(1), `show job` (NodeList, BatchHost, NumNodes); qstat(1B) and
# prologues of PBS (`exec_host = node/0*8+node/1*8`). `PBS_O_HOST` is where a job was submitted, not where it ran, so it is not
# read. A list of several nodes gives no host.

_JOB_NODE = lazy(
    r"^[ \t]*(?:export )?(SLURMD_NODENAME|SLURM_JOB_NODELIST|SLURM_NODELIST)[ \t]*[=:][ \t]*"
    r"\"?([A-Za-z][\w.-]{0,80})\"?[ \t]*$",
    re.MULTILINE,
)
_RUNS = lazy(
    r"^[ \t]*(?:Starting|Running|Started|Job)\b[^\n/]{0,50}? on (?:host |node )?"
    r"(?P<host>[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)+)[ \t.:]*$",
    re.MULTILINE,
)
_PBS = lazy(r"^[ \t#]*[Ee]xec(?:_|[ \t])[Hh]ost[ \t]*[:=][ \t]*([A-Za-z][\w.-]{0,80}/[\w.*/+-]{1,2000})[ \t]*$", re.MULTILINE)
_SCONTROL = lazy(
    r"^[ \t]*NodeList=(?P<host>[A-Za-z][\w.-]{0,80})[ \t]*\n(?:[ \t]*BatchHost=[^\n]*\n)?[ \t]*NumNodes=1 ", re.MULTILINE
)
_JOB_ANCHOR = lazy(r"SLURM|NodeList=|[Ee]xec[_ \t][Hh]ost|on (?<=\bon )(?:host |node )?[A-Za-z][\w.-]+[ \t.:]*$", re.MULTILINE)


def read_job(text: Text) -> Iterator[Clue]:
    """The host of a job on one node: variables, scontrol, PBS; and `Starting ... on HOST` of a script, with a hyphen or dot."""
    for match in _JOB_NODE.finditer(text.body):
        line = text.line_at(match.start())
        yield Clue(line, "host", match[2], match[0].strip(), group=line)
    for match in _SCONTROL.finditer(text.body):
        yield line_clue(text, text.line_at(match.start("host")), "host", match["host"])
    for match in _PBS.finditer(text.body):
        nodes = {chunk.split("/")[0] for chunk in match[1].split("+")}
        if len(nodes) == 1:
            line = text.line_at(match.start())
            yield Clue(line, "host", nodes.pop(), match[0].strip(), group=line)
    for match in _RUNS.finditer(text.body):
        yield Clue(text.line_at(match.start()), "host", match["host"], match[0].strip(), kind="label", group="job")


JOB = Reader("job header", 3, Anchor(_JOB_ANCHOR, "slurm|nodelist=|exec_host|exec host|exec\thost|on "), read_job)


# Lines before the output of each host, of tools that run a command on several hosts.
#
# Source: dshbak(1) and clush(1) -b (the host between two rules; `node[1-4]` where several printed the same), Ansible's
# `minimal` callback (`HOST | CHANGED | rc=0 >>`), and the default one (`changed: [HOST] =>`), parallel-ssh (`[1] 12:00:00
# [SUCCESS] user@host:port`); and `=== node01 ===`, as people print in a loop.

_BANNER_ANCHOR = Anchor(
    lazy(r"\| (?:CHANGED|SUCCESS|FAILED)\b|(?:ok|changed): \[|\[(?:SUCCESS|FAILURE)\] "), " changed| success| failed|: [|] "
) | Anchor(lazy(r"^(?:-{15,16}[ \t]*$|[ \t]*[=#*-]{2,}[ \t]*[A-Za-z][\w.-]*\d)", re.M))
_BANNER = lazy(
    r"^(?P<rule>-{15,16})[ \t]*\n(?P<hosts>[A-Za-z0-9][\w.,\[\]-]{0,200})(?: \(\d{1,6}\))?[ \t]*\n(?P=rule)[ \t]*$"
    r"|^[ \t]*(?P<ansible>[A-Za-z0-9][\w.-]{0,80}) \| (?:CHANGED|SUCCESS|FAILED!?)(?: \| rc=\d{1,3} >>| => \{)"
    r"|^[ \t]*(?:ok|changed): \[(?P<play>[A-Za-z0-9][\w.-]{0,80})(?: -> [\w.-]{1,80})?\](?:$| =>)"
    r"|^[ \t]*(?P<mark>[=#*-]{2,})[ \t]*(?P<titled>[A-Za-z][\w.-]{0,80})[ \t]*:?[ \t]*(?P=mark)[ \t]*$"
    r"|^[ \t]*\[\d{1,6}\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] (?:[\w.-]{1,40}@)?(?P<pssh>[A-Za-z0-9][\w.-]{0,80})(?::\d+)?\b",
    re.M,
)
_NODE = lazy(
    r"(?i)(?:[a-z]{1,12}-)?(?:compute-?)?(?:node|nid|cn|host|server|srv|client|worker|login|"
    r"storage|oss|mds|ost|osd|nas|nfs|vm|ceph|blade|rack)[-_]?(\d{1,6})((?:\.[a-z][\w-]{0,60})*)\Z"
)
_POWERS = {str(2**exponent) for exponent in range(17)}
_STEP = lazy(  # other words between two rules
    r"(?i)(?:run|test|pass|bench\w*|round|step|iter\w*|results?|trial|case|config\w*|job|part|loop|write|read|seq\w*|rand\w*|"
    r"disks?|pool|vdev|threads?|output|done|end|start|baseline|summary|total)(?:[-_]?\d+)?\Z"
)


def read_banner(text: Text) -> Iterator[Clue]:
    """A clue at every banner; a list of hosts is shown as it is printed."""
    titled_hosts = _host_titles(match["titled"] for match in _BANNER.finditer(text.body) if match["titled"])
    for match in _BANNER.finditer(text.body):
        ruled = match["hosts"]
        if ruled and (
            _STEP.match(ruled) or read_setting_words(re.sub(r"[\[\],]", " ", ruled)) or not (ruled[0].isalpha() or "." in ruled)
        ):
            continue
        if match["titled"] and match["titled"] not in titled_hosts:
            continue
        host = ruled or match["ansible"] or match["play"] or match["pssh"] or match["titled"]
        line = text.line_at(match.start("hosts") if ruled else match.start())
        yield Clue(line, "host", host, text.lines[line - 1].strip(), kind="name", effect="labels", group="banner")


def _host_titles(titles: Iterable[str]) -> set[str]:
    """The titles that are hosts (`node01`, `oss-2.cluster`); nothing where all may be numbers of nodes (`node8`)."""
    nodes = {title: match for title in titles if (match := _NODE.match(title))}
    counts = {title for title, match in nodes.items() if match[1][0] != "0" and match[1] in _POWERS and not match[2]}
    return set() if len(counts) == len(nodes) else set(nodes)


BANNER = Reader("banners", 2, _BANNER_ANCHOR, read_banner)


# Hosts in prompts (`root@vm:~#`, `[root@hoge backup]#`, prompts of two lines), and NuttX by its own (`nsh>`).

_PROMPT_ANCHOR = lazy(r"[#$%>]|\u276f[^\n]|\u279c[^\n]")
_TWO_LINES = lazy(  # `# ann @ nas in ~/x [10:32:12]` of oh-my-zsh's theme ys, `ann in nas in ~` of starship
    r"^(?:[#%] )?[\w.-]{1,32} (?P<at>@|in) (?:\U0001f310 )?(?P<host>[A-Za-z0-9][\w.-]{0,62}) in [~/]\S*(?: [^\n]{0,60})?\n"
    r"[ \t]*(?P<mark>[$%#\u276f\u279c]) \S",
    re.MULTILINE,
)
_ADDRESS = lazy(r"[\d.]+\Z|\?\Z")  # an address is no name
_NUTTX = lazy(r"^nsh> ", re.MULTILINE)


def read_prompt(text: Text) -> Iterator[Clue]:
    """A clue wherever the host of the prompt changes."""
    last = None
    nutt_shell = _NUTTX.search(text.body)
    if nutt_shell:  # runs on NuttX only
        yield Clue(text.line_at(nutt_shell.start()), "os.family", "NuttX", "nsh>", kind="name", effect="labels", group="prompt")
    for prompt in _TWO_LINES.finditer(text.body) if " in ~" in text.body or " in /" in text.body else ():
        if prompt["at"] == "in" and prompt["mark"] in "$%#":
            continue  # words of a sentence, above an ordinary prompt
        line = text.line_at(prompt.start("host"))
        yield Clue(line, "host", prompt["host"], text.lines[line - 1].strip(), kind="name", effect="labels", group="prompt")
    for command in text.commands:
        if command.host and command.host != last and not _ADDRESS.match(command.host):
            last = command.host
            raw = command.prompt.strip() or command.host
            yield Clue(command.line, "host", command.host, raw, kind="name", effect="labels", group="prompt")


PROMPT = Reader("prompt", 4, Anchor(_PROMPT_ANCHOR), read_prompt, common=True)


_WELCOME = lazy(
    r"^[ \t]*Welcome to (?P<name>[A-Z][A-Za-z/ ]{2,30}?) (?P<version>\d[\w.]{0,12}(?: LTS)?)"
    r"(?: \((?:GNU/)?Linux (?P<kernel>\d[\w.+~-]{2,60}) (?P<arch>x86_64|aarch64|armv\dl|i686|ppc64le|riscv64|s390x)\)"
    r"|(?: [A-Z][a-z]+)? with Linux (?P<release>\d[\w.+~-]{2,60}))[ \t]*!?[ \t]*$",
    re.MULTILINE,
)
# Of unofficial builds: `Armbian 21.08.0-trunk Bullseye with bleeding edge Linux 5.14.0-rc7-sun50iw11`.
_ARMBIAN = lazy(
    r"^[ \t]*Welcome to (?P<name>(?i:Armbian))(?:[-_][A-Za-z]{2,12})? v?(?P<version>\d\d\.\d[\w.+-]{0,24})(?: [A-Z][a-z]+)?"
    r" with (?:[a-z]+ ){0,2}Linux (?P<release>\d[\w.+~-]{2,60})[ \t]*$",
    re.MULTILINE,
)
# The form of the bracket is unmistakable, so the rest of the line may be anything.
_COPIED = lazy(
    r"(?<!Welcome to )\b(?P<names>[A-Z][A-Za-z/]{2,20}(?: [A-Z][A-Za-z/]{1,20}){0,3}) (?P<version>\d[\w.]{0,12}(?: LTS)?)"
    r" \(GNU/Linux (?P<kernel>\d[\w.+~-]{2,60}) (?P<arch>x86_64|aarch64|armv\dl|i686|ppc64le|riscv64|s390x)\)"
)
_ANCHOR = lazy(r"^[ \t]*Welcome to [A-Z]|\(GNU/Linux \d", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """System, kernel and machine of every greeting of a known system; a line is read by the first form that matches."""
    welcome_lines = set()
    for match in _WELCOME.finditer(text.body):
        line = text.line_at(match.start("name"))
        welcome_lines.add(line)
        if name := normalise.os_name(match["name"]):
            values = _values(name, match["version"], match["kernel"] or match["release"], match["arch"])
            yield from (Clue(line, key, value, match[0].strip(), group=line) for key, value in values if value)
    for match in _ARMBIAN.finditer(text.body):
        line = text.line_at(match.start("name"))
        if line not in welcome_lines:
            values = _values("Armbian", match["version"], match["release"], None)
            yield from (Clue(line, key, value, match[0].strip(), group=line) for key, value in values if value)
    for match in _COPIED.finditer(text.body):
        line, words = text.line_at(match.start()), match["names"].split()
        endings = (" ".join(words[start:]) for start in range(len(words)))
        name = next(filter(None, map(normalise.os_name, endings)), None)
        if name and line not in welcome_lines:
            values = _values(name, match["version"], match["kernel"], match["arch"])
            yield from (Clue(line, key, value, match[0], group=line) for key, value in values)


def _values(name: str, version: str, kernel: str, arch: str | None) -> Iterator[tuple[str, str | None]]:
    yield from (("os.name", name), ("os.version", version), ("os.family", "Linux"), ("kernel", kernel), ("arch", arch))


READER = Reader("greetings", 3, Anchor(_ANCHOR, "welcome to |(gnu/linux 0"), read)
