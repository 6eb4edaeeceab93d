"""Commands and scripts of strangers: no text raises, and none takes time or memory without end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.configuration.run_commands import _matching_components
from ingest.detect.detect import command_readers
from ingest.detect.script_commands import UNKNOWN, find_script
from ingest.options import TOOLS, command_params, open_params, run_under
from ingest.text.lines import Text

READERS = command_readers()
PROGRAMS = {program: reader.tool for reader in READERS.values() for program in reader.programs}
COMMANDS = """
fio --name=a --rw=randread --bs=4k,8k --ioengine=libaio --iodepth=32 --size=1g --filename=/dev/nvme0n1:/dev/sdb
fio --output-format=json --runtime=60s --rwmixread=70 --zero_buffers jobs.fio > out/fio_$i.json 2>&1
mpirun -np 8 ior -a POSIX -b 1g -t 1m -e -C -O reorderTasks=1,keepFile=1 -o /mnt/a@/mnt/b
srun -n 4 mdtest -n 1000 -d /mnt/x -i 3 -F -N 1 -w 4k
iozone -a -s 1g -r 4k -i 0 -i 1 -I -e -+u -b x.xls -f /mnt/tmp
sudo nice -n 19 bonnie++ -d /mnt -s 8g:4k -n 16:1k:0:4 -f -q -u root | tee bonnie.csv
taskset -c 0-3 dd if=/dev/zero of="/mnt/a b" bs=1M count=1024 oflag=direct,dsync conv=fdatasync 2>>log.txt
rsync -aHAX --delete --bwlimit=1.5m -e 'ssh -p 22' /a/ user@host:/b/
tar cbf 20 x.tar /etc --exclude='*.o'
cp -a --reflink=auto --sparse=never src dst
sysbench fileio --file-total-size=1G --file-test-mode=rndrw --file-extra-flags=direct,dsync --threads=8 run
ioping -c 10 -i 0.2 -s 4k -D -WWW /dev/sda
elbencho -w -r -t 8 -s 1g -b 1m --direct --timelimit 60 /mnt/{a,b}/file[1-4]
""".strip().splitlines()
SCRIPT = """
#!/bin/bash
set -- 1 2 3; dev=${1:-/dev/sdb}
run() { local n=$1; if [ "$n" -eq 2 ]; then exit; elif [[ $n == 4* ]]; then echo $n; else fio --name=$n "${@}" > $n.txt; fi; }
for bs in 4k 8k {1..3}k; do for ((i=0;i<3;i++)); do
  case $bs in 4k|8k) run $bs --bs=$bs ;; *) dd if=/dev/zero of=$dev bs=$bs count=$((i * 2)) 2>&1 | tee dd_$(seq -w 1 3)_$bs ;; esac
done; done > all.txt
while read a; do bash -c 'iozone -s $a -f /x'; done < list; (ior -o $dev; mdtest -d $dev) &
""".strip()
MARKS = [
    *"'\"`\\$(){}[];|&<>=#-+,:@%*? \t\n\r\0\x02\x03\x1a\x1c1٣²",
    *"'' \x020\x03 $(( )) $( ${ ;; && () {1..9999} $@".split(" "),
    *(" in ", " do ", " done ", "if ", "case ", "for ", "function ", "seq ", "'' ; ", "9" * 20, "9" * 5000),
]


@st.composite
def damaged(draw: st.DrawFn, texts: list[str]) -> str:
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        start, length = draw(st.integers(0, len(text))), draw(st.integers(0, 12))
        text = text[:start] + draw(st.sampled_from(MARKS) | st.text(max_size=8)) + text[start + length :]
    return text


wild = st.lists(st.sampled_from([*MARKS, *" ".join(COMMANDS).split()]) | st.text(max_size=8), max_size=30).map("".join)
versions = st.sampled_from([None, "fio-3.36", "2.0", "", "9" * 5000])


@pytest.mark.hypothesis
@given(damaged(COMMANDS) | wild, versions)
def test_no_command_raises(command: str, version: str | None) -> None:
    run_under(command)
    for tool in TOOLS:
        given_options = command_params(tool, command, version)
        assert all(isinstance(value, str) and value for value in given_options.values())
        open_params(tool, {command[:40]: command[40:]}, version)
    for reader in READERS.values():
        reader.read(command, version, {})


@pytest.mark.hypothesis
@given(damaged([SCRIPT, *COMMANDS]) | wild, st.sampled_from(["run.sh", "Makefile", "README.md", "commands.txt"]))
def test_no_script_raises(body: str, name: str) -> None:
    body = f"```\n{body}\n```" if name.endswith("md") else body
    script = find_script(Text(name, body.split("\n"), body), PROGRAMS)
    for command in script.commands if script else ():
        READERS[command.tool].read(command.text, None, {"jobs.fio": body.split("\n")})


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "body",
    [
        "a=xx\nfor i in {1..200}; do a=$a$a; fio --name=$a; done",
        "a=x\nfor i in {1..200}; do a+=$a; fio --name=$a; done",
        f"f() {{ fio --name=$1; f {'$@' * 90}; }}\nf abc",
        f"a={'x' * 3000}\nfio {'$a' * 20000}",
        f"fio --name=a{' | cat' * 9000} > x",
        f"for i in {{1..200}}; do for j in {{1..200}}; do fio{' -x' * 9000}; done; done",
        "fio " + "{1..9999}" * 2 + "x" * 50000,
        "fio " + "$((" * 9000,
        "( " * 20000 + "fio",
        "fio --name=$(seq 1 99999999999999999999999)",
        f"fio --name=${{{'1' * 5000}}}",
        f"if [ {'1' * 5000} -eq 1 ]; then fio; fi",
        "fio --name=\x027\x03 $(\x020\x03)",
    ],
    ids=range(13),
)
def test_scripts_that_grow_end(body: str) -> None:
    script = find_script(Text("run.sh", body.split("\n"), body), PROGRAMS)
    assert sum(len(command.text) for command in script.commands) < 20_000_000 if script else True


@pytest.mark.timeout(20)
def test_names_of_unknown_parts_are_compared_in_linear_time() -> None:
    assert _matching_components(["a" * 200 + ".txt"], f"a{UNKNOWN}" * 40 + "b") == 0
    assert _matching_components(["fio[4k]_1.TXT"], f"fio[{UNKNOWN}]_{UNKNOWN}.txt") == 1
