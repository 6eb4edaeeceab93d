"""What the lines of fio's normal output look like, 1.x to 3.x (stat.c of fio, show_ddir_status and show_group_stats)."""

from __future__ import annotations

from ingest.lazy_regex import late

OPTIONS = late(
    r"^[\s>|#+]*(\S.*?): \(g=(\d+)\): rw=(\w+), (?:bs=([^,]+(?:, \([WT]\)[^,]+)*)|.*?), .*?ioengine=(\w+), iodepth=(\d+)"
)
VERSION = late(r"^[\s>|#+]*(?:fio[- ](\d\S*)|(2\.0(?:\.\d{1,2})?))\s*$")  # 2.0 prints its number alone
JOB = late(
    r"(?:^|\])[\s>|#+]*([^\s\[\]][^\[\]]*?): \(groupid=(\d+), jobs=(\d+)\): err=\s*(\d+)\s*(?:\([^)]*\))?: pid=(\d+)"
    r"(?:: (\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}))?"
)
DIRECTION = late(r"^[\s>|#+*`-]*(read|write|trim|mixed)\s*:[ \t]{1,4}(?=IOPS=(?!\S+ \d)|io=)(.*)$")
# Behind the name of a file as grep prints it, another label, or the cell of a table.
_LABEL = r"^([\s>#+*`-]*(?:\|(?:[^|\n]{1,100}\|){1,6}|[^\s|:\[\]][^|:\[\]\n]{0,100}:(?=\s))\s*)"
LABELLED = late(_LABEL + r"`?(read|write|trim|mixed)\s*:[ \t]{1,4}(?=IOPS=(?!\S+ \d)|io=)(.*)$")
# Lines of a job behind that of its direction.
DETAIL = late(
    r"^[\s>|#+]*(?:[sc]?lat\b|bw\b|iops\b|cpu\s|f?sync\b|IO depths|submit\s|complete\s|issued\b|latency\b|\d+\.\d+th=)|^\s*\|"
)
NEW = late(r"IOPS=(\S+?), BW=(\d+(?:\.\d+)?)(\S*?(?:B|bit)/s|[kKMGT]?i?) \([^)]*\)\([^/)]*/(\d+)(\w+)\)")
OLD = late(
    r"io=\s*\S+(?: ?[kKMGT]?i?B)? ?,? bw=\s*(\d[\d,]*(?:\.\d+)?) ?(\S*?[Bb]/s) ?,?(?: iops=\s*(\S+?) ?,?)? "
    r"runt=\s*(\d+(?:\.\d+)?)\s*(\w+)"
)
LATENCY = late(
    r"^[\s>|#+]*(slat|clat|lat|sync)( prio [\d/]{1,9})? \((nsec|usec|msec|sec)\)\s*: "
    r"min=\s*(\S+?) ?, max=\s*(\S+?) ?, avg=\s*(\S+?) ?, (?:st)?dev=\s*(\S+?)\s*$"
)
PERCENTILES = late(
    r"^[\s>|#+]*(clat|lat|slat|sync)( prio [\d/]{1,9})?(?: \(\d+\.\d+% of IOs\))? percentiles \((nsec|usec|msec|sec)\):"
)
PERCENT_ROW = late(r"^[\s>|#+]*\d+\.\d+th=\[")
PERCENT = late(r"(\d+\.\d+)th=\[\s*([^\]\s]+)\s*\]")
SAMPLES = late(
    r"^[\s>|#+]*(?:bw \(\s*([kKMGTmgt]?i?(?:[Bb]|bit))\s*/s\)|(iops))\s*: "
    r"min=\s*(\S+?) ?, max=\s*(\S+?) ?,(?: per=\s*\S+?,)? avg=\s*(\S+?) ?, (?:st)?dev=\s*(\S+?)(?:,.*)?$"
)
CPU = late(r"^[\s>|#+]*cpu\s*: usr=(\d+\.\d+)%, sys=(\d+\.\d+)%")
STATUS = late(r"^[\s>|#+]*[Rr]un status group (\d+) \(all jobs\):")
_SUM = (
    r"((?i:READ|WRITE|TRIM|MIXED)): (?:bw=(\d+(?:\.\d+)?)(\S*?(?:B|bit)/s) \(|"
    r"io=\s*\S+ ?, aggrb=\s*(\d[\d,]*(?:\.\d+)?) ?(\S*?[Bb]/s) ?,)"
)
TOTAL = late(r"^[\s>|#+*`-]*" + _SUM)
LABELLED_TOTAL = late(_LABEL + "`?" + _SUM)
SYNC = late(r"^[\s>|#+]*fsync/fdatasync/sync_file_range:")
# Client mode leaves `B/s` out: `BW=621Mi (651M)`. Pages that print all in small letters: kb and mb are KB and MB.
UNIT = late(r"([kKMGT]?|[mgt](?=b/s|b\Z))(i?)(bit|[Bb]|)(?:/s)?\Z")
