"""Settings of the Linux kernel in the files of /sys and /proc: block devices, software RAID, modules, sysctl, CPU, command line.

Forms: see `_dumped_files`; and the files themselves, in an upload that holds them below `sys` or `proc` (`read_archived` reads
those). A pattern (`cat /sys/block/*/queue/scheduler`) counts where all files have the same content.
Evidence: the files' content. Mentions: their paths in prose and scripts.
Source: Linux Documentation/ABI/stable/sysfs-block, admin-guide/sysctl, admin-guide/kernel-parameters, admin-guide/md,
admin-guide/pm/cpufreq, admin-guide/mm/transhuge, admin-guide/cgroup-v1/memory, admin-guide/cgroup-v2.

Source of kernel files: sysfs and procfs of Linux
Source of archived kernel files: sysfs and procfs of Linux
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ingest.context._clues import open_clues
from ingest.context.settings._dumped_files import ShownFile, chosen_word, shown_files
from ingest.lazy_regex import lazy
from ingest.open_keys import MEMORY_LIMIT
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_ANCHOR = lazy(
    r"/sys/(?:block|class/block|class/nvme|module|kernel/mm|devices|fs/cgroup)/|/proc/(?:sys/|cmdline)"
    r"|Kernel command line:|Command line: \S+="
)
_BLOCK = lazy(
    r"/sys/(?:.*/)?(?:block|class/nvme)/(?P<device>[^/]+)/"
    r"(?:queue/(?P<queue>(?:iosched/)?\w+)|md/(?P<md>\w+)|(?:device/)?(?P<own>queue_depth|rev|firmware_rev))\Z"
)
_MODULE = lazy(r"/sys/module/(\w+)/parameters/(\w+)\Z")
_SYSCTL = lazy(r"/proc/sys/([\w./+@-]+)\Z")
_GOVERNOR = lazy(r"/sys/devices/system/cpu/(?:cpu[\d*]+/cpufreq|cpufreq/policy[\d*]+)/scaling_governor\Z")
_MEMORY_LIMIT = lazy(r"/sys/fs/cgroup/(?:.*/)?memory\.(?:limit_in_bytes|max)\Z")
_NO_LIMIT = 2**60  # bytes; version 1 prints the largest whole number of pages where there is none, version 2 `max`
_HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
_BOOT = lazy(r"^(?:[^\n]{0,40}\] )?[ \t]*(?:Kernel command line|Command line): (\S[^\n]*)$", re.MULTILINE)
_OPTIONS = lazy(r"(?:mitigations|isolcpus|nohz_full|elevator|intel_pstate|zfs\.\w+)\Z")
_MITIGATION = lazy(
    r"(?:nopti|nospectre_v[12]|noibrs|noibpb|nospec_store_bypass_disable|(?:pti|spectre_v2|spectre_v2_user|spec_store_bypass_disable"
    r"|l1tf|mds|tsx_async_abort|mmio_stale_data|retbleed|srbds|gather_data_sampling|spec_rstack_overflow)=\S+)\Z"
)
_OF_DEVICE = {"rev": "firmware", "firmware_rev": "firmware"}  # other names are keys as they are
_OF_ARRAY = {"stripe_cache_size", "group_thread_cnt", "consistency_policy"}
_SEVERAL = lazy(r"[*?\[{]")
_WRITE_CACHE = {"write back": "on", "write through": "off"}


def read(text: Text) -> Iterator[Clue]:
    """Clues of every file shown, and of the command line in the kernel's log."""
    yield from file_clues(shown_files(text), text)
    for match in _BOOT.finditer(text.body) if "ommand line: " in text.body else ():
        yield from _option_clues(text.line_at(match.start(1)), match[1])


def file_clues(files: Iterable[ShownFile], text: Text) -> Iterator[Clue]:
    """Clues of these files; of the governors of all CPUs one."""
    governors: dict[str, int] = {}
    for file in files:
        if _GOVERNOR.match(file.path):
            governors.setdefault(file.value, file.line)
        else:
            yield from _file_clues(file, text.lines[file.line - 1].strip())
    if governors:
        line = min(governors.values())
        yield from open_clues(line, "system.governor", " + ".join(sorted(governors)), text.lines[line - 1].strip())


