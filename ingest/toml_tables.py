"""Tables beside modules: words, sentences and expressions that hold no logic stand in a TOML file of the module's name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FRAGMENT = re.compile("<([A-Z0-9]+)>")


def read_table(module: str) -> dict[str, Any]:
    """The TOML file beside a module, of which `__file__` is given."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))


def expand_fragments(expression: str, fragments: Mapping[str, str]) -> str:
    """A regular expression of a table in which `<NAME>` stands for the fragment of that name."""
    return _FRAGMENT.sub(lambda match: expand_fragments(fragments[match[1]], fragments), expression)
