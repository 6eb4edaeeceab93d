"""The command `poolmark`. Ends with 0; with 1 for an answer of no (a gate that is not passed, an upload that cannot be read); with
2 where the command, the server or the network was at fault."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Annotated, Optional

import typer

from poolmark import __version__, settings
from poolmark.errors import PoolmarkError, UsageError
from poolmark.http import Site, clean_url
from poolmark.terminal import plain, print_json, say

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Push results of storage benchmarks to a Poolmark server, compare them, and let a build fail when they became worse.",
)

Server = Annotated[
    Optional[str], typer.Option("--server", metavar="URL", help="The server; else POOLMARK_URL, else that of the last login.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """The entry point."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except PoolmarkError as error:
        say(f"poolmark: {plain(error)}")
        code = 2
    except (typer.Abort, KeyboardInterrupt):
        say("poolmark: stopped; the same command goes on where it was.")
        code = 130
    except BrokenPipeError:  # the reader of a pipe has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:
        if not hasattr(error, "format_message"):  # those of click, whichever copy of it typer brings
            raise
        say(f"poolmark: {error.format_message()} `poolmark COMMAND --help` shows how it is written.")
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version or context.invoked_subcommand is None:
        print(f"poolmark {__version__}" if version else context.get_help())
        raise typer.Exit()


@app.command(epilog="Example: poolmark login https://poolmark.example.org")
def login(
    server: Annotated[Optional[str], typer.Argument(metavar="[SERVER]", help="Address of the server.")] = None,
    token_stdin: Annotated[bool, typer.Option("--token-stdin", help="Read the token from stdin instead of asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a token and keep it in the keyring, else in a file that you alone can read.

    Tokens are made under /settings/tokens of the server.
    """
    url = clean_url(server) if server else settings.find_server()
    with Site(url) as site:
        site.version()
    if token_stdin:
        token = sys.stdin.readline().strip()
    else:
        say(f"A token of this server is made at {url}/settings/tokens")
        token = typer.prompt("Token", hide_input=True, err=True).strip()
    if not token:
        raise UsageError("The token is empty: make one under /settings/tokens of the server.")
    with Site(url, token) as site:
        _check(site)
    place = settings.keep(url, token)
    say(f"The token of {url} is kept in {place}.")
    if as_json:
        print_json({"server": url, "kept_in": place})


@app.command(epilog="Example: poolmark logout")
def logout(server: Server = None, as_json: AsJson = False) -> None:
    """Forget the token of a server. The server itself goes on accepting it: revoke it under /settings/tokens."""
    url = settings.find_server(server)
    settings.keep(url, "")
    say(f"The token of {url} is forgotten here; it is revoked at {url}/settings/tokens.")
    if as_json:
        print_json({"server": url})


@app.command(epilog="Example: poolmark status --json")
def status(server: Server = None, as_json: AsJson = False) -> None:
    """Say which server is used, the version of its API, and whether the token is valid. Ends with 1 without a valid token."""
    with settings.find_site(server) as site:
        version, has_token = site.version(), site.has_token
        if has_token:
            _check(site)
    if as_json:
        print_json({"server": site.url, "api": version, "client": __version__, "token": has_token})
    else:
        print(f"{site.url}: API {version}, {'the token is valid' if has_token else 'no token: what is public can be read'}")
    raise typer.Exit(0 if has_token else 1)


def _check(site: Site) -> None:
    """Problem 401 for a token that is not valid."""
    site.get("/archives", {"mine": "true", "limit": 1})


def _add_module(name: str, about: str, example: str) -> None:
    """A command that `poolmark.NAME.main(ARGUMENTS)` runs, which is imported by then; it answers with the exit code."""
    if importlib.util.find_spec(f"poolmark.{name}") is None:
        return

    def run(context: typer.Context) -> None:
        raise typer.Exit(importlib.import_module(f"poolmark.{name}").main(context.args))

    whole = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}
    app.command(name, help=about, epilog=f"Example: {example}", add_help_option=False, context_settings=whole)(run)


_add_module("capture", "Run benchmarks with the capture kit and push the archive.", "poolmark capture --help")
_add_module("mcp", "Serve the read calls and push to agents, as an MCP server on stdin and stdout.", "poolmark mcp")

if __name__ == "__main__":
    main()
