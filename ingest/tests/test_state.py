"""The table of the state before a run: classes, tolerances, and that no key of it is ever part of a configuration."""

import pytest

from ingest import open_keys, state
from ingest.keys import find_key, is_key


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("state.capacity", 4, "below 50 %"),
        ("state.capacity", 49.9, "below 50 %"),
        ("state.capacity", 50, "50 to 80 %"),
        ("state.capacity", "79", "50 to 80 %"),
        ("state.capacity", 80, "80 to 90 %"),
        ("state.capacity", 90, "80 to 90 %"),
        ("state.capacity", 93, "above 90 %"),
        ("state.capacity", None, None),
        ("state.capacity", "full", None),
        ("state.fragmentation", "71", 71.0),
        ("state.scrub", "yes", "yes"),
        ("state.scrub", "no", "no"),
        ("state.scrub", None, None),
        ("state.caches_dropped", None, "no"),
        ("state.caches_dropped", "remounted", "yes"),
        ("state.erased", "blkdiscard", "yes"),
        ("state.erased", None, "no"),
        ("state.hypervisor", "KVM", "kvm"),
        ("state.hypervisor", "none", "none"),
        ("state.mitigations", "auto", "auto"),
        ("state.load", "0.31", "below 1"),
        ("state.load", 5.2, "above 4"),
        ("state.unheard", "A", "A"),
    ],
)
def test_class(key, value, expected):
    assert state.class_of(key, value) == expected


@pytest.mark.parametrize(
    ("key", "first", "second", "expected"),
    [
        ("state.fragmentation", 1, 16, True),
        ("state.fragmentation", 1, 17, False),
        ("state.fragmentation", 1, None, None),
        ("state.capacity", 81, 89, True),
        ("state.capacity", 79, 81, False),
        ("state.thin", "yes", "no", False),
        ("state.created", None, "yes", False),
        ("state.scrub", None, "yes", None),
    ],
)
def test_alike(key, first, second, expected):
    assert state.are_alike(key, first, second) is expected is state.are_alike(key, second, first)


def test_mitigations_follow_a_kernel_unless_a_person_set_them():
    assert state.may_follow("state.mitigations", "auto") and not state.may_follow("state.mitigations", "off")
    assert state.may_follow("state.microcode", "0x42e") and not state.may_follow("state.scrub", "yes")


@pytest.mark.parametrize("key", state.KEYS.values(), ids=lambda key: key.name)
def test_every_key_says_why_and_tells_values_apart_in_one_way(key):
    assert key.name.startswith(state.PREFIX) and key.reason.endswith(".") and key.label
    assert [bool(key.clause), bool(key.bounds), key.tolerance is not None].count(True) <= 1
    assert list(key.bounds) == sorted(key.bounds)
    assert not key.absent or key.clause, "only an event can be known not to have been"


@pytest.mark.parametrize("key", [*state.KEYS, "state.unheard"])
def test_no_state_is_part_of_a_configuration(key):
    assert is_key(key) and find_key(key).part == "open"
    assert not open_keys.is_identity(key) and not open_keys.may_be_chosen(key) and not open_keys.is_bulk(key)
