"""Citations in the styles of journals."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from webapp.formats.citations import entries
from webapp.formats.citations.work import CitedWork, parse_authors

PLACE = "https://example.org/p/abc"
WORK = CitedWork("k", "Fast disks", parse_authors("Ann B. Rae; Bo Li"), date(2026, 5, 4), PLACE, "a")
QUOTED = CitedWork(
    "k", 'Writes of "raw" ZFS on FreeBSD <b>', parse_authors("{The ZFS Group}"), date(2026, 5, 4), PLACE, "a", edition=2
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("apa", f"Rae, A. B., & Li, B. (2026). Fast disks [Dataset]. Poolmark. {PLACE}"),
        ("ieee", f"A. B. Rae and B. Li, “Fast disks.” Poolmark, May 04, 2026. [Online]. Available: {PLACE}"),
        ("association-for-computing-machinery", f"Ann B. Rae and Bo Li. 2026. Fast disks. Retrieved from {PLACE}"),
        ("chicago-author-date", f"Rae, Ann B., and Bo Li. 2026. “Fast disks.” Poolmark, May 4. {PLACE}."),
        ("nlm-citation-sequence", f"Rae AB, Li B. Fast disks [Internet]. Poolmark; 2026. Available from: {PLACE}"),
        ("nature", f"Rae, A. B. & Li, B. Fast disks. Poolmark (2026). {PLACE}"),
        ("springer-lecture-notes-in-computer-science", f"Rae, A.B., Li, B.: Fast disks, {PLACE}, (2026)."),
    ],
)
def it_cites_in_each_style(name, text):
    assert entries.cite_in_style(WORK, name) == text


@pytest.mark.parametrize("name", entries.STYLES)
def it_keeps_the_title_as_it_was_typed(name):
    """Straight quotes, acronyms, and what would be a tag in HTML; and names the version."""
    found = entries.cite_in_style(QUOTED, name)
    assert 'Writes of "raw" ZFS on FreeBSD <b>' in found and "The ZFS Group" in found and PLACE in found


@pytest.mark.parametrize("name", entries.STYLES)
@pytest.mark.parametrize(
    "title",
    [
        "Write: dd, 8.57 GiB, block size 1 MiB, per file system",
        "fio's randwrite (bs=4k, O_DIRECT); ext4, xfs & btrfs",
        "Sequential read: IOzone 3.471, 2 GiB, record 64 KiB, per OS",
        "file_create.rate in mdtest-3.4: what is new on ZFS",
        "Is lz4 faster than gzip-6 on FreeBSD?",
    ],
)
def it_keeps_the_case_of_a_title_and_puts_no_blanks_into_it(name, title):
    found = entries.cite_in_style(replace(WORK, title=title), name)
    assert title in found and "?." not in found and " ," not in found


def it_says_the_doi_where_there_is_one():
    work = CitedWork("k", "Fast disks", WORK.authors, WORK.day, PLACE, "a", "10.5281/zenodo.12345")
    for name in entries.STYLES:
        assert "10.5281/zenodo.12345" in entries.cite_in_style(work, name), name


def it_cites_a_work_without_authors_by_its_publisher():
    nobody = CitedWork("k", "Fast disks", (), WORK.day, PLACE, "a")
    assert entries.cite_in_style(nobody, "apa").startswith("Poolmark. (2026)")
