"""Citations in the styles of journals."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from webapp.formats import styles
from webapp.formats.capitals import guard
from webapp.formats.work import CitedWork, parse_authors

PLACE = "https://example.org/p/abc"
WORK = CitedWork("k", "Fast disks", parse_authors("Ann B. Rae; Bo Li"), date(2026, 5, 4), PLACE, "a")
QUOTED = CitedWork(
    "k", 'Writes of "raw" ZFS on FreeBSD <b>', parse_authors("{The ZFS Group}"), date(2026, 5, 4), PLACE, "a", edition=2
)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("APA", f"Rae, A. B., & Li, B. (2026). Fast disks [Dataset]. Poolmark. {PLACE}"),
        ("IEEE", f"A. B. Rae and B. Li, “Fast disks.” Poolmark, May 04, 2026. [Online]. Available: {PLACE}"),
        ("ACM", f"Ann B. Rae and Bo Li. 2026. Fast disks. Retrieved from {PLACE}"),
        ("Chicago", f"Rae, Ann B., and Bo Li. 2026. “Fast disks.” Poolmark, May 4. {PLACE}."),
        ("Vancouver", f"Rae AB, Li B. Fast disks [Internet]. Poolmark; 2026. Available from: {PLACE}"),
        ("Nature", f"Rae, A. B. & Li, B. Fast disks. Poolmark (2026). {PLACE}"),
        ("LNCS", f"Rae, A.B., Li, B.: Fast disks, {PLACE}, (2026)."),
        ("transactions on STORAGE", None),
        ("modern-language-association", f"Rae, Ann B., and Bo Li. “Fast disks.” Poolmark, 4 May 2026, {PLACE}."),
    ],
)
def it_cites_in_the_style_of_that_name(typed, text):
    found = styles.cite(WORK, styles.find_style(typed))
    assert found == text if text else PLACE in found and "Fast disks" in found


@pytest.mark.parametrize("name", styles.OFFERED)
def it_keeps_the_title_as_it_was_typed(name):
    """Straight quotes, acronyms, and what would be a tag in HTML; and names the version."""
    found = styles.cite(QUOTED, styles.find_style(name))
    assert 'Writes of "raw" ZFS on FreeBSD <b>' in found and "The ZFS Group" in found and PLACE in found


@pytest.mark.parametrize("name", [*styles.OFFERED, "modern-language-association"])
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
    found = styles.cite(replace(WORK, title=title), styles.find_style(name))
    assert title in found and "?." not in found and " ," not in found


def it_says_the_doi_where_there_is_one():
    work = CitedWork("k", "Fast disks", WORK.authors, WORK.day, PLACE, "a", "10.5281/zenodo.12345")
    for name in styles.OFFERED:
        assert "10.5281/zenodo.12345" in styles.cite(work, styles.find_style(name)), name


def it_cites_a_work_without_authors_by_its_publisher():
    nobody = CitedWork("k", "Fast disks", (), WORK.day, PLACE, "a")
    assert styles.cite(nobody, styles.find_style("APA")).startswith("Poolmark. (2026)")


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("ACM Transactions on Storage", "transactions-on-storage"),
        ("usenix", None),
        ("../../etc/passwd", None),
        ("", None),
        ("a" * 150, None),
    ],
)
def it_names_the_nearest_styles_where_there_is_none(typed, near):
    with pytest.raises(styles.UnknownStyle) as error:
        styles.find_style(typed)
    assert near is None or error.value.near[0] == near
    assert len(error.value.near) <= styles.MAX_NEAR


@pytest.mark.slow
def it_can_set_nearly_all_styles_that_there_are():
    """The others are refused: no entry is without title, author and address."""
    own, refused = [name for name, path in styles._paths().items() if path.parent.name != "dependent"], []
    for name in own:
        try:
            text = styles.cite(QUOTED, styles.find_style(name))
        except styles.UnusableStyle:
            refused.append(name)
        else:
            assert PLACE in text and "zfs" in text.lower(), name
    assert len(own) > 2500 and len(refused) < len(own) / 20, refused


@pytest.mark.parametrize(
    ("title", "guarded"),
    [
        ("Write of ZFS on RAID-Z2 and LZ4", "Write of {ZFS} on {RAID-Z2} and {LZ4}"),
        ("ZFS, NVMe and FreeBSD 13.1 on Linux", "{ZFS}, {NVMe} and {FreeBSD} 13.1 on {Linux}"),
        ("I/O of ext4: A test", "{I/O} of ext4: {A} test"),
        ("Write", "Write"),
        ("B2 and lz4", "{B2} and lz4"),
        ("", ""),
        ("« Été à l'École »", "« Été à l'{École} »"),
    ],
)
def it_guards_words_with_capitals(title, guarded):
    assert guard(title, "{{{}}}".format) == guarded
    assert guard(title, str) == title
