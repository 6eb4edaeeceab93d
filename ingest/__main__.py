"""`python -m ingest PATH...`: JSON Lines on standard output.

Exit status 0: at least one measurement, unmeasured value or series; 1: none; 2: usage or unreadable input;
3: any other error, with its traceback, after which the output is not complete.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback

from ingest.errors import IngestError
from ingest.pipeline import side_by_side

USAGE = "usage: python -m ingest PATH...\n  PATH: a file, a folder or an archive (tar, zip; gzip, bzip2, xz, zstd)"


def main(paths: list[str]) -> int:
    if not paths or any(path in ("-h", "--help") for path in paths):
        print(USAGE, file=sys.stderr)
        return 2
    any_result = False
    # Records are made by the thousand and contain no reference cycles: collect garbage rarely.
    gc.set_threshold(200_000, 20, 50)
    try:
        with open(sys.stdout.fileno(), "wb", buffering=1 << 20, closefd=False) as out:
            any_result = side_by_side.write_records(paths, out, side_by_side.count_processes(paths))
    except IngestError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader closed the pipe: nothing more can be written, not even the flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except Exception:
        # Python would exit with 1, which says that there is no result.
        traceback.print_exc()
        return 3
    return 0 if any_result else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
