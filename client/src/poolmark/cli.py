"""The command `poolmark`. Ends with 0; with 1 for an answer of no (a gate that is not passed, an upload that cannot be read); with
2 where the command, the server or the network was at fault."""

# Without annotations as texts, of which typer reads no details on Python 3.9.
import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional
from urllib.parse import urlencode, urljoin

import typer

from poolmark import __version__, cards, comparisons, settings, units
from poolmark import gate as gates
from poolmark import push as pushing
from poolmark.errors import PoolmarkError, UsageError
from poolmark.http import Site, clean_url, is_loopback
from poolmark.packing import Tell
from poolmark.terminal import plain, print_json, print_table, progress, say

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
Metrics = Annotated[
    Optional[list[str]], typer.Option("--metric", metavar="METRIC", help="Only this metric; may be repeated.", show_default=False)
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
    if url.startswith("http://") and not is_loopback(url):
        say(f"poolmark: {url} is not encrypted: whoever is on the way reads the token. Give an https:// address if there is one.")
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


@app.command(epilog="Example: poolmark push results/ --title 'ext4 and xfs on one disk' --label branch=main --wait")
def push(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="An archive, files or folders.", show_default=False)],
    *,
    title: Annotated[str, typer.Option(help="What lists call it; else the name of the file.")] = "",
    description: Annotated[str, typer.Option(help="One line: what was measured, and why.")] = "",
    label: Annotated[Optional[list[str]], typer.Option(metavar="NAME=VALUE", help="A label; may be repeated.")] = None,
    visibility: Annotated[str, typer.Option(help="private or public; public needs a licence and a token that manages.")] = "",
    licence: Annotated[str, typer.Option(help="What others may do with it, as CC-BY-4.0.")] = "",
    name: Annotated[str, typer.Option(help="Name of the file on the server.")] = "",
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is read, and say what was found.")] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Push results and print the link of the archive.

    One file goes as it is; folders and several files are packed. What was pushed before leads to the same archive. A push that was
    cut goes on where it was when the command is given again. Ends with 1 where reading failed.
    """
    about = {"title": title, "description": description, "visibility": visibility, "licence": licence, "labels": _labels(label)}
    with settings.find_site(server) as site, progress() as tell:
        archive = pushing.push(site, paths, name=name, about=about, tell=tell, skip=_skip)
        if wait:
            archive = pushing.wait_for(site, archive["id"], tell)
    if as_json:
        print_json(archive)
    else:
        print(archive["url"])
    if wait:
        say(pushing.describe(archive))
    raise typer.Exit(1 if wait and archive["state"] == pushing.FAILED else 0)


def _labels(texts: Optional[list[str]]) -> dict[str, str]:
    labels = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--label {text!r} has no name or no value: write it as NAME=VALUE, as branch=main.")
        labels[name] = value
    return labels


def _skip(path: str) -> None:
    say(f"{plain(path)} is left out: it is no regular file.")


@app.command(epilog="Example: poolmark versus 12 13 --metric write.throughput")
def versus(
    a: Annotated[str, typer.Argument(metavar="A", help="An archive's number or link, or a side: host:stor01, fs=zfs,os=Debian")],
    b: Annotated[str, typer.Argument(metavar="B", help="What it is compared with.")],
    metric: Metrics = None,
    everything: Annotated[bool, typer.Option("--all", help="Also numbers that are shown without a test.")] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Compare two sides over everything that both measured: a line for each metric and workload."""
    with settings.find_site(server) as site:
        sides = cards.side_of(site, a), cards.side_of(site, b)
        card = cards.read_card(site, *sides, metric or ())
        address = cards.card_address(site, *sides)
    if as_json:
        print_json(card)
        return
    lines = [line for line in cards.lines_of(card) if everything or line.get("says") != cards.SHOWN]
    heads = ("metric and workload", "A", "B", "ratio", "own interval", "claim", "doubts")
    print_table(heads, [_card_row(line) for line in lines])
    print(f"{cards.count_words(card)}\n{address}")


def _card_row(line: cards.Line) -> list[str]:
    numbers = [cards.center(line, "a"), cards.center(line, "b"), units.ratio(line.get("ratio")), cards.interval(line)]
    return [cards.label(line), *numbers, cards.words(line), cards.doubts(line)]


