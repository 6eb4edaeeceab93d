"""What identifies a machine whatever it is called: ids of systems, serial numbers of boards and disks.

Source: machine-id(5), hostnamectl(1), dmidecode(8), sysfs' class/dmi, kenv(1) and kern.hostuuid of FreeBSD, system_profiler(8),
smartctl(8), nvme-list(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import open_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_ROW = lazy(
    rf"""^[ \t]*(?:Machine[ ]ID:[ ]+(?P<id>[0-9a-f]{{32}})
    |(?:UUID:[ ]|Hardware[ ]UUID:[ ]+|kern\.hostuuid(?::[ ]|=)|smbios\.system\.uuid="?)(?P<uuid>{_UUID})"?
    |(?:Serial[ ]Number(?:[ ]\(system\))?:[ \t]+|"serial(?:_number|Number)?"[ \t]*:[ \t]*"|smbios\.(?:system|planar)\.serial="?)
      (?P<serial>[^\s",]+)"?,?
    |/dev/nvme[0-9]+n[0-9]+[ \t]+(?:/dev/ng\w+[ \t]+)?(?P<nvme>\S+)[ \t]+\S[^\n]*[ ][\d.]+[ ]*[GT]B[ ]/[^\n]*
    )[ \t]*$""",
    re.MULTILINE | re.VERBOSE,
)
_ASKED = lazy(
    r"(?:/machine-id|dmi/id/(?:product_uuid|(?:product|board|chassis)_serial)|kern\.hostuuid"
    r"|dmidecode[ ]+-s[ ]+(?:system|baseboard|chassis)-(?:serial-number|uuid))[ \t]*\Z"
)
_FILES = ("machine-id", "machine_id", "product_uuid", "product_serial", "board_serial")
_NO_ID = lazy(  # of machines whose maker filled nothing in, of emulated disks, and pseudonyms of `poolmark-capture.sh --mask`
    r"(?i)(?:serial|uuid|id|host)-?\d+\Z|qm0+\d+\Z|drive-|vb[0-9a-f]{8}-|\d{0,3}123456|03000200-0400-0500-0006|00020003-0004-0005"
    r"|to be filled|default|not |none|system|chassis|base ?board|unknown|n/?a\Z|o\.?e\.?m"
)
_ANCHOR = lazy(
    r"(?i)machine.id|serial.?number|serial\":|uuid: |hostuuid|smbios\.|_(?:serial|uuid)|-uuid"
    r"|/dev/nvme[0-9]+n[0-9]+[ \t]+[^ \t\n]+[ \t][^\n]*[0-9] +[GT]B /"
)


def read(text: Text) -> Iterator[Clue]:
    """An open key for each id, since a machine has several."""
    for row in _ROW.finditer(text.body):
        kind = "id" if row["id"] or row["uuid"] else "serial"
        yield from _clues(text, text.line_at(row.start(row.lastgroup or 0)), kind, row[row.lastgroup or 0])
    shown = [(command.first, command.last) for command in text.commands if _ASKED.search(command.text)]
    if not text.commands and text.path.rpartition("/")[2].removesuffix(".txt") in _FILES:
        shown = [(1, 1)]
    for first, last in shown:
        if first <= last and re.fullmatch(r"[\w.-]{6,64}", value := text.lines[first - 1].strip()):
            yield from _clues(text, first, "serial" if "-" not in value and len(value) < 32 else "id", value)


def _clues(text: Text, line: int, kind: str, value: str) -> Iterator[Clue]:
    name = value.lower() if kind == "id" else value
    if len(name) >= 6 and len(set(name) - set("-.")) > 3 and any(map(str.isdigit, name)) and not _NO_ID.match(name):
        yield from open_clues(line, f"machine.{kind}.{name}", name, text.lines[line - 1].strip())


READER = Reader("machine-ids", 1, Anchor(_ANCHOR, "machine|serial|uuid|smbios.|/dev/nvme"), read)
