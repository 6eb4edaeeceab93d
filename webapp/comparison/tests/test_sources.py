"""Archives and studies beside each other, as they stand: every value and every run without one belongs to its own source."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from webapp.comparison.compare import compare
from webapp.comparison.selection import Selection, parse
from webapp.models import Archive
from webapp.tests import making

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()
Q = "metric=write.throughput"
CONFIG = {"os.family": "Linux", "pool.compression": "lz4"}


def of(query: str) -> Selection:
    return parse([tuple(part.split("=", 1)) for part in query.split("&")])


def made(study: str, values: list[float], *, owner="ann", public=True, lost: int = 0) -> Archive:
    """An archive of a study with so many runs that were too fast to be measured."""
    path = f"{owner}-{study}-{values}.txt"
    records = [*making.file_records(path, path, values, config=CONFIG)]
    records[1:1] = [making.unmeasured_record(path, bound=9e8, side="above", config=CONFIG) for _ in range(lost)]
    archive = making.archive(owner=owner, public=public, records=records)
    Archive.objects.filter(pk=archive.pk).update(study=study)
    return archive


def groups(query: str, viewer=NOBODY) -> dict[str, list[float]]:
    """The values of each group, by its place on the axis."""
    return {group.x: sorted(point.value for point in group.points) for group in compare(of(query), viewer).groups}


def test_studies_stand_side_by_side_each_with_all_of_its_archives():
    made("alpha", [100.0, 110.0])
    made("alpha", [120.0])
    made("beta", [200.0])
    made("gamma", [300.0])
    query = f"{Q}&x=study&study=alpha&study=beta&control=off"
    assert groups(query) == {"study alpha": [100.0, 110.0, 120.0], "study beta": [200.0]}
    assert groups(f"{query}&archive={made('gamma', [400.0]).pk}") == groups(query) | {"others": [400.0]}


def test_studies_are_compared_as_they_stand():
    for study, value in (("alpha", 100.0), ("beta", 200.0)):
        made(study, [value, value + 1, value + 2])
    found = compare(of(f"{Q}&x=study&study=alpha&study=beta"), NOBODY)
    assert found.design == "as_they_stand" and [group.x for group in found.groups] == ["study alpha", "study beta"]


def test_a_study_without_a_name_is_no_axis():
    assert of("x=study").strange == (("x", "study"),)
    assert of("x=archive").strange == (("x", "archive"),)


def test_a_private_archive_of_a_study_is_its_owners_alone():
    made("alpha", [100.0])
    made("beta", [200.0])
    made("beta", [250.0], owner="bob", public=False)
    query = f"{Q}&x=study&study=alpha&study=beta&control=off"
    assert groups(query) == {"study alpha": [100.0], "study beta": [200.0]}
    assert groups(query, making.user("bob")) == {"study alpha": [100.0], "study beta": [200.0, 250.0]}


@pytest.mark.parametrize("axis", ["archive", "study"])
def test_runs_that_were_not_measured_belong_to_their_source(axis):
    first, second = made("alpha", [100.0] * 3), made("beta", [200.0] * 3, lost=2)
    names = {"archive": (first.pk, second.pk), "study": ("alpha", "beta")}[axis]
    found = compare(of(f"{Q}&x={axis}&{axis}={names[0]}&{axis}={names[1]}"), NOBODY).groups
    counted = {group.x: sum(one.count for one in group.unmeasured) for group in found}
    assert counted == {f"{axis} {names[0]}": 0, f"{axis} {names[1]}": 2}


def test_a_study_that_the_reader_cannot_see_is_named():
    made("alpha", [100.0])
    made("secret", [200.0], owner="bob", public=False)
    for name in ("secret", "alhpa"):
        said = [flag.sentence for flag in compare(of(f"{Q}&study={name}&study=alpha"), NOBODY).flags if flag.id == "missing"]
        assert said == [f"No archive that you can see is of the study {name}."]
    assert not [flag for flag in compare(of(f"{Q}&study=secret"), making.user("bob")).flags if flag.id == "missing"]
