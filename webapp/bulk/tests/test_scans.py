"""What DuckDB says of the files is what PostgreSQL says of the tables, to the last digit."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import subprocess
from datetime import date
from functools import reduce
from itertools import count
from pathlib import Path

import duckdb
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from webapp.bulk import package, scans
from webapp.files import stores
from webapp.jobs.tasks import make_public_data
from webapp.models import PublicData, Summary
from webapp.models.archive import public_sql
from webapp.models.sql import fetch_rows
from webapp.models.summary import PUBLIC
from webapp.storage import summary_writer
from webapp.tests import making

DOCUMENT = Path(settings.BASE_DIR) / "docs" / "data.md"
QUANTILES = [0.0, 0.01, 0.05, 0.25, 1 / 3, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0]
METRICS = ["write.throughput", "read.throughput", "rewrite.throughput", "seek.rate", "file_create.rate", "file_stat.rate"]
QUANTILES_OF_TABLES = f"""
SELECT n.name, w.tool, w.stat, coalesce(c.fs_type, ''), count(*), min(m.value), max(m.value),
    percentile_cont(%s::float8[]) WITHIN GROUP (ORDER BY m.value)
FROM webapp_measurement m
JOIN webapp_run r ON m.id >= r.first_measurement AND m.id < r.first_measurement + r.measurements
JOIN webapp_archive a ON a.id = r.archive_id AND {public_sql("a")}
JOIN webapp_metricname n ON n.id = m.metric_id
JOIN webapp_workload w ON w.id = m.workload_id
JOIN webapp_configuration c ON c.id = r.configuration_id
WHERE m.counted GROUP BY 1, 2, 3, 4
"""


@pytest.fixture
def edition(db):
    """Values of many sizes, on several file systems, of several archives, some private or withdrawn."""
    draw = random.Random(32)
    for number in range(8):
        config = {"fs.type": ["zfs", "ext4"][number % 2], "pool.compression": draw.choice(["lz4", "off"]), "host": "h"}
        records = []
        for metric in METRICS:
            values = [draw.lognormvariate(10, 6) * draw.choice([1, 1e-9, 1e9]) for _ in range(draw.randint(1, 60))]
            records += making.file_records(f"{metric}-{number}.txt", f"{number}{metric}", values, config=config, metric=metric)
        making.archive(public=number != 3, records=records)
    PublicData.objects.create(date=date(2026, 11, 24))
    make_public_data("2026-11-24")
    return PublicData.objects.get()


def read_quantiles_of_tables(quantiles: list[float]) -> dict[tuple[str, str, str, str], tuple]:
    """What `scans.read_pooled_quantiles` reads of the files, read of the tables."""
    return {row[:4]: (*row[4:7], *row[7]) for row in fetch_rows(QUANTILES_OF_TABLES, [quantiles])}


def test_pooled_quantiles_are_the_same_numbers(edition):
    by_duckdb = scans.read_pooled_quantiles(edition, QUANTILES)
    by_postgresql = read_quantiles_of_tables(QUANTILES)
    assert {key[0] for key in by_duckdb} == set(METRICS) and {key[3] for key in by_duckdb} == {"zfs", "ext4"}
    assert by_duckdb == by_postgresql


def test_the_summary_is_checked_again(edition):
    rows = Summary.objects.filter(scope=PUBLIC)
    total, row = rows.count(), rows.filter(n__gt=2).first()
    assert scans.check_summary(edition) == scans.SummaryCheck(total, total, []), "means to the last digit"
    rows.filter(pk=row.pk).update(mean=row.mean * (1 + 2**-51))
    assert scans.check_summary(edition) == scans.SummaryCheck(total, total - 1, [])
    for changed in ({"mean": row.mean * (1 + 1e-8)}, {"low": row.low * (1 + 2**-52)}):
        rows.filter(pk=row.pk).update(**{"mean": row.mean, "low": row.low} | changed)
        assert len(scans.check_summary(edition).problems) == 1


@given(st.lists(st.lists(st.floats(1e-3, 1e15), min_size=1, max_size=8), min_size=1, max_size=6))
def test_archives_are_merged_as_the_summary_merges_them(archives):
    ids = count(1)
    rows = [summary_writer.aggregate(values, [next(ids) for _ in values]) for values in archives]
    row = reduce(summary_writer.merge, rows)
    parts = [("m", 1, 1, len(values), min(values), max(values), values) for values in archives]
    assert scans.merge_parts(parts) == (row.n, row.mean, row.low, row.high)


def test_the_command_prints_them(edition):
    out = io.StringIO()
    call_command("public_data", "quantiles", "0.5", stdout=out)
    lines = out.getvalue().splitlines()
    found = read_quantiles_of_tables([0.5])
    assert lines[0] == "metric,tool,stat,fs_type,values,least,greatest,0.5" and len(lines) == len(found) + 1
    for line in lines[1:]:
        *key, n, low, high, median = line.split(",")
        assert (int(n), float(low), float(high), float(median)) == found[tuple(key)]
    out = io.StringIO()
    call_command("public_data", "check", stdout=out)
    total = Summary.objects.filter(scope=PUBLIC).count()
    exact = f"{total} of {total} means to the last digit"
    assert out.getvalue() == f"2026-11-24: the public summary is what its values give, {exact}.\n"
    row = Summary.objects.filter(scope=PUBLIC).first()
    Summary.objects.filter(pk=row.pk).update(n=row.n + 1)
    with pytest.raises(CommandError, match="1 rows"):
        call_command("public_data", "check", stdout=out)


def test_the_median_of_the_document_is_that_of_the_database(edition, tmp_path):
    place_files(edition, tmp_path)
    [block] = re.findall(r"```exact\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    rows = duckdb.sql(block.replace("measurements-*", f"{tmp_path}/measurements-*")).fetchall()
    expected = {key: (row[0], row[3]) for key, row in read_quantiles_of_tables([0.5]).items()}
    assert {row[:4]: row[4:] for row in rows} == expected and len(expected) > 1


def place_files(edition, folder: Path) -> None:
    for file in package.list_files(edition):
        if file.form == "parquet":
            with stores.local(file.key) as path:
                shutil.copy(path, folder / file.name)


@pytest.mark.slow
def test_spark_gives_the_same_numbers_from_the_same_statement(edition, tmp_path):
    """Sail is the Spark server. Also runs the examples for pandas and Spark of the document."""
    place_files(edition, tmp_path)
    by_spark = json.loads(check_data(tmp_path, scans.rank_sql(QUANTILES)))
    assert scans.interpolate(by_spark, QUANTILES) == read_quantiles_of_tables(QUANTILES)
    printed = check_data(tmp_path)
    assert "pandas:" in printed and all(printed.count(metric) >= 2 for metric in METRICS)


def check_data(folder: Path, *statement: str) -> str:
    script = Path(settings.BASE_DIR) / "script" / "check-data"
    return subprocess.run([script, folder, *statement], check=True, stdout=subprocess.PIPE, text=True).stdout
