"""Archives that could mislead, and plain ones that must not be denied their answer: from files to what /compare.json says."""

from __future__ import annotations

import json
from operator import attrgetter

import pytest
from django.test import Client

from ingest.options import is_option
from ingest.records import FOLDER
from webapp.archives.statements import StatementScope, add_statements
from webapp.comparison.compared_set import PRESET_AXES
from webapp.comparison.tests.misleading_archives import COMPRESSION, MISLEADING, PLAIN, SETTINGS, WRITE, Case, around
from webapp.comparison.tests.result_files import bonnie
from webapp.jobs.tasks import ingest_archive
from webapp.storage import load
from webapp.tests import samples

SAYS: dict[str, tuple[str, ...]] = {
    "2 GiB beside 256 MiB": (
        "controlled: tool bonnie++, file_size 2147483648, threads 1, seekers 5, seeks 8192",
        "lz4: 110 MiB/s; n 3; 1 machines, 1 sessions",
        "gzip-6: 60 MiB/s; n 3; 1 machines, 1 sessions; 0.545x lz4; slower in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "off: empty; has file size 256 MiB (3 runs)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "an axis without a named workload": (
        "controlled: tool bonnie++, file_size 2147483648, threads 1, seekers 5, seeks 8192",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 110 MiB/s; n 3; 1 machines, 1 sessions; 1.1x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "one CPU spelt twice": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "Xeon E5-1620 v2: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "all: host alpha, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824",
    ),
    "two of three runs too fast to measure": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 200.8 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: > 1.638e+04 MiB/s; n 3; 1 machines, 1 sessions; 2 too_fast above 1.638e+04 MiB/s; > 81.6x off; no claim: "
        "3 and 3 runs in 1 session with both sides; at least 4 a side, as some values are only bounded; (options not "
        "recorded, of zeros, which compress to nothing)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "two machines of which nothing is known": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions; [maybe-cached]",
        "all: host alpha, fs.type zfs, pool.compression off",
    ),
    "three reads of a cached file": (
        "controlled: tool dd, file_size 268435456, block_size 1048576",
        "off: 2000 MiB/s; n 3; 1 machines, 1 sessions; [cached]",
        "lz4: 4006 MiB/s; n 3; 1 machines, 1 sessions; [cached]; 2x off; faster in this session; (from memory, "
        "contents of the data unknown, drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "17179869184, fs.type zfs",
    ),
    "six runs at 20 and six at 900, hours apart": (
        "controlled sought: tool iozone, file_size 8589934592, record_size 1048576",
        "lz4: none; n 12; 1 machines, 2 sessions; parts 904 MiB/s and 20 MiB/s",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs, pool.compression lz4",
    ),
    "29 times slower in every run, but few runs": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 290 MiB/s; n 3; 1 machines, 1 sessions",
        "gzip-9: 10.05 MiB/s; n 2; 1 machines, 1 sessions; 0.0347x off; no claim: 2 and 3 runs in 1 session with both "
        "sides; at least 3 a side; (options not recorded, of zeros, which compress to nothing)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "29 times slower in every run, three each": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 290 MiB/s; n 3; 1 machines, 1 sessions",
        "gzip-9: 10.05 MiB/s; n 3; 1 machines, 1 sessions; 0.0347x off; slower in this session; (drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "three repetitions of one session": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 120 MiB/s; n 3; 1 machines, 1 sessions; 1.2x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "Simpson's paradox over hosts": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 330 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 300.3 MiB/s; n 6; 1 machines, 1 sessions; 0.91x off; slower in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "all: host alpha, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "Simpson's paradox over hosts, each by itself": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off alpha: 330 MiB/s; n 3; 1 machines, 1 sessions",
        "off beta: 55.05 MiB/s; n 6; 1 machines, 1 sessions",
        "lz4 alpha: 300.3 MiB/s; n 6; 1 machines, 1 sessions; 0.91x off; slower in this session; (options not "
        "recorded, of zeros, which compress to nothing, drift not excluded)",
        "lz4 beta: 50 MiB/s; n 3; 1 machines, 1 sessions; 0.908x off; slower in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "all: os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, memory 1073741824, fs.type zfs",
        "differs: cpu",
    ),
    "unlike sizes in two archives": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: empty; has file size 2 GiB (3 runs)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs, pool.compression off",
    ),
    "an outlier session": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100.3 MiB/s; n 9; 1 machines, 3 sessions",
        "lz4: none; n 9; 1 machines, 3 sessions; parts 120 MiB/s and 121 MiB/s and 12 MiB/s; 0.557x off; slower in "
        "these 3 sessions; (contents of the data unknown, off ran first every time: drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "each side on a day of its own": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 130 MiB/s; n 3; 1 machines, 1 sessions; 1.3x off; no claim: cannot tell: session and lz4 are the same "
        "thing here; both sides in one session; (contents of the data unknown)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "a mean that one run makes": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 133.9 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 200 MiB/s; n 3; 1 machines, 1 sessions; 1.49x off; "
        "no claim: stat=mean supports no claim: only the geometric mean and the median do",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "a median of three": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 101 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 200 MiB/s; n 3; 1 machines, 1 sessions; 1.98x off; no claim: 3 and 3 runs in 1 session with both sides; "
        "the median needs at least 6 a side",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "uncontrolled on request": (
        "open: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 159.3 MiB/s; n 3; 1 machines, 0 sessions",
        "lz4: 200 MiB/s; n 3; 1 machines, 0 sessions; 1.26x off; "
        "no claim: not controlled: differences are listed, no claim is made",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "sizes pooled that each side has alone": (
        "controlled: tool dd, block_size 1048576, fsync none",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 200 MiB/s; n 3; 1 machines, 1 sessions; 2x off; no claim: "
        "the pooled runs of both sides are of unlike work (file size): no claim is made",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
        "differs: file_size",
    ),
    "sizes pooled that both sides have": (
        "controlled: tool dd, block_size 1048576, fsync none",
        "off: 173.2 MiB/s; n 6; 1 machines, 1 sessions",
        "lz4: 346.4 MiB/s; n 6; 1 machines, 1 sessions; 2x off; no difference seen; (drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "atime off under one system only": (
        "controlled sought: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "FreeBSD: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "Debian: empty; has atime off (3 runs)",
        ""
        "all: host tank, os.family FreeBSD, os.name FreeBSD, os.version 14.0-RELEASE, kernel 14.0-RELEASE, arch "
        "x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, fs.type zfs, pool.atime on",
    ),
    "systems that uname alone names": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "FreeBSD: 121 MiB/s; n 3; 1 machines, 1 sessions; 1.21x Linux; faster in this session; "
        "(Linux ran first every time: drift not excluded)",
        "Linux: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "all: host laptop, arch x86_64, cpu.model Core i5-2500K, memory 1073741824",
        "differs: os, os_version, kernel",
    ),
    "kB/s beside MB/s": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 0.9 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 9.1 MiB/s; n 3; 1 machines, 1 sessions; 10.1x off; faster in this session; (drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "the same file twice": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 120 MiB/s; n 1; 1 machines, 1 sessions; 1.2x off; no claim: 1 and 3 runs in 1 session with both sides; "
        "at least 3 a side; (options not recorded, of zeros, which compress to nothing)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "the report beside its CSV line": (
        "controlled: tool bonnie++, file_size 8589934592",
        "off: 100 MiB/s; n 1; 1 machines, 1 sessions",
        "lz4: 120 MiB/s; n 1; 1 machines, 1 sessions; 1.2x off; no claim: one run each, spread unknown; at least 3 a "
        "side; (options not recorded, of zeros, which compress to nothing)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "zeros written by dd": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 3000 MiB/s; n 3; 1 machines, 1 sessions; 30x off; faster in this session; "
        "(of zeros, which compress to nothing, drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "less data than memory": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 900 MiB/s; n 3; 1 machines, 1 sessions; [cached]",
        "lz4: 1800 MiB/s; n 3; 1 machines, 1 sessions; [cached]; 2x off; faster in this session; (from memory, options "
        "not recorded, of zeros, which compress to nothing, drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "17179869184, fs.type zfs",
    ),
    "less data than memory, read after caches were dropped": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576",
        "ext4: 101 MiB/s; n 3; 1 machines, 1 sessions",
        "xfs: 201 MiB/s; n 3; 1 machines, 1 sessions; 1.99x ext4; faster in this session; (drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "17179869184, pool.compression off, pool.dedup off, pool.atime relatime",
    ),
    "less data than memory, read at once": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576",
        "ext4: 101 MiB/s; n 3; 1 machines, 1 sessions; [cached]",
        "xfs: 201 MiB/s; n 3; 1 machines, 1 sessions; [cached]; 1.99x ext4; faster in this session; "
        "(from memory, drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "17179869184, pool.compression off, pool.dedup off, pool.atime relatime",
    ),
    "memory unknown": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions; [maybe-cached]",
        "lz4: 180 MiB/s; n 3; 1 machines, 1 sessions; [maybe-cached]; 1.8x off; faster in this session; (maybe from "
        "memory, options not recorded, of zeros, which compress to nothing, drift not excluded)",
        "all: host tank, fs.type zfs",
    ),
    "every value beyond what can be measured": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: > 1.638e+04 MiB/s; n 4; 1 machines, 1 sessions; 4 too_fast above 1.638e+04 MiB/s",
        "lz4: > 1.638e+04 MiB/s; n 4; 1 machines, 1 sessions; 4 too_fast above 1.638e+04 MiB/s; no ratio; "
        "no claim: no value certainly exceeds another: they lie beyond the same bound; (of zeros, which compress to nothing)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "one side beyond what can be measured": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 199.8 MiB/s; n 4; 1 machines, 1 sessions",
        "lz4: > 1.638e+04 MiB/s; n 4; 1 machines, 1 sessions; 4 too_fast above 1.638e+04 MiB/s; > 82x off; faster in "
        "this session; (options not recorded, of zeros, which compress to nothing, drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs, pool.compression off",
    ),
    "compression stated for one side": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 300.3 MiB/s; n 3; 1 machines, 1 sessions; [stated]; 3x off; faster in this session; (contents of the "
        "data unknown, off ran first every time: drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "compression stated for one side, and left out": (
        "controlled sought: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs, pool.compression off",
    ),
    "removed in less than a second, against ext4": (
        ""
        "controlled: tool fdtree, file_size 8192, total_size 47923200, files 5850, dirs 585, levels 3, files_per_dir 10, "
        "dirs_per_dir 8",
        "ext4: 1072 1/s; n 4; 1 machines, 1 sessions",
        "xfs: > 5850 1/s; n 4; 1 machines, 1 sessions; 4 zero_time above 5850 1/s; > 5.45x ext4; faster in this session; "
        "(drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type ext4, pool.compression off, pool.dedup off, pool.atime relatime",
    ),
    "removed in less than a second, against xfs": (
        ""
        "controlled: tool fdtree, file_size 8192, total_size 47923200, files 5850, dirs 585, levels 3, files_per_dir 10, "
        "dirs_per_dir 8",
        "ext4: 1072 1/s; n 4; 1 machines, 1 sessions; < 0.183x xfs; slower in this session; (drift not excluded)",
        "xfs: > 5850 1/s; n 4; 1 machines, 1 sessions; 4 zero_time above 5850 1/s",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type ext4, pool.compression off, pool.dedup off, pool.atime relatime",
    ),
    "compression stated in poolmark.toml, and left out": (
        "controlled sought: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs, pool.compression off",
    ),
    "localhost in two archives": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions; [maybe-cached]",
        "all: host localhost, fs.type zfs, pool.compression off",
    ),
    "two folders of machines without names": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "lz4: 150 MiB/s; n 3; 1 machines, 1 sessions",
        ""
        "all: host localhost, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model AMD EPYC 7302P, memory "
        "1073741824, fs.type zfs, pool.compression lz4",
    ),
    "properties dumped on one side only": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 101 MiB/s; n 9; 1 machines, 3 sessions",
        "lz4: 131.3 MiB/s; n 9; 1 machines, 3 sessions; 1.3x off; faster in these 3 sessions; (contents of the data "
        "unknown, alike as far as known, off ran first every time: drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
        "recorded of some only: zfs.logbias, zfs.primarycache",
    ),
    "a counter recorded on one side only": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 101 MiB/s; n 9; 1 machines, 3 sessions",
        "lz4: 141.4 MiB/s; n 9; 1 machines, 3 sessions; 1.4x off; faster in these 3 sessions; (contents of the data "
        "unknown, not recorded for off: how full the pool or file system is, off ran first every time: drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "a property that was set under one system only": (
        "controlled sought: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "FreeBSD: 130 MiB/s; n 3; 1 machines, 1 sessions",
        ""
        "all: host tank, os.family FreeBSD, os.name FreeBSD, os.version 14.0-RELEASE, kernel 14.0-RELEASE, arch x86_64, "
        "cpu.model Xeon E5-1620 v2, memory 1073741824, fs.type zfs, pool.compression lz4, zfs.primarycache metadata",
    ),
    "bonnie++ 1.03 beside 2.00": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "lz4: 150 MiB/s; n 3; 1 machines, 1 sessions",
        "off: empty; has version not stated, threads not stated, seek processes not stated, seeks not stated (3 runs)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs, pool.compression lz4",
    ),
    "versions of a tool that measure otherwise": (
        "controlled sought: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: empty; has version 3.471 (before 3.251: the data have the pattern 0xA5, which Samba knew and did not "
        "store, later a random one) (3 runs)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs, pool.compression off",
    ),
    "20 GB/s to an image file of a virtual machine": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "ext4: 150 MiB/s; n 3; 1 machines, 1 sessions",
        "xfs: 161 MiB/s; n 3; 1 machines, 1 sessions; 1.07x ext4; faster in this session; (drift not excluded)",
        ""
        "all: host guest, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model QEMU Virtual version 2.5+, memory "
        "1073741824, disk.model QEMU HARDDISK, disk.count 1, pool.compression off, pool.dedup off, pool.atime relatime",
        "left out: 3 impossible",
    ),
    "a run that was cut off": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 151 MiB/s; n 2; 1 machines, 1 sessions; 1.51x off; no claim: 2 and 3 runs in 1 session with both sides; "
        "at least 3 a side; (contents of the data unknown)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
        "left out: 1 partial",
    ),
    "failed runs on one side": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 101 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 151 MiB/s; n 4; 1 machines, 1 sessions; 1 failed; 1.5x off; no claim: 1 of 4 runs failed or did not finish",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "reported beside measured": (
        "controlled sought: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: empty; has reported (3 runs)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs, pool.compression off",
    ),
    "noatime on one side only": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "xfs: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "ext4: empty; has atime off (3 runs)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type xfs, pool.compression off, pool.dedup off, pool.atime relatime",
    ),
    "barriers off on one side only": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "ext4: 150.3 MiB/s; n 4; 1 machines, 1 sessions",
        "xfs: empty; has mount.barrier on (3 runs)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type ext4, pool.compression off, pool.dedup off, pool.atime relatime, mount.barrier off",
    ),
    "discard on one side only": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "ext4: 150.3 MiB/s; n 4; 1 machines, 1 sessions",
        "xfs: empty; has mount.discard off (3 runs)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type ext4, pool.compression off, pool.dedup off, pool.atime relatime, mount.discard on",
    ),
    "lazytime on one side only": (
        "controlled sought: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "ext4: 150.3 MiB/s; n 4; 1 machines, 1 sessions",
        "xfs: empty; has mount.lazytime off (3 runs)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type ext4, pool.compression off, pool.dedup off, pool.atime relatime, mount.lazytime on",
    ),
    "the defaults of two file systems": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "btrfs: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "ext4: 150 MiB/s; n 3; 1 machines, 1 sessions; 1.5x btrfs; faster in this session; (drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.6.13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, pool.compression off, pool.atime relatime",
        "differs: dedup",
    ),
    "two tools beside each other": (
        "controlled: size 8589934592",
        "dd: 301 MiB/s; n 3; 1 machines, 1 sessions",
        "iozone: 100 MiB/s; n 3; 1 machines, 1 sessions",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs, pool.compression off",
        "differs: tool_version, month, record_size, block_size, fsync, contents",
    ),
    "four machines of which two have both sides, one each": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off alpha: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "off beta: 120 MiB/s; n 3; 1 machines, 1 sessions",
        "off gamma: 140 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4 alpha: 200 MiB/s; n 3; 1 machines, 1 sessions; 2x off; faster in this session; (drift not excluded)",
        "lz4 beta: 239 MiB/s; n 3; 1 machines, 1 sessions; 1.99x off; faster in this session; (drift not excluded)",
        "lz4 delta: 317 MiB/s; n 3; 1 machines, 1 sessions",
        "all: os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, fs.type zfs",
    ),
    "four machines of which two have both sides": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 120 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 239 MiB/s; n 3; 1 machines, 1 sessions; 1.99x off; faster in this session; (drift not excluded)",
        "all: host beta, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "rates of mdtest": (
        "controlled: tool mdtest, stat mean, processes 2, nodes 1, files 1000, dirs 1000, access shared directory",
        "ext4: 7900 1/s; n 1; 1 machines, 1 sessions",
        "xfs: 3990 1/s; n 1; 1 machines, 1 sessions; 0.505x ext4; no claim: one run each, spread unknown; at least 3 a side",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "pool.compression off, pool.dedup off, pool.atime relatime",
    ),
    "fifteen folders with one run each": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 99.6 MiB/s; n 1; 1 machines, 1 sessions",
        "lz4: 105.1 MiB/s; n 1; 1 machines, 1 sessions; 1.06x off; no claim: one run each, spread unknown; at least 3 "
        "a side; (options not recorded, of zeros, which compress to nothing)",
        "lzjb: 110.5 MiB/s; n 1; 1 machines, 1 sessions; 1.11x off; no claim: one run each, spread unknown; at least 3 "
        "a side; (options not recorded, of zeros, which compress to nothing)",
        "zle: 159.6 MiB/s; n 1; 1 machines, 1 sessions; 1.6x off; no claim: one run each, spread unknown; at least 3 a "
        "side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-1: 114.6 MiB/s; n 1; 1 machines, 1 sessions; 1.15x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-2: 120.1 MiB/s; n 1; 1 machines, 1 sessions; 1.21x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-3: 125.5 MiB/s; n 1; 1 machines, 1 sessions; 1.26x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-4: 129.6 MiB/s; n 1; 1 machines, 1 sessions; 1.3x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-5: 135.1 MiB/s; n 1; 1 machines, 1 sessions; 1.36x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-6: 140.5 MiB/s; n 1; 1 machines, 1 sessions; 1.41x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-7: 144.6 MiB/s; n 1; 1 machines, 1 sessions; 1.45x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-8: 150.1 MiB/s; n 1; 1 machines, 1 sessions; 1.51x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "gzip-9: 155.5 MiB/s; n 1; 1 machines, 1 sessions; 1.56x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "zstd-3: 165.1 MiB/s; n 1; 1 machines, 1 sessions; 1.66x off; no claim: one run each, spread unknown; at least "
        "3 a side; (options not recorded, of zeros, which compress to nothing)",
        "zstd-19: 170.5 MiB/s; n 1; 1 machines, 1 sessions; 1.71x off; no claim: one run each, spread unknown; at "
        "least 3 a side; (options not recorded, of zeros, which compress to nothing)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "fifteen folders in three rounds": (
        "controlled: tool bonnie++, file_size 8589934592, threads 1, seekers 5, seeks 8192",
        "off: 100.1 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4: 105.1 MiB/s; n 3; 1 machines, 1 sessions; 1.05x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "lzjb: 110.1 MiB/s; n 3; 1 machines, 1 sessions; 1.1x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "zle: 160.1 MiB/s; n 3; 1 machines, 1 sessions; 1.6x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "gzip-1: 115.1 MiB/s; n 3; 1 machines, 1 sessions; 1.15x off; faster in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "gzip-2: 120.1 MiB/s; n 3; 1 machines, 1 sessions; 1.2x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "gzip-3: 125.1 MiB/s; n 3; 1 machines, 1 sessions; 1.25x off; faster in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "gzip-4: 130.1 MiB/s; n 3; 1 machines, 1 sessions; 1.3x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "gzip-5: 135.1 MiB/s; n 3; 1 machines, 1 sessions; 1.35x off; faster in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "gzip-6: 140.1 MiB/s; n 3; 1 machines, 1 sessions; 1.4x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "gzip-7: 145.1 MiB/s; n 3; 1 machines, 1 sessions; 1.45x off; faster in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "gzip-8: 150.1 MiB/s; n 3; 1 machines, 1 sessions; 1.5x off; faster in this session; (options not recorded, of "
        "zeros, which compress to nothing, drift not excluded)",
        "gzip-9: 155.1 MiB/s; n 3; 1 machines, 1 sessions; 1.55x off; faster in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "zstd-3: 165.1 MiB/s; n 3; 1 machines, 1 sessions; 1.65x off; faster in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "zstd-19: 170.1 MiB/s; n 3; 1 machines, 1 sessions; 1.7x off; faster in this session; (options not recorded, "
        "of zeros, which compress to nothing, drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "three systems on one laptop, one after another": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "Debian: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "FreeBSD: 121 MiB/s; n 3; 1 machines, 1 sessions; 1.21x Debian; faster in this session; "
        "(Debian ran first every time: drift not excluded)",
        "OmniOS: 90.33 MiB/s; n 3; 1 machines, 1 sessions; 0.903x Debian; slower in this session; "
        "(Debian ran first every time: drift not excluded)",
        "all: host laptop, arch x86_64, cpu.model Core i5-2500K, memory 1073741824",
        "differs: os_version, kernel",
    ),
    "IOR on two file systems of a cluster": (
        ""
        "controlled: tool ior, block_size 17179869184, transfer_size 1048576, total_size 17179869184, processes 1, nodes 1, "
        "segments 1, access single-shared-file, api POSIX",
        "beegfs: 704.7 MiB/s; n 3; 1 machines, 1 sessions",
        "lustre: 905 MiB/s; n 3; 1 machines, 1 sessions; 1.28x beegfs; faster in this session; "
        "(lustre ran first every time: drift not excluded)",
        "all: host node01, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model AMD EPYC 7302P, memory 1073741824",
    ),
    "five repetitions, interleaved": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off: 100.3 MiB/s; n 5; 1 machines, 1 sessions",
        "lz4: 130.3 MiB/s; n 5; 1 machines, 1 sessions; 1.3x off; faster in this session; "
        "(off ran first every time: drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "fs.type zfs",
    ),
    "three sessions on three days with both sides": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 101 MiB/s; n 9; 1 machines, 3 sessions",
        "lz4: 131.3 MiB/s; n 9; 1 machines, 3 sessions; 1.3x off; faster in these 3 sessions; (contents of the data "
        "unknown, off ran first every time: drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "two sessions on two days with both sides": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100.5 MiB/s; n 6; 1 machines, 2 sessions",
        "lz4: 130.7 MiB/s; n 6; 1 machines, 2 sessions; 1.3x off; faster in these 2 sessions; (contents of the data "
        "unknown, off ran first every time: drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "two days with both sides and one with one side": (
        "controlled: tool iozone, file_size 8589934592, record_size 1048576",
        "off: 100.5 MiB/s; n 6; 1 machines, 2 sessions",
        "lz4: 130.5 MiB/s; n 8; 1 machines, 3 sessions; 1.3x off; faster in these 2 sessions; (contents of the data "
        "unknown, off ran first every time: drift not excluded, 2 runs left out, of sessions with one side only)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "four machines with both sides, by host": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off alpha: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "off beta: 120 MiB/s; n 3; 1 machines, 1 sessions",
        "off delta: 160 MiB/s; n 3; 1 machines, 1 sessions",
        "off gamma: 140 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4 alpha: 200 MiB/s; n 3; 1 machines, 1 sessions; 2x off; faster in this session; (drift not excluded)",
        "lz4 beta: 239 MiB/s; n 3; 1 machines, 1 sessions; 1.99x off; faster in this session; (drift not excluded)",
        "lz4 delta: 317 MiB/s; n 3; 1 machines, 1 sessions; 1.98x off; faster in this session; (drift not excluded)",
        "lz4 gamma: 278 MiB/s; n 3; 1 machines, 1 sessions; 1.99x off; faster in this session; (drift not excluded)",
        "overall lz4: 1.99x over 4, faster on these machines, drift not excluded",
        "all: os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, fs.type zfs",
    ),
    "four machines with both sides, by machine": (
        "controlled: tool dd, file_size 8589934592, block_size 1048576, fsync none",
        "off machine 1: 100 MiB/s; n 3; 1 machines, 1 sessions",
        "off machine 2: 120 MiB/s; n 3; 1 machines, 1 sessions",
        "off machine 3: 160 MiB/s; n 3; 1 machines, 1 sessions",
        "off machine 4: 140 MiB/s; n 3; 1 machines, 1 sessions",
        "lz4 machine 1: 200 MiB/s; n 3; 1 machines, 1 sessions; 2x off; faster in this session; (drift not excluded)",
        "lz4 machine 2: 239 MiB/s; n 3; 1 machines, 1 sessions; 1.99x off; faster in this session; (drift not excluded)",
        "lz4 machine 3: 317 MiB/s; n 3; 1 machines, 1 sessions; 1.98x off; faster in this session; (drift not excluded)",
        "lz4 machine 4: 278 MiB/s; n 3; 1 machines, 1 sessions; 1.99x off; faster in this session; (drift not excluded)",
        "overall lz4: 1.99x over 4, faster on these machines, drift not excluded",
        "all: os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, fs.type zfs",
    ),
    "two hosts as they stand, three sessions each": (
        "as_they_stand: tool iozone, file_size 8589934592, record_size 1048576",
        "alpha: 101 MiB/s; n 9; 1 machines, 3 sessions",
        "beta: 171 MiB/s; n 9; 1 machines, 3 sessions; 1.69x alpha; A is faster than B",
        "all: os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, memory 1073741824",
        "differs: cpu",
    ),
    "a sweep of gzip's levels": (
        "controlled: tool rsync, total_size 16000000000",
        "off: 100 s; n 3; 1 machines, 1 sessions",
        "gzip-1: 120 s; n 3; 1 machines, 1 sessions; 1.2x off; slower in this session; (contents of the data unknown, "
        "drift not excluded)",
        "gzip-6: 160 s; n 3; 1 machines, 1 sessions; 1.6x off; slower in this session; (contents of the data unknown, "
        "drift not excluded)",
        "gzip-9: 300 s; n 3; 1 machines, 1 sessions; 3x off; slower in this session; (contents of the data unknown, "
        "drift not excluded)",
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory "
        "1073741824, fs.type zfs",
    ),
    "rates of metadata": (
        ""
        "controlled: tool fdtree, file_size 8192, total_size 47923200, files 5850, dirs 585, levels 3, files_per_dir 10, "
        "dirs_per_dir 8",
        "ext4: 450.4 1/s; n 3; 1 machines, 1 sessions",
        "xfs: 182.3 1/s; n 3; 1 machines, 1 sessions; 0.405x ext4; slower in this session; "
        "(ext4 ran first every time: drift not excluded)",
        ""
        "all: host tank, os.family Linux, kernel 6.1.0-13-amd64, arch x86_64, cpu.model Xeon E5-1620 v2, memory 1073741824, "
        "pool.compression off, pool.dedup off, pool.atime relatime",
    ),
}
"""What the page of each case states; docs/statistics.md and the designs say why."""


