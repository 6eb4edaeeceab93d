"""REDIS_URL with Sentinels: what Celery and Django are told, and what happens when the primary dies."""

from __future__ import annotations

import time

import pytest
import redis
from django.core.cache.backends.redis import RedisCache
from kombu import Connection
from kombu.transport.redis import Transport

from webapp.infrastructure import redis_address
from webapp.tests.servers import watched_redis
from webapp.tests.serving import PATIENCE

CACHE = {"socket_timeout": 2.0, "socket_connect_timeout": 2.0}
BROKER = {"socket_timeout": 30.0, "socket_connect_timeout": 2.0}


@pytest.mark.parametrize(
    ("url", "broker", "options"),
    [
        ("", "filesystem://", {}),
        ("redis://host/3", "redis://host/3", BROKER),
        (
            "sentinel://a:1,b/2?master=m",
            "sentinel://a:1/2;sentinel://b:26379/2",
            {"master_name": "m", "sentinel_kwargs": CACHE, **BROKER},
        ),
        ("sentinel://[::1]:7/0?master=m", "sentinel://[::1]:7/0", {"master_name": "m", "sentinel_kwargs": CACHE, **BROKER}),
        (
            "sentinel://u:p%40@a/?master=m&sentinel_password=s",
            "sentinel://u:p%40@a:26379/0",
            {"master_name": "m", "sentinel_kwargs": {"password": "s", **CACHE}, **BROKER},
        ),
    ],
)
def test_the_broker_is_told_in_its_own_words(url, broker, options):
    assert redis_address.broker_settings(url) == (broker, options)


@pytest.mark.parametrize("url", ["sentinel://a:1/0", "sentinel:///0?master=m"])
def test_a_url_that_names_no_sentinel_or_no_primary_is_refused(url):
    with pytest.raises(ValueError, match="master=NAME"):
        redis_address.broker_settings(url)


@pytest.mark.parametrize("url", ["redis://host/3", "sentinel://a:1/0?master=m"])
def test_a_cache_that_does_not_answer_is_not_waited_for(url):
    assert redis_address.cache_settings(url)["OPTIONS"].items() >= CACHE.items()


def test_the_broker_may_take_longer_than_a_worker_waits_for_messages():
    assert redis_address.broker_settings("redis://host")[1]["socket_timeout"] > 2 * Transport.brpop_timeout


def test_the_login_of_the_primary_and_that_of_the_sentinels_are_two():
    pool = redis_address.WatchedPool.from_url("sentinel://u:p%40@a/4?master=m&sentinel_password=s", socket_timeout=2)
    told = pool.connection_kwargs
    assert (told["username"], told["password"], told["db"], told["socket_timeout"]) == ("u", "p@", 4, 2)
    assert pool.sentinel_manager.sentinel_kwargs == {"password": "s", "socket_timeout": 2}


@pytest.mark.slow
def test_when_the_primary_dies_cache_and_broker_go_on_with_the_other(tmp_path):
    with watched_redis(tmp_path / "redis") as (url, servers):
        entry = redis_address.cache_settings(url)
        cache = RedisCache(entry["LOCATION"], {"OPTIONS": dict(entry["OPTIONS"])})
        cache.set("key", "before")
        client = redis_address.open_client(url, seconds=2)
        assert client.ping() and cache.get("key") == "before" and send_and_receive(url, "first") == "first"
        first = client.connection_pool.get_master_address()[1]
        servers[first].kill()
        end = time.monotonic() + PATIENCE
        while True:
            try:
                cache.set("key", "after")
                break
            except redis.RedisError:
                assert time.monotonic() < end
                time.sleep(0.1)
        assert client.ping() and client.connection_pool.get_master_address()[1] != first
        assert cache.get("key") == "after" and send_and_receive(url, "second") == "second"


def send_and_receive(url: str, text: str) -> str:
    """What comes out of the queue after a message of that text."""
    address, options = redis_address.broker_settings(url)
    with Connection(address, transport_options=options) as connection:
        queue = connection.SimpleQueue("tried")
        queue.put(text)
        message = queue.get(timeout=30)
        message.ack()
        queue.close()
        return message.payload
