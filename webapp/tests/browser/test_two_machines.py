"""The main job in a browser at a site of several machines: two web servers behind a balancer, two readers, a standby. Then once
more, while a reader, a web server and the standby are killed."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser

from ingest.tests.tools import needed
from webapp.permalinks.bundles import permalink_bundle
from webapp.tests.browser.conftest import sign_in_by
from webapp.tests.browser.test_whole_job import WholeJob
from webapp.tests.machines import Site, kill, shared_site
from webapp.tests.servers import nginx, standby
from webapp.tests.serving import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


def test_two_web_servers_two_readers_and_a_standby_do_the_whole_job_also_while_one_of_each_is_killed(
    browser: Browser, upload_me: Path
):
    needed("nginx")
    with shared_site() as site:
        a = site.machine("a", "web,scheduler")
        second, replica = site.stack.enter_context(standby(site.cluster, site.place / "second"))
        c = site.machine("c", "web,scheduler", DATABASE_REPLICA_URL=replica)
        readers = {name: site.machine(name, "worker,scheduler") for name in ("b", "d")}
        port, asked = site.stack.enter_context(nginx(site.place / "balancer", [a.port, c.port]))
        address = f"http://127.0.0.1:{port}"
        owner, stranger = (browser.new_context(base_url=address, reduced_motion="reduce") for _ in range(2))
        site.stack.callback(stranger.close)
        site.stack.callback(owner.close)
        page, other = sign_in_by(owner.new_page(), address + site.command("sign_in_link").split()[-1]), stranger.new_page()

        first = WholeJob(page, other, upload_me)
        first.run(freeze=lambda: wait_until_drawn(site, first.permalink), delete=lambda: catch_up(site, replica))
        answered = asked.read_text().split()
        assert answered.count(f"127.0.0.1:{a.port}") > 10 < answered.count(f"127.0.0.1:{c.port}")
        assert "c" in sessions(replica)

        holding = site.stack.enter_context(psycopg.connect(site.url))
        holding.execute("LOCK TABLE webapp_measurement IN SHARE MODE")  # a reader waits with what it has read

        def kill_who_reads() -> None:
            kill(readers.pop(wait_for_reader(site)).process)
            assert site.query("SELECT state, attempts FROM webapp_archive") == [("reading", 1)]
            holding.rollback()

        def kill_a_web_server() -> None:
            said = "".join(log.read_text() for log in site.place.glob("?/log/reconciler.log"))
            assert f"archive {again.archive.rpartition('/')[2]} is queued again" in said
            kill(a.process)

        again = WholeJob(page, other, upload_me)
        again.run(send=kill_who_reads, watch=kill_a_web_server, look=lambda: kill(second.process))
        assert again.archive != first.archive and again.permalink != first.permalink
        assert again.cells == first.cells and drawn(again) == drawn(first)
        assert f"127.0.0.1:{a.port}, 127.0.0.1:{c.port}" in asked.read_text()
        wait_until_drawn(site, again.permalink)
        site.command("check_data")
        assert [one.process.poll() for one in (c, *readers.values())] == [None, None]


def sessions(url: str) -> set[str]:
    """The machines that are connected with a database."""
    with psycopg.connect(url, autocommit=True) as connection:
        return {name for (name,) in connection.execute("SELECT application_name FROM pg_stat_activity")}


def catch_up(site: Site, replica: str) -> None:
    """Wait until the standby has what the first server has: it may be late, and then shows an older page."""
    ((position,),) = site.query("SELECT pg_current_wal_lsn()::text")
    with psycopg.connect(replica, autocommit=True) as connection:
        wait_for(lambda: connection.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", [position]).fetchone() == (True,))


def wait_for_reader(site: Site) -> str:
    """The machine that waits with what it has read of an archive."""
    waiting = "wait_event_type = 'Lock' AND left(application_name, 1) IN ('b', 'd')"
    ((name,),) = site.wait_for_rows(f"SELECT DISTINCT left(application_name, 1) FROM pg_stat_activity WHERE {waiting}")
    return name


def wait_until_drawn(site: Site, permalink: str) -> None:
    """The bundle is the last file of a permalink."""
    name = permalink.rsplit("/", 1)[1]
    site.wait_for_rows(f"SELECT 1 FROM webapp_rendering WHERE of = '{name}' AND name = '{permalink_bundle.NAME}'")


def drawn(job: WholeJob) -> list:
    """What its permalink holds of figures and of the values below them, without ids."""
    record = json.loads(job.record)
    return [record["panels"], record["figures"]]