NAME = attrgetter("name")


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return "none"
    return f"{value / 2**20:.4g} MiB/s" if unit == "B/s" else f"{value:.4g}{'' if unit == '1' else f' {unit}'}"


def statements(page: dict) -> tuple[str, ...]:
    """All that a page states, a line each: the design with the workload, every group, means over groups, what is left out."""
    fixed = (page["workload"] or {}).items()
    workload = ", ".join(
        f"{key} {value}" for key, value in fixed if value not in ("sample", "measured") and key != "contents" and not is_option(key)
    )
    design = page["design"] or f"{page['sought']} sought"
    lines = [f"{design}: {workload}" if workload else design]
    is_numbered = "series=machine" in page["query"]
    for panel in page["panels"]:
        if is_numbered:  # in the order of their files: their numbers depend on what else the database has
            files = {group["series"]: group["points"][0]["file_line"] for group in panel["groups"] if group["points"]}
            order, xs = sorted(files, key=files.__getitem__), list(dict.fromkeys(group["x"] for group in panel["groups"]))
            groups = sorted(panel["groups"], key=lambda group: (xs.index(group["x"]), order.index(group["series"])))
            panel["groups"] = [group | {"series": f"machine {order.index(group['series']) + 1}"} for group in groups]
        lines += [_group(group, panel["unit"], panel["baseline"]) for group in panel["groups"]]
        for row in panel["overall"]:
            claim = ", ".join([row["claim"], *row["doubts"]]) if row["claim"] else f"no claim: {row['withheld']}"
            lines.append(f"overall {row['name']}: {row['ratio']:.3g}x over {row['ratios']}, {claim}")
    lines += [f"all: {', '.join(f'{key} {value}' for key, value in page['fixed'].items())}"] if page["fixed"] else []
    between = [one["dimension"] for one in page["differs"] if one["between_groups"]]
    lines += [f"differs: {', '.join(between)}"] if between else []
    lines += [f"recorded of some only: {', '.join(page['unrecorded'])}"] if page["unrecorded"] else []
    lines += [f"left out: {count} {name}" for name, count in page["left_out"].items() if count]
    return tuple(lines)


