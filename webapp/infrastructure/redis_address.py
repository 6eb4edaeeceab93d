"""`REDIS_URL` for the broker and the cache: `redis://HOST/0` (Redis or Valkey), or, with Sentinels that say which server is the
primary just now, `sentinel://[USER:PASSWORD@]HOST:PORT,HOST:PORT/0?master=NAME`; `sentinel_password=` where they ask for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    import redis

SCHEME = "sentinel"
_PORT = 26379
_CACHE_SECONDS = 2.0
"""How long the cache may take to connect or answer, before a page is made instead."""
_BROKER_SECONDS = 30.0
"""How long the broker may take; a worker waits for messages some seconds with each command (BRPOP)."""
_CACHE_TIMES, _BROKER_TIMES = (
    {"socket_timeout": seconds, "socket_connect_timeout": _CACHE_SECONDS} for seconds in (_CACHE_SECONDS, _BROKER_SECONDS)
)


class Watched(NamedTuple):
    """A primary that Sentinels watch; `login`: user and password, '' for none."""

    nodes: list[tuple[str, int]]
    master: str
    database: int
    login: tuple[str, str]
    sentinel_password: str


def is_watched(url: str) -> bool:
    return url.startswith(f"{SCHEME}://")


def parse(url: str) -> Watched:
    """Raises ValueError where the URL names no Sentinel or no primary."""
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    asked = parse_qs(parts.query)
    nodes = []
    for host in filter(None, hosts.split(",")):
        name, _, port = host.rpartition(":") if host.rpartition(":")[2].isdecimal() else (host, "", "")
        nodes.append((name.strip("[]"), int(port or _PORT)))
    if not nodes or "master" not in asked:
        raise ValueError("REDIS_URL with Sentinel is sentinel://HOST:PORT,HOST:PORT/0?master=NAME.")
    return Watched(
        nodes,
        asked["master"][0],
        int(parts.path.strip("/") or 0),
        (unquote(user), unquote(password)),
        asked.get("sentinel_password", [""])[0],
    )


def broker_settings(url: str) -> tuple[str, dict[str, Any]]:
    """Address and options of Celery's broker; without a URL that of a folder, whose options the caller has."""
    if not is_watched(url):
        return (url, dict(_BROKER_TIMES)) if url else ("filesystem://", {})
    watched = parse(url)
    login = urlsplit(url).netloc.rpartition("@")
    at = f"{login[0]}@" if login[1] else ""
    hosts = ";".join(
        f"sentinel://{at}{f'[{host}]' if ':' in host else host}:{port}/{watched.database}" for host, port in watched.nodes
    )
    asked: dict[str, Any] = dict(_CACHE_TIMES)
    if watched.sentinel_password:
        asked["password"] = watched.sentinel_password
    return hosts, {"master_name": watched.master, "sentinel_kwargs": asked, **_BROKER_TIMES}


def cache_settings(url: str) -> dict[str, Any]:
    """An entry of Django's CACHES."""
    backend = "django.core.cache.backends.redis.RedisCache"
    if not is_watched(url):
        return {"BACKEND": backend, "LOCATION": url, "OPTIONS": dict(_CACHE_TIMES)}
    return {"BACKEND": backend, "LOCATION": [url], "OPTIONS": {"pool_class": f"{__name__}.WatchedPool", **_CACHE_TIMES}}


class WatchedPool:
    """Django asks a class for its pool of connections."""

    @staticmethod
    def from_url(url: str, **options: Any) -> redis.ConnectionPool:
        """Connections to the server that is the primary when they are made."""
        from redis.sentinel import Sentinel, SentinelConnectionPool

        watched = parse(url)
        asked: dict[str, Any] = {name: options[name] for name in ("socket_timeout", "socket_connect_timeout") if name in options}
        if watched.sentinel_password:
            asked["password"] = watched.sentinel_password
        user, password = watched.login
        if user:
            options["username"] = user
        if password:
            options["password"] = password
        return SentinelConnectionPool(
            watched.master, Sentinel(watched.nodes, sentinel_kwargs=asked), db=watched.database, **options
        )


def open_client(url: str, seconds: float) -> redis.Redis:
    """A client that waits at most so many seconds for an answer."""
    import redis

    make = WatchedPool.from_url if is_watched(url) else redis.ConnectionPool.from_url
    return redis.Redis(connection_pool=make(url, socket_timeout=seconds, socket_connect_timeout=seconds))
