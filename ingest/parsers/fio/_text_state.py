"""The state of a pass over fio's normal output, and the units that it prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.fio._command import FioCommand
from ingest.parsers.fio._job import FioJob
from ingest.parsers.fio._options import JobOptions, moved_directions

# Patterns of the lines of fio's normal output, 1.x to 3.x (stat.c of fio, show_ddir_status and show_group_stats).

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
LAST_DETAIL = lazy(r"^[\s>|#+]*(?:issued\b|latency\s*:)")
SYNC_TITLE = lazy(r"^[\s>|#+]*fsync/fdatasync/sync_file_range:")
# Client mode leaves out `B/s`: `BW=621Mi (651M)`. In pages all in small letters, kb and mb are KB and MB.
UNIT = lazy(r"([kKMGT]?|[mgt](?=b/s|b\Z))(i?)(bit|[Bb]|)(?:/s)?\Z")


class ReportedBandwidth(NamedTuple):
    """The bandwidth of one job and direction in B/s, with number and unit as printed, and its line."""

    value: float
    printed: str
    line: int


@dataclass(slots=True)
class FioTextState:
    """What the lines so far decide about the next one.

    `options`: by name of the job, for terse lines of the same run too; `group_options`: by name and group, for names used twice.
    `unfinished_line`: the first job cut off above its run status, 0 if there is none. `has_results`: of the run of `options`.
    `running`: line and number of run statuses before it of each name and process; `superseded`: lines of jobs that were reported
    while they ran (--status-interval), so that a later report contains them.
    """

    version: str | None = None
    version_line: int = 0
    options: dict[str, JobOptions] = field(default_factory=dict)
    group_options: dict[tuple[str, str], JobOptions] = field(default_factory=dict)
    command: FioCommand = field(default_factory=FioCommand)
    has_results: bool = False
    unfinished_line: int = 0
    is_old: bool = False  # 1.x and 2.x
    # The current job; it is missing within a run where `is_job_lost`.
    job: FioJob | None = None
    is_job_lost: bool = False
    is_excerpt: bool = False  # the text does not show the line of the job
    has_command_options: bool = False
    label: str = ""  # of an excerpt, before its lines
    job_depends: tuple[int, ...] = ()
    # The current direction of the job, and the kinds of its lines.
    direction: str | None = None
    directions: list[str] = field(default_factory=list)
    direction_lines: list[int] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    is_direction_lost: bool = False
    shows_details: bool = False  # some job does
    is_whole: bool = False  # the last detail of the job was read
    percentiles: tuple[str, str] | None = None  # kind and unit of the rows to come
    # Groups and reports.
    group: tuple[str, int] | None = None  # of the run status, with its line
    report: int = 0  # the number of the report whose jobs are read
    is_report_over: bool = False  # the next job is of another report
    report_jobs: list[tuple[tuple[int, str], FioJob]] = field(default_factory=list)  # every job, with its report and group
    totalled: set[tuple[int, str]] = field(default_factory=set)  # reports and groups with a total of fio's own
    started_processes: int = 0  # as the run says before its jobs; 0 if it does not
    reported_processes: int = 0  # of the jobs below
    starts_threads: bool = False  # and no processes
    header_lines: tuple[int, ...] = ()  # of the command above the options, and of the number of processes
    reported: dict[tuple[str, str], list[ReportedBandwidth]] = field(default_factory=dict)  # by group and direction
    status_count: int = 0
    running: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    superseded: list[int] = field(default_factory=list)
    failed_jobs: list[FioJob] = field(default_factory=list)

    def group_jobs(self, group: str) -> list[FioJob]:
        """The jobs of a group of the report that is read."""
        return [job for key, job in self.report_jobs if key == (self.report, group)]

    def note_unfinished(self) -> None:
        """Note the job that ends here without a run status, if it is not whole. Of a text without details its results are."""
        if self.job is None or self.is_excerpt or self.job.error:
            return
        shown = set(self.directions)
        if (
            (self.shows_details and not self.is_whole)
            or not shown
            or ("mixed" not in shown and not shown.issuperset(moved_directions(self.job.pattern)))
        ):
            self.unfinished_line = self.unfinished_line or self.job.line

    def note_unreported(self) -> None:
        """Note the last job of a run that ends here without a run status, if it started more processes than it reports."""
        if 0 < self.reported_processes < self.started_processes:
            self.unfinished_line = self.unfinished_line or self.report_jobs[-1][1].line

    def begin_job(self, job: FioJob, *, is_excerpt: bool) -> None:
        """Take a job whose directions follow."""
        self.is_whole = False
        self.job, self.job_depends, self.is_excerpt = job, job.depends, is_excerpt
        self.direction, self.directions, self.direction_lines = None, [], []
        self.percentiles, self.is_direction_lost = None, False


def unit_factor(unit: str, is_old: bool) -> float | None:
    """Bytes of a unit as fio prints it: Ki, Mi are powers of 1024, k, M of 1000 since 3.0 (kb_base=1000), before of 1024.

    unit_base=1 prints bits.
    """
    match = UNIT.match(unit)
    if not match:
        return None
    factor: int = (1024 if match[2] or is_old else 1000) ** " KMGT".index(match[1].upper() or " ")
    return factor / (8 if match[3] == "bit" else 1)


def spell_unit(unit: str, is_old: bool) -> str:
    """The unit that fio means: KB of 2.x is KiB, Mi of client mode is MiB/s."""
    if not unit.endswith("/s"):
        return f"{unit}B/s"
    return unit[0].upper() + "iB/s" if is_old and len(unit) == len("KB/s") else unit
