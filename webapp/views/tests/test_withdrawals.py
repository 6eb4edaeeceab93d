"""Withdrawing a file or a value: asked with a reason, told where it was, taken back by its owner alone."""

from __future__ import annotations

import pytest
from django.urls import reverse

from webapp.models import AuditEntry, Measurement, Withdrawal
from webapp.storage import withdrawals
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(ann):
    return samples.received(samples.tar({"a.txt": samples.dd(2.5), "b.txt": samples.dd(4)}))


def pages(client, archive, value):
    return [
        client.get(reverse(*args)).text
        for args in (("archive", None, [archive.pk]), ("archive-raw", None, [archive.pk, "a.txt"]), ("run", None, [value.run_id]))
    ]


def test_a_value_says_so_on_archive_raw_and_run_page(ann, archive):
    value = Measurement.objects.of(archive.files.get(path="a.txt"))[0]
    address = reverse("archive-withdraw-value", args=[archive.pk, value.pk])
    assert address in pages(ann, archive, value)[2]
    assert "Give a reason" in ann.post(address, {"reason": " "}).text
    told = {"reason": "A cable was loose.", "shown": withdrawals.fingerprint(value)}
    assert f'name="shown" value="{told["shown"]}"' in ann.get(address).text
    assert ann.post(address, told).status_code == 302
    ann.logout()
    for page in pages(ann, archive, value):
        assert "A cable was loose." in page and "Undo" not in page


@pytest.mark.parametrize("shown", [None, "of before"])
def test_a_value_that_is_another_one_by_now_is_asked_about_again(ann, archive, shown):
    """The archive is read again between question and answer; the id is that of another value then."""
    value = Measurement.objects.of(archive.files.get(path="a.txt"))[0]
    address = reverse("archive-withdraw-value", args=[archive.pk, value.pk])
    told = {"reason": "A cable was loose."} | ({"shown": withdrawals.fingerprint(value)} if shown else {})
    Measurement.objects.filter(pk=value.pk).update(raw="7.5")
    answer = ann.post(address, told)
    assert (
        answer.status_code == 409 and not Withdrawal.objects.exists() and not AuditEntry.objects.filter(action="withdraw").exists()
    )
    assert "7.5" in answer.text and "this is another value now" in answer.text and "A cable was loose.</textarea>" in answer.text
    value.refresh_from_db()
    assert ann.post(address, told | {"shown": withdrawals.fingerprint(value)}).status_code == 302
    assert Withdrawal.objects.get().raw.startswith("7.5")


def test_a_file_says_so_and_is_taken_back(ann, archive):
    address = reverse("archive-withdraw-file", args=[archive.pk, "a.txt"])
    assert "leaves every comparison" in ann.get(address).text
    ann.post(address, {"reason": "The disk was failing."})
    value = Measurement.objects.of(archive.files.get(path="a.txt"))[0]
    for page in pages(ann, archive, value):
        assert "The disk was failing." in page
    ann.post(reverse("archive-restore", args=[archive.pk, Withdrawal.objects.get().pk]))
    assert Measurement.objects.filter(counted=True).count() == archive.measurements
    page = pages(ann, archive, value)[0]
    assert "Withdrawn and restored" in page


def test_an_archive_is_taken_back(ann, archive):
    ann.post(reverse("archive-withdraw", args=[archive.pk]), {"sure": 1, "reason": "All wrong."})
    assert Measurement.objects.filter(counted=True).count() == 0
    assert "Undo the withdrawal" in ann.get(reverse("archive", args=[archive.pk])).text
    ann.post(reverse("archive-unwithdraw", args=[archive.pk]))
    assert Measurement.objects.filter(counted=True).count() == archive.measurements
    ann.logout()
    assert ann.get(reverse("archive", args=[archive.pk])).status_code == 200


def test_nobody_else_may(client, archive):
    client.force_login(making.user("bob"))
    value = Measurement.objects.order_by("id")[0]
    for address in (
        reverse("archive-withdraw-file", args=[archive.pk, "a.txt"]),
        reverse("archive-withdraw-value", args=[archive.pk, value.pk]),
    ):
        assert client.post(address, {"reason": "x"}).status_code == 404
    assert "Withdraw this file" not in client.get(reverse("archive-raw", args=[archive.pk, "a.txt"])).text
    assert not Withdrawal.objects.exists()


def test_a_value_of_another_archive_is_not_there(ann, archive):
    other = samples.received(samples.dd(9), "c.txt")
    value = Measurement.objects.of(other.files.get())[0]
    assert ann.post(reverse("archive-withdraw-value", args=[archive.pk, value.pk]), {"reason": "x"}).status_code == 404
