"""What a person would call a system or a configuration."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from webapp.models import Run
from webapp.systems.system_index import say_name, short_cpu
from webapp.tests import making

CPUS = {
    "Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz": "Xeon E5-2620 v3",
    "Intel(R) Xeon(R) CPU E5-1620 0 @ 3.60GHz": "Xeon E5-1620",
    "AMD EPYC 7313 16-Core Processor": "EPYC 7313",
    "AMD EPYC": "EPYC",
    "12th Gen Intel(R) Core(TM) i7-12700K": "Core i7-12700K",
    "AMD Ryzen 7 PRO 4750U with Radeon Graphics": "Ryzen 7 PRO 4750U",
    "UltraSPARC IV, 1200 MHz": "UltraSPARC IV",
    "AMD quad core, 2.3 GHz": "AMD quad core",
    "Cortex-A72": "Cortex-A72",
    "CPU @ 2.40GHz": "CPU @ 2.40GHz",
}
NAMES = [
    (
        {"host": "stor01", "cpu": "AMD EPYC 7313 16-Core Processor", "disk": "NVMe", "layout": "raidz2(6)", "os": "Debian"}
        | {"os_version": "12", "fs": "zfs", "compression": "lz4", "memory": 2**36},
        "stor01 · EPYC 7313 · 6 × NVMe raidz2 · zfs lz4 · Debian 12",
    ),
    ({"cpu": "AMD EPYC", "cores": 2, "memory": 24 * 2**30, "disks": 12}, "EPYC · 2 cores · 24\u00a0GiB · 12 disks"),
    ({"disk": "ST3000", "disks": 1}, "ST3000"),
    ({"layout": "4 x raidz1(9)", "disks": 40}, "36 disks 4 x raidz1(9)"),
    ({"layout": "stripe(1)", "fs": "btrfs", "compression": "off"}, "1 disk · btrfs compression off"),
    ({"layout": "mirror", "fs": "ext4", "compression": "off"}, "mirror · ext4"),
    ({"fs": "nfs", "stack": "nfs/zfs", "compression": "on", "os_family": "SunOS"}, "nfs/zfs compression on · SunOS"),
    ({"host": "~", "cpu": "~", "os": "~"}, "Hardware not recorded"),
    ({}, "Hardware not recorded"),
]


@pytest.mark.parametrize(("text", "name"), CPUS.items())
def test_a_processor_is_called_by_its_model(text, name):
    assert short_cpu(text) == name


@pytest.mark.parametrize(("known", "name"), NAMES)
def test_a_name_says_what_is_known(known, name):
    assert say_name(known) == name
    assert "unknown" not in say_name(known)


CONFIGS = [
    {"host": "stor01", "cpu.model": "AMD EPYC 7313 16-Core Processor", "fs.type": "zfs", "pool.recordsize": 2**17},
    {"host": "stor01", "cpu.model": "AMD EPYC 7313 16-Core Processor", "fs.type": "zfs", "pool.recordsize": 2**20},
    {"host": "stor01", "cpu.model": "AMD EPYC 7313 16-Core Processor", "fs.type": "ext4"},
    {},
]


@pytest.mark.django_db
def test_pages_have_names_and_no_numbers(client):
    records = [
        record
        for at, config in enumerate(CONFIGS)
        for record in making.file_records(f"{at}.txt", str(at), [1.0, 2.0], config=config)
    ]
    archive = making.archive(public=True, records=records)
    wide, large, ext4, _ = (
        Run.objects.filter(archive=archive).order_by("file__path").values_list("configuration_id", flat=True)[::2]
    )
    system = Run.objects.filter(configuration=ext4).first().configuration.system_id
    pages = {
        reverse("configuration", args=[wide]): "stor01 · EPYC 7313 · zfs, Record size of the data set 128\u00a0KiB",
        reverse("configuration", args=[large]): "stor01 · EPYC 7313 · zfs, Record size of the data set 1\u00a0MiB",
        reverse("configuration", args=[ext4]): "stor01 · EPYC 7313 · ext4",
        reverse("system", args=[system]): "stor01 · EPYC 7313",
        reverse("archive", args=[archive.pk]): "",
        reverse("configurations"): "stor01 · EPYC 7313 · ext4",
    }
    for address, name in pages.items():
        text = client.get(address).content.decode()
        assert name in (text if address == "/configurations" else text.partition("</title>")[0]), address
        assert not re.search(r"No\. \d|[Cc]onfiguration \d", text), address
