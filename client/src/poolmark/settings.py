"""What the client remembers: the server, and a token for each server, in the keyring, else in a file that its owner alone reads."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any, Optional
from urllib.parse import urlsplit

from poolmark.errors import UsageError
from poolmark.http import Site, clean_url

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SERVICE = "poolmark"
"""Name of the tokens in the keyring."""


def config_file() -> Path:
    return _folder("XDG_CONFIG_HOME", ".config") / "config.toml"


def cache_folder() -> Path:
    return _folder("XDG_CACHE_HOME", ".cache")


def _folder(variable: str, usual: str) -> Path:
    place = os.environ.get(variable, "")
    return (Path(place) if os.path.isabs(place) else Path.home() / usual) / "poolmark"


def find_site(server: Optional[str] = None, token: Optional[str] = None) -> Site:
    """The server of the option, of POOLMARK_URL or of the last login, with its token. Raises UsageError where none is known."""
    url = find_server(server)
    return Site(url, find_token(url) if token is None else token)


def site_of(address: str) -> Site:
    """The server of the address of a page. POOLMARK_TOKEN goes to the server of POOLMARK_URL or the last login alone; another one
    gets the token that was kept for it."""
    try:
        known = find_server()
    except UsageError:
        known = ""
    if known and address.startswith(f"{known}/"):
        return find_site(known)
    parts = urlsplit(address)
    url = clean_url(f"{parts.scheme}://{parts.netloc}")
    return Site(url, _kept_token(url))


def find_server(server: Optional[str] = None) -> str:
    """The address of the server. Raises UsageError where none is known."""
    url = server or os.environ.get("POOLMARK_URL") or str(_read().get("server", ""))
    if not url:
        raise UsageError("No server is known: `poolmark login https://SERVER` keeps one, --server or POOLMARK_URL names one.")
    return clean_url(url)


def find_token(url: str) -> str:
    """The token of POOLMARK_TOKEN, else the one that was kept for the server; empty without one."""
    return os.environ.get("POOLMARK_TOKEN") or _kept_token(url)


def _kept_token(url: str) -> str:
    return str(_read().get("tokens", {}).get(url, "")) or _of_keyring(url)


def keep(url: str, token: str) -> str:
    """Remember server and token; says where the token is. An empty token is forgotten."""
    config = _read()
    config["server"] = url
    config.setdefault("tokens", {}).pop(url, None)
    kept = _into_keyring(url, token)
    if token and not kept:
        config["tokens"][url] = token
    _write(config)
    return "the keyring" if kept else str(config_file())


def _of_keyring(url: str) -> str:
    with contextlib.suppress(Exception):  # back ends raise what they like; without one there is no token
        import keyring

        return str(keyring.get_password(SERVICE, url) or "")
    return ""


def _into_keyring(url: str, token: str) -> bool:
    """Whether the keyring has the token now; an empty one is deleted."""
    with contextlib.suppress(Exception):
        import keyring

        if not token:
            keyring.delete_password(SERVICE, url)
            return False
        keyring.set_password(SERVICE, url, token)
        return keyring.get_password(SERVICE, url) == token
    return False


def _read() -> dict[str, Any]:
    path = config_file()
    try:
        config = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error}): repair or delete it.") from error
    return {**config, "tokens": config["tokens"] if isinstance(config.get("tokens"), dict) else {}}


def _write(config: dict[str, Any]) -> None:
    """In one step, readable by the owner alone. JSON's texts are TOML's."""
    lines = [f"server = {json.dumps(config['server'], ensure_ascii=False)}"]
    if config["tokens"]:
        lines += ["", "[tokens]", *(f"{json.dumps(url)} = {json.dumps(token)}" for url, token in config["tokens"].items())]
    write_private(config_file(), "\n".join(lines) + "\n")


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone reads, in one step. Raises UsageError."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror}): make its folder writable, or set POOLMARK_TOKEN instead."
        ) from error
