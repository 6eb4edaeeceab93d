"""Headings, underlined and ended by a colon, and lists in which people tell their system."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import told

GIB = 1024**3


@pytest.mark.parametrize(("text", "expected"), [
    ("## mirror, compression=off, recordsize=1M\n",
     {"pool.layout": "mirror", "pool.compression": "off", "pool.recordsize": 1 << 20}),
    ("## The mirror of the project\n", {}),
    ("lz4\n---\nresults\n", {"pool.compression": "lz4"}),
    ("NAME  COMPRESS\n----  --------\n", {}),
    ("Btrfs (zstd):\n\n", {"fs.type": "btrfs", "pool.compression": "zstd-3"}),
    ("sync=disabled:\n", {"pool.sync": "disabled"}),
    ("Faster than ZFS:\n", {}),
    ("And here's tmpfs:\n", {"fs.type": "tmpfs"}),
    ("Now, btrfs:\n", {"fs.type": "btrfs"}),
    ("And ext4 and xfs:\n", {}),
    ("I copied it from ext4:\n", {}),
    ("* CPU: Intel Xeon E3-1230 v3\n* RAM: 32 GB ECC\n* OS: FreeNAS 11.2-U5\n",
     {"cpu.model": "Xeon E3-1230 v3", "memory": 32 * GIB, "os.name": "FreeNAS", "os.version": "11.2-U5", "os.family": "FreeBSD"}),
    ("OS: Debian GNU/Linux 11 (bullseye) x86_64\nKernel: 5.10.0-8-amd64\nCPU: Intel Xeon E5-2650 v2 (32) @ 3.400GHz\n"
     "Memory: 2048MiB / 65536MiB\n",
     {"os.name": "Debian", "os.version": "11", "os.family": "Linux", "kernel": "5.10.0-8-amd64", "cpu.model": "Xeon E5-2650 v2",
      "memory": 64 * GIB}),
    ("Build: FreeNAS-9.3-STABLE\nPlatform: Intel(R) Xeon(R) CPU E3-1230 v3 @ 3.30GHz\n",
     {"os.name": "FreeNAS", "os.version": "9.3-STABLE", "os.family": "FreeBSD", "cpu.model": "Xeon E3-1230 v3"}),
    ("Memory: 16 GB free\nKernel: panic\nOS: my own\n", {}),
])
def test_what_people_write_around_results(text, expected):
    assert told(text) == expected