@app.command(epilog="Example: poolmark gate results/ --against label:branch=main --worse-by 10% --markdown summary.md")
def gate(
    new: Annotated[str, typer.Argument(metavar="NEW", help="An archive's number or link, or a path to push.")],
    *,
    against: Annotated[
        list[str], typer.Option(help="What was before: an archive, a permalink, label:branch=main, last-accepted; may be repeated.")
    ],
    worse_by: Annotated[str, typer.Option(metavar="SHARE", help="By how much a line has to be worse, surely, to fail.")] = "0%",
    metric: Metrics = None,
    label: Annotated[Optional[list[str]], typer.Option(metavar="NAME=VALUE", help="A label of what is pushed.")] = None,
    markdown: Annotated[Optional[Path], typer.Option(help="File for a summary; else GITHUB_STEP_SUMMARY, if set.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until NEW is read; what is pushed is always waited for.")] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """End with 1 where NEW is worse than before, surely, by more than --worse-by.

    Needs four earlier sessions of the same machine and workload. With less nothing fails, and what is missing is said.
    """
    share = gates.parse_share(worse_by)
    with settings.find_site(server) as site, progress() as tell:
        archive = _new_archive(site, new, _labels(label), wait, tell)
        side = f"archive:{archive['id']}" if archive else cards.side_of(site, new)
        sides = [cards.side_of(site, text) for text in against]
        verdict = gates.decide(site, side, sides, worse_by=share, metrics=metric or ())
        is_public = bool(archive) and archive.get("visibility") == "public"
        _write_summary(markdown, gates.summary(site, verdict, is_public=is_public))
    if as_json:
        print_json(verdict.as_data())
    else:
        _print_verdict(verdict)
    raise typer.Exit(0 if verdict.passed else 1)


def _new_archive(site: Site, new: str, labels: dict[str, str], wait: bool, tell: Tell) -> dict[str, Any]:
    """The archive that NEW is, pushed where it is a path, once it is read; empty for another kind of side."""
    if not new.isdigit() and Path(new).exists():
        archive = pushing.push(site, [Path(new)], about={"labels": labels}, tell=tell, skip=_skip)
        archive = pushing.wait_for(site, archive["id"], tell)
        say(archive["url"])
    else:
        side = cards.side_of(site, new)
        kind, _, number = side.partition(":")
        if kind != "archive" or not number.isdigit():
            return {}
        archive = pushing.wait_for(site, int(number), tell) if wait else site.get(f"/archives/{number}")
    if archive["state"] == pushing.FAILED:
        raise PoolmarkError(f"{archive['url']} could not be read, so nothing can be compared. {pushing.describe(archive)}")
    if archive["state"] != pushing.READ:
        raise UsageError(f"{archive['url']} is still {archive['state']}: add --wait.")
    return archive


def _write_summary(path: Optional[Path], text: str) -> None:
    given = path or os.environ.get("GITHUB_STEP_SUMMARY")
    if not given:
        return
    try:
        with Path(given).open("w" if path else "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{given} cannot be written ({error.strerror}): name another file by --markdown.") from error


def _print_verdict(verdict: gates.GateVerdict) -> None:
    print(verdict.sentence)
    if verdict.changed:
        heads = ("metric and workload", "new", "before", "ratio", "own interval", "claim", "doubts")
        print_table(heads, map(_card_row, verdict.changed))
    print(cards.count_words(verdict.card))
    for what, count in verdict.missing[: gates.MOST]:
        print(f"cannot tell{f' ({count} lines)' if count > 1 else ''}: {plain(what)}")
    for note in verdict.notes:
        print(plain(note))
    if gone := verdict.card.get("only_b"):
        print(f"not measured again: {plain(', '.join(map(str, gone)))}")
    print(verdict.address)


@app.command(epilog="Example: poolmark compare 'metric=write.throughput&x=fs'")
def compare(
    query: Annotated[str, typer.Argument(help="What stands behind /compare? in an address, or the whole address.")],
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Draw the groups of a comparison as a table: centre, runs, claim and doubts of each."""
    with settings.find_site(server) as site:
        found, address = comparisons.read(site, query)
    _print_comparison(found, address, as_json)


@app.command(epilog="Example: poolmark normal 12 --metric write.throughput")
def normal(
    archive: Annotated[str, typer.Argument(help="An archive's number or link, or another side.")],
    metric: Metrics = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Say where the results of an archive lie among those of all public systems."""
    with settings.find_site(server) as site:
        found = site.get("/normal", {"a": cards.side_of(site, archive), "metric": metric or None})
    if as_json:
        print_json(found)
        return
    print_table(("metric and workload", "value", "place"), comparisons.standing_rows(found))


@app.command(epilog="Example: poolmark search 'zfs lz4 sequential write'")
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="Operations, file systems, quantities, hosts.")],
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Find the comparison that the words ask for, and others that they fit."""
    with settings.find_site(server) as site:
        found, address = comparisons.read(site, urlencode({"q": " ".join(words)}))
    _print_comparison(found, address, as_json)


def _print_comparison(found: Mapping[str, Any], address: str, as_json: bool) -> None:
    """The groups, what stands beside them, and what else a search fits."""
    if as_json:
        print_json(found)
        return
    print_table(comparisons.HEADS, comparisons.rows(found))
    for line in comparisons.notes(found):
        print(plain(line))
    for choice in found.get("choices") or ():
        print(f"{plain(choice.get('title'))}: {urljoin(address, plain(choice.get('url')))}")
    print(address)


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
