"""HTTP Signposting: typed links in the `Link` header, by which clients find the files and metadata of a permalink.

Level 1 of the FAIR Signposting Profile (signposting.org/FAIR): author, cite-as, describedby, item, license, type.
"""

from __future__ import annotations

from collections.abc import Iterable

from webapp.formats import jsonld
from webapp.formats.licences import licence_address
from webapp.formats.work import CitedWork

SOURCES = "sources"
"""Fragment of the list of archives on the page."""
TYPES = ("https://schema.org/Dataset", "https://schema.org/AboutPage")


def landing_page_links(work: CitedWork, items: Iterable[tuple[str, str]], descriptions: Iterable[tuple[str, str]]) -> str:
    """The Link header of the page. `items` and `descriptions` are (address, media type)."""
    links = [
        _link(work.best_address, "cite-as"),
        *(_link(kind, "type") for kind in TYPES),
        *(_link(address, "author") for address in jsonld.author_addresses(work)),
        *(_link(address, "describedby", kind) for address, kind in descriptions),
        *(_link(address, "item", kind) for address, kind in items),
    ]
    return ", ".join(links + ([_link(licence, "license")] if (licence := _licence(work)) else []))


def _licence(work: CitedWork) -> str:
    """The address of the licence of all archives; where they differ, or theirs has no address, of the list of archives on the
    page, which says the licence of each. '' where none has a licence."""
    licences = {source.licence for source in work.based_on}
    return licence_address(work.licence) or (f"{work.address}#{SOURCES}" if any(licences) else "")


def item_links(page: str) -> str:
    """The Link header of a file of the permalink: its page as collection."""
    return _link(page, "collection", "text/html")


def _link(address: str, relation: str, kind: str = "") -> str:
    return f'<{address}>; rel="{relation}"' + (f'; type="{kind}"' if kind else "")
