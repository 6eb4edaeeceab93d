"""Files of /sys and /proc themselves, in an upload that holds a copy of these folders: `run1/sys/block/sda/queue/scheduler`.

Their content names nothing, so this reader is asked for every file; it looks at the path only of short ones without a suffix.
Source: as `kernel_files`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.context.settings._dumped_files import ShownFile
from ingest.context.settings.kernel_files import file_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Reader
from ingest.records import Clue
from ingest.text.lines import Text

_LONGEST = 4096  # of the kernel's command line
_KERNEL_FILE = lazy(
    r"(?:.*/)?((?:sys/(?:(?:block|class/block)/[^/]+/(?:queue|device|md)|class/nvme/[^/]+|module/\w+/parameters"
    r"|kernel/mm/transparent_hugepage|devices/system/cpu/cpu(?:freq/policy\d+|\d+/cpufreq)|devices/.*/block/[^/]+/queue)|proc/sys)/[\w./-]+"
    r"|proc/cmdline)\Z"
)


def read(text: Text) -> Iterator[Clue]:
    """The clue of the file's only line."""
    if len(text.body) > _LONGEST or "." in text.name or "\n" in (content := text.body.strip()) or not content:
        return
    path = _KERNEL_FILE.match(text.path)
    if path:
        line = next(number for number, row in enumerate(text.lines, 1) if row.strip())
        yield from file_clues([ShownFile(line, f"/{path[1]}", content)], text)


READER = Reader("archived kernel files", 1, None, read, "sysfs and procfs of Linux")