def _group(group: dict, unit: str, baseline: str) -> str:
    name = " ".join(text for text in (group["x"], group["series"], group["facet"]) if text)
    missing = [
        f"{one['count']} {one['reason']}" + (f" {one['side']} {_amount(one['bound'], unit)}" if one["bound"] is not None else "")
        for one in group["unmeasured"]
    ]
    if group["empty"] is not None:
        has = [f"{one['workload']} ({one['runs']} runs)" for one in group["empty"]]
        return f"{name}: empty" + (f"; {', '.join(missing)}" if missing else "") + (f"; has {', '.join(has)}" if has else "")
    sign = {"above": "> ", "below": "< "}.get(group["bound"] or "", "")
    words = [
        sign + _amount(group["center"], unit),
        f"n {group['n']}",
        f"{group['machines']} machines, {group['sessions']} sessions",
    ]
    words += missing
    words += [f"parts {' and '.join(_amount(part, unit) for part in group['parts'])}"] if group["parts"] else []
    marks = [flag for flag in group["flags"] if flag in ("stated", "cached", "maybe-cached", "reported")]
    words += [f"[{' '.join(marks)}]"] if marks else []
    verdict = group["verdict"]
    if verdict:
        sign = {"above": "> ", "below": "< "}.get(verdict["ratio_bound"], "")
        words.append(f"{sign}{verdict['ratio']:.3g}x {baseline}" if verdict["ratio"] is not None else "no ratio")
        words.append(group["claim"] or f"no claim: {group['withheld']}")
        words += [f"({', '.join(group['doubts'])})"] if group["doubts"] else []
    return f"{name}: {'; '.join(words)}"


