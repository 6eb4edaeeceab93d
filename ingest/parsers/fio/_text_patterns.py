"""Patterns of the lines of fio's normal output, 1.x to 3.x (stat.c of fio, show_ddir_status and show_group_stats)."""

from __future__ import annotations

from ingest.lazy_regex import lazy

OPTIONS = lazy(
    r"^[\s>|#+]*(\S.*?): \(g=(\d+)\): rw=(\w+), (?:bs=([^,]+(?:, \([WT]\)[^,]+)*)|.*?), .*?ioengine=(\w+), iodepth=(\d+)"
)
VERSION = lazy(r"^[\s>|#+]*(?:fio[- ](\d\S*)|(2\.0(?:\.\d{1,2})?))\s*$")  # 2.0 prints its number alone
JOB = lazy(
    r"(?:^|\])[\s>|#+]*([^\s\[\]][^\[\]]*?): \(groupid=(\d+), jobs=(\d+)\): err=\s*(\d+)\s*(?:\([^)]*\))?: pid=(\d+)"
    r"(?:: (\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}))?"
)
DIRECTION = lazy(r"^[\s>|#+*`-]*(read|write|trim|mixed)\s*:[ \t]{1,4}(?=IOPS=(?!\S+ \d)|io=)(.*)$")
# Behind the name of a file as grep prints it, another label, or the cell of a table.
_LABEL = r"^([\s>#+*`-]*(?:\|(?:[^|\n]{1,100}\|){1,6}|[^\s|:\[\]][^|:\[\]\n]{0,100}:(?=\s))\s*)"
LABELLED_DIRECTION = lazy(_LABEL + r"`?(read|write|trim|mixed)\s*:[ \t]{1,4}(?=IOPS=(?!\S+ \d)|io=)(.*)$")
# Lines of a job behind that of its direction.
DETAIL = lazy(
    r"^[\s>|#+]*(?:[sc]?lat\b|bw\b|iops\b|cpu\s|f?sync\b|IO depths|submit\s|complete\s|issued\b|latency\b|\d+\.\d+th=)|^\s*\|"
)
NEW_RESULT = lazy(r"IOPS=(\S+?), BW=(\d+(?:\.\d+)?)(\S*?(?:B|bit)/s|[kKMGT]?i?) \([^)]*\)\([^/)]*/(\d+)(\w+)\)")
OLD_RESULT = lazy(
    r"io=\s*\S+(?: ?[kKMGT]?i?B)? ?,? bw=\s*(\d[\d,]*(?:\.\d+)?) ?(\S*?[Bb]/s) ?,?(?: iops=\s*(\S+?) ?,?)? "
    r"runt=\s*(\d+(?:\.\d+)?)\s*(\w+)"
)
LATENCY = lazy(
    r"^[\s>|#+]*(slat|clat|lat|sync)( prio [\d/]{1,9})? \((nsec|usec|msec|sec)\)\s*: "
    r"min=\s*(\S+?) ?, max=\s*(\S+?) ?, avg=\s*(\S+?) ?, (?:st)?dev=\s*(\S+?)\s*$"
)
PERCENTILES_TITLE = lazy(
    r"^[\s>|#+]*(clat|lat|slat|sync)( prio [\d/]{1,9})?(?: \(\d+\.\d+% of IOs\))? percentiles \((nsec|usec|msec|sec)\):"
)
PERCENTILES_ROW = lazy(r"^[\s>|#+]*\d+\.\d+th=\[")
PERCENTILE = lazy(r"(\d+\.\d+)th=\[\s*([^\]\s]+)\s*\]")
SAMPLES = lazy(
    r"^[\s>|#+]*(?:bw \(\s*([kKMGTmgt]?i?(?:[Bb]|bit))\s*/s\)|(iops))\s*: "
    r"min=\s*(\S+?) ?, max=\s*(\S+?) ?,(?: per=\s*\S+?,)? avg=\s*(\S+?) ?, (?:st)?dev=\s*(\S+?)(?:,.*)?$"
)
CPU = lazy(r"^[\s>|#+]*cpu\s*: usr=(\d+\.\d+)%, sys=(\d+\.\d+)%")
STARTING = lazy(r"Starting (?:(\d{1,6}) threads?)?(?: and )?(?:(\d{1,6}) process(?:es)?)?\s*$")
RUN_STATUS = lazy(r"^[\s>|#+]*[Rr]un status group (\d+) \(all jobs\):")
_GROUP_SUM = (
    r"((?i:READ|WRITE|TRIM|MIXED)): (?:bw=(\d+(?:\.\d+)?)(\S*?(?:B|bit)/s) \(|"
    r"io=\s*\S+ ?, aggrb=\s*(\d[\d,]*(?:\.\d+)?) ?(\S*?[Bb]/s) ?,)"
)
GROUP_TOTAL = lazy(r"^[\s>|#+*`-]*" + _GROUP_SUM)
LABELLED_GROUP_TOTAL = lazy(_LABEL + "`?" + _GROUP_SUM)
SYNC_TITLE = lazy(r"^[\s>|#+]*fsync/fdatasync/sync_file_range:")
# Client mode leaves out `B/s`: `BW=621Mi (651M)`. In pages all in small letters, kb and mb are KB and MB.
UNIT = lazy(r"([kKMGT]?|[mgt](?=b/s|b\Z))(i?)(bit|[Bb]|)(?:/s)?\Z")
