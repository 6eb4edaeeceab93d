"""One line of a tool's output behind the label of a script: `echo "CPU: $(lscpu | grep 'Model name')"`."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values

GIB = 2**30


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Model name:          AMD EPYC 7713 64-Core Processor", {"cpu.model": "AMD EPYC 7713"}),
        ("CPU Info: Model name:          AMD EPYC 7713 64-Core Processor", {"cpu.model": "AMD EPYC 7713"}),
        ("CPU: model name\t: Intel(R) Xeon(R) CPU E5-2660 v4 @ 2.00GHz", {"cpu.model": "Xeon E5-2660 v4"}),
        ("Model name:          Seagate Expansion", {}),
        ("Mem:          503Gi       137Gi       360Gi       898Mi       5.5Gi       362Gi", {"memory": 503 * GIB}),
        ("Memory Info: Mem:          503Gi       137Gi       360Gi       898Mi       5.5Gi       362Gi", {"memory": 503 * GIB}),
        ("Mem:          503       137       360       898       5       362", {}),  # no unit is told
        ("Memory: MemTotal:       16384256 kB", {"memory": 16384256 * 1024}),
        ("KiB Mem :  8163292 total,   628780 used,  7534512 free,    19080 buffers", {"memory": 8163292 * 1024}),
        ("MiB Mem :  15842.5 total,    628.7 used,   7534.5 free,    190.0 buff/cache", {"memory": 16612065280}),
        ("Mem:  32950896k total, 32512600k used,   438296k free,   312000k buffers", {"memory": 32950896 * 1024}),
        ('OS: PRETTY_NAME="Ubuntu 22.04.3 LTS"', {"os.name": "Ubuntu", "os.version": "22.04.3 LTS", "os.family": "Linux"}),
        ("OS: Description:\tUbuntu 20.04.6 LTS", {"os.name": "Ubuntu", "os.version": "20.04.6 LTS", "os.family": "Linux"}),
        (
            "FreeNAS-11.2-U3 (Build Date: Mar 27, 2019 18:24)",
            {"os.name": "FreeNAS", "os.version": "11.2-U3", "os.family": "FreeBSD"},
        ),
        ("TrueNAS-SCALE-22.12.3", {"os.name": "TrueNAS SCALE", "os.version": "22.12.3", "os.family": "Linux"}),
        ("It runs on TrueNAS-12.0-U8", {}),
        ("Hostname: wmc006", {"host": "wmc006"}),
    ],
)
def test_a_line_behind_a_label_or_alone(line: str, expected: dict[str, object]) -> None:
    assert read_clue_values(f"Job 17\n{line}\nstarted\n") == expected
