"""CPUs, disks and controllers: spellings of one model, their addresses, their pages, and who sees them."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.urls import reverse

from webapp.models import Archive, Configuration
from webapp.storage import load
from webapp.systems.hardware import canonical_controller, canonical_disk, slugify
from webapp.tests import making

ONE_DISK = [
    ("SAMSUNG HD204UI", "HD204UI", "ATA SAMSUNG HD204UI", "ATA      SAMSUNG_HD204UI", "Samsung HD204UI 2TB"),
    ("INTEL SSDSC2BB480G4", "SSDSC2BB480G4", "ATA INTEL_SSDSC2BB480G4", "Intel SSDSC2BB480G4 480 GB"),
    ("WDC WD40EFRX-68WT0N0", "Western Digital WD40EFRX-68WT0N0", "wd40efrx-68wt0n0"),
    (
        "Samsung SSD 970 EVO Plus 1TB",
        "Samsung_970_EVO_Plus_1000GB",
        "NVMe Samsung SSD 970 EVO Plus 1 TB",
        "SAMSUNG 970 EVO Plus 1.0TB",
    ),
    ("Western Digital Black 1 TB", "western digital black 1000 GB"),
    ("WDC PC SN520 SDAPNUW-256G-1006", "PC SN520 NVMe WDC 256GB SDAPNUW-256G-1006"),
    ("KINGSTON SNV2S250G", "SNV2S250G 250GB"),
    ("HGST HUH721212ALE604", "HUH721212ALE604 12TB", "Hitachi HUH721212ALE604"),
]
TWO_DISKS = [
    ("Samsung SSD 970 EVO Plus 1TB", "Samsung SSD 970 EVO Plus 2TB"),
    ("Samsung SSD 970 EVO 1TB", "Samsung SSD 970 EVO Plus 1TB"),
    ("INTEL SSDSC2BB480G4", "INTEL SSDSC2BB480G6"),
    ("WD40EFRX-68WT0N0", "WD40EFRX-68N32N0"),
    ("Samsung PM1733 3.84TB", "Samsung PM1733 7.68TB"),
    ("Western Digital Black 1 TB", "Seagate Black 1 TB"),
]
NO_DISK = ["9 GB", "72 GB SAS", "SATA 500GB 7.2K", "SAS 146GB 10K", "SSD", "15000 rpm SAS disk", "4 TB HDD", ""]
VOLUMES = ["DELL PERC H710", "PERC_H730P", "LOGICAL VOLUME", "HP LOGICAL_VOLUME 8.32", "QEMU QEMU HARDDISK", "VMware Virtual disk"]


@pytest.mark.parametrize("texts", ONE_DISK, ids=lambda texts: texts[0])
def test_spellings_of_one_disk(texts):
    assert len({*map(canonical_disk, texts)}) == 1
    assert canonical_disk(texts[0])


@pytest.mark.parametrize("texts", TWO_DISKS, ids="|".join)
def test_what_may_be_two_disks(texts):
    assert len({*map(canonical_disk, texts)}) == 2


@pytest.mark.parametrize("text", NO_DISK + VOLUMES)
def test_a_size_names_no_model_nor_what_a_controller_or_host_shows_as_a_disk(text):
    assert canonical_disk(text) == ""


@pytest.mark.parametrize(
    ("one", "other"), [("Athlon 64 X2 4200+", "Athlon 64 X2 4200"), ("Эльбрус-8С", "Эльбрус-4С"), ("a#b", "a b"), ("!", "?")]
)
def test_addresses_of_two_names_differ(one, other):
    assert slugify(one) != slugify(other)
    assert slugify(one) == slugify(slugify(one)) or slugify(one)[-6:].isalnum()


ONE_CONTROLLER = [
    ("LSI 9300-8i", "SAS9300-8i", "Broadcom / LSI SAS9300-8i", "Broadcom HBA 9300-8i", "lsi 9300-8i (it mode)"),
    ("AVAGO MegaRAID SAS 9361-8i", "LSI MegaRAID SAS 9361-8i", "MegaRAID 9361-8i"),
    ("Broadcom / LSI SAS3008 PCI-Express Fusion-MPT SAS-3", "LSISAS3008", "Avago Technologies (LSI) SAS3008", "SAS3008"),
    ("Broadcom / LSI MegaRAID SAS-3 3108 [Invader]", "LSI Logic / Symbios Logic MegaRAID SAS-3 3108 [Invader]"),
    ("Dell PERC H730P Mini", "PERC H730P Mini", "PERC H730P Adapter", "Dell PERC H730P"),
    ("Smart Array P420i", "HP P420i", "Hewlett-Packard Company Smart Array P420i"),
    ("HPE Smart Array P408i-a SR Gen10", "P408i-a"),
    ("Adaptec ASR8805", "ASR-8805"),
    ("Areca ARC-1880", "ARC-1880"),
]
TWO_CONTROLLERS = [
    ("LSI 9300-8i", "LSI 9300-16i"),
    ("LSI 9300-8i", "LSI 9300-8e"),
    ("PERC H730P Mini", "PERC H730 Mini"),
    ("SAS3008", "SAS2008"),
    ("Smart Array P420i", "Smart Array P410i"),
]


@pytest.mark.parametrize("texts", ONE_CONTROLLER, ids=lambda texts: texts[0])
def test_spellings_of_one_controller(texts):
    assert len({*map(canonical_controller, texts)}) == 1
    assert canonical_controller(texts[0])


@pytest.mark.parametrize("texts", TWO_CONTROLLERS, ids="|".join)
def test_what_are_two_controllers(texts):
    assert len({*map(canonical_controller, texts)}) == 2


@pytest.mark.parametrize("text", ["RAID controller", "HBA", "LSI", "Dell PERC", ""])
def test_a_kind_names_no_controller(text):
    assert canonical_controller(text) == ""


# On the pages.

CPUS = ["AMD EPYC 7763 64-Core Processor", "EPYC 7763", "AMD EPYC\u2122 7763"]
DISKS = ["SAMSUNG HD204UI", "HD204UI", "ATA SAMSUNG HD204UI + INTEL SSDSC2BB480G4"]


def upload(values, cpu, disk=None, *, origin="measured", owner="ann", accepted=True, cores=8, controller=None) -> Archive:
    config = {"cpu.model": cpu, "cpu.cores": cores, "fs.type": "zfs", "pool.layout": "raidz2(6)"} | (
        {"disk.model": disk} if disk else {}
    )
    config |= {"raid.controller": controller} if controller else {}
    records = making.file_records(f"{cpu}.csv", f"{cpu} {disk} {origin} {owner} {cores}", values, config=config, origin=origin)
    return making.archive(owner=owner, public=accepted, accepted=accepted, records=list(records), name=f"{cpu}.tar")


@pytest.fixture
def stands(db):
    for at, (cpu, disk) in enumerate(zip(CPUS, DISKS, strict=True)):
        upload([1e8 * (at + 1)], cpu, disk)
    for at in range(4):
        upload([5e8 + at * 1e8], f"Xeon E5-26{at}0 v3")


@pytest.mark.parametrize(
    ("address", "to"),
    [
        ("/hardware/cpu/epyc-7763", ""),
        ("/hardware/cpu/EPYC-7763", "/hardware/cpu/epyc-7763"),
        ("/hardware/cpu/amd-epyc-7763-64-core-processor", "/hardware/cpu/epyc-7763"),
        ("/hardware/cpu/epyc7763", "/hardware/cpu/epyc-7763"),
        ("/hardware/cpu/xeon-e5-2620v3", "/hardware/cpu/xeon-e5-2620-v3"),
        ("/hardware/disk/hd204ui", ""),
        ("/hardware/disk/ATA%20SAMSUNG%20HD204UI", "/hardware/disk/hd204ui"),
        ("/hardware/disk/samsung-hd204ui.json", "/hardware/disk/hd204ui.json"),
        ("/hardware/disk/intel-ssdsc2bb480g4", "/hardware/disk/ssdsc2bb480g4"),
    ],
)
def test_other_spellings_lead_to_the_address(stands, client, address, to):
    answer = client.get(address)
    assert (answer.status_code, answer.headers.get("Location", "")) == ((302, to) if to else (200, ""))


@pytest.mark.parametrize(
    ("address", "near"),
    [("/hardware/cpu/epyc-7736", "epyc-7763"), ("/hardware/cpu/7763", "epyc-7763"), ("/hardware/disk/hd204u", "hd204ui")],
)
def test_an_unknown_name_offers_the_nearest(stands, client, address, near):
    answer = client.get(address)
    assert answer.status_code == 404
    assert f"/{near}" in answer.text
    assert client.get(f"{address}.json").status_code == 404


def test_the_list_joins_spellings(stands, client):
    answer = client.get("/hardware?q=7763")
    assert "1 component, of" in answer.text
    assert all(spelling in answer.text for spelling in CPUS)
    [epyc] = [row for row in client.get("/hardware.json").json()["components"] if row["slug"] == "epyc-7763"]
    assert (epyc["systems"], epyc["archives"], epyc["results"], len(epyc["spellings"])) == (3, 3, 3, 3)
    table = client.get("/hardware.csv").text
    assert table.splitlines()[0] == "kind,name,slug,spellings,systems,archives,results"
    assert len(table.splitlines()) == 1 + 1 + 4 + 2


def test_systems_with_it_stand_beside_the_others(stands, client):
    upload([9e8], "EPYC 7763", origin="reported", cores=16)
    page = client.get("/hardware/cpu/epyc-7763")
    assert page.text.count('r="4" class="runs-a"') == 1 + 3  # and one in the words; one alone is not drawn
    measured, reported = (one for one in client.get("/hardware/cpu/epyc-7763.json").json()["operations"])
    assert (measured["origin"], sorted(one["value"] for one in measured["systems"])) == ("measured", [1e8, 2e8, 3e8])
    assert sorted(one["value"] for one in measured["others"]) == [5e8, 6e8, 7e8, 8e8]
    assert (reported["origin"], [one["value"] for one in reported["systems"]], reported["others"]) == ("reported", [9e8], [])
    assert measured["quartiles"] is None
    assert "reported</span>" in page.text
    assert "raidz2(6)" in page.text
    assert "no other system ran a near workload" in page.text


def test_quartiles_from_twenty_systems_on(db, client):
    for at in range(20):
        upload([1e8 + at * 1e7], "EPYC 7763", cores=at + 1)
        [operation] = client.get("/hardware/cpu/epyc-7763.json").json()["operations"] if at > 17 else [{"quartiles": None}]
        assert (operation["quartiles"] is None) == (at < 19)
    assert "Half of systems with it lie between" in client.get("/hardware/cpu/epyc-7763").text


@pytest.mark.parametrize(("public", "accepted"), [(False, False), (True, False)])
def test_only_accepted_archives_and_the_readers_own(stands, client, public, accepted):
    own = upload([4e8], "Xeon Gold 9999", "TOSHIBA MG99ACA999TE", owner="bob", accepted=False)
    if public:
        load.publish(own.pk)
    addresses = ["/hardware", "/hardware.json", "/hardware.csv", "/hardware?q=9999", "/hardware/cpu/xeon-gold-999"]
    addresses += ["/hardware/disk/mg99aca999", "/hardware/cpu/epyc-7763.json", "/hardware/cpu/epyc-7763"]
    for who in (None, "carl"):
        cache.clear()
        if who:
            client.force_login(making.user(who))
        for address in addresses:
            text = client.get(address).text
            assert not [word for word in ("Xeon Gold", "TOSHIBA", "gold-9999", "aca999te") if word in text], address
        assert client.get("/hardware/cpu/xeon-gold-9999").status_code == 404
        assert client.get("/hardware/disk/mg99aca999te.json").status_code == 404
    client.force_login(making.user("bob"))
    assert "Xeon Gold 9999" in client.get("/hardware").text
    assert client.get("/hardware/cpu/xeon-gold-9999").status_code == 200
    assert client.get("/hardware/disk/mg99aca999te.json").json()["archives"] == 1
    load.publish(own.pk) if not public else None
    load.accept(own.pk, "")
    client.logout()
    assert client.get("/hardware/cpu/xeon-gold-9999").status_code == 200


def test_a_withdrawn_archive_has_no_component(stands, client):
    archive = Archive.objects.get(name=f"{CPUS[0]}.tar")
    load.withdraw(archive.pk, "wrong") if hasattr(load, "withdraw") else load.unpublish(archive.pk)
    [epyc] = [row for row in client.get("/hardware.json").json()["components"] if row["slug"] == "epyc-7763"]
    assert (epyc["systems"], epyc["archives"]) == (2, 2)


def test_nothing_says_what_to_do(db, client):
    text = client.get("/hardware").text
    assert "lscpu" in text
    assert reverse("upload") in text


def test_pages_of_systems_and_configurations_lead_there(stands, client):
    one = Configuration.objects.get(system__cpu_model=CPUS[0])
    for address in (reverse("system", args=[one.system_id]), reverse("configuration", args=[one.pk])):
        text = client.get(address).text
        assert 'href="/hardware/cpu/epyc-7763"' in text
        assert 'href="/hardware/disk/hd204ui"' in text


def test_compare_links_have_every_spelling(stands, client):
    links = [unescape(link) for link in re.findall(r'href="(/compare\?[^"]+)"', client.get("/hardware/cpu/epyc-7763").text)]
    assert {*parse_qs(urlsplit(links[0]).query)["cpu"]} == {*CPUS}
    assert all(client.get(link).status_code == 200 for link in links)


@pytest.mark.parametrize("address", ["/hardware", "/hardware/cpu/epyc-7763", "/hardware/cpu/epyc-7763.json", "/hardware/cpu/none"])
def test_queries_do_not_grow(stands, client, address, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        client.get(address)
    for at in range(30):
        upload([1e8 + at], CPUS[at % 3], f"WDC WD{at + 10}EFRX-68", cores=at + 10)
    cache.clear()
    with django_assert_max_num_queries(14):
        client.get(address)


HBAS = ["LSI 9300-8i", "Broadcom / LSI SAS9300-8i", "SAS9300-8i + PERC H730P Mini"]


@pytest.fixture
def with_controllers(db):
    for at, controller in enumerate(HBAS):
        upload([1e8 * (at + 1)], f"Xeon E5-26{at}0 v4", "Samsung SSD 980 PRO 1TB", controller=controller)
    upload([4e8], "Xeon E5-2690 v4")


def test_controllers_stand_beside_cpus_and_disks(with_controllers, client):
    found = {one["slug"]: one for one in client.get("/hardware.json").json()["components"] if one["kind"] == "controller"}
    assert {*found} == {"9300-8i", "perc-h730p"}
    assert (found["9300-8i"]["systems"], found["9300-8i"]["archives"], len(found["9300-8i"]["spellings"])) == (3, 3, 3)
    assert client.get("/hardware/controller/LSI-9300-8i").headers["Location"] == "/hardware/controller/9300-8i"
    page = client.get("/hardware/controller/9300-8i").text
    assert all(spelling in page for spelling in ("LSI 9300-8i", "Broadcom / LSI SAS9300-8i", "SAS9300-8i"))
    [operation] = client.get("/hardware/controller/9300-8i.json").json()["operations"]
    assert sorted(one["value"] for one in operation["systems"]) == [1e8, 2e8, 3e8]
    assert [one["value"] for one in operation["others"]] == [4e8]
    links = [unescape(link) for link in re.findall(r'href="(/compare\?[^"]+)"', page)]
    assert {*parse_qs(urlsplit(links[0]).query)["raid.controller"]} == {*HBAS}
    assert all(client.get(link).status_code == 200 for link in links)
    assert 'href="/hardware/controller/' in client.get(f"/configurations/{Configuration.objects.first().pk}").text


@pytest.mark.parametrize(
    ("q", "address"),
    [
        ("Xeon E5-2600 v4", "/hardware/cpu/xeon-e5-2600-v4"),
        ("e5-2610", "/hardware/cpu/xeon-e5-2610-v4"),
        ("Samsung 980 PRO", "/hardware/disk/samsung-980-pro-1000gb"),
        ("LSI 9300-8i", "/hardware/controller/9300-8i"),
        ("perc h730p", "/hardware/controller/perc-h730p"),
        ("lz4", ""),
        ("64", ""),
        ("Samsung", ""),
    ],
)
def test_a_search_offers_the_page_of_what_it_names(with_controllers, client, q, address):
    choices = client.get("/compare.json", {"q": q}).json()["choices"]
    assert [one["url"] for one in choices if one["url"].startswith("/hardware")] == ([address] if address else [])
    assert len(choices) <= 5
    assert ('id="to-hardware"' in client.get("/compare", {"q": q}).text) == bool(address)
