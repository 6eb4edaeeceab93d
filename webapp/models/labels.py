"""Labels of an archive: short names with values (`branch=main`), by which programs find it again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MAX_LABELS = 20
MAX_VALUE = 200
"""Characters of a value."""
_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,39}")


class LabelError(ValueError):
    """What is wrong with labels, in a sentence."""


def parse_labels(texts: Iterable[str]) -> dict[str, str]:
    """Labels given as `NAME=VALUE`. Raises LabelError."""
    labels: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise LabelError(f"The label “{text[:60]}” has no “=”: write it as NAME=VALUE.")
        if labels.setdefault(name, value) != value:
            raise LabelError(f"The label {name[:60]} is given twice with different values.")
    return check_labels(labels)


def check_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels, if all of them may be kept. Raises LabelError."""
    if len(labels) > MAX_LABELS:
        raise LabelError(f"An archive may have {MAX_LABELS} labels at most; these are {len(labels)}.")
    for name, value in labels.items():
        if not _NAME.fullmatch(name):
            raise LabelError(
                f"“{name[:60]}” is no name of a label: a letter from a to z, then at most 39 of a-z, 0-9, “_”, “.”, “-”."
            )
        if len(value) > MAX_VALUE or not value.isprintable():
            raise LabelError(f"The value of the label {name} must be printable text of at most {MAX_VALUE} characters.")
    return dict(labels)
