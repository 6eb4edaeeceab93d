"""Counts configuration keys that are taken from mentions: from texts in `mentions/`, none of which sets or shows anything."""

from __future__ import annotations

import re
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

import ingest
from ingest.records import Evidence, Measurement

FOLDER = Path(__file__).with_name("mentions")


def list_samples(folder: Path = FOLDER) -> list[Path]:
    """The texts of a folder, without what Python compiled beside them."""
    return sorted(path for path in folder.iterdir() if path.is_file())


def keys_from_mentions(folder: Path = FOLDER) -> list[str]:
    """`file:line key = value` of every key that is read from the texts, each alone, sorted."""
    found: list[str] = []
    for path in list_samples(folder):
        for record in ingest.read([path]):
            if isinstance(record, Evidence):
                found.append(f"{path.name}:{record.line} {record.key} = {record.value!r}")
            elif isinstance(record, Measurement):
                found += [f"{path.name}:{record.line} {key} = {value!r}" for key, value in record.config.items()]
    return found


SUBJECTS = Path(__file__).with_name("subjects")


def faults_of_subjects(path: Path) -> tuple[list[str], list[str]]:
    """Keys from other subjects in the results of one input of `subjects/`, and keys that ought to be there and are not.

    An input is `FILE[:LINE]: KEY=VALUE; !KEY[=VALUE]; ...`, what its results have and do not have (shell patterns), and below that
    its files, each after a line `==> NAME <==`.
    """
    head, *files = re.split(r"^==> (.+) <==\n", path.read_text(), flags=re.M)
    with tempfile.TemporaryDirectory() as place:
        for name, content in zip(files[::2], files[1::2], strict=True):
            file = Path(place, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        results = [record for record in ingest.read([place]) if isinstance(record, Measurement)]
    others, missing = list[str](), list[str]()
    for place, wanted in (line.split(": ", 1) for line in head.splitlines()):
        own = [one for one in results if place in (one.file, f"{one.file}:{one.line}")]
        missing += [] if own else [f"{path.name}: no result at {place}"]
        for one in own:
            texts = [f"{key}={value}" for key, value in one.config.items()]
            for part in wanted.split("; "):
                key = part.lstrip("!").partition("=")[0]
                found = [text for text in texts if fnmatchcase(text, part[1:] if "=" in part else f"{part[1:]}=*")]
                if part.startswith("!"):
                    others += [f"{path.name}: {place}: {text}" for text in found]
                elif part not in texts:
                    wrong = [text for text in texts if text.startswith(f"{key}=")]
                    others += [f"{path.name}: {place}: {text} instead of {part}" for text in wrong]
                    missing += [] if wrong else [f"{path.name}: {place}: no {part}"]
    return others, missing
