"""Runs verify.py over a folder that anybody may have made, in a process of its own: what there is to compute is counted before
anything is. Standard library alone.

    python3 -I -S bounded.py VERIFY.PY [DIGEST] FOLDER

Exit codes are those of verify.py; TOO_MUCH where there is more than MOST, with a line that says of what.
"""

import json
import os
import resource
import runpy
import sys
import zipfile

SECONDS, MEMORY, PRINTED = 10, 1 << 30, 1 << 20
"""CPU seconds, and bytes of memory and of output."""
TOO_MUCH = 5
MOST = {
    "bytes in records": 48 << 20,
    "bytes in workbooks": 96 << 20,
    "values": 40_000,
    "groups": 5_000,
    "points and values of groups": 400_000,
    "characters around values": 40_000_000,
}
"""Of a bundle; a check of this much takes some 5 s."""


def limit():
    """What counting misses, the system stops."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (PRINTED, PRINTED))


def find_work(verify, folder):
    """(what, how much) of the work of a check, a part after the other, the cheapest to count first."""
    files = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    records = [path for path in files if os.path.basename(path) in ("record.json", "collection.json")]
    for path in records:
        yield "bytes in records", os.path.getsize(path)
    for path in files:
        if os.path.basename(path) == verify["WORKBOOK"] and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as book:
                yield "bytes in workbooks", sum(part.file_size for part in book.infolist())
    for path in records:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        yield from _work_of(record)
        if "values" in record:
            yield from _characters_of(verify, record, verify["read_excerpts"](os.path.dirname(path), record))


def _work_of(record):
    yield "values", len(record.get("values", ()))
    groups = [group["values"] for panel in record.get("panels", ()) for group in panel["groups"]]
    groups += [mark["points"] for figure in record.get("figures", ()) for mark in figure.get("groups", ())]
    yield "groups", len(groups)
    yield "points and values of groups", sum(map(len, groups))


def _characters_of(verify, record, excerpts):
    for value in record["values"]:
        lines = excerpts[str(record["runs"][str(value["run"])]["file"])]
        yield "characters around values", sum(map(len, verify["around"](lines, value["line"])))


def count(verify, folder):
    """Why there is too much to check, None where there is not."""
    found = dict.fromkeys(MOST, 0)
    try:
        for what, much in find_work(verify, folder):
            found[what] += much
            if found[what] > MOST[what]:
                return f"more than {MOST[what]:,} {what}"
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, zipfile.BadZipFile):
        return None  # verify.py says what cannot be read
    return None


if __name__ == "__main__":
    limit()
    reason = count(runpy.run_path(sys.argv[1]), sys.argv[-1])
    if reason:
        print(reason)
        sys.exit(TOO_MUCH)
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
