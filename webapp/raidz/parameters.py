"""The parameters of the model as an address has them: `disks=100&width=10&parity=1&iops=200`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from webapp.comparison.dimensions import parse_quantity
from webapp.raidz.layouts import MAX_DISKS, Blocks, ModelDisk

WITH_PADDING, PARITY_ALONE = "zfs", "parity"


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter: its name in the address, label, the text used where it is absent, bounds, and an example of what it takes."""

    name: str
    label: str
    usual: str
    low: float
    high: float
    example: str
    hint: str = ""
    whole: bool = True


FIELDS = (
    Field("disks", "Disks", "12", 1, MAX_DISKS, example="12", hint="of the pool, without hot spares"),
    Field("width", "Disks of a group", "6", 2, 1000, example="6", hint="data and parity of one RAID-Z vdev or RAID"),
    Field("parity", "Parity", "2", 1, 3, example="2", hint="for the table over widths"),
    Field(
        "recordsize", "recordsize", "128KiB", 512, 16 << 20, example="128KiB", hint="of a block as it is stored, after compression"
    ),
    Field("ashift", "ashift", "12", 9, 16, example="12", hint="9: sectors of 512 B, 12: of 4 KiB"),
    Field("size", "Size of a disk", "4TB", 1 << 20, 1e18, "4TB"),
    Field("iops", "IOPS of a disk", "150", 0.1, 1e8, example="150", hint="random reads of one disk", whole=False),
    Field("rate", "Rate of a disk", "200MB", 1000, 1e12, example="200MB", hint="sequential, per second"),
    Field("spares", "dRAID spares", "0", 0, 100, example="1", hint="distributed spares of one dRAID vdev"),
    Field("chunk", "RAID-5 chunk", "512KiB", 512, 16 << 20, example="512KiB", hint="stripe unit of RAID-5 and RAID-6"),
)
_BY_NAME = {field.name: field for field in FIELDS}
SPACES = {WITH_PADDING: "as ZFS allocates, with padding and reserve", PARITY_ALONE: "parity and copies alone"}


@dataclass(frozen=True, slots=True)
class Parameters:
    """`texts`: each parameter as it was entered, or its usual text; `problems`: a sentence for each that was not understood, which
    was replaced by the usual one; `unknown`: names that the page does not know.
    """

    texts: dict[str, str]
    numbers: dict[str, float]
    space: str
    problems: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> int:
        return int(self.numbers[name])

    @property
    def disk(self) -> ModelDisk:
        return ModelDisk(self.numbers["size"], self.numbers["iops"], self.numbers["rate"])

    @property
    def blocks(self) -> Blocks:
        return Blocks(self["recordsize"], 1 << self["ashift"], self["chunk"], self.space == WITH_PADDING)

    @property
    def query(self) -> str:
        """What differs from the usual, in the order of the fields."""
        pairs = [(field.name, self.texts[field.name]) for field in FIELDS if self.numbers[field.name] != _read(field, field.usual)]
        return urlencode([*pairs, *([("space", self.space)] if self.space != WITH_PADDING else [])])

    def with_values(self, **texts: object) -> str:
        """The query with other texts of some parameters."""
        return parse([*self.texts.items(), ("space", self.space), *((name, str(text)) for name, text in texts.items())]).query


def parse(pairs: Iterable[tuple[str, str]]) -> Parameters:
    """The parameters of an address; of a repeated one the last counts."""
    texts, numbers, problems = {field.name: field.usual for field in FIELDS}, dict[str, float](), []
    space = WITH_PADDING
    for name, text in pairs:
        if name == "space" and text in SPACES:
            space = text
        elif name in _BY_NAME and text.strip():
            texts[name] = text.strip()[:40]
        elif name not in _BY_NAME:
            problems.append(f"“{name[:40]}{'=' + text[:40] if name == 'space' else ''}” is no parameter of this model.")
    for field in FIELDS:
        number = _read(field, texts[field.name])
        if number is None:
            problems.append(
                f"{field.label}: “{texts[field.name]}” is no {'whole ' if field.whole else ''}number from {_bound(field.low)} to "
                f"{_bound(field.high)}; {field.usual} is used. Enter it like {field.example}."
            )
            texts[field.name], number = field.usual, _read(field, field.usual)
        assert number is not None
        numbers[field.name] = number
    for check in _CHECKS:
        if problem := check(numbers):
            problems.append(problem)
    return Parameters(texts, numbers, space, tuple(dict.fromkeys(problems)))


def _read(field: Field, text: str) -> float | None:
    number = parse_quantity(text.removesuffix("/s"))
    if number is None or not field.low <= number <= field.high or (field.whole and number != int(number)):
        return None
    return number


def _bound(number: float) -> str:
    return f"{number:,.0f}".replace(",", "\u202f") if number >= 1 else str(number)


def _too_wide(numbers: dict[str, float]) -> str | None:
    if numbers["width"] > numbers["disks"]:
        return f"A group of {numbers['width']:.0f} disks needs more than the {numbers['disks']:.0f} of the pool."
    return None


_CHECKS: tuple[Callable[[dict[str, float]], str | None], ...] = (_too_wide,)
