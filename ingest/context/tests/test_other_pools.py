"""What is told of one pool says nothing about figures of which the tool prints that they are another's."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.records import Measurement

STATUS = """# zpool status {pool}
  pool: {pool}
 state: ONLINE
config:

        NAME          STATE     READ WRITE CKSUM
        {pool:12}  ONLINE       0     0     0
          mirror-0    ONLINE       0     0     0
            {disk}0     ONLINE       0     0     0
            {disk}1     ONLINE       0     0     0

errors: No known data errors
"""
RATES = """# zpool iostat -y tank 5 1
               capacity     operations     bandwidth
pool        alloc   free   read  write   read  write
----------  -----  -----  -----  -----  -----  -----
tank        1.31G  2.66G      0    812      0   101M
----------  -----  -----  -----  -----  -----  -----
"""
OF_DATA_SET = """# zfs get compression tank/db
NAME     PROPERTY     VALUE     SOURCE
tank/db  compression  lz4       local
"""
TANK, BOOT = STATUS.format(pool="tank", disk="sd"), STATUS.format(pool="freenas-boot", disk="ad")


def configuration(folder: Path, **files: str) -> dict:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    configs = [record.config for record in read([str(folder)]) if isinstance(record, Measurement)]
    assert configs and all(one == configs[0] for one in configs)
    return dict(configs[0])


@pytest.mark.parametrize(
    ("before", "layout"), [(BOOT, None), (TANK, "mirror(2)"), (TANK + BOOT, "mirror(2)"), (BOOT + TANK, "mirror(2)")]
)
@pytest.mark.parametrize("beside", [False, True])
def test_the_layout_is_that_of_the_pool_itself(tmp_path: Path, before: str, layout: str | None, beside: bool) -> None:
    files = {"status": before, "rates": RATES} if beside else {"all": before + RATES}
    found = configuration(tmp_path, **files)
    assert (found.get("pool.name"), found.get("pool.layout"), found.get("disk.count")) == ("tank", layout, layout and 2)


def test_what_a_data_set_of_the_pool_has_is_told_of_it(tmp_path: Path) -> None:
    assert configuration(tmp_path, all=OF_DATA_SET + RATES)["pool.compression"] == "lz4"
