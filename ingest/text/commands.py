"""A terminal log -> its commands: prompt, command, and the lines of its output."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.text.lines import ShownCommand, Text
from ingest.text.ssh_sessions import assign_hosts

# Words with which a command may begin where the prompt alone (`#`, `%`, `+`, `>`) is too little to tell.
_KNOWN = (
    r"(?:sudo|doas|time|/usr/bin/time|gtime|busybox|nice|env|dd|cp|mv|tar|gtar|bsdtar|rm|rsync|find|ls|cd|cat|echo|sync|"
    r"zpool|zfs|zdb|mount|umount|mkfs\S*|uname|lscpu|lsblk|free|df|du|bonnie\+?\+?|iozone|ior|IOR|mdtest|fio|fdtree\S*|mpirun|mpiexec|"
    r"srun|sysctl|hdparm|smartctl|export|for|while|hostname|date|mkdir|sleep|dmesg|camcontrol|geom|gpart|"
    r"lfs|lctl|beegfs-ctl|fhgfs-ctl|btrfs|xfs_info|dumpe2fs|tune2fs|mdadm|filebench|sh|bash|exit|set|pv|md\dsum|sha\d+sum|"
    r"gzip|gunzip|unzip|diskutil|system_profiler|sw_vers|modprobe|insmod|apt-get|apt|yum|pkg|make|\./\S+|/\S+/\S+)(?=\s|$|;)"
)
_STAMP = r"(?:\[?\d\d:\d\d(?::\d\d)?\]?[^\S\n]+)?(?:\([\w.-]+\)[^\S\n]*)?"
_USER = r"\w[\w.-]*"  # those of schools and offices may be nothing but digits
_HOST = r"[A-Za-z0-9][\w.-]*"
_WHERE = r"(?:[: \[][^\S\n]*|(?=[~/]))"
# Behind user, host and folder: a mark, or (Git Bash, themes in two lines) one at the beginning of the next line.
_MARK = r"[^\S\n]?\]?[^\S\n]?(?:[#$%>]|\n[ \t]{0,12}[#$%])"

_PROMPT = lazy(
    "|".join(
        (
            # root@host:~#   [root@host ~]$   user@host /path %   root@host[/tank]#   [root@host] ~#   user@host MINGW64 ~ $
            rf"^{_STAMP}\[?{_USER}@(?P<host1>{_HOST})\]?(?:{_WHERE}"
            rf"(?P<cwd1>[^\]#$%>\n]*?))?{_MARK}(?:[ \t]+(?P<cmd1>.*)|$)",
            # the same further in, as listings in prose are, or in the first line of a quote: only with a command that is known
            rf"^(?:[ \t]{{1,12}}|>[ \t]?){_STAMP}\[?{_USER}@(?P<host13>{_HOST})\]?(?:{_WHERE}"
            rf"(?P<cwd13>[^\]#$%>\n]*?))?{_MARK}[ \t]+(?P<cmd13>{_KNOWN}.*)",
            rf"^[ \t]{{1,12}}(?P<host14>[A-Za-z][\w.-]*)(?::(?P<cwd14>[~/]\S*) ?(?:{_USER})?)?[#%$][ \t]+(?P<cmd14>{_KNOWN}.*)",
            # host:dir user$ (macOS)
            rf"^(?P<host2>{_HOST}):(?P<cwd2>\S+) {_USER}[$#%][ \t]+(?P<cmd2>.*)",
            # bash-5.2#
            r"^(?:-?(?:ba|z|k|da|a|c|tc)?sh)-?\d[\d.]*[#$%](?:[ \t]+(?P<cmd3>.*)|$)",
            # host#   host%   host:/dir#   host:~ #
            rf"^{_STAMP}(?P<host4>[A-Za-z][\w.-]*)(?::(?P<cwd4>[~/]\S*) ?)?(?:\(\w+\))?[#%$>][ \t]+(?P<cmd4>{_KNOWN}.*)",
            # host ~ #   host / #   (Gentoo)
            rf"^[ \t]{{0,12}}(?!{_KNOWN})(?P<host15>[A-Za-z][\w.-]*) (?P<cwd15>[~/]) [#$][ \t]+(?P<cmd15>{_KNOWN}.*)",
            # /tank #   ~ $
            rf"^(?P<cwd5>[~/][^\s#$%]*) ?[#$%][ \t]+(?P<cmd5>{_KNOWN}.*)",
            # [/share] # command (QNAP)   [root@host:~] command (ESXi)
            rf"^\[(?P<cwd10>[~/][^\]\n]{{0,200}})\] ?[#$][ \t]+(?P<cmd10>{_KNOWN}.*)",
            rf"^\[{_USER}@(?P<host11>{_HOST}):(?P<cwd11>[~/][^\]\n]{{0,200}})\][ \t]+(?P<cmd11>{_KNOWN}.*)",
            # the second line of a prompt in two (Kali, oh-my-zsh)
            r"^[└╰][─╴-]{1,3}\S{0,2}[ \t]+(?:[$#%] ?)?(?P<cmd12>\S.*)",
            # $ command
            r"^[^\S\n]{0,4}\$[ \t]*(?P<cmd6>[A-Za-z./~(\[{].*)",
            # # command   % command   + command (set -x)   > command
            rf"^[^\S\n]{{0,4}}(?:[#%>]|\++)[ \t]+(?P<cmd7>{_KNOWN}.*)",
            # arrows of zsh and fish themes
            r"^(?:\S+ )?[➜❯»→λ▶☠⟩][ \t]+(?:(?P<cwd8>[~/]\S*)[ \t]+)?(?:git:\(\S*\)[ \t]+)?(?:✗[ \t]+)?(?P<cmd8>.*)",
            # PS C:\dir>
            r"^(?:PS )?[A-Z]:\\[^>\n]*>[ \t]*(?P<cmd9>.*)",
        )
    ),
    re.M,
)
# The first line of a prompt in two: ┌──(user㉿host)-[~]   ┌─[user@host]─[~]
_UPPER = lazy(
    rf"[┌╭][─╴-]{{1,3}}[^\w\n]{{0,3}}{_USER}[^\w\s()\[\]]{{1,2}}(?P<host>{_HOST})(?:[)\]]|(?=\s|\Z))"
    r"(?:[^\w\n]{0,2}\[(?P<cwd>[~/][^\]\n]{0,200})\])?"
)
_SHELL = lazy(r"(?:n|ba|z|tc|c|k|a|da|mk|fi)?sh(?:-[\d.]+)?\Z")  # `bash-4.2$`: a shell, not a host
_MARKS = lazy(r"[#$%>+➜❯»→λ▶☠⟩└╰]|^\[[\w.-]+@", re.M)
# Lines from which a prompt may go on into the next one.
_OPEN = lazy(rf"[ \t]{{0,12}}{_STAMP}\[?{_USER}@{_HOST}")
_GROUPS = {
    number: [name for name in _PROMPT.groupindex if name.rstrip("0123456789") + number == name]
    for number in {name.lstrip("abcdefghijklmnopqrstuvwxyz") for name in _PROMPT.groupindex}
}


def find_commands(text: Text) -> list[ShownCommand]:
    """The commands that the text shows, in line order. An empty prompt is a command without text: it ends an output."""
    if not _MARKS.search(text.alike or text.body):
        return []
    found = list(_prompts(text))
    last_line = len(text.lines)
    out: list[ShownCommand] = []
    for at, (line, match) in enumerate(found):
        end = found[at + 1][0] - 1 if at + 1 < len(found) else last_line
        groups = _GROUPS[match.lastgroup.lstrip("abcdefghijklmnopqrstuvwxyz")] if match.lastgroup else ()
        words = {name.rstrip("0123456789"): match[name] for name in groups if match[name] is not None}
        command = words.get("cmd", "").strip()
        prompt = match[0][: len(match[0]) - len(words.get("cmd", ""))]
        if "cmd" in words and match[0][:1] in "└╰" and line > 1 and (upper := _UPPER.match(text.lines[line - 2])):
            words.update({name: told for name, told in upper.groupdict().items() if told})
        host = words.get("host")
        out.append(
            ShownCommand(
                line, command, line + 1, end, prompt.rstrip(), None if host and _SHELL.match(host) else host, words.get("cwd")
            )
        )
    return assign_hosts(out, text.lines)


def _prompts(text: Text) -> Iterator[tuple[int, re.Match[str]]]:
    """Every prompt and its line: what searching the whole text finds, but only lines of the right kinds are looked at."""
    if not isinstance(text.lines, list):
        yield from ((text.line_at(match.start()), match) for match in _PROMPT.finditer(text.body))
        return
    after = 0
    for at in text.where(_may_prompt):
        start = text.offset(at)
        match = _PROMPT.match(text.body, start) if start >= after else None
        if match:
            yield at + 1, match
            after = match.end()


def _may_prompt(kind: str) -> bool:
    """Whether a prompt may stand on lines of that kind, or begin there and go on in the next one."""
    return bool(_PROMPT.match(kind) or _OPEN.match(kind))
