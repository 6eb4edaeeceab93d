"""Values of a run that ended in an error say so, and no others do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.keys import ERROR
from ingest.records import Measurement

DD = "$ dd if=/dev/urandom of=/t/x bs=1M count=5000\n{}"
DD += "3000+0 records in\n3000+0 records out\n3145728000 bytes (3.1 GB) copied, 20.{} s, 157 MB/s\n"
CP = "$ time cp -r /srv/a /mnt/b\n{}\nreal\t0m1{}.000s\nuser\t0m0.1s\nsys\t0m1.0s\n"


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        (DD.format("dd: error writing '/t/x': No space left on device\n", 1) + DD.format("", 2), ["no space left", None]),
        (DD.format("", 1) + DD.format("dd: writing `/t/x': Input/output error\n", 2), [None, "I/O error"]),
        (CP.format("cp: error writing '/mnt/b/1': Disk quota exceeded\n" * 5, 1) + CP.format("", 2), ["quota exceeded", None]),
        (CP.format("cp: cannot create '/mnt/b': Read-only file system\n", 1), ["read-only file system"]),
        ("When I wrote more I got No space left on device, so:\n" + DD.format("", 1), [None]),
        (DD.format("", 1) + "[ 12.5] EXT4-fs (sda1): mounted filesystem\n", [None]),
    ],
)
def test_the_run_that_failed_is_marked(tmp_path: Path, text: str, errors: list[str | None]) -> None:
    (tmp_path / "log.txt").write_text(text)
    found = {m.line: m.params.get(ERROR) for m in read([tmp_path]) if isinstance(m, Measurement) and m.metric.endswith("elapsed")}
    assert list(found.values()) == errors


REPORT = (
    "Version  1.97       ------Sequential Output------ --Sequential Input- --Random-\n"
    "Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
    "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
    "tank1            4G   700  90 80000  10 40000   8  3000  95 120000   9 310.5   5\n"
)
CSV = (
    "1.97,1.97,tank1,1,1300000000,4G,,700,90,80000,10,40000,8,3000,95,120000,9,310.5,5,,,,,,,,,,,,,,,,,,"
    "11ms,500ms,900ms,12ms,90ms,700ms,,,,,,\n"
)
STEPS = "Rewriting...done\nReading a byte at a time...done\nReading intelligently...done\n"
IOZONE = (
    "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.489 $\n\n"
    "\tCommand line used: iozone -s 65536 -r 1024 -i 0 -i 1\n\tOutput is in kBytes/sec\n\n"
    "              kB  reclen    write  rewrite    read    reread\n"
    "           65536    1024   812200   822000  901000   910000\n"
)
IOR = (
    "IOR-3.3.0: MPI Coordinated Test of Parallel I/O\nCommand line        : ior -w -r -t 1m -b 64m -o /mnt/t/f\n"
    "Options: \napi                 : POSIX\ntasks               : 2\nxfersize            : 1 MiB\nblocksize           : 64 MiB\n"
    "segments            : 1\n\nResults: \n\n"
    "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n"
    "------    ---------  ---------- ---------  --------   --------   --------   --------   ----\n"
    "write     812.20     65536      1024.00    0.001200   0.150000   0.000100   0.157600   0   \n"
)
MDTEST = (
    "mdtest-3.4.0 was launched with 2 total task(s) on 1 node(s)\nCommand line used: mdtest '-n' '100' '-d' '/mnt/t'\n\n"
    "2 tasks, 200 files/directories\n{}\nSUMMARY rate: (of 1 iterations)\n"
    "   Operation                      Max            Min           Mean        Std Dev\n"
    "   ---------                      ---            ---           ----        -------\n"
    "   File creation             :      21000.100      21000.100      21000.100          0.000\n"
)
RSYNC = (
    '$ rsync -a --stats /src/ /mnt/t/\nrsync: [receiver] write failed on "/mnt/t/big": {}\n'
    "rsync error: error in file IO (code 11) at receiver.c(380) [receiver=3.2.7]\n\n"
    "Total file size: 1,073,741,824 bytes\nTotal transferred file size: 1,073,741,824 bytes\n"
    "sent 1,073,999,000 bytes  received 300 bytes  71,599,953.33 bytes/sec\ntotal size is 1,073,741,824  speedup is 1.00\n"
)
TIMED = "$ time {}\n{}\n\nreal\t0m12.300s\nuser\t0m1.000s\nsys\t0m3.000s\n"
ELBENCHO = (
    "OPERATION   RESULT TYPE        FIRST DONE   LAST DONE\n=========== ================   ==========   =========\n"
    "WRITE       Elapsed time     :      1.500s      1.600s\n            Throughput MiB/s :        1300        1200\n"
)
SYSBENCH = (
    "$ sysbench fileio --file-total-size=4G --file-test-mode=seqwr run\nsysbench 1.0.20\nBlock size 16KiB\nThreads started!\n"
    "FATAL: Failed to write file! file: 10 pos: 0, size: 16384, errno = 28 ({})\n\nFile operations:\n"
    "    writes/s:                     1000.00\n"
)
MESSAGES = {
    "No space left on device": "no space left",
    "Input/output error": "I/O error",
    "Disk quota exceeded": "quota exceeded",
    "Read-only file system": "read-only file system",
    "Stale file handle": "stale file handle",
}
TOOLS = {
    "bonnie++ in a transcript": "$ bonnie++ -d /mnt/t\nWriting with putc()...done\nWriting intelligently...Can't write block.: {}\n"
    + "Can't write block 260096.: {}\ndone\n" + STEPS + "start 'em...done...done...\n" * 3 + REPORT,
    "bonnie++ with its CSV": "Writing intelligently...done\nRewriting...Can't write block.: {}\ndone\n" + REPORT + CSV,
    "bonnie++ in a log": "Using uid:0, gid:0.\nWriting intelligently...Can't write block.: {}\ndone\n" + STEPS + STEPS + REPORT,
    "iozone": IOZONE + "Error writing block 63, fd= 3\nwrite: {}\n\niozone: interrupted\n\nexiting iozone\n",
    "ior": IOR + "ior ERROR: write() failed, errno 28, {} (aiori-POSIX.c:540)\nMPI_ABORT was invoked on rank 0\n",
    "mdtest": MDTEST.format('ior ERROR: open64("/mnt/t/f", 66, 0664) failed, errno 28, {} (aiori-POSIX.c:410)'),
    "dd": "$ dd if=/dev/zero of=/t/x bs=1M count=4096\ndd: error writing '/t/x': {}\n1025+0 records in\n1024+0 records out\n"
    "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.5 s, 429 MB/s\n",
    "rsync": RSYNC,
    "tar": TIMED.format("tar xf linux.tar -C /mnt/t", "tar: linux-6.1/README: Cannot write: {}\ntar: Exiting with failure status"),
    "cp": TIMED.format("cp -a /src /mnt/t", "cp: error writing '/mnt/t/src/big': {}"),
    "rm": TIMED.format("rm -rf /mnt/t/x", "rm: cannot remove '/mnt/t/x/y': {}"),
    "elbencho": ELBENCHO + "ERROR: write() failed: {}\n",
    "sysbench": SYSBENCH,
}  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("tool", TOOLS)
def test_every_value_of_a_failed_run_says_so(tmp_path: Path, tool: str, message: str) -> None:
    (tmp_path / "log.txt").write_text(TOOLS[tool].replace("{}", message))
    values = [record for record in read([tmp_path]) if isinstance(record, Measurement)]
    assert values and {value.params.get(ERROR) for value in values} == {MESSAGES[message]}
