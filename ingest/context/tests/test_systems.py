"""Readers of what names the operating system: uname on each family, release files."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values

UNAMES = [
    (
        "Linux a.example 3.10.0-1062.el7.x86_64 #1 SMP Mon Sep 30 14:19:46 UTC 2019 x86_64 x86_64 x86_64 GNU/Linux",
        {"os.family": "Linux", "host": "a.example", "kernel": "3.10.0-1062.el7.x86_64", "arch": "x86_64"},
    ),
    (
        "Linux b 2.6.18-8PAE #1 SMP Fri Apr 2 15:37:44 EDT 2010 i686 i686 i386 GNU/Linux",
        {"os.family": "Linux", "host": "b", "kernel": "2.6.18-8PAE", "arch": "i686"},
    ),
    (
        "Linux pi 6.6.20+rpt-rpi-v8 #1 SMP PREEMPT Debian 1:6.6.20-1+rpt1 (2024-03-07) aarch64 GNU/Linux",
        {"os.family": "Linux", "host": "pi", "kernel": "6.6.20+rpt-rpi-v8", "arch": "aarch64"},
    ),
    (
        "FreeBSD c 13.2-RELEASE-p4 FreeBSD 13.2-RELEASE-p4 GENERIC amd64",
        {
            "os.family": "FreeBSD",
            "host": "c",
            "kernel": "13.2-RELEASE-p4",
            "arch": "amd64",
            "os.name": "FreeBSD",
            "os.version": "13.2-RELEASE-p4",
        },
    ),
    (
        "FreeBSD nas 11.1-STABLE FreeBSD 11.1-STABLE #0 r321665+25fe8ba8d06(freenas/11.1-stable): Tue Feb 27 2018 "
        "root@gauntlet:/freenas-releng/objs/sys/FreeNAS.amd64  amd64",
        {"os.family": "FreeBSD", "os.name": "FreeNAS", "host": "nas", "kernel": "11.1-STABLE", "arch": "amd64"},
    ),
    (
        "NetBSD d 9.3 NetBSD 9.3 (GENERIC) #0: Thu Aug  4 15:30:37 UTC 2022  mkrepro@mkrepro.NetBSD.org:/usr/src amd64",
        {
            "os.family": "NetBSD",
            "host": "d",
            "kernel": "9.3",
            "arch": "amd64",
            "os.name": "NetBSD",
            "os.version": "9.3",
        },
    ),
    (
        "OpenBSD e.example 7.4 GENERIC.MP#1397 amd64",
        {
            "os.family": "OpenBSD",
            "host": "e.example",
            "kernel": "7.4",
            "arch": "amd64",
            "os.name": "OpenBSD",
            "os.version": "7.4",
        },
    ),
    (
        "DragonFly f 6.4-RELEASE DragonFly v6.4.0-RELEASE #0: Fri Dec 30 2022 root@www:/usr/obj/X86_64_GENERIC  x86_64",
        {
            "os.family": "DragonFly",
            "host": "f",
            "kernel": "6.4-RELEASE",
            "arch": "x86_64",
            "os.name": "DragonFly BSD",
            "os.version": "6.4-RELEASE",
        },
    ),
    (
        "Darwin g.local 22.6.0 Darwin Kernel Version 22.6.0: Wed Jul  5 PDT 2023; root:xnu/RELEASE_ARM64 arm64",
        {"os.family": "Darwin", "host": "g.local", "kernel": "22.6.0", "arch": "arm64"},
    ),
    (
        "SunOS h 5.11 oi_151a9 i86pc i386 i86pc Solaris",
        {
            "os.family": "SunOS",
            "host": "h",
            "kernel": "5.11 oi_151a9",
            "arch": "i86pc",
            "os.name": "OpenIndiana",
            "os.version": "151a9",
        },
    ),
    (
        "SunOS i 5.11 omnios-r151046-5b2d8a5b4a i86pc i386 i86pc",
        {
            "os.family": "SunOS",
            "host": "i",
            "kernel": "5.11 omnios-r151046-5b2d8a5b4a",
            "arch": "i86pc",
            "os.name": "OmniOS",
            "os.version": "r151046",
        },
    ),
    (
        "SunOS j 5.10 Generic_147440-01 sun4v sparc SUNW,T5240",
        {"os.family": "SunOS", "host": "j", "kernel": "5.10 Generic_147440-01", "arch": "sun4v"},
    ),
    (
        "SunOS k 5.11 11.4.0.15.0 i86pc i386 i86pc",
        {
            "os.family": "SunOS",
            "host": "k",
            "kernel": "5.11 11.4.0.15.0",
            "arch": "i86pc",
            "os.name": "Oracle Solaris",
            "os.version": "11.4.0.15.0",
        },
    ),
    ("Linux and 2.6 are words of prose", {}),
    ("AIX and 6 1 are words of prose", {}),
    (
        "AIX p7 1 6 00F6ABCD4C00",
        {"os.family": "AIX", "host": "p7", "kernel": "6.1", "os.name": "AIX", "os.version": "6.1"},
    ),
    (
        "HP-UX rx B.11.31 U ia64 1234567890 unlimited-user license",
        {"os.family": "HP-UX", "host": "rx", "kernel": "B.11.31", "arch": "ia64"},
    ),
    (
        "CYGWIN_NT-6.1 pc 1.7.30(0.272/5/3) 2014-05-23 10:36 x86_64 Cygwin",
        {"os.family": "CYGWIN_NT-6.1", "host": "pc", "kernel": "1.7.30(0.272/5/3)", "arch": "x86_64"},
    ),
    (
        "Haiku shredder 1 hrev52295 Sep  6 2018 05:30 x86_64 x86_64 Haiku",
        {"os.family": "Haiku", "host": "shredder", "kernel": "1 hrev52295", "arch": "x86_64"},
    ),
    ("IRIX64 octane 6.5 07202013 IP30", {"os.family": "IRIX64", "host": "octane", "kernel": "6.5", "arch": "IP30"}),
    ("OSF1 ds10 V5.1 2650 alpha", {"os.family": "OSF1", "host": "ds10", "kernel": "V5.1", "arch": "alpha"}),
    (
        "Linux (none) 3.4.39-h3 #3 SMP PREEMPT Wed Aug 10 16:45:01 CST 2016 armv7l GNU/Linux",
        {"os.family": "Linux", "kernel": "3.4.39-h3", "arch": "armv7l"},
    ),
    (
        "Oracle Corporation      SunOS 5.11      11.1    September 2012",
        {"os.family": "SunOS", "kernel": "5.11 11.1", "os.version": "11.1", "os.name": "Oracle Solaris"},
    ),
]


@pytest.mark.parametrize(("line", "expected"), UNAMES)
def test_uname(line, expected):
    assert read_clue_values(line + "\n", only="uname") == expected


SYSTEMS = [
    (
        'NAME="CentOS Linux"\nVERSION="7 (Core)"\nID="centos"\nVERSION_ID="7"\n',
        {"os.name": "CentOS", "os.version": "7", "os.family": "Linux"},
    ),
    (
        "Distributor ID:\tUbuntu\nDescription:\tUbuntu 22.04.3 LTS\nRelease:\t22.04\nCodename:\tjammy\n",
        {"os.name": "Ubuntu", "os.version": "22.04", "os.family": "Linux"},
    ),
    (
        "ProductName:\tMac OS X\nProductVersion:\t10.14.6\nBuildVersion:\t18G95\n",
        {"os.name": "Mac OS X", "os.version": "10.14.6", "os.family": "Darwin"},
    ),
    ("CentOS release 6.5 (Final)\n", {"os.name": "CentOS", "os.version": "6.5", "os.family": "Linux"}),
    (
        "             OpenIndiana Development oi_151.1.9 X86 (powered by illumos)\n",
        {"os.name": "OpenIndiana", "os.family": "SunOS"},
    ),
    ("  OmniOS v11 r151046\n", {"os.name": "OmniOS", "os.version": "r151046", "os.family": "SunOS"}),
    ("Solaris 10 particularly for ZFS, to which we have added\n", {}),
    ("Release:\t22.04\n", {}),
    ("NAME=tank\nSIZE=4G\n", {}),
]


@pytest.mark.parametrize(("text", "expected"), SYSTEMS)
def test_distribution(text, expected):
    got = read_clue_values(text, only="os-release")
    assert {key: got.get(key) for key in expected} == expected
    assert expected or not got


@pytest.mark.parametrize(("threads", "cores"), [("1 virtual processor (0)", 2), ("2 virtual processors (0 1)", None)])
def test_a_socket_of_one_virtual_processor_has_one_core(threads, cores):
    socket = (
        f"The physical processor has {threads}\n  x86 (GenuineIntel family 6 model 58 step 9 clock 2500 MHz)\n"
        "        Intel(r) Xeon(r) CPU           E3-1265L V2 @ 2.50GHz\n"
    )
    assert read_clue_values(socket * 2, only="hardware").get("cpu.cores") == cores


def test_psrinfo_whose_indentation_was_lost():
    assert read_clue_values(
        "The physical processor has 2 cores and 4 virtual processors (0-3)\n    The core has 2 virtual processors (0 2)\n"
        "    The core has 2 virtual processors (1 3)\nx86 (GenuineIntel 106A5 family 6 model 26 step 5 clock 2267 MHz)\n"
        "  Intel(r) Xeon(r) CPU           E5520  @ 2.27GHz\n",
        only="hardware",
    ) == {"cpu.model": "Xeon E5520", "cpu.cores": 2}
