"""A label, a list of specifications and a prompt speak of their section, host and no other, whatever the markup."""

from __future__ import annotations

import pytest

from ingest.tests.whole import read_measurements

LINUX = {"os.family": "Linux", "os.name": "Ubuntu", "os.version": "22.04", "cpu.model": "Xeon E5-2620 v3", "memory": 64 << 30}
NO_CPU = {key: value for key, value in LINUX.items() if key != "cpu.model"}
SHEET = "* OS: Ubuntu 22.04\n* CPU: Xeon E5-2620 v3\n* RAM: 64 GB\n\n"
ROWS = "| CPU | Xeon E5-2620 v3 |\n|---|---|\n| RAM | 64 GB |\n| OS | Ubuntu 22.04 |\n\n"
LSCPU = "```\n$ lscpu\nArchitecture: x86_64\nCPU(s): 8\nModel name: Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz\n```\n"
EXT4, XFS, RAIDZ = {"fs.type": "ext4"}, {"fs.type": "xfs"}, {"pool.layout": "raidz2", "pool.compression": "lz4"}


def output(number: int) -> str:
    return f"2097152000 bytes (2.1 GB, 2.0 GiB) copied, {number}.25 s, {2097 / (number + 0.25):.0f} MB/s\n"


def configurations(
    text: str, name: str = "post.md", skipped: tuple[str, ...] = ("pool.compression_", "pool.dedup", "kernel", "arch")
):
    """The printed configuration of each result; `#` in the text is replaced by an output in a block of code, `@` by one without."""
    for number in range(2, 2 + text.count("\0")):
        text = text.replace("\0", output(number), 1)
    found = [one for one in read_measurements({name: text}) if one.metric.endswith("elapsed")]
    return [
        {key: value for key, value in one.config.items() if not key.startswith(skipped) and value != "off" and "|" not in key}
        for one in found
    ]


RUN = "```\n\0```\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"# Desktop\n\next4, block 4k:\n\n{RUN}# NAS\n\nDefault:\n\n{RUN}", [EXT4, {}]),
        ("[b]Desktop[/b]\n\next4:\n[code]\n\0[/code]\n\n[b]NAS[/b]\n[code]\n\0[/code]\n", [EXT4, {}]),
        (
            f"<details><summary>ext4 here</summary>\n\n{RUN}</details>\n\n<details><summary>NAS</summary>\n\n{RUN}</details>\n",
            [EXT4, {}],
        ),
        (f"Laptop (ext4):\n\n{RUN}Server:\n\n{RUN}", [EXT4, {}]),
        (f"1. ext4 on NVMe\n\n{RUN}2. The NAS\n\n{RUN}", [EXT4, {}]),
        (f"ext4\n\n{RUN}The other box\n\n{RUN}", [EXT4, {}]),
        (f"### Disque dur, ext4\n\n{RUN}### Serveur\n\n{RUN}", [EXT4, {}]),
        (f"## Platte eins\n\nDateisystem: ext4\nfs=ext4\n\n{RUN}## Platte zwei\n\n{RUN}", [EXT4, {}]),
        (f"## One\n\n```\n# ext4\n\0```\n\n## Two\n\n{RUN}", [EXT4, {}]),
        ("= Bench\n\n== Desktop\n\n.ext4, 4k\n----\n\0----\n\n== NAS\n\n----\n\0----\n", [EXT4, {}]),
        ("== Notebook ==\n'''ext4:'''\n<pre>\n\0</pre>\n== Server ==\n<pre>\n\0</pre>\n", [EXT4, {}]),
        ("=== ext4 ===\n--- write ---\n\0--- read ---\n\0=== NAS ===\n--- write ---\n\0", [EXT4, EXT4, {}]),
        (f"# Desktop\n\n## ext4\n\n{RUN}## xfs\n\n{RUN}# NAS\n\n{RUN}", [EXT4, XFS, {}]),
        (f"# raidz2, lz4\n\n## Sequential\n\n{RUN}## 4k\n\n{RUN}# NAS\n\n{RUN}", [RAIDZ, RAIDZ, {}]),
        (f"## Setup\n\n{SHEET}## Results\n\n{RUN}## More of them\n\n{RUN}", [LINUX, LINUX]),
        (f"# ext4 here\n\n{RUN}## Second run\n\n{RUN}", [EXT4, EXT4]),
        ("ext4:\nW: \0R: \0\n\ncache disk:\nW: \0R: \0", [EXT4, EXT4, {}, {}]),
    ],
)
def test_a_caption_ends_with_its_section(text, expected):
    assert configurations(text) == expected


