"""Nominal memory, and configurations as rows."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import keys
from ingest.tests.thinning import examples
from webapp.storage.configuration_rows import GIB, make_configuration_row, nominal_memory

MIB = 2**20


@pytest.mark.parametrize(
    ("seen", "installed"),
    [
        (16_267_444 * 1024, 16 * GIB),  # MemTotal of a 16 GiB machine
        (3_918_000 * 1024, 4 * GIB),
        (490 * MIB, 512 * MIB),
        (263_840_000 * 1024, 256 * GIB),
        (8_000_000_000, 8 * GIB),  # "8 GB" as people write it
        (7 * GIB, 8 * GIB),  # `free -g` rounds down
        (int(94.2 * GIB), 96 * GIB),
        (int(9.7 * GIB), 10 * GIB),  # virtual machines have any size
        (int(6.8 * GIB), 7 * GIB),
        (int(19.5 * GIB), 20 * GIB),
        (300 * MIB, 320 * MIB),
        (16 * GIB, 16 * GIB),
    ],
)
def test_it_rounds_to_what_is_installed(seen, installed):
    assert nominal_memory(seen) == installed


@given(st.integers(1, 2**50))
def test_it_stays_near_what_is_seen(size):
    nominal = nominal_memory(size)
    assert size * 63 // 64 <= nominal <= max(size * 8 // 7 + 1, size + GIB)


def test_an_absent_key_differs_from_every_value():
    assert (
        len(
            {
                make_configuration_row({}).digest,
                make_configuration_row({"pool.dedup": "off"}).digest,
                make_configuration_row({"pool.atime": "off"}).digest,
            }
        )
        == 3
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cpu.cores", "four"),
        ("cpu.cores", 2**40),
        ("disk.count", True),
        ("memory", 1.5),
        ("made.up", "x"),
        ("host", 7),
    ],
)
def test_what_no_column_holds_is_kept_exactly(key, value):
    found = make_configuration_row({key: value, "kernel": "6.1"})
    assert found.exact == {key: value} and found.columns["kernel"] == "6.1"


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=examples(50))
@given(
    st.dictionaries(st.sampled_from(sorted(keys.KEYS)), st.text(max_size=5) | st.integers() | st.floats() | st.none(), max_size=6)
)
def test_columns_and_exact_values_together_give_the_configuration_back(config):
    found = make_configuration_row(config)
    told = {name: value for name, value in found.columns.items() if value is not None} | found.exact
    assert {k: v for k, v in told.items() if v is not None} == pytest.approx(
        {k: v for k, v in config.items() if v is not None}, nan_ok=True
    )
