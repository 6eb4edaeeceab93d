"""`poolmark capture`: the capture kit of this package, and the push of what it made."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from poolmark import push as pushing
from poolmark import settings
from poolmark.errors import UsageError
from poolmark.terminal import progress, say

KIT = "poolmark-capture.sh"
_FLAGS = frozenset("--blocks --no-blocks --no-drop --no-evidence --reboot-between --mask -h --help --version".split())
"""Options of the kit without a value."""
_FOLDERS = ("--out", "--resume", "--pack")
_HELP = """
of this command
  --push               push the archive when it is done, and print its link
  --wait               wait until it is read; ends with 1 where reading failed
  --label NAME=VALUE   a label of the archive; repeat it for each
  --server URL         the server; else POOLMARK_URL, else that of the last login
"""


@dataclass
class _Options:
    """What the command line asks for; `kit`: the words for the kit; `folder`: where it works."""

    kit: list[str] = field(default_factory=list)
    folder: str = ""
    push: bool = False
    wait: bool = False
    server: str = ""
    labels: dict[str, str] = field(default_factory=dict)


def main(arguments: Sequence[str]) -> int:
    """Run the kit with these arguments; the exit code is the kit's, or of the push. Raises UsageError, SiteError."""
    options = _parse(arguments)
    site = settings.find_site(options.server or None) if options.push else None
    started = time.time()
    code = _run(options.kit)
    if not {"-h", "--help"}.isdisjoint(options.kit):
        print(_HELP, end="")
    if code or site is None:
        return code
    archive = Path(f"{options.folder}.tar.gz")
    if not archive.exists() or archive.stat().st_mtime < started - 2:  # file systems round times
        say("poolmark: the capture is not done, so nothing was pushed yet; --push --resume FOLDER goes on.")
        return 0
    with site, progress() as tell:
        pushed = pushing.push(site, [archive], about={"labels": options.labels}, tell=tell)
        print(pushed["url"])
        if options.wait:
            pushed = pushing.wait_for(site, pushed["id"], tell)
            say(pushing.describe(pushed))
    return int(pushed["state"] == pushing.FAILED)


def _parse(arguments: Sequence[str]) -> _Options:
    """Take the own options out of the arguments, all others are for the kit. What stands behind `--` is a command."""
    options, words = _Options(), list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            options.kit += [word, *words]
            break
        if word in ("--push", "--wait"):
            setattr(options, word[2:], True)
        elif word in ("--server", "--label"):
            _keep(options, word, _value(word, words))
        elif word in _FLAGS or not words:
            options.kit.append(word)
        else:
            value = words.pop(0)
            options.kit += [word, value]
            if word in _FOLDERS:
                options.folder = value
    if options.push and not options.folder:
        options.folder = time.strftime("poolmark-%Y%m%dT%H%M%SZ", time.gmtime())
        options.kit[:0] = ["--out", options.folder]
    return options


def _value(option: str, words: list[str]) -> str:
    if not words:
        raise UsageError(f"{option} lacks its value: `poolmark capture --help` shows how it is written.")
    return words.pop(0)


def _keep(options: _Options, option: str, value: str) -> None:
    if option == "--server":
        options.server = value
        return
    name, equals, text = value.partition("=")
    if not equals or not name:
        raise UsageError(f"--label {value!r} has no name or no value: write it as NAME=VALUE, as branch=main.")
    options.labels[name] = text


def _run(words: Sequence[str]) -> int:
    """The exit code of the kit, 128 and more where a signal ended it. Ctrl-C reaches the kit, which says how to go on."""
    shell = shutil.which("sh")
    if shell is None:
        raise UsageError("There is no sh here: the capture kit runs on Linux, FreeBSD, illumos and macOS.")
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        # Children inherit what is ignored, and no shell can trap that again: they begin with the default.
        code = subprocess.Popen([shell, str(find_kit()), *words], preexec_fn=_default_interrupt).wait()  # noqa: S603 what was typed
    finally:
        signal.signal(signal.SIGINT, handler)
    return code if code >= 0 else 128 - code


def _default_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def find_kit() -> Path:
    """The kit: in the installed package beside this module, in a checkout above its sources."""
    here = Path(__file__).resolve()
    for folder in (here.parent, here.parents[2]):
        if (folder / KIT).is_file():
            return folder / KIT
    raise UsageError(f"{KIT} is not in this installation: install the package again, or fetch it from a server's /{KIT}.")
