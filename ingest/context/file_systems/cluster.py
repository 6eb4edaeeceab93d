"""Parallel file systems: `lfs df`, `lfs getstripe`, `lctl`, `beegfs-df`, `beegfs-ctl`, `mmlsfs`, `gluster volume info`.

Source: lfs-df(1), lfs-getstripe(1), lctl(8) (osd-zfs or osd-ldiskfs is what a target stores on), beegfs-ctl --help,
mmlsfs of IBM Spectrum Scale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ingest.context._clues import line_clue
from ingest.context.file_systems._lustre import layout_clues, parameter_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt
from ingest.text.lines import Text

_FORMS = (
    ("lustre", lazy(r"^[ \t]*filesystem_summary:[ \t]+[^\n]*?[ \t](?P<folder>/\S*)[ \t]*$", re.MULTILINE)),
    ("lustre", lazy(r"^[ \t]*\S+(?:-OST|-MDT)[0-9a-f]{4}_UUID[ \t]+[^\n]*?(?P<folder>/\S*?)\[(?:OST|MDT):\d+\]", re.MULTILINE)),
    ("lustre", lazy(r"^[ \t]*lmm_stripe_count:[ \t]+-?\d+", re.MULTILINE)),
    ("lustre", lazy(r"^[ \t]*stripe_count:[ \t]+-?\d+[ \t]+stripe_size:[ \t]+\d+[ \t]", re.MULTILINE)),
    ("lustre", lazy(r"^[ \t]*\d+: \S+-OST[0-9a-f]{4}_UUID(?:[ \t]+(?:IN)?ACTIVE)?[ \t]*$", re.MULTILINE)),
    ("beegfs", lazy(r"^[ \t]*(?:METADATA SERVERS|STORAGE TARGETS):[ \t]*$", re.MULTILINE)),
    ("beegfs", lazy(r"^[ \t]*\+ (?:Chunksize|Number of storage targets): ", re.MULTILINE)),
    ("gpfs", lazy(r"^[ \t]*-B[ \t]+\d+[ \t]+Block size\b", re.MULTILINE)),
    (
        "glusterfs",
        lazy(r"^[ \t]*Volume Name: \S+[ \t]*\n[ \t]*Type: (?:Distribute|Replicate|Disperse|Stripe|Distributed)", re.MULTILINE),
    ),
)
_VERSIONS = (
    lazy(r"^[ \t]*(?:lustre|lfs|lctl)(?:: | )(?:build: |v)?(\d+\.\d+\.\d+[\w.-]*)[ \t]*$", re.MULTILINE | re.IGNORECASE),
    lazy(r"^[ \t]*(?:\[[\d. ]+\] )?Lustre: (?:Lustre: )?Build Version: (\d+\.\d+[\w.-]*)", re.MULTILINE),
)
_STACK = lazy(r"\bosd-(zfs|ldiskfs)\.[\w-]+-(?:OST|MDT)[0-9a-f]{4}\.", re.MULTILINE)
_ANCHOR = lazy(
    r"filesystem_summary:|_UUID\b|stripe_count:|METADATA SERVERS:|STORAGE TARGETS:"
    r"|\+ (?:Chunksize|Number of storage)"
    r"|-B[ \t]+\d+[ \t]+Block size|Volume Name: |(?i:lustre|lfs )|osd-(?:zfs|ldiskfs)\."
    r"|(?:llite|mdc|osc|lov|obdfilter|mdt|ofd|ldlm\.namespaces)\.[^\s=]+\.\w+="
)


def read(text: Text) -> Iterator[Clue | Doubt]:
    """File systems, the first line of each with its mount point; versions; the stack where all targets have the same; settings of
    Lustre.
    """
    return chain(_clues(text), parameter_clues(text), layout_clues(text))


def _clues(text: Text) -> Iterator[Clue]:
    seen: set[tuple[str, str]] = set()
    for kind, form in _FORMS:
        for match in form.finditer(text.body):
            folder = match.groupdict().get("folder") or ""
            if (kind, folder) not in seen:
                seen.add((kind, folder))
                yield line_clue(text, text.line_at(match.start()), "fs.type", kind, subject=folder)
    for form in _VERSIONS:
        for match in form.finditer(text.body):
            line = text.line_at(match.start())
            if form is _VERSIONS[0]:
                yield Clue(line, "fs.type", "lustre", match[0].strip(), group=line)
            yield Clue(line, "fs.version", match[1], match[0].strip(), group=line)
    stacks = {match[1]: match for match in _STACK.finditer(text.body) if match[1]}
    if len(stacks) == 1:
        ((lower, match),) = stacks.items()
        yield line_clue(text, text.line_at(match.start()), "fs.stack", f"lustre/{lower}")


READER = Reader(
    "cluster",
    4,
    Anchor(
        _ANCHOR,
        "filesystem_summary|_uuid|stripe_count:|metadata servers:|storage targets:|+ chunksize|number of storage|"
        "block size|volume name: |lustre|lfs |osd-zfs.|osd-ldiskfs.|llite.|mdc.|osc.|lov.|obdfilter.|mdt.|ofd.|ldlm.",
    ),
    read,
)