@pytest.fixture(scope="module")
def archives(rows_of_module) -> dict[str, list[int]]:
    """Every archive of the tables, read as an upload is, public and accepted."""
    numbers: dict[str, list[int]] = {}
    for at, case in enumerate((*MISLEADING, *PLAIN)):
        numbers[case.name] = []
        for files in case.archives:
            # Blank lines: the same bytes in two public archives would count in one of them only.
            data = {path: (text + "\n" * (at + 1)).encode() for path, text in files.items()}
            row = samples.received(samples.tar(data), f"{case.name}.tar")
            if case.stated:
                add_statements(row.pk, row.owner, case.stated, [StatementScope(FOLDER, "b")], lambda pk: None)
                ingest_archive(row.pk)
            load.accept(row.pk, "")
            numbers[case.name].append(row.pk)
    return numbers


def asked(case: Case, numbers: list[int]) -> dict:
    """The page of a case as data."""
    archive = "&".join(f"archive={number}" for number in numbers)
    answer = Client().get(f"/compare.json?{case.address}&{archive}")
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)


@pytest.mark.django_db
@pytest.mark.parametrize("case", MISLEADING, ids=NAME)
def test_what_could_mislead_does_not(archives, case):
    assert statements(asked(case, archives[case.name])) == SAYS[case.name]


