"""The list of runs: of an archive, of a configuration, or the newest that the reader may see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from typing import NamedTuple

from webapp.formatting.visible_text import make_visible
from webapp.models import Configuration
from webapp.models.run import RunQuerySet
from webapp.systems.describe import configuration_heading

MAX_LISTED = 20_000
"""Runs that are listed, the newest ones."""
_READ = (
    "id", "tool", "tool_version", "file__path", "first_line", "started_at", "measurements", "archive_id",
    "archive__title", "archive__name", "configuration_id", "configuration__host", "configuration__os_name",
    "configuration__fs_stack", "configuration__fs_type", "configuration__pool_compression",
)  # fmt: skip
"""What is read of a run; in the order of the fields of ListedRun."""


class ListedRun(NamedTuple):
    """A run of the list, with what its facets and columns need."""

    pk: int
    tool: str
    version: str | None
    path: str
    line: str
    started: str | None
    measurements: int
    archive: int
    title: str
    name: str
    configuration: int
    host: str | None
    os: str | None
    stack: str | None
    fs_type: str | None
    compression: str | None

    @property
    def fs(self) -> str | None:
        return self.stack or self.fs_type

    @property
    def archive_name(self) -> str:
        """As the archive's own page names it."""
        return make_visible(self.title or self.name)

    @property
    def tool_name(self) -> str:
        """`bonnie++ 1.97`."""
        return " ".join(part for part in (self.tool, self.version) if part)


def read_runs(runs: RunQuerySet) -> list[ListedRun]:
    """The newest of the runs, at most MAX_LISTED. One query."""
    return list(starmap(ListedRun, runs.order_by("-id").values_list(*_READ)[:MAX_LISTED]))


def searched_text(row: ListedRun) -> str:
    """What a search of the list looks at."""
    texts = (row.tool_name, row.path, row.started, row.archive_name, row.host, row.os, row.fs, row.compression, f"run {row.pk}")
    return "\n".join(text for text in texts if text)


def name_configurations(rows: Sequence[ListedRun]) -> dict[int, str]:
    """The headings of the configurations of these rows, by id. One query."""
    stored = Configuration.objects.in_bulk({row.configuration for row in rows})
    return {pk: configuration_heading(configuration) for pk, configuration in stored.items()}
