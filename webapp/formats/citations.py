"""RIS, CSL-JSON, CITATION.cff, and plain text in three styles."""

from __future__ import annotations

import json

from webapp.formats.licences import licence_address
from webapp.formats.work import LOCAL_NOTE, PUBLISHER, CitedWork, Person

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")


def to_ris(work: CitedWork) -> str:
    """RIS: type DATA, one author a line, lines end in CR LF."""
    day = work.day.strftime("%Y/%m/%d")
    lines = [
        ("TY", "DATA"),
        *(("AU", person.turned) for person in _authors(work)),
        ("TI", work.title),
        ("PY", str(work.day.year)),
        ("DA", day),
        ("PB", PUBLISHER),
        ("DO", work.doi),
        ("UR", work.best_address),
        ("ID", work.key),
        ("AB", work.abstract),
        ("N1", ". ".join([f"{work.digest_label}: {work.digest}", *later_sentences(work)])),
        ("N1", _licence_note(work)),
        ("Y2", day),
    ]
    tags = [f"{tag}  - {_single_line(text)}" for tag, text in lines if text]
    return "\r\n".join([*tags, "ER  - ", ""])


def to_csl(work: CitedWork) -> str:
    """CSL-JSON: a list of one item."""
    item = {
        "id": work.key,
        "type": "dataset",
        "title": work.title,
        "author": [_csl_name(person) for person in _authors(work)],
        "issued": {"date-parts": [[work.day.year, work.day.month, work.day.day]]},
        "publisher": PUBLISHER,
        "URL": work.best_address,
        "DOI": work.doi,
        "abstract": work.abstract,
        "version": work.version,
        "note": ". ".join(filter(None, [f"{work.digest_label}: {work.digest}", *later_sentences(work), _licence_note(work)])),
    }
    return json.dumps([{key: value for key, value in item.items() if value}], ensure_ascii=False, indent=1)


def to_cff(work: CitedWork) -> str:
    """Citation File Format 1.2.0. Its YAML is written as JSON values, which YAML 1.2 includes."""
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use this figure or its data, please cite it as below.",
        "type": "dataset",
        "title": work.title,
        "authors": [_cff_name(author) for author in _authors(work)],
        "date-released": work.day.isoformat(),
        "url": work.address,
        "doi": work.doi,
        "abstract": ". ".join(filter(None, [work.abstract.rstrip("."), *later_sentences(work)])) + "." if work.abstract else "",
        "identifiers": [{"type": "other", "value": f"sha256:{work.digest}", "description": work.digest_label}],
        **_cff_licence(work),
        "references": [_reference(author) for author in work.based_on],
    }
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items() if value)


def to_apa(work: CitedWork) -> str:
    """APA, 7th edition: reference to a data set."""
    names = [f"{person.family}, {person.initials}" if person.given else person.family for person in _authors(work)]
    authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"
    day = f"{work.day.year}, {MONTHS[work.day.month - 1]} {work.day.day}"
    edition = f" (Version {work.edition})" if work.edition > 1 else ""
    return f"{_end_sentence(authors)} ({day}). {work.title}{edition} [Data set]. {PUBLISHER}. {work.best_address}"


def to_ieee(work: CitedWork) -> str:
    """IEEE reference guide: data set, online."""
    names = [f"{person.initials} {person.family}" if person.given else person.family for person in _authors(work)]
    authors = (
        names[0]
        if len(names) == 1
        else (f"{names[0]} and {names[1]}" if len(names) == 2 else f"{', '.join(names[:-1])}, and {names[-1]}")
    )
    day = f"{MONTHS[work.day.month - 1][:3]}. {work.day.day}, {work.day.year}".replace("May.", "May")
    place = f"doi: {work.doi}" if work.doi else f"[Online]. Available: {work.address}"
    return f'{authors}, "{work.title}," {PUBLISHER}, {day}. {place}'


def to_chicago(work: CitedWork) -> str:
    """Chicago Manual of Style, 17th edition: bibliography entry."""
    first, *others = _authors(work)
    names = [first.turned, *(person.straight for person in others)]
    authors = names[0] if not others else f"{', '.join(names[:-1])}, and {names[-1]}"
    day = f"{MONTHS[work.day.month - 1]} {work.day.day}, {work.day.year}"
    return f'{_end_sentence(authors)} "{_end_sentence(work.title)}" {PUBLISHER}, {day}. {work.best_address}.'


TEXT_STYLES = (("APA", to_apa), ("IEEE", to_ieee), ("Chicago", to_chicago))


def to_text(work: CitedWork) -> str:
    """The three text styles, each under its name, then the digest and the archives that the work is based on."""
    sections = [f"{name}:\n{style(work)}\n" for name, style in TEXT_STYLES]
    sections.append(f"{work.digest_label}: {work.digest}\n")
    sections += [f"{sentence}.\n" for sentence in later_sentences(work)]
    if work.based_on:
        sections.append("Based on:\n" + "".join(f"{cite_archive(source)}\n" for source in work.based_on))
    return "\n".join(sections)


def later_sentences(work: CitedWork) -> list[str]:
    """What a note of a citation adds: a local address, the version, a newer one, sources withdrawn. Without full stops."""
    version = f"Version {work.edition}" if work.edition > 1 else ""
    newer = f"Newer version: {work.newer}" if work.newer else ""
    return [sentence for sentence in (LOCAL_NOTE if work.is_local else "", version, newer, work.withdrawn) if sentence]


def cite_archive(work: CitedWork) -> str:
    """An underlying archive in a line: authors, title, publication, licence, address, digest."""
    authors = "; ".join(person.turned for person in work.authors)
    parts = [
        authors,
        work.title,
        work.published_in,
        f"Licence: {work.licence}" if work.licence else "",
        f"https://doi.org/{work.doi}" if work.doi else work.address,
        f"SHA-256 {work.digest}",
    ]
    return " ".join(_end_sentence(part) if not part.startswith(("http", "SHA")) else part for part in parts if part)


def _authors(work: CitedWork) -> tuple[Person, ...]:
    return work.authors or (Person(PUBLISHER),)


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _single_line(text: str) -> str:
    return " ".join(text.split())


def _csl_name(person: Person) -> dict[str, str]:
    return {"family": person.family, "given": person.given} if person.given else {"literal": person.family}


def _cff_name(person: Person) -> dict[str, str]:
    name = {"family-names": person.family, "given-names": person.given} if person.given else {"name": person.family}
    return {**name, "orcid": f"https://orcid.org/{person.orcid}"} if person.orcid and person.given else name


def _cff_licence(work: CitedWork) -> dict[str, str]:
    """`license`, which takes SPDX identifiers alone, else `license-url`."""
    if work.spdx is None:
        return {}
    return {"license": work.spdx} if work.spdx else {"license-url": licence_address(work.licence)}


def _licence_note(work: CitedWork) -> str:
    """'' for records frozen before SPDX identifiers were."""
    return f"Licence: {work.licence}" if work.licence and work.spdx is not None else ""


def _reference(work: CitedWork) -> dict:
    fields = {
        "type": "data",
        "title": work.title,
        "authors": [_cff_name(person) for person in _source_authors(work)],
        "year": work.day.year,
        "doi": work.doi,
        "url": work.address,
        "notes": work.published_in,
        "identifiers": [{"type": "other", "value": f"sha256:{work.digest}"}],
        **_cff_licence(work),
    }
    return {key: value for key, value in fields.items() if value}


def _source_authors(work: CitedWork) -> tuple[Person, ...]:
    return work.authors or (Person("Unknown"),)
