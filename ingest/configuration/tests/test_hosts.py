"""Evidence of one host never applies to results that name another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.configuration.host_names import identifies, same_host, short_name, usual_names
from ingest.records import FILE, FOLDER, RUNS, Measurement, StatedFact, Warning
from ingest.tests.whole import read_measurements, read_upload


def _output_of_dd(seconds: int = 4) -> str:
    rate = 1073.741824 / seconds
    return f"1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {seconds} s, {rate:.0f} MB/s\n"


def _uname(host: str, kernel: str = "6.1.0") -> str:
    return f"Linux {host} {kernel} #1 SMP x86_64 GNU/Linux\n"


def _lscpu(host: str) -> str:
    return f"Architecture: x86_64\nCPU(s): 8\nModel name: Example 1000 of {host}\n"


def _dd(host: str, seconds: int = 4) -> str:
    """A run of dd below a prompt that names the host."""
    return f"root@{host}:~# dd if=/dev/zero of=/x bs=1M count=1024\n{_output_of_dd(seconds)}"


def _ior(host: str) -> str:
    return (
        "IOR-3.3.0: MPI Coordinated Test of Parallel I/O\n"
        "Began               : Mon Oct  2 10:00:00 2023\n"
        "Command line        : ior -a POSIX -t 1m -b 1g\n"
        f"Machine             : Linux {host}\n"
        "TestID              : 0\nStartTime           : Mon Oct  2 10:00:00 2023\nPath                : /mnt/t\n"
        "\nOptions: \napi                 : POSIX\nxfersize            : 1 MiB\nblocksize           : 1 GiB\n\nResults: \n\n"
        "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n"
        "------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----\n"
        "write     512.34     512.36     1.99        1048576    1024.00    0.000100   1.99       0.000200   1.99       0   \n"
    )


def _cpus(files: dict[str, str], stated=None) -> dict[str, object]:
    return {m.file: m.config.get("cpu.model") for m in read_measurements(files, stated)}


def _values(files: dict[str, str], *keys: str) -> set[tuple[object, ...]]:
    return {tuple(m.config.get(key) for key in keys) for m in read_measurements(files)}


def _warnings(files: dict[str, str], stated=None) -> list[tuple[str, str]]:
    return [(w.file, w.message) for w in read_upload(files, stated) if isinstance(w, Warning) and w.code == "other-host"]


SYSTEM_OF_A = _uname("alpha") + _lscpu("alpha")
OF_A = "Example 1000 of alpha"


@pytest.mark.parametrize(
    ("files", "cpus"),
    [
        pytest.param({"system.txt": SYSTEM_OF_A, "a.txt": _dd("alpha")}, {"a.txt": OF_A}, id="its own evidence"),
        pytest.param({"system.txt": SYSTEM_OF_A, "a.txt": _dd("ALPHA.example.org")}, {"a.txt": OF_A}, id="name with domain"),
        pytest.param({"system.txt": SYSTEM_OF_A, "b.txt": _dd("beta")}, {"b.txt": None}, id="another prompt"),
        pytest.param({"system.txt": SYSTEM_OF_A, "b.txt": _ior("beta")}, {"b.txt": None}, id="the tool prints another"),
        pytest.param({"system.txt": SYSTEM_OF_A, "d.txt": _output_of_dd(4)}, {"d.txt": OF_A}, id="results without a host"),
        pytest.param({"system.txt": SYSTEM_OF_A, "d.txt": _dd("localhost")}, {"d.txt": OF_A}, id="localhost names none"),
        pytest.param({"lscpu.txt": _lscpu("x"), "a.txt": _dd("alpha")}, {"a.txt": "Example 1000 of x"}, id="one host known"),
        pytest.param(
            {"lscpu.txt": _lscpu("x"), "a.txt": _dd("alpha"), "b.txt": _dd("beta", 5)},
            {"a.txt": None, "b.txt": None},
            id="several hosts known",
        ),
        pytest.param(
            {"lscpu.txt": _lscpu("x"), "a.txt": _ior("node003"), "b.txt": _ior("node017").replace("512.34", "498.71")},
            {"a.txt": "Example 1000 of x", "b.txt": "Example 1000 of x"},
            id="nodes of one cluster",
        ),
        pytest.param(
            {"one/lscpu.txt": _lscpu("x"), "one/a.txt": _dd("alpha"), "two/b.txt": _dd("beta", 5)},
            {"one/a.txt": "Example 1000 of x", "two/b.txt": None},
            id="the folder knows one host",
        ),
        pytest.param(
            {"uname-alpha.txt": _uname("alpha"), "alpha/lscpu.txt": _lscpu("alpha"), "lscpu-beta.txt": _lscpu("beta")}
            | {"alpha/dd.txt": _output_of_dd(4), "beta/dd.txt": _dd("beta", 5)},
            {"alpha/dd.txt": OF_A, "beta/dd.txt": "Example 1000 of beta"},
            id="paths that name a host",
        ),
        pytest.param(
            {"system.txt": SYSTEM_OF_A, "beta/uname.txt": _uname("beta", "5.4.0"), "beta/dd.txt": _output_of_dd(4)},
            {"beta/dd.txt": None},
            id="the folder's evidence names another host than the archive's",
        ),
        pytest.param(
            {"both.txt": f"root@alpha:~# lscpu\n{_lscpu('alpha')}root@beta:~# lscpu\n{_lscpu('beta')}root@beta:~#\n"}
            | {"a.txt": _dd("alpha"), "b.txt": _dd("beta", 5), "c.txt": _dd("gamma", 6)},
            {"a.txt": OF_A, "b.txt": "Example 1000 of beta", "c.txt": None},
            id="prompts of two hosts in a context file",
        ),
        pytest.param(
            {"t.txt": f"me@login:~$ lscpu\n{_lscpu('login')}me@login:~$ srun ior\n{_ior('node003')}"},
            {"t.txt": None},
            id="a transcript of a login node",
        ),
    ],
)
def test_results_take_the_evidence_of_their_host(files, cpus):
    assert _cpus(files) == cpus


def test_one_warning_for_each_file_and_host_names_both():
    files = {"system.txt": SYSTEM_OF_A, "b1.txt": _dd("beta"), "b2.txt": _dd("beta", 5), "c.txt": _dd("gamma", 6)}
    assert [file for file, _ in _warnings(files)] == ["system.txt", "system.txt"]
    assert all("alpha" in message for _, message in _warnings(files))
    assert ["beta" in message for _, message in _warnings(files)] == [True, False]
    assert not _warnings({"system.txt": SYSTEM_OF_A, "a.txt": _dd("alpha"), "d.txt": _output_of_dd(4)})


def test_warnings_of_one_file_are_limited():
    files = {f"{number}.txt": _dd(f"host-{chr(97 + number)}x", number + 2) for number in range(25)}
    messages = [message for _, message in _warnings(files | {"system.txt": SYSTEM_OF_A})]
    assert len(messages) == 20
    assert messages[-1].endswith("Further hosts are not listed.")


def test_pools_may_be_those_of_a_server():
    pool = "NAME  PROPERTY     VALUE  SOURCE\ntank  compression  lz4    local\n"
    server = {"server.txt": _uname("server") + pool}
    client = {"client.txt": _dd("client")}
    assert _values(server | client, "pool.compression", "kernel") == {("lz4", None)}
    own = {"own.txt": _uname("client") + "NAME  PROPERTY     VALUE  SOURCE\ntank  recordsize   128K   local\n"}
    assert _values(server | client | own, "pool.compression", "pool.recordsize") == {(None, 131072)}


@pytest.mark.parametrize(
    ("stated", "cpu"),
    [
        pytest.param([], None, id="nothing stated"),
        pytest.param(
            [StatedFact("host", "beta", FILE, "system/lscpu.txt")], "Example 1000 of x", id="the evidence is of that host"
        ),
        pytest.param([StatedFact("host", "beta", FOLDER, "system")], "Example 1000 of x", id="its folder is"),
        pytest.param([StatedFact("host", "gamma", FILE, "system/lscpu.txt")], None, id="the evidence is of another host"),
        pytest.param([StatedFact("host", "alpha", RUNS, "b.txt", frozenset([4]))], None, id="another host stated for the run"),
    ],
)
def test_a_person_states_the_host_of_evidence(stated, cpu):
    files = {"system/lscpu.txt": _lscpu("x"), "a.txt": _dd("alpha"), "b.txt": _dd("beta", 5)}
    assert _cpus(files, stated)["b.txt"] == cpu


def test_a_manifest_states_the_host_of_evidence():
    files = {"lscpu.txt": _lscpu("x"), "a.txt": _dd("alpha"), "b.txt": _dd("beta", 5)}
    manifest = '[files."lscpu.txt"]\nhost = "beta"\n'
    assert _cpus(files | {"poolmark.toml": manifest}) == {"a.txt": None, "b.txt": "Example 1000 of x"}


def test_names_of_bonnie_are_labels_where_they_change_below_one_prompt():
    row = (
        "1.97,1.97,{},1,1362000000,8G,,{},96,157811,24,88222,13,{},94,292222,19,301.4,11,16,,,,,18844,61,+++++,+++,23015,55,"
        "19422,63,+++++,+++,22891,56,9123us,1200ms,900ms,20123us,211ms,120ms,300us,700us,800us,250us,20us,450us\n"
    )
    text = f"root@alpha:~# cat all.csv\n{row.format('oak', 611, 1722)}\n{row.format('elm', 622, 1733)}"
    assert set(_cpus({"system.txt": SYSTEM_OF_A, "bonnie.txt": text}).values()) == {OF_A}
    one = f"root@alpha:~# cat all.csv\n{row.format('oak', 611, 1722)}"
    assert set(_cpus({"system.txt": SYSTEM_OF_A, "bonnie.txt": one}).values()) == {None}


HOSTS = ("alpha", "beta")
FOLDERS = ("", "one/", "two/", "one/deep/", "sysinfo/", "alpha/", "beta/")


@settings(max_examples=60, deadline=None)
@given(
    evidence=st.lists(st.tuples(st.sampled_from(FOLDERS), st.sampled_from(HOSTS)), min_size=1, max_size=4),
    results=st.lists(st.tuples(st.sampled_from(FOLDERS), st.sampled_from(HOSTS), st.booleans()), min_size=1, max_size=4),
)
def test_no_value_has_the_processor_of_another_host(evidence, results):
    files = {f"{folder}system-{'abcd'[n]}.txt": _uname(host) + _lscpu(host) for n, (folder, host) in enumerate(evidence)}
    hosts = {}
    for number, (folder, host, is_ior) in enumerate(results):
        path = f"{folder}result-{number}.txt"
        hosts[path] = host
        files[path] = _ior(host).replace("512.34", f"{500 + number}.12") if is_ior else _dd(host, number + 2)
    measurements = [record for record in read_upload(files) if isinstance(record, Measurement)]
    assert {m.file for m in measurements} == set(hosts)
    for m in measurements:
        assert m.config.get("cpu.model") in (None, f"Example 1000 of {hosts[m.file]}"), (m.file, m.config_from)
        own_folder = {host for folder, host in evidence if m.file.startswith(folder) and m.file.count("/") == folder.count("/")}
        if hosts[m.file] in own_folder:
            assert m.config.get("cpu.model") == f"Example 1000 of {hosts[m.file]}"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("nas", "NAS", True),
        ("nas", "nas.example.org", True),
        ("nas.a.org", "nas.b.org", False),
        ("nas1", "nas2", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("10.0.0.1", "10.0.0.1", True),
    ],
)
def test_names_of_one_host(first, second, same):
    assert same_host(first, second) is same
    assert same_host(second, first) is same


@pytest.mark.parametrize(("host", "short"), [("Nas.Example.org", "nas"), ("10.0.0.1", "10.0.0.1"), ("(none)", "none")])
def test_short_names(host, short):
    assert short_name(host) == short


@pytest.mark.parametrize(
    ("host", "is_identifying"),
    [(name, True) for name in ("cephhpc003", "stor-17", "debian-nas", "archie", "vm1", "tower2", "fedora-lab", "kvm-guest-7")]
    + [
        (name, False) for name in ("localhost.localdomain", "(none)", "", "VM", "debian12", "ubuntu-2204", "rocky9", "ubuntu-jammy")
    ],
)
def test_usual_names_identify_no_machine(host, is_identifying):
    assert identifies(host) is is_identifying


FULL = "stor-17.lab.example.org"


@pytest.mark.parametrize(
    ("spellings", "usual"),
    [
        (["stor-17", FULL], [FULL, FULL]),
        (["STOR-17", "stor-17"], ["stor-17", "stor-17"]),
        (["stor-17", "Stor-17", FULL], [FULL] * 3),
        (["n1", "n1.x.org", "n1.y.org"], ["n1", "n1.x.org", "n1.y.org"]),
        (["n1", "N1", "n1.x.org", "n1.y.org"], ["n1", "n1", "n1.x.org", "n1.y.org"]),
        (["10.0.0.5", "10.0.0.6"], ["10.0.0.5", "10.0.0.6"]),
        (["localhost", "localhost.localdomain"], ["localhost", "localhost.localdomain"]),
        (["tank1", "tank10.example.org"], ["tank1", "tank10.example.org"]),
    ],
)
def test_one_spelling_stands_for_all_of_a_host(spellings, usual):
    names = usual_names(spellings)
    assert [names.get(spelling, spelling) for spelling in spellings] == usual
    assert usual_names(reversed(spellings)) == names


@pytest.mark.parametrize("files", [["stor-17", FULL], [f"stor-17 {FULL}"]], ids=["files", "prompts of one file"])
@pytest.mark.parametrize(
    ("kernels", "cpus"), [(("6.1.0", "6.12.0"), ("", "")), (("6.1.0", "6.1.0"), ("Xeon E5-2620", "EPYC 7302"))]
)
def test_a_host_has_one_spelling_where_no_hardware_contradicts(files, kernels, cpus):
    shown = {}
    for host, kernel, cpu in zip(("stor-17", FULL), kernels, cpus, strict=True):
        listed = f"root@{host}:~# lscpu\nArchitecture: x86_64\nCPU(s): 8\nModel name: {cpu}\n" if cpu else ""
        shown[host] = f"root@{host}:~# uname -a\n{_uname(host, kernel)}{listed}{_dd(host)}"
    uploaded = {f"{at}.txt": "".join(shown[host] for host in file.split()) for at, file in enumerate(files)}
    found = {m.config["host"] for m in read_measurements(uploaded)}
    assert found == ({"stor-17", FULL} if cpus[0] else {FULL})


STATED = "stor-17"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ([StatedFact("host", STATED)], [STATED, STATED, "tank1"]),
        ([StatedFact("host", STATED, FOLDER, "a")], [STATED, "debian", "tank1"]),
        ([StatedFact("host", STATED, FILE, "a/vm.txt")], [STATED, "debian", "tank1"]),
        ([StatedFact("host", STATED, RUNS, "b.txt", frozenset([4]))], ["vm", STATED, "tank1"]),
        ('[configuration]\nhost = "stor-17"\n', [STATED, STATED, "tank1"]),
        ('[files."a/"]\nhost = "stor-17"\n', [STATED, "debian", "tank1"]),
    ],
)
def test_a_host_that_somebody_entered_wins_over_a_name_of_many_machines(stated, expected):
    files = {"a/vm.txt": _dd("vm"), "b.txt": _dd("debian"), "c.txt": _dd("tank1")}
    manifest = {"poolmark.toml": stated} if isinstance(stated, str) else {}
    found = {m.file: m.config["host"] for m in read_measurements(files | manifest, stated if not manifest else None)}
    assert [found[path] for path in files] == expected
