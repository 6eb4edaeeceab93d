"""Two configurations side by side, each value with its line."""

from __future__ import annotations

from dataclasses import dataclass

from ingest import keys
from webapp.models import Archive, Configuration, Run
from webapp.systems.describe import CONFIGURATION_PARTS, DescribedKey, describe_key, format_value


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One key in both configurations; `a` or `b` is None where it is unknown there."""

    key: keys.Key
    a: DescribedKey | None
    b: DescribedKey | None

    @property
    def shown(self) -> tuple[str, str]:
        a, b = (format_value(self.key.type, described.value) if described else "" for described in (self.a, self.b))
        return a, b


@dataclass(frozen=True, slots=True)
class ConfigurationDifference:
    """The rows in which both differ, those known of one only, and those in which both agree."""

    differ: list[DifferenceRow]
    lone: list[DifferenceRow]
    alike: list[DifferenceRow]


def find_newest_run(configuration: Configuration, user) -> Run | None:
    """The newest run on the configuration that the user may see, whose lines are shown for its values; None without one."""
    readable = Archive.objects.readable_by(user)
    return Run.objects.on(configuration).filter(archive__in=readable).select_related("provenance").first()


def compare_configurations(a: tuple[Configuration, Run], b: tuple[Configuration, Run]) -> ConfigurationDifference:
    """Two configurations, each with the run from which its lines are. Host and pool name come last."""
    part_order = {part: position for position, (part, _) in enumerate(CONFIGURATION_PARTS)}
    sorted_keys = sorted(keys.KEYS.values(), key=lambda key: part_order[key.part])
    rows = [DifferenceRow(key, _describe(key, *a), _describe(key, *b)) for key in sorted_keys]
    both = [row for row in rows if row.a and row.b]
    one_only = [row for row in rows if bool(row.a) != bool(row.b)]
    # Columns are compared: of memory they have the nominal size, of which systems report slightly different values.
    differ = [row for row in both if getattr(a[0], row.key.column) != getattr(b[0], row.key.column)]
    return ConfigurationDifference(differ, one_only, [row for row in both if row not in differ])


def _describe(key: keys.Key, configuration: Configuration, run: Run) -> DescribedKey | None:
    value = run.config_exact.get(key.name, getattr(configuration, key.column))
    return None if value is None else describe_key(key.name, value, run)
