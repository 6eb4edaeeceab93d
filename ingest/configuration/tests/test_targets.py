"""Two devices or mount points of one command are no repetitions of each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read, targets_of
from ingest.records import Measurement, Warning

PROMPT = "me@nas:~$ "
TIMED = "\nreal\t0m{}.000s\nuser\t0m0.1s\nsys\t0m1.0s\n"


@pytest.mark.parametrize(
    ("path", "command", "targets"),
    [
        ("/dev/sda", None, ("/dev/sda",)),
        ("/mnt/old/set1", None, ("/mnt/old",)),
        ("/run/media/me/stick/x", None, ("/run/media/me/stick",)),
        ("/tank/a/b", "cp /x /y", ("/tank",)),
        ("relative", "dd of=/tank/x", ("/tank",)),
        (None, "cp -rp /srv/a/set1 /mnt/new/set1", ("/srv", "/mnt/new")),
        (None, "rsync -a /srv/a/ nas:/tank/a", ("/srv", "nas:/tank")),
        (None, "tar xf /srv/a.tar -C /mnt/new", ("/srv", "/mnt/new")),
        (None, "dd if=/dev/zero of=/tank/x bs=1M", ("/tank",)),
        (None, "/opt/ior/bin/ior -o /lustre/x", ("/lustre",)),
        (None, 'echo "open', ()),
        (None, None, ()),
    ],
)
def test_targets(path: str | None, command: str | None, targets: tuple[str, ...]) -> None:
    assert targets_of(path, command) == targets


@pytest.mark.parametrize(
    ("commands", "count"),
    [
        (("cp -r /a/s /mnt/old/s", "cp -r /a/s /mnt/new/s"), 1),
        (("cp -r /a/s /mnt/old/s1", "cp -r /a/s /mnt/old/s2"), 0),
        (("rsync -a /a/s /mnt/old/s", "rsync -a /a/s /tank/s"), 1),
        (("rsync -a /a/s /mnt/old/s", "rsync -a /a/s nas:/tank/s"), 0),  # another workload
        (("tar xf /a/s.tar -C /mnt/old", "tar xf /a/s.tar -C /mnt/new"), 1),
        (("tar cf /mnt/old/s.tar /a/s", "tar cf /mnt/new/s.tar /a/s", "tar cf /mnt/old/s.tar /a/s"), 1),
    ],
)
def test_a_run_that_wrote_elsewhere_is_named_once(tmp_path: Path, commands: tuple[str, ...], count: int) -> None:
    text = "".join(f"{PROMPT}time {command}\n{TIMED.format(10 + n)}" for n, command in enumerate(commands))
    (tmp_path / "log.txt").write_text(text)
    records = list(read([tmp_path]))
    found = [one for one in records if isinstance(one, Warning) and one.code == "unlike-targets"]
    assert len([one for one in records if isinstance(one, Measurement)]) == 3 * len(commands)
    assert len(found) == count and all("elsewhere" in one.message for one in found)
