"""One truth, printed in the layouts of many versions and locales, gives the same points: values, times and devices."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ingest
from ingest.records import SeriesRecord
from ingest.tests.thinning import examples

START = datetime.datetime(2026, 11, 24, 23, 59, 57)
Truth = list[dict[str, tuple[int, ...]]]  # per report: device -> hundredths of tps, read kB/s, write kB/s, latency ms, util %


@dataclass(frozen=True)
class Style:
    """How a locale prints the time of a report, the date and numbers."""

    time: Callable[[datetime.datetime], str]
    date: Callable[[datetime.datetime], str]
    comma: bool = False

    def number(self, hundredths: int) -> str:
        text = f"{hundredths / 100:.2f}"
        return text.replace(".", ",") if self.comma else text


STYLES = {
    "C": Style(lambda t: f"{t:%H:%M:%S}", lambda t: f"{t:%m/%d/%y}"),
    "en_US": Style(lambda t: f"{t:%I:%M:%S %p}", lambda t: f"{t:%m/%d/%Y}"),
    "en_GB": Style(lambda t: f"{t:%H:%M:%S}", lambda t: f"{t:%d/%m/%y}"),
    "de_DE": Style(lambda t: f"{t:%H:%M:%S}", lambda t: f"{t:%d.%m.%Y}", comma=True),
    "zh_CN": Style(lambda t: f"{t:%H\u65f6%M\u5206%S\u79d2}", lambda t: f"{t:%Y\u5e74%m\u6708%d\u65e5}"),
    "ISO": Style(lambda t: f"{t:%H:%M:%S}", lambda t: f"{t:%Y-%m-%d}"),
}


def times(count: int, step: int) -> list[datetime.datetime]:
    return [START + datetime.timedelta(seconds=step * at) for at in range(count)]


def banner(style: Style, moment: datetime.datetime) -> str:
    return f"Linux 6.1.0 (host) \t{style.date(moment)} \t_x86_64_\t(2 CPU)\n\n"


# name -> (columns in order; of the truth: 0 tps, 1 read, 2 write, 3 latency, 4 util; others stand for what is not looked at)
SAR = {
    "8": "tps rd_sec/s wr_sec/s avgrq-sz avgqu-sz await svctm %util",
    "11": "tps rkB/s wkB/s areq-sz aqu-sz await svctm %util",
    "12": "tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util",
}
IOSTAT = {
    "5": "rrqm/s wrqm/s r/s w/s rsec/s wsec/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util",
    "10": "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
    "short": "tps kB/s rqm/s await areq-sz aqu-sz %util",
}


def cell(style: Style, column: str, row: tuple[int, ...]) -> str:
    known = {"tps": row[0], "rkB/s": row[1], "wkB/s": row[2], "rd_sec/s": row[1] * 2, "wr_sec/s": row[2] * 2,
             "rsec/s": row[1] * 2, "wsec/s": row[2] * 2, "await": row[3], "%util": row[4]}  # fmt: skip
    return style.number(known.get(column, 0))


def sar(truth: Truth, style: Style, columns: str, headers: int) -> str:
    """As sar prints it live, with a header every `headers` reports, and averages at the end."""
    names, moments = columns.split(), times(len(truth), 1)
    out = [banner(style, START)]
    for at, (moment, report) in enumerate(zip(moments, truth, strict=True)):
        if at % headers == 0:
            out.append(f"\n{style.time(moment - datetime.timedelta(seconds=1))}          DEV  {'  '.join(names)}\n")
        for device, row in report.items():
            out.append(f"{style.time(moment)}  {device:>11}  {'  '.join(cell(style, name, row) for name in names)}\n")
    return "".join(out)


def iostat(truth: Truth, style: Style, columns: str, stamp: str) -> str:
    """As iostat prints it with -t: the report since boot first."""
    names, colon = columns.split(), ":" if "svctm" in columns else ""
    boot = dict.fromkeys(truth[0], (77, 88, 99, 66, 55))
    out = [banner(style, START)]
    for moment, report in zip(times(len(truth) + 1, 1), [boot, *truth], strict=True):
        out.append(f"{stamp.format(date=style.date(moment), time=style.time(moment))}\nDevice{colon}  {'  '.join(names)}\n")
        out += [f"{device}  {'  '.join(cell(style, name, row) for name in names)}\n" for device, row in report.items()]
        out.append("\n")
    return "".join(out)


def read(folder, text: str) -> list[SeriesRecord]:
    path = folder / "log.txt"
    path.write_text(text)
    return [record for record in ingest.read([path]) if isinstance(record, SeriesRecord)]


def points(records: list[SeriesRecord], metric: str) -> dict[str, list[tuple[str, float]]]:
    """Subject -> (moment, value)."""
    found: dict[str, list[tuple[str, float]]] = {}
    for record in records:
        if record.metric == metric:
            assert record.started_at is not None
            start = datetime.datetime.fromisoformat(record.started_at)
            for seconds, values, _ in record.chunks():
                assert seconds is not None
                moments = [(start + datetime.timedelta(seconds=at)).isoformat() for at in seconds]
                found.setdefault(record.subject, []).extend(zip(moments, values, strict=True))
    return found


def expected(truth: Truth, column: int, factor: float, shift: int = 0) -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for moment, report in zip(times(len(truth) + shift, 1)[shift:], truth, strict=True):
        for device, row in report.items():
            found.setdefault(device, []).append((moment.isoformat(), pytest.approx(row[column] * factor / 100)))
    return found


METRICS = (("disk.read.throughput", 1, 1024), ("disk.write.throughput", 2, 1024), ("disk.latency", 3, 1e-3), ("disk.util", 4, 1))


@st.composite
def truths(draw) -> Truth:
    """Some devices over some seconds, one of which may come later or be missing (-z)."""
    devices = draw(
        st.lists(st.sampled_from(["sda", "nvme0n1", "dm-3", "md127", "vg0-root", "dev8-16"]), min_size=1, max_size=3, unique=True)
    )
    rows = st.tuples(*[st.integers(0, 99_999)] * 4, st.integers(0, 10_000))
    reports = []
    for _ in range(draw(st.integers(1, 6))):
        present = [device for at, device in enumerate(devices) if at == 0 or draw(st.booleans())]
        reports.append({device: draw(rows) for device in present})
    return reports


@pytest.mark.hypothesis
@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("columns", SAR.values(), ids=SAR)
def test_sar(style, columns, tmp_path):
    @settings(max_examples=examples(10), deadline=None)
    @given(truths(), st.integers(1, 6))
    def check(truth: Truth, headers: int) -> None:
        records = read(tmp_path, sar(truth, style, columns, headers))
        for metric, column, factor in (("disk.rate", 0, 1), *METRICS):
            assert points(records, metric) == expected(truth, column, factor)

    check()


STAMPS = {"one line": "{date} {time}", "Time:": "Time: {time}"}


@pytest.mark.hypothesis
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("columns", IOSTAT)
@pytest.mark.parametrize("stamp", STAMPS)
def test_iostat(style, columns, stamp, tmp_path):
    @settings(max_examples=examples(8), deadline=None)
    @given(truths().filter(lambda truth: all(list(report) == list(truth[0]) for report in truth)))
    def check(truth: Truth) -> None:
        records = read(tmp_path, iostat(truth, STYLES[style], IOSTAT[columns], STAMPS[stamp]))
        for metric, column, factor in METRICS[2:] if columns == "short" else METRICS:
            assert points(records, metric) == expected(truth, column, factor, shift=1)

    check()
