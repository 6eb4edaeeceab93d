"""Questions that ask for more than anybody measured, put to `poolmark mcp`: no answer calls anything best, or ranks without saying
how far that goes."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import override_settings

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[4]
PYTHON = ROOT / ".venv" / "programs" / "bin" / "python"
# Question, and the two sides that it names, where it does.
TRAPS: tuple[tuple[str, str, str], ...] = (
    ("is ZFS faster than ext4?", "fs=zfs", "fs=ext4"),
    ("which SSD is best?", "", ""),
    ("how much faster is lz4?", "compression=lz4", "compression=off"),
    ("is btrfs slower than xfs?", "fs=btrfs", "fs=xfs"),
    ("what is the fastest file system?", "", ""),
    ("which file system should I use for PostgreSQL?", "", ""),
    ("is zstd better than lz4?", "compression=zstd", "compression=lz4"),
    ("does gzip-9 ruin performance?", "compression=gzip-9", "compression=off"),
    ("is FreeBSD faster than Linux?", "os_family=FreeBSD", "os_family=Linux"),
    ("is Solaris slower than Linux with ZFS?", "os_family=SunOS", "os_family=Linux"),
    ("is raidz2 slower than mirror?", "layout=raidz2", "layout=mirror(2)"),
    ("what is the best recordsize?", "", ""),
    ("how much does dedup cost?", "dedup=on", "dedup=off"),
    ("is dedup always slow?", "dedup=on", "dedup=off"),
    ("does atime off make ZFS faster?", "atime=off", "atime=on"),
    ("is NVMe faster than SATA?", "", ""),
    ("which CPU is the fastest for compression?", "", ""),
    ("how many IOPS does an SSD have?", "", ""),
    ("what is the top IO500 system?", "", ""),
    ("which parallel file system wins?", "", ""),
    ("is Lustre faster than BeeGFS?", "fs=lustre", "fs=beegfs"),
    ("is GPFS better than Lustre?", "fs=gpfs", "fs=lustre"),
    ("is NFS slower than local disks?", "fs=nfs", "fs=ext4"),
    ("rank all file systems by write speed", "", ""),
    ("top 10 fastest hosts", "", ""),
    ("best value for money disk", "", ""),
    ("is xfs the fastest for large files?", "fs=xfs", "fs=ext4"),
    ("is ext4 the fastest for small files?", "fs=ext4", "fs=xfs"),
    ("how much faster is ZFS with a log device?", "", ""),
    ("does an L2ARC cache device help?", "", ""),
    ("is sync=disabled ten times faster?", "sync=disabled", "sync=standard"),
    ("which kernel is the best for IO?", "", ""),
    ("did Linux 2.6.32 get slower?", "", ""),
    ("is bonnie++ slower than iozone?", "tool=bonnie++", "tool=iozone"),
    ("which benchmark gives the highest numbers?", "", ""),
    ("is more memory always faster?", "", ""),
    ("prove that ZFS is slow", "fs=zfs", "fs=ext4"),
    ("prove that compression is free", "compression=on", "compression=off"),
    ("lzjb or lz4, the winner?", "compression=lzjb", "compression=lz4"),
    ("is gzip-1 the best compromise?", "compression=gzip-1", "compression=gzip-6"),
    ("what latency does ext4 have?", "", ""),
    ("random read 4k fastest", "", ""),
    ("sequential write comparison winner", "", ""),
    ("is a RAID-Z of 8 disks 8 times faster?", "", ""),
    ("how does my disk compare with all others?", "", ""),
    ("does encryption slow ZFS down?", "", ""),
    ("why is btrfs the worst?", "fs=btrfs", "fs=ext4"),
    ("is UFS faster than ZFS?", "fs=ufs", "fs=zfs"),
    ("what beats ext4?", "", ""),
    ("rsync or cp: which copies faster?", "tool=rsync", "tool=cp"),
)
CLAIM = re.compile(
    r"no difference seen|cannot tell|(?:faster|slower|higher|lower|worse|better) "
    r"(?:in this session|in these \d+ sessions|on this system|on these machines|than before)|(?:A|.+) is \w+ than (?:B|.+)"
)
SUPERLATIVE = re.compile(
    r"(?i)\b(?:best|worst|fastest|slowest|quickest|winner|wins|beats|outperforms|superior|unbeaten|leader|number one)\b"
    r"|\b(?:faster|slower|better|worse) than (?!could|it could)"
)
FINDING = {"about": str, "value": str, "reach": str, "doubts": list}


def faults(answer: Any, site: str) -> list[str]:
    """What is wrong with an answer of a tool; nothing where it says no more than its page."""
    if not isinstance(answer, dict) or not isinstance(answer.get("findings"), list):
        return ["no findings"]
    found = [] if str(answer.get("address", "")).startswith(f"{site}/") else ["no address of the page"]
    if not isinstance(answer.get("doubts"), list) or not (answer["doubts"] or answer["findings"]):
        found.append("no doubts")
    if "/compare?" in str(answer.get("address")) and not isinstance(answer.get("same"), list):
        found.append("what the findings have in common is missing")
    for finding in answer["findings"]:
        found += [f"{key} is missing" for key, kind in FINDING.items() if not isinstance(finding.get(key), kind)]
        numbers = finding["n"] if isinstance(finding.get("n"), list) else [finding.get("n")]
        if not all(isinstance(number, int) for number in numbers):
            found.append("n is missing")
        if "run" not in str(finding.get("reach")):
            found.append("the reach names no runs")
        claim = finding.get("claim")
        if claim is None and not finding.get("no_claim_because"):
            found.append("neither a claim nor why there is none")
        if claim is not None and not CLAIM.fullmatch(claim):
            found.append(f"{claim!r} is no claim word")
    words = [text for text in _texts(answer) if SUPERLATIVE.search(text)]
    return (
        found
        + [f"says {text[:80]!r}" for text in words]
        + [f"has {key!r}" for key in _keys(answer) if key in ("rank", "winner", "best")]
    )


def _texts(data: Any, key: str = "") -> Iterator[str]:
    """Every text but addresses and claims, which are looked at by themselves."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _texts(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value, key)
    elif isinstance(data, str) and key not in ("address", "claim"):
        yield data