@pytest.mark.django_db
@pytest.mark.parametrize("case", PLAIN, ids=NAME)
def test_a_plain_archive_gets_its_answer(archives, case):
    assert statements(asked(case, archives[case.name])) == SAYS[case.name]


UNASKED = ("", *(f"?x={axis}" for axis in PRESET_AXES), f"?{WRITE}", f"?{WRITE}&x=compression&series=os")
"""Queries that choose no runs: the bare page, the presets, and figures of a metric."""


@pytest.mark.django_db
def test_what_nobody_accepted_changes_nothing_that_is_shown_unasked(archives):
    def shown() -> list[tuple[str, ...]]:
        pages = [json.loads(Client().get(f"/compare.json{query}").content) for query in UNASKED]
        return [tuple(json.dumps(page[part]) for part in ("panels", "map", "design", "workload", "fixed")) for page in pages]

    before, front = shown(), Client().get("/").context["featured"]
    absurd = {
        f"{setting}/zfs-{setting}.csv": f"compression={setting}\n" + bonnie(*around(9000, 6), host="absurd") for setting in SETTINGS
    }
    row = samples.received(samples.tar({path: text.encode() for path, text in absurd.items()}), owner="mallory")
    assert row.measurements > 200
    assert shown() == before
    assert Client().get("/").context["featured"] == front
    named = json.loads(Client().get(f"/compare.json?{WRITE}&{COMPRESSION}&archive={row.pk}").content)
    assert named["panels"], "asked for by number it is drawn"
    load.accept(row.pk, "")
    assert shown() != before, "with acceptance it would have changed"
