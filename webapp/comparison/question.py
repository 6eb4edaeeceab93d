"""The first stage: the address, read and completed by who asks, which archives are meant, and how much is to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import access
from webapp.comparison.dimensions import SOURCE
from webapp.comparison.selection import Selection
from webapp.comparison.summary.row import RowKey
from webapp.comparison.summary.source import ComparisonScopes
from webapp.http import isolation
from webapp.http.data_version import data_version
from webapp.models import Archive, File, System
from webapp.models.summary import ACCEPTED, PUBLIC

MAX_POINTS = 24
"""Values of a group on a page; the others are counted there, and listed in JSON and CSV."""


MAX_OFFERED_ARCHIVES = 20
"""Archives of the reader's own that are offered as overlays."""


def find_originals(archives: Sequence[int], viewer) -> dict[int, str]:
    """Archive -> title of those in which the outputs of these archives count, as far as this reader may see both. One query."""
    visible = access.visible_archives(viewer)
    files = File.objects.filter(archive__in=visible.filter(pk__in=archives), duplicate_of__archive__in=visible)
    found = files.order_by().values_list("duplicate_of__archive", "duplicate_of__archive__title", "duplicate_of__archive__name")
    return {pk: title or name for pk, title, name in sorted(found.distinct()) if pk not in archives}


def accepted_scopes() -> ComparisonScopes:
    """The scopes of what every reader is shown unasked: the default comparison, presets and front pages. No query.

    Only archives that are public and accepted; a reader's own private ones are not among them.
    """
    return ComparisonScopes((ACCEPTED,), {}, frozenset())


@dataclass(frozen=True, slots=True)
class Question:
    """What a reader asks: the address, the archives that it covers for this reader, and the version of the data.

    `exact`: every value is read, however many there are; else at most `most` of a group are shown (None: all that the summary has).
    `only`: the rows of the summary that take part, None for all. `presets`: whether it is found out what can be compared along the
    usual axes.
    """

    selection: Selection
    viewer: Any
    version: int
    scopes: ComparisonScopes
    exact: bool = False
    most: int | None = MAX_POINTS
    only: frozenset[RowKey] | None = None
    presets: bool = False

    @property
    def names_nothing(self) -> bool:
        """Whether the address chooses no runs: no filter, search, archive or study."""
        asked = self.selection
        return not (asked.filters or asked.q or asked.archives or asked.studies or asked.overlay or asked.control == "off")

    @property
    def is_bare(self) -> bool:
        """Whether the address chooses neither runs nor what is drawn of them."""
        asked = self.selection
        return self.names_nothing and not (asked.metrics or asked.x or asked.series or asked.facet)


def ask(
    selection: Selection,
    viewer: Any,
    *,
    version: int | None = None,
    exact: bool = False,
    most: int | None = MAX_POINTS,
    only: frozenset[RowKey] | None = None,
    presets: bool = False,
) -> Question:
    """The question of a reader. At most one query, one more for a filter by system, and one more where the caller does not know
    the data version."""
    scopes = select_scopes(selection, viewer)
    return Question(
        _with_hosts(selection, scopes) if selection.values("system") else selection,
        viewer,
        data_version() if version is None else version,
        scopes,
        exact=exact,
        most=most,
        only=only,
        presets=presets,
    )


def _with_hosts(selection: Selection, scopes: ComparisonScopes) -> Selection:
    """The systems of the filter, and those that are known by their host and have the same hardware: they were one before."""
    asked = selection.values("system")
    numbers = [int(text) for text in asked if text.isascii() and text.isdigit() and len(text) < 19]
    hosts = System.objects.filter(hardware__in=numbers, counts__scope__in=scopes.all).order_by("pk").distinct()
    return selection.having("system", dict.fromkeys([*asked, *map(str, hosts.values_list("pk", flat=True))]))


def select_scopes(selection: Selection, viewer) -> ComparisonScopes:
    """The scopes that a reader's selection covers. At most one query."""
    if not (viewer.is_authenticated or selection.archives or selection.overlay or selection.studies):
        return ComparisonScopes((PUBLIC,), {}, frozenset())
    named = {*selection.archives, *selection.overlay}
    visible = access.find_comparison_archives(viewer, named, selection.studies, MAX_OFFERED_ARCHIVES)
    active = {archive.pk: archive for archive in visible if not archive.is_withdrawn}
    overlays = {pk: _title(archive) for pk, archive in active.items() if pk in selection.overlay}
    public_overlays = set()
    if selection.archives or selection.studies:
        base = {pk for pk, archive in active.items() if _is_selected(selection, archive)}
    else:
        base = {PUBLIC} | {pk for pk, archive in active.items() if access.is_compared_by_default(viewer, archive)}
        public_overlays = {pk for pk in overlays if active[pk].is_public}
    studies = _list_studies(selection, active)
    return ComparisonScopes(
        tuple(sorted(base - overlays.keys() - {pk for archives in studies.values() for pk in archives})),
        overlays,
        frozenset(public_overlays),
        missing=tuple(sorted(named - {archive.pk for archive in visible})),
        own={pk: _title(archive) for pk, archive in active.items() if access.owns(viewer, archive)},
        withdrawn={
            archive.pk: f"archive {archive.pk} as a whole: {archive.withdrawn_reason}"
            for archive in visible
            if archive.is_withdrawn and archive.pk in named
        },
        studies=studies,
        missing_studies=tuple(sorted({*selection.studies} - {archive.study for archive in visible})),
    )


def _list_studies(selection: Selection, active: Mapping[int, Archive]) -> dict[str, tuple[int, ...]]:
    """The archives of each named study where an axis is the source and no archive is overlaid."""
    if SOURCE not in selection.axes or selection.overlay:
        return {}
    archives = {name: tuple(sorted(pk for pk, archive in active.items() if archive.study == name)) for name in selection.studies}
    return {name: of_study for name, of_study in archives.items() if of_study}


def _is_selected(selection: Selection, archive: Archive) -> bool:
    return archive.pk in selection.archives or bool(archive.study and archive.study in selection.studies)


def _title(archive: Archive) -> str:
    """The archive's title; its number where that fails."""
    return isolation.run_isolated("title of an archive", archive.pk, lambda: str(archive), lambda: f"archive {archive.pk}")
