"""script/bench NAME [--json FILE] [--against FILE] [ARGS of the benchmark].

Every module in this folder with `run(args) -> dict` is a benchmark of the module's name; `all` runs each with its defaults,
`all --small` with the arguments in its `SMALL`, as a smoke test. `run` returns figures by name: [median, minimum, maximum],
or one number. A module may add ARGS with `arguments(parser)`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]


def benchmarks() -> dict[str, object]:
    """Name -> module of every benchmark."""
    names = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_") and "\ndef run(" in path.read_text())
    return {name: importlib.import_module(f"benches.{name}") for name in names}


def parser_of(modules: dict[str, object]) -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", type=Path, help="write the figures to this file, beside what it holds already")
    shared.add_argument("--against", type=Path, help="an earlier file of figures to compare with")
    ask = argparse.ArgumentParser(prog="script/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ask.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, module in modules.items():
        command = names.add_parser(name, parents=[shared], help=(module.__doc__ or "").split("\n")[0])
        getattr(module, "arguments", lambda parser: None)(command)
    every = names.add_parser("all", parents=[shared], help="every benchmark with its defaults")
    every.add_argument("--small", action="store_true", help="each with as little as tells that it runs")
    return ask


def main() -> None:
    modules = benchmarks()
    ask = parser_of(modules)
    args = ask.parse_args()
    # Read before measuring, so that an invalid file is reported at once.
    earlier = figures_of(ask, args.against) if args.against else {}
    known = figures_of(ask, args.json) if args.json and args.json.exists() else {}
    if args.json and not args.json.parent.is_dir():
        ask.error(f"there is no folder {args.json.parent} for {args.json.name}")
    figures: dict[str, object] = {}
    for name in modules if args.name == "all" else [args.name]:
        small = modules[name].SMALL if args.name == "all" and args.small else ()
        chosen = ask.parse_args([name, *small]) if args.name == "all" else args
        figures |= {f"{name}: {figure}": value for figure, value in modules[name].run(chosen).items()}
    show(figures, earlier)
    if args.json:
        args.json.write_text(json.dumps({"machine": machine(), "figures": {**known, **figures}}, indent=1) + "\n")


def figures_of(ask: argparse.ArgumentParser, path: Path) -> dict[str, object]:
    """The figures of a file written by `--json`; ends the program with a message for any other file."""
    try:
        figures = json.loads(path.read_text())["figures"]
    except OSError as wrong:
        ask.error(f"{path} cannot be read: {wrong.strerror}")
    except (ValueError, KeyError, TypeError):
        figures = None
    if not isinstance(figures, dict):
        ask.error(f"{path} holds no figures of script/bench; such a file is written by --json FILE")
    return figures


def machine() -> dict[str, object]:
    return {
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
        "release": platform.release(),
    }


def middle(value: object) -> float | None:
    found = value[0] if isinstance(value, list) and value else value
    return float(found) if isinstance(found, int | float) else None


def show(figures: dict[str, object], earlier: dict[str, object]) -> None:
    width = max(map(len, figures), default=0)
    for name, value in figures.items():
        now, then = middle(value), middle(earlier.get(name))
        change = f"   {now / then:.2f} x the earlier {then:g}" if now is not None and then else ""
        print(f"{name:<{width}}  {json.dumps(value)}{change}")


if __name__ == "__main__":
    main()