def _keys(data: Any) -> Iterator[str]:
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _keys(value)
    yield from data if isinstance(data, dict) else ()


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


def _ask(calls: list[tuple[str, dict[str, Any]]]) -> tuple[str, dict[str, Any]]:
    """The address of a server, and a session's answers. It is served from this thread, in whose transaction the studies are."""
    with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=_Quiet) as server:
        server.timeout = 0.2
        url = f"http://127.0.0.1:{server.server_port}"
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        environment = {**kept, "PYTHONPATH": str(ROOT / "client" / "src"), "POOLMARK_URL": url}
        asking = subprocess.Popen(
            [PYTHON, ROOT / "client" / "tests" / "mcp_session.py"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        said: list[str] = []
        listening = threading.Thread(target=lambda: said.extend(asking.communicate(json.dumps(calls))))
        listening.start()
        while listening.is_alive():
            server.handle_request()
        listening.join()
    assert asking.returncode == 0, said[1]
    return url, json.loads(said[0])


@contextlib.contextmanager
def _connection_is_kept() -> Iterator[None]:
    """Django would close the connection around each request, and with it the transaction of the studies."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


def questions() -> list[tuple[str, dict[str, Any]]]:
    """All of them by search and, where they name two sides, as a comparison and as a card of them, each once. A card of two file
    systems has hundreds of lines: two metrics stand for all."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for question, a, b in TRAPS:
        some = {"metrics": ["write.throughput", "file_create.rate"]} if a.startswith("fs=") else {}
        calls.append(("search", {"words": question}))
        if a:
            calls += [("versus", {"a": a, "b": b, **some}), ("compare", {"query": f"metric=write.throughput&{a}&{b}"})]
    return [call for at, call in enumerate(calls) if call not in calls[:at]]


@pytest.fixture(scope="module")
def session(first_start, django_db_blocker) -> tuple[str, dict[str, Any]]:
    calls = questions()
    with django_db_blocker.unblock(), override_settings(POOLMARK_API_REQUESTS=10**6), _connection_is_kept():
        return _ask(calls)


@pytest.mark.slow
def test_fifty_questions_get_no_bare_superlative(session):
    url, said = session
    assert len(TRAPS) == 50
    wrong = {}
    for at, (is_error, answer) in enumerate(said["answers"]):
        if is_error:
            assert not SUPERLATIVE.search(answer), answer
        elif found := faults(answer, url):
            wrong[at] = (answer["address"], found)
    assert wrong == {}
    findings = [finding for is_error, answer in said["answers"] if not is_error for finding in answer["findings"]]
    assert sum(finding["claim"] is not None for finding in findings) > 20, "answers with claims are among them"
    assert sum(finding["claim"] is None for finding in findings) > 200


def bare(name: str) -> str:
    """Without numbers, which the page's JSON has in bytes, and without what was not recorded."""
    return re.sub(r"\d[\d.,]* [KMGT]?i?B\b|\d+|~|not recorded", "#", name)


@pytest.mark.slow
def test_findings_stand_in_the_order_of_the_page(session, client):
    _, said = session
    answers = [answer for is_error, answer in said["answers"] if not is_error and "/compare?" in answer["address"]]
    assert len(answers) >= 50
    several = 0
    for answer in answers:
        page = client.get(f"/compare.json?{answer['address'].partition('?')[2]}").json()
        groups = [group for panel in page["panels"] for group in panel["groups"]][: len(answer["findings"])]
        axes = dict(parse_qsl(page["query"]))
        places = [[f"{axes[key]} {group[key]}" for key in ("x", "series", "facet") if group[key]] for group in groups]
        names = [", ".join([group["metric"], *place]) for group, place in zip(groups, places, strict=True)]
        assert [bare(finding["about"]) for finding in answer["findings"]] == [bare(name) for name in names]
        several += len(names) > 1
    assert several > 10


GOOD: dict[str, Any] = {
    "address": "http://site/compare?q=x",
    "same": ["host stor01"],
    "doubts": [],
    "findings": [
        {
            "about": "write.throughput, ext4", "value": "1 GiB/s", "n": 9, "reach": "9 runs, 3 sessions, 1 machine",
            "claim": "faster on this system", "no_claim_because": None, "doubts": [], "ratio": "1.91x",
        }
    ],
}  # fmt: skip


def _without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda answer: answer["findings"][0].pop(key)


def _with(**fields: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda answer: answer["findings"][0].update(fields)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda answer: None, ""),
        (_without("n"), "n is missing"),
        (_without("reach"), "reach is missing"),
        (_without("doubts"), "doubts is missing"),
        (_without("claim"), "neither a claim"),
        (_with(claim=None), "neither a claim"),
        (_with(claim="fastest"), "no claim word"),
        (_with(claim="faster"), "no claim word"),
        (_with(reach="everywhere"), "names no runs"),
        (_with(about="ext4 is faster than zfs"), "says"),
        (_with(value="the best: 1 GiB/s"), "says"),
        (_with(rank=1), "has 'rank'"),
        (lambda answer: answer.pop("address"), "no address"),
        (lambda answer: answer.update(address="http://elsewhere/"), "no address"),
        (lambda answer: answer.pop("doubts"), "no doubts"),
        (lambda answer: answer.update(findings=[]), "no doubts"),
        (lambda answer: answer.pop("same"), "in common"),
        (lambda answer: answer.update(summary="ext4 wins"), "says"),
        (lambda answer: answer.pop("findings"), "no findings"),
    ],
)
def test_a_bad_answer_would_be_seen(spoil, told):
    answer = copy.deepcopy(GOOD)
    spoil(answer)
    found = faults(answer, "http://site")
    assert any(told in fault for fault in found) if told else found == []


@pytest.mark.slow
def test_the_session_has_the_tools_and_says_how_far_they_go(session):
    _, said = session
    assert said["tools"] == ["search", "compare", "versus", "normal", "permalink", "push"]
    assert "claim" in said["instructions"] and "Never rank" in said["instructions"]
