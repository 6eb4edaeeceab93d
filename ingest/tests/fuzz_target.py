"""What script/fuzz runs: one parser, or the containers, under atheris, from samples. Needs atheris, which the tests do not have.

    python -m ingest.tests.fuzz_target PARSER FOLDER [options of libFuzzer]

An input that raises, hangs, takes too much memory, or breaks a promise of the parsers is kept in FOLDER/finds.
"""

from __future__ import annotations

import importlib
import math
import resource
import sys
import zlib
from functools import partial
from pathlib import Path

from ingest.tests import fuzz_containers

SAMPLES = Path(__file__).with_name("samples")
MEMORY = 200  # MB beyond what the process takes before the first input
INSTRUMENTED = ["ingest.parsers", "ingest.numbers", "ingest.units", "ingest.text.located_json"]


class BrokenPromise(Exception):
    """A parser gave what no parser may give."""


def items(parser, data: bytes) -> tuple[list, list[str]]:
    """What a parser finds in the bytes of a file, and the lines it was given."""
    from ingest.text.decode import read_text

    if parser.parse_bytes is not None:
        return list(parser.parse_bytes("file", data)) if data.startswith(parser.magic) else [], []
    text, _ = read_text("file", data)
    if text is None or not parser.anchor.search(text.body):
        return [], []
    return list(parser.parse(text)), text.lines


def check(parser, data: bytes) -> None:
    """Raises BrokenPromise where a value is not on its line, not finite, not of the catalogue, or not a pure function."""
    from ingest.catalogue import METRICS
    from ingest.records import Doubt, Value
    from ingest.warning_codes import CODES

    found, lines = items(parser, data)
    for item in found:
        if isinstance(item, Doubt) and item.code not in CODES:
            raise BrokenPromise(f"warning {item.code!r} is not in the closed list")
        if not isinstance(item, Value):
            continue
        if item.metric not in METRICS or METRICS[item.metric].unit != item.unit:
            raise BrokenPromise(f"{item.metric} in {item.unit} is not in the catalogue")
        if not math.isfinite(item.value):
            raise BrokenPromise(f"{item.metric} is {item.value}")
        if lines and item.raw not in lines[int(item.line) - 1]:
            raise BrokenPromise(f"{item.raw!r} does not stand on line {item.line}")
    if zlib.crc32(data) % 8 == 0 and repr(items(parser, data)[0]) != repr(found):
        raise BrokenPromise("the same bytes gave other records")


def seeds(parser, folder: Path) -> None:
    """Copies every sample in which the parser finds something into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for sample in sorted(SAMPLES.rglob("*")):
        if sample.is_file() and sample.suffix != ".jsonl" and items(parser, sample.read_bytes())[0]:
            (folder / f"{sample.parent.name}-{sample.name}").write_bytes(sample.read_bytes())


def like_patterns(proxy: type) -> None:
    """Lets atheris's stand-in for a compiled pattern take the position that `re.Pattern` takes, and equal what it stands for."""

    def passing(name: str):
        plain = getattr(proxy, name)

        def method(self, string, *position):
            return getattr(self.re_obj, name)(string, *position) if position else plain(self, string)

        return method

    for name in ("search", "match", "fullmatch", "findall", "finditer"):
        setattr(proxy, name, passing(name))
    proxy.__eq__ = lambda self, other: other is self or other is self.re_obj
    proxy.__hash__ = lambda self: hash(self.re_obj)


def main() -> None:
    """Never returns: libFuzzer ends the process."""
    import atheris  # type: ignore[import-not-found]
    from atheris.function_hooks import AtherisPatternProxy  # type: ignore[import-not-found]

    like_patterns(AtherisPatternProxy)
    name, folder, options = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    if name == fuzz_containers.NAME:
        for loaded in [one for one in sys.modules if one.split(".")[0] == "ingest" and not one.startswith("ingest.tests")]:
            del sys.modules[loaded]  # this very module loaded them, without what counts their branches
        with atheris.instrument_imports(include=fuzz_containers.INSTRUMENTED):
            importlib.import_module("ingest")
        judge = fuzz_containers.check
        fuzz_containers.seeds(folder / "seeds")
    else:
        atheris.enabled_hooks.add("RegEx")  # its stand-ins for patterns take no bytes
        with atheris.instrument_imports(include=INSTRUMENTED):
            recognise = importlib.import_module("ingest.detect.detect")
            parser = next(p for p in recognise.parsers() if p.name == name)
        judge = partial(check, parser)
        seeds(parser, folder / "seeds")
    for part in ("corpus", "finds"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    limit = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024 + MEMORY
    arguments = [f"-rss_limit_mb={limit}", f"-artifact_prefix={folder / 'finds'}/", *options]
    atheris.Setup([sys.argv[0], *arguments, str(folder / "corpus"), str(folder / "seeds")], judge)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
