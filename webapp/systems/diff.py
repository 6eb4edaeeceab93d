"""Two configurations side by side, each value with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from ingest import keys
from webapp.comparison.selection import Selection, query_string
from webapp.models import Archive, Configuration, Run
from webapp.systems.describe import CONFIGURATION_PARTS, DescribedKey, config_of, describe_key, format_value


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
    """The rows in which both differ, those known of one only, and those in which both agree; `others`: open keys that differ and
    do not make configurations different."""

    differ: list[DifferenceRow]
    lone: list[DifferenceRow]
    alike: list[DifferenceRow]
    others: list[DifferenceRow]


def comparison_address(a: int, b: int, metric: str) -> str:
    """The address of the comparison of two configurations in a metric."""
    wanted = Selection(metrics=(metric,), x="configuration").having("configuration", (str(a), str(b)))
    return f"{reverse('compare')}?{query_string(wanted)}"


def find_newest_run(configuration: Configuration, user) -> Run | None:
    """The newest run on the configuration that the user may see, whose lines are shown for its values; None without one."""
    readable = Archive.objects.readable_by(user)
    return Run.objects.on(configuration).filter(archive__in=readable).select_related("provenance").first()


def compare_configurations(a: tuple[Configuration, Run], b: tuple[Configuration, Run]) -> ConfigurationDifference:
    """Two configurations, each with the run from which its lines are. Host and pool name come last."""
    part_order = {part: position for position, (part, _) in enumerate(CONFIGURATION_PARTS)}
    registered = sorted(keys.KEYS.values(), key=lambda key: part_order[key.part])
    identity = [known for configuration, _ in (a, b) for known in [configuration.known]]
    shown = [config_of(*side) for side in (a, b)]
    open_names = sorted({name for config in shown for name in config if name not in keys.KEYS})
    open_keys = [key for name in open_names if (key := keys.find_key(name)) is not None]
    differ, one_only, alike, others = list[DifferenceRow](), list[DifferenceRow](), list[DifferenceRow](), list[DifferenceRow]()
    for key in (*registered, *open_keys):
        row = DifferenceRow(key, _describe(key, shown[0], a[1]), _describe(key, shown[1], b[1]))
        if row.a is None and row.b is None:
            continue
        if key.part == "open" and not any(key.name in known for known in identity):
            if row.a is None or row.b is None or row.a.value != row.b.value:
                others.append(row)
        elif row.a is None or row.b is None:
            one_only.append(row)
        # Columns are compared: of memory they have the nominal size, of which systems report slightly different values.
        elif identity[0].get(key.name) != identity[1].get(key.name):
            differ.append(row)
        else:
            alike.append(row)
    return ConfigurationDifference(differ, one_only, alike, others)


def _describe(key: keys.Key, config: Mapping[str, Any], run: Run) -> DescribedKey | None:
    value = config.get(key.name)
    return None if value is None else describe_key(key.name, value, run)
