"""Labels of the rows of a system's specification, in several languages, and the kind of value behind each.

Labels as people write them (`CPU`, `Arbeitsspeicher`, `操作系统`) and as the scripts bench.sh and yabs.sh print them.
"""

from __future__ import annotations

import re

_NAMES = {
    "cpu": (
        "CPU|CPUs|CPU Model|CPU Type|System CPU|Host CPU|Server CPU"
        "|Processor|Processors|Processor Model|Prozessor|Prozessoren|Processeur"
        "|Processore|Procesador|Processador|Procesor|Процессор|ЦП|处理器|CPU型号|プロセッサ|Platform"
    ),
    "memory": (
        "RAM|Memory|Memory per node|RAM per node|Host RAM|Host Memory|Server RAM"
        "|System Memory|System RAM|Total Mem|Total Memory|Total RAM|Total amount of Mem|Total amount of RAM"
        "|Installed Memory|Installed RAM|Arbeitsspeicher|Hauptspeicher|Mémoire|Mémoire vive|Mémoire RAM|Memoria|Memoria RAM"
        "|Memória|Memória RAM|Pamięć|Pamięć RAM|Geheugen|Память|Оперативная память|ОЗУ|内存|記憶體|メモリ|メモリー"
    ),
    "system": (
        "OS|Operating System|OS Version|OS type and version|OS type|Host OS|Server OS"
        "|Distro|Distribution|Linux Distribution|WSL Distro|WSL Distribution|Build|Betriebssystem"
        "|Système"
        "|Système d'exploitation"
        "|Sistema operativo|Sistema operacional|System operacyjny|Besturingssysteem|ОС|Операционная система"
        "|操作系统|作業系統|系统版本|操作系统版本|OS版本"
        "|FreeNAS Version|TrueNAS Version"
    ),
    "mac": "macOS|macOS Version",
    "mac os x": "Mac OS X|Mac OS X Version|OS X|OS X Version",
    "kernel": "Kernel|Linux Kernel|Kernel Version|OS Kernel|Kernel-Version|Noyau|Noyau Linux|Ядро|内核|内核版本|カーネル",
    "arch": "Arch|Architecture|CPU Architecture|Architektur|Arquitectura|架构",
    "fs": (
        "Filesystem|File system|File-System|FS|Dateisystem"
        "|Système de fichiers|Sistema de archivos|Sistema de ficheros|Sistema de arquivos"
        "|Bestandssysteem|System plików|Файловая система|文件系统|檔案系統|ファイルシステム"
    ),
    "host": "Hostname|Host name|Rechnername|主机名",
    "nic": "NIC",
    "compression": "Compression|ZFS Compression|Compression Algorithm|Komprimierung|Kompression",
    "dedup": "Dedup|Deduplication",
    "recordsize": "Recordsize|ZFS Recordsize",
    "atime": "atime",
    "layout": "RAID|RAID Level|RAID Type|RAID-Level|Pool Layout|Pool Type|Vdev Layout|ZFS Layout|Topology",
    "disks": (
        "Disks|Disk|Drives|Hard Drives|Hard Disks|HDDs|HDD|SSDs|SSD|Storage|Data Disks|Data Drives|Pool Disks"
        "|Festplatten|Disques|Discos|Dischi|Диски|硬盘|硬碟"
    ),
    "network": "Network|Interconnect|Netzwerk|Réseau|Сеть|网络",
}
ROW_KINDS = {label.lower(): kind for kind, labels in _NAMES.items() for label in labels.split("|")}
_LABELS = {label for row in _NAMES.values() for label in row.split("|")}
LABEL_PATTERN = "|".join(re.escape(label) for label in sorted(_LABELS, key=lambda label: (-len(label), label)))
POOL_KINDS = frozenset(("compression", "dedup", "recordsize", "atime", "layout"))
# Labels that identify a specification even on a single line, behind a colon.
STANDALONE_LABELS = frozenset(
    (
        "cpu",
        "cpu model",
        "memory",
        "ram",
        "os",
        "os version",
        "os type and version",
        "operating system",
        "distro",
        "distribution",
        "linux distribution",
        "wsl distro",
        "macos",
        "macos version",
        "mac os x version",
        "os x version",
        "build",
        "platform",
        "kernel",
        "kernel version",
        "linux kernel",
        "network",
        "freenas version",
        "truenas version",
        "hostname",
    )
)