def _file_clues(file: ShownFile, raw: str) -> Iterator[Clue]:
    if file.path == "/proc/cmdline":
        yield from _option_clues(file.line, file.value)
    elif named := path_key(file.path, file.value):
        yield from open_clues(file.line, named.key, named.value, raw, subject=named.device)


class KernelSetting(NamedTuple):
    """What a file sets; `device`: '' where it is none of one device."""

    key: str
    value: str
    device: str = ""


def path_key(path: str, value: str) -> KernelSetting | None:
    """The setting of a file of /sys or /proc/sys by its path; None of one that is no setting."""
    if block := _BLOCK.match(path):
        device = "" if _SEVERAL.search(block["device"]) else f"/dev/{block['device'].replace('!', '/')}"
        key = _block_key(block["queue"], block["md"], block["own"])
        if key is None:
            return None
        word = _WRITE_CACHE.get(value, value) if key == "block.write_cache" else chosen_word(value)
        return KernelSetting(key, word, device)
    if module := _MODULE.match(path):
        return KernelSetting(f"module.{module[1]}.{module[2]}", chosen_word(value))
    if setting := _SYSCTL.match(path):
        return KernelSetting(f"sysctl.{setting[1].replace('/', '.')}", value)
    if _GOVERNOR.match(path):
        return KernelSetting("system.governor", value)
    if _MEMORY_LIMIT.match(path):
        return KernelSetting(MEMORY_LIMIT, value) if value.isdecimal() and int(value[:30]) < _NO_LIMIT else None
    return KernelSetting("system.transparent_hugepage", chosen_word(value)) if path == _HUGE_PAGES else None


def _block_key(queue: str | None, md: str | None, own: str | None) -> str | None:
    """The open key of a file in queue/, md/ or device/ of a block device; None of one that is no setting."""
    if md:
        return f"raid.{md}" if md in _OF_ARRAY else None
    name = queue.replace("/", ".") if queue else own or ""
    return f"block.{_OF_DEVICE.get(name, name)}"


def _option_clues(line: int, options: str) -> Iterator[Clue]:
    """Options of the kernel's command line that change performance, set by a person; and the state of the CPU's mitigations."""
    for option in options.split():
        name, _, value = option.partition("=")
        if value and _OPTIONS.match(name):
            yield from open_clues(line, f"system.cmdline.{name}", value, option, by_person=True)
    words = [word.strip("\"'") for word in options.split()]
    whole = [word.removeprefix("mitigations=") for word in words if word.startswith("mitigations=")]
    single = [word for word in words if _MITIGATION.match(word)]
    value = " ".join([*(whole[-1:] or ["auto"]), *sorted(single)])
    set_by = next((word for word in words if "mitigations=" in word or word in single), options)
    yield from open_clues(line, "state.mitigations", value, set_by.strip())


READER = Reader("kernel files", 3, Anchor(_ANCHOR, "/sys/|/proc/sys/|/proc/cmdline|ommand line:"), read)


# Files of /sys and /proc themselves, in an upload that holds a copy of these folders: `run1/sys/block/sda/queue/scheduler`.
#
# Their content names nothing, so this reader is asked for every file; it looks at the path only of short ones without a suffix.
# Source: as `kernel_files`.

_LONGEST = 4096  # of the kernel's command line
_KERNEL_FILE = lazy(
    r"(?:.*/)?((?:sys/(?:(?:block|class/block)/[^/]+/(?:queue|device|md)|class/nvme/[^/]+|module/\w+/parameters"
    r"|kernel/mm/transparent_hugepage|devices/system/cpu/cpu(?:freq/policy\d+|\d+/cpufreq)|devices/.*/block/[^/]+/queue)|proc/sys)/[\w./-]+"
    r"|proc/cmdline)\Z"
)


def read_archived(text: Text) -> Iterator[Clue]:
    """The clue of the file's only line."""
    if len(text.body) > _LONGEST or "." in text.name or "\n" in (content := text.body.strip()) or not content:
        return
    path = _KERNEL_FILE.match(text.path)
    if path:
        line = next(number for number, row in enumerate(text.lines, 1) if row.strip())
        yield from file_clues([ShownFile(line, f"/{path[1]}", content)], text)


ARCHIVED = Reader("archived kernel files", 1, None, read_archived)
