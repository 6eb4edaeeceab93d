"""The version of OpenZFS that a form tells does not speak of results under the heading of another file system."""

from __future__ import annotations

from ingest import read
from ingest.records import Measurement

ISSUE = """Type | Version/Name
 --- | ---
Linux Kernel | 4.9.0
ZFS Version | 0.7.0-rc2

ZFS:

$ time tar cf - /usr/include | pv >/dev/null
tar cf - /usr/include  0.14s user 0.94s system 99% cpu 1.080 total

XFS:

$ time tar cf - /usr/include | pv >/dev/null
tar cf - /usr/include  0.08s user 0.29s system 99% cpu 0.372 total
"""


def it_leaves_the_version_of_a_pool_with_the_pool(tmp_path) -> None:
    (tmp_path / "issue.md").write_text(ISSUE)
    told = {
        record.value: (record.config.get("fs.type"), record.config.get("fs.version"))
        for record in read([tmp_path / "issue.md"])
        if isinstance(record, Measurement) and record.metric == "archive.elapsed"
    }
    assert told == {1.08: ("zfs", "0.7.0-rc2"), 0.372: ("xfs", None)}
