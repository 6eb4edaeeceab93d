"""Licences of data: names as people write them, SPDX identifiers and addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass

SPDX = "https://spdx.org/licenses/"


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence of the SPDX list. `meaning`: in a sentence, of those that a person is offered."""

    spdx: str
    name: str
    address: str
    meaning: str = ""


OFFERED = (
    Licence(
        "CC-BY-4.0",
        "CC BY 4.0",
        "https://creativecommons.org/licenses/by/4.0/",
        "Everyone may use and change the data, and has to name you.",
    ),
    Licence(
        "CC0-1.0",
        "CC0 1.0",
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "Everyone may use the data for anything, without conditions.",
    ),
    Licence(
        "ODbL-1.0",
        "ODbL 1.0",
        "https://opendatacommons.org/licenses/odbl/1-0/",
        "As CC BY, and databases made from the data have to be under ODbL too.",
    ),
)
_OTHERS = (
    Licence("CC-BY-SA-4.0", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    Licence("CC-BY-NC-4.0", "CC BY-NC 4.0", "https://creativecommons.org/licenses/by-nc/4.0/"),
    Licence("CC-BY-3.0", "CC BY 3.0", "https://creativecommons.org/licenses/by/3.0/"),
    Licence("CC-BY-SA-3.0", "CC BY-SA 3.0", "https://creativecommons.org/licenses/by-sa/3.0/"),
    Licence("ODC-By-1.0", "ODC-By 1.0", "https://opendatacommons.org/licenses/by/1-0/"),
    Licence("PDDL-1.0", "PDDL 1.0", "https://opendatacommons.org/licenses/pddl/1-0/"),
    Licence("Apache-2.0", "Apache 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    Licence("MIT", "MIT", "https://opensource.org/license/mit"),
)
_BY_NAME = {
    name: licence for licence in (*OFFERED, *_OTHERS) for name in (licence.spdx.lower(), licence.name.lower().replace(" ", "-"))
}


def find_licence(text: str) -> Licence | None:
    """The licence that a person means: `CC BY 4.0`, `CC-BY-4.0`, `cc0_1.0`. None for any other text."""
    return _BY_NAME.get(re.sub(r"[\s_]+", "-", text.strip().lower()))


def licence_address(licence: str) -> str:
    """The address of a licence: the text itself if it is one, that of a known name (`CC BY 4.0`, `CC-BY-4.0`), or ''."""
    typed = licence.strip()
    if re.fullmatch(r"https?://\S+", typed):
        return typed
    found = find_licence(typed)
    return found.address if found else ""


def licence_spdx(licence: str) -> str:
    """The SPDX identifier of a licence, '' for one that is not in the list here."""
    found = find_licence(licence)
    return found.spdx if found else ""


def licence_name(licence: str, spdx: str) -> str:
    """Name and identifier, where they differ: `CC BY 4.0 (CC-BY-4.0)`, `CC0-1.0`, `not stated`."""
    if not licence:
        return "not stated"
    return f"{licence} ({spdx})" if spdx and spdx != licence else licence
