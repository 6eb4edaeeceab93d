"""Two configurations side by side: what differs first, each value with the line that tells it."""

from __future__ import annotations

from dataclasses import dataclass

from ingest import keys
from webapp.files.addresses import place_address
from webapp.models import Archive, Configuration, Run
from webapp.systems.describe import CONFIGURATION_PARTS, DescribedKey, format_value


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One key in both; `a` and `b` are None where it is not told there."""

    key: keys.Key
    a: DescribedKey | None
    b: DescribedKey | None

    @property
    def shown(self) -> tuple[str, str]:
        a, b = (format_value(self.key.type, told.value) if told else "" for told in (self.a, self.b))
        return a, b


@dataclass(frozen=True, slots=True)
class ConfigurationDifference:
    """Rows by part: those that differ, those told of one only, those alike."""

    differ: list[DifferenceRow]
    lone: list[DifferenceRow]
    alike: list[DifferenceRow]


def find_newest_run(configuration: Configuration, user) -> Run | None:
    """The newest run on it that the user may see; its lines stand behind the values."""
    readable = Archive.objects.readable_by(user)
    return Run.objects.on(configuration).filter(archive__in=readable).select_related("provenance").first()


def compare_configurations(a: tuple[Configuration, Run], b: tuple[Configuration, Run]) -> ConfigurationDifference:
    """Two configurations, each with the run that tells it. Host and pool name are shown last: they are only names."""
    order = {part: at for at, (part, _) in enumerate(CONFIGURATION_PARTS)}
    rows = [
        DifferenceRow(key, _told(key, *a), _told(key, *b)) for key in sorted(keys.KEYS.values(), key=lambda key: order[key.part])
    ]
    told = [row for row in rows if row.a or row.b]
    both = [row for row in told if row.a and row.b]
    # The columns decide: of memory they hold what is installed, of which systems show a little more or less.
    differ = [row for row in both if getattr(a[0], row.key.column) != getattr(b[0], row.key.column)]
    return ConfigurationDifference(
        differ, [row for row in told if not (row.a and row.b)], [row for row in both if row not in differ]
    )


def _told(key: keys.Key, configuration: Configuration, run: Run) -> DescribedKey | None:
    value = run.config_exact.get(key.name, getattr(configuration, key.column))
    if value is None:
        return None
    place = run.config_from.get(key.name, "")
    return DescribedKey(key, key.name, value, place, place_address(run.archive_id, place))
