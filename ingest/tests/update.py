"""`python -m ingest.tests.update [PATH...]`: write the records of samples beside them. Read the diff before you commit it."""

from __future__ import annotations

import sys
from pathlib import Path

from ingest.tests.samples import answer_of, outputs, records_of


def main(wanted: list[str]) -> int:
    for sample in [Path(path) for path in wanted] or outputs():
        answer_of(sample).write_text("".join(f"{line}\n" for line in records_of(sample)))
        print(f"{answer_of(sample).name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
