"""Benchmark outputs in, records out: measurements with provenance and configuration.

The public API: `read(paths)` yields records file by file, `open_file` returns the bytes of one file of an upload as a
stream, `open_files` those of several in one pass, `versions` the versions of parsers and readers; a `FindingsCache` carries
over from one call of `read` to the next. For webapp also: `derived`, `host_names`, `pool_layout`, `numbered_outputs`,
`path_clues`, `run_commands`, `same_host` and `distinct_hosts`, `targets_of` a command, `name_parts` of a file, `pack_series`,
`unpack_series`, `offer_table` of a table typed by hand, `load_parsers` for a worker before it forks, and `SpillFile`, a temporary
file of pickled objects.
"""

from ingest.analysis import derived, pool_layout
from ingest.configuration import host_names, numbered_outputs, path_clues, run_commands
from ingest.configuration.host_evidence import distinct_hosts
from ingest.configuration.host_names import same_host
from ingest.configuration.repetitions import targets_of
from ingest.configuration.scopes import name_parts
from ingest.containers.archive import open_file, open_files
from ingest.containers.budget import Limits
from ingest.detect.detect import load_parsers, versions
from ingest.detect.findings import FindingsCache
from ingest.pipeline.handmade import offer_table
from ingest.pipeline.read import read
from ingest.points import PackedSeries
from ingest.points import pack as pack_series
from ingest.points import unpack as unpack_series
from ingest.spill import SpillFile

__all__ = [
    "FindingsCache", "Limits", "PackedSeries", "SpillFile", "derived", "distinct_hosts", "host_names", "load_parsers",
    "name_parts", "numbered_outputs", "offer_table", "open_file", "open_files", "pack_series", "path_clues", "pool_layout", "read",
    "run_commands", "same_host", "targets_of", "unpack_series", "versions",
]  # fmt: skip