@pytest.mark.parametrize(
    "form",
    [
        *("## {}", "**{}**", "*{}:*", "[b]{}[/b]", "=== {} ===", "{}\n--------", "<h2>{}</h2>", "1. {}", "{}:", "h2. {}", "{} :"),
        "<details><summary>{}</summary>\n",
    ],
)
@pytest.mark.parametrize(("one", "two"), [("Server one", "Server two"), ("Rechner", "Notebook"), ("Poste fixe", "Portable")])
def test_a_list_of_specifications_speaks_of_its_section(form, one, two):
    text = f"{form.format(one)}\n\n{SHEET}{RUN}{form.format(two)}\n\n{RUN}"
    assert configurations(text) == [LINUX, {}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{SHEET}```\nroot@one:~# dd\n\0root@two:~# dd\n\0```\n", [LINUX | {"host": "one"}, {"host": "two"}]),
        (f"## Desktop\n\nCPU: Core i7-920\nRAM: 8 GB\n\n## NAS\n\nRAM: 64 GB\nOS: Ubuntu 22.04\n\n{RUN}", [NO_CPU]),
        (f"## Desktop\n\nCPU: Core i7-920\nRAM: 8 GB\n\n## NAS\n\nRAM: 64 GB\nOS: Ubuntu 22.04\n\n## Results\n\n{RUN}", [{}]),
        (
            f"## Test system\n\n{SHEET}## With less memory\n\nMemory: 8 GB\nRAM: 8 GB\nOS: Ubuntu 22.04\n\n{RUN}",
            [LINUX | {"memory": 8 << 30}],
        ),
        (f"## Server one\n\n{ROWS}{RUN}## Server two\n\n{RUN}", [LINUX, {}]),
        (f"## Server one\n\n{LSCPU}{RUN}## Server two\n\n{RUN}", [{"cpu.model": LINUX["cpu.model"]}, {}]),
        (
            f"## Server one\n\n{LSCPU}```\nroot@one:~# dd\n\0```\n## Server two\n\n{RUN}",
            [{"host": "one", "cpu.model": "Xeon E5-2620 v3"}, {}],
        ),
        ("ext4:\n```\nroot@one:~# dd\n\0```\nand\n```\nroot@two:~# dd\n\0```\n", [EXT4 | {"host": "one"}, {"host": "two"}]),
        ("Server A: Ubuntu 22.04, Xeon E5-2620 v3, 64 GB RAM\n\nroot@one:~# dd\n\0\n"
         "Server B: Debian 12, 8 GB RAM\n\nroot@two:~# dd\n\0",
         [LINUX | {"host": "one"},
          {"host": "two", "os.family": "Linux", "os.name": "Debian", "os.version": "12", "memory": 8 << 30}]),
    ],
)  # fmt: skip
def test_what_is_said_of_one_host_is_not_of_another(text, expected):
    assert configurations(text) == expected


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        *(
            ("C:\\Users\\me>", None),
            ("PS C:\\Users\\me> ", None),
            ("PS D:\\> ", None),
            ("\u279c  ~ ", None),
            ("[~] # ", None),
            ("-bash-4.2$ ", None),
        ),
        *(("sh-5.1# ", None), ("bash-5.2$ ", None)),
        *(("me@mac ~ % ", "mac"), ("mac:~ me$ ", "mac"), ("[root@esx:~] ", "esx")),
    ],
)
def test_a_prompt_of_another_kind_is_of_another_host(prompt, host, is_first):
    blocks = [
        "```\nroot@vault:~# uname -a\nLinux vault 5.4.0 #1 SMP x86_64 GNU/Linux\nroot@vault:~# dd if=/dev/zero of=t bs=1M\n\0```\n",
        f"```\n{prompt}dd if=/dev/zero of=t bs=1M\n\0```\n",
    ]
    expected = [{"host": "vault", "os.family": "Linux"}, {"host": host} if host else {}]
    order = (1, 0) if is_first else (0, 1)
    assert configurations("".join(blocks[at] for at in order)) == [expected[at] for at in order]


def test_a_prompt_speaks_of_its_section_and_of_those_that_only_go_on():
    run = "```\nroot@vault:~# dd if=/dev/zero of=t bs=1M\n\0```\n"
    assert configurations(f"# NAS\n\n{run}## Reading\n\n{RUN}# Old disk\n\n{RUN}") == [{"host": "vault"}, {"host": "vault"}, {}]


@pytest.mark.parametrize("prompt", ["root@one:~# ", "$ ", ""])
@pytest.mark.parametrize("title", ["Answer (score 5)", "Reply by tuxi", "2 comments", "Antwort", "Posted by tuxi", "tuxi wrote"])
def test_what_somebody_says_of_a_machine_is_not_of_that_of_who_answers(title, prompt):
    asked = f"```\n{prompt}dd if=/dev/zero of=t bs=1M\n\0```\n"
    text = f"# Why is my array slow?\n\n{SHEET}{asked}### {title}\n\n```\n# dd if=/dev/zero of=t bs=1M\n\0```\n"
    assert configurations(text) == [LINUX | ({"host": "one"} if "@" in prompt else {}), {}]


def test_an_answer_with_a_prompt_has_its_host():
    text = "# Why?\n\n```\nroot@one:~# dd\n\0```\n## Answer\n\n```\nroot@two:~# dd\n\0```\n"
    assert configurations(text) == [{"host": "one"}, {"host": "two"}]


@pytest.mark.parametrize("form", ["### {}", "**{}**", "<summary>{}</summary>", "=== {} ===", "{}\n" + "-" * 99])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "raidz2 (4 disks), sync=always over NFS, measured in the evening",
            {"fs.type": "nfs", "pool.layout": "raidz2(4)", "disk.count": 4, "pool.sync": "always"},
        ),
        ("Test 7 - XFS on eight disks of 12 TB with an external journal on NVMe", XFS),
        (
            "Spiegel aus zwei Platten, gemessen am Abend, recordsize=1M sync=disabled",
            {"pool.recordsize": 1 << 20, "pool.sync": "disabled"},
        ),
    ],
)
def test_a_long_heading_is_a_caption(form, words, expected):
    other = "Something wholly different, which has a long and winding name as well, so that it cannot be taken for a short one"
    words += ", as described at length in the notes of that day"
    assert configurations(f"{form.format(words)}\n\n{RUN}{form.format(other)}\n\n{RUN}") == [expected, {}]
