"""Executions of tools, as far as outputs separate them, and the evidence of an archive."""

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from webapp.models.permalink import Withdrawal

# Measurements, values that could not be measured, and the names of their metrics.


class MetricName(models.Model):
    """Names of metrics with small ids; rows are never changed or deleted."""

    id = models.SmallAutoField(primary_key=True)
    name = models.TextField(unique=True)


class MeasurementQuerySet(models.QuerySet):
    """Measurements by the id range of their run or file."""

    def of(self, source):
        """Those of a Run or File, in the order of their lines."""
        first = source.first_measurement
        return self.filter(id__gte=first, id__lt=first + source.measurements).order_by("id")

    def on_lines(self, first: int, last: int):
        """Those on lines in this range; none of the cells of a sheet."""
        # CASE keeps the cast away from cells of a sheet.
        return self.extra(
            where=["CASE WHEN line ~ '^[0-9]+$' THEN line::bigint BETWEEN %s AND %s ELSE false END"], params=[first, last]
        )


class Measurement(models.Model):
    """A value in its metric's base unit. `counted` is false for duplicates and withdrawn values: shown, in no summary.

    `details` are descriptive parameters that only some values of the run have. Rows are inserted by COPY; no foreign keys in
    the database, and no index but the key: the values of a run, a file and an archive are a range of ids each.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey("Run", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    workload = models.ForeignKey("Workload", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    metric = models.ForeignKey(MetricName, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    value = models.FloatField()
    repetition = models.IntegerField(default=1)
    counted = models.BooleanField(default=True)
    line = models.TextField()
    raw = models.TextField()
    raw_unit = models.TextField()
    native = models.TextField()
    duplicate_of = models.TextField(null=True)
    details = models.JSONField(null=True)
    withdrawn: "Withdrawal | None"
    """Its withdrawal in force or None; set by the views."""

    objects = MeasurementQuerySet.as_manager()

    @property
    def printed(self) -> str:
        """As printed, with the unit where the text does not end with it."""
        return self.raw if not self.raw_unit or self.raw.endswith(self.raw_unit) else f"{self.raw} {self.raw_unit}"


class UnmeasuredValueQuerySet(models.QuerySet):
    """Values that could not be measured, by what they stand beside."""

    def freezable(self):
        """Those that may be frozen: no repetition of another record, nor withdrawn."""
        return self.filter(duplicate_of__isnull=True, file__withdrawn=False, run__archive__withdrawn_at__isnull=True)

    def counted(self):
        """Those that are no repetition of another record, nor withdrawn, nor in a file that counts in another archive."""
        return self.freezable().filter(file__duplicate_of__isnull=True)

    def on_lines(self, first: int, last: int):
        """Those on lines in this range; none of the cells of a sheet."""
        return self.extra(
            where=[
                "CASE WHEN webapp_unmeasuredvalue.line ~ '^[0-9]+$' THEN webapp_unmeasuredvalue.line::bigint"
                " BETWEEN %s AND %s ELSE false END"
            ],
            params=[first, last],
        )


class UnmeasuredValue(models.Model):
    """What a tool set out to measure and could not print, with the reason, and the bound beyond which the true value lies where
    the output has one. Rows are inserted by COPY; no foreign keys in the database.
    """

    class Reason(models.TextChoices):
        TOO_FAST = "too_fast", "too fast to be measured"
        ZERO_TIME = "zero_time", "below what the tool's clock or digits can tell"
        FAILED = "failed", "the tool reported an error"
        NOT_FINISHED = "not_finished", "ended before its result"

    class Side(models.TextChoices):
        ABOVE = "above"
        BELOW = "below"

    id = models.BigAutoField(primary_key=True)
    archive = models.ForeignKey(
        "Archive", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="unmeasured_values"
    )
    file = models.ForeignKey("File", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    run = models.ForeignKey("Run", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    workload = models.ForeignKey("Workload", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    metric = models.ForeignKey(MetricName, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    reason = models.CharField(max_length=12, choices=Reason)
    bound = models.FloatField(null=True, help_text="In the metric's base unit")
    side = models.CharField(max_length=5, choices=Side, null=True, help_text="Of the bound, on which the true value lies")
    repetition = models.IntegerField(default=1)
    line = models.TextField()
    raw = models.TextField()
    native = models.TextField()
    duplicate_of = models.TextField(null=True)
    details = models.JSONField(null=True)
    address: str
    """Of its line in the raw view; set by the views."""

    objects = UnmeasuredValueQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["archive", "id"], name="unmeasured_in_archive"),
            models.Index(fields=["file", "id"], name="unmeasured_in_file"),
            models.Index(fields=["run", "id"], name="unmeasured_in_run"),
            models.Index(fields=["metric", "archive"], name="unmeasured_of_metric", condition=models.Q(duplicate_of__isnull=True)),
        ]


# Values of the single ranks of a parallel run, compressed.


class CompressedValues(models.Model):
    """The values that single ranks of a run have of one metric under one name of the output, in no summary and no comparison.

    Single ranks print most of the values of some submissions, and no figure needs one of them: they are kept for the export. Each
    value has its own id, in the range of its run, like a measurement. `data`: what a row of `Measurement` holds and these columns
    do not (see `storage.pg_copy`). `low`, `median`, `high`: of all of them, in the base unit. Inserted by COPY; no
    foreign keys in the database.
    """

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, related_name="compressed_values")
    run = models.ForeignKey("Run", on_delete=models.DO_NOTHING, db_constraint=False, related_name="compressed_values")
    metric = models.ForeignKey("MetricName", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    native = models.TextField()
    raw_unit = models.TextField()
    count = models.IntegerField()
    low = models.FloatField()
    median = models.FloatField()
    high = models.FloatField()
    data = models.BinaryField()


# Workloads: tool, version, stat, origin, registered parameters, month, and what distinguishes those of unknown sizes.


class Workload(models.Model):
    """One row per distinct workload. `params` has the registered parameters of `ingest.keys.PARAMS`, and options of tools, only.

    Those that differ in the month alone are merged on every page without months
    (`comparison.summary.merge_months`).
    """

    digest = models.CharField(max_length=64, unique=True)
    tool = models.TextField()
    tool_version = models.TextField(null=True)
    stat = models.TextField(default="sample")
    origin = models.TextField(default="measured")
    params = models.JSONField(default=dict)
    apart = models.TextField(
        null=True,
        help_text="Where a size or count that the tool needs is unknown: a digest of the archive and the command or table",
    )
    month = models.TextField(null=True, help_text="`2014-05`, UTC; null where no time is told")


# Numbers over time that stand in an archive's files.


class SeriesConfiguration(models.Model):
    """The resolved configuration of series: key -> value, and key -> FILE:LINE. Series of an archive with equal ones share it."""

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, related_name="series_configurations")
    config = models.JSONField(default=dict)
    config_from = models.JSONField(default=dict)


class TimeSeries(models.Model):
    """One series: numbers of one metric and subject over time, a row a series, not a point.

    `times`, `values`, `lines`: columns of `ingest.PackedSeries`; `times` is null where the output has none. `span`: seconds from
    the first point to the last. `offset`: seconds from the begin of the tool's whole output to the first point. `started_at`: of
    the first point, ISO 8601. Inserted by COPY; no foreign keys in the database; read by `webapp.storage.series`.
    """

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, related_name="series")
    file = models.ForeignKey("File", on_delete=models.DO_NOTHING, db_constraint=False, related_name="series")
    configuration = models.ForeignKey(
        SeriesConfiguration, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    tool = models.TextField()
    metric = models.TextField()
    subject = models.TextField(blank=True)
    unit = models.TextField()
    first_line = models.IntegerField()
    points = models.IntegerField()
    started_at = models.TextField(null=True)
    span = models.FloatField(null=True)
    offset = models.FloatField(null=True)
    times = models.BinaryField(null=True)
    values = models.BinaryField()
    lines = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.tool} {self.metric} {self.subject}".strip()


class Provenance(models.Model):
    """Where each key of a configuration was read: key -> FILE:LINE, or `stated`, and each parameter that stands apart from the
    values. Runs of an archive with equal ones share it.

    `others`: open keys that are no part of the configuration's identity, with their values; `implied`: the keys and parameters
    that follow from a line that does not print them.
    """

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, related_name="provenances")
    told = models.JSONField(default=dict)
    others = models.JSONField(default=dict)
    implied = models.JSONField(default=list)


class Session(models.Model):
    """Runs of one machine in one archive that nothing separates (`webapp.storage.sessions`), numbered from 1 on.

    `started`, `ended`: the first start, and the last known end or start, in ISO 8601. `separated_by`: what separates it from the
    session before: `time` or `reboot`; '' of the first.
    """

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, related_name="sessions")
    machine = models.ForeignKey(
        "Machine", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sessions"
    )
    number = models.IntegerField()
    started = models.TextField(null=True)
    ended = models.TextField(null=True)
    separated_by = models.TextField(blank=True)


class RunQuerySet(models.QuerySet):
    """Runs by configuration."""

    def on(self, configuration):
        """Those on a configuration, the newest first, by the index of both.

        Bounds instead of equality: with equality the planner sees that the order is that of the ids alone, and scans all newest
        runs for those on this configuration.
        """
        return self.filter(configuration__gte=configuration.pk, configuration__lte=configuration.pk).order_by(
            "-configuration_id", "-id"
        )


class Run(models.Model):
    """Values of one execution on one configuration, in one file.

    `details`: parameters that all its values share and that are never part of a workload's identity (command, paths).
    `config_exact`: configuration values as read where the configuration row has another form of them (memory: the nominal size)
    or none. `derived`: facts of `ingest.analysis.derived` by name, a pair [least, most] where the run's values differ in one,
    and `cache_from`, `from_memory`, `moved` and `moved_from` of `webapp.storage.derived_facts`.
    `state`: what was so before it, by keys of `ingest.state`; null where nothing is known, and in rows made before states were
    read. The ids of its measurements are `first_measurement` and the `measurements - 1` that follow; `rank_values` of them are in
    CompressedValues. `session` is null in rows made before sessions were known. No foreign keys in the database (bulk rows;
    integrity is checked once per batch when storing).
    """

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    file = models.ForeignKey("File", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    configuration = models.ForeignKey("Configuration", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    tool = models.TextField()
    tool_version = models.TextField(null=True)
    first_line = models.TextField()
    started_at = models.TextField(null=True, help_text="ISO 8601 as far as the output tells")
    source_note = models.TextField(null=True)
    details = models.JSONField(default=dict)
    provenance = models.ForeignKey(Provenance, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    config_exact = models.JSONField(default=dict)
    derived = models.JSONField(default=dict)
    state = models.JSONField(null=True)
    first_measurement = models.BigIntegerField(default=0)
    measurements = models.IntegerField(default=0)
    rank_values = models.IntegerField(default=0, db_default=0)
    session = models.ForeignKey(Session, on_delete=models.DO_NOTHING, null=True, db_constraint=False, db_index=False)

    objects = RunQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["archive", "configuration", "id"], name="run_in_archive"),
            models.Index(fields=["configuration", "id"], name="run_on_configuration"),
        ]

    @property
    def own_measurements(self) -> int:
        """Its measurements without the values of single ranks."""
        return self.measurements - self.rank_values

    @property
    def config_from(self) -> dict[str, str]:
        """Key -> FILE:LINE of its configuration; a query of its own unless `provenance` was selected with the run."""
        return self.provenance.told


def round_sql(table: str) -> str:
    """The round that a manifest states of a run, null without one; `table` is what the query calls the table of runs."""
    return f"'session ' || coalesce({table}.details->>'session', '?') || ', round ' || ({table}.details->>'round')"


WITHOUT_RESULTS = models.Q(kind="stated", key__startswith="configuration.")
"""Configurations that a manifest states without a result."""


class EvidenceRow(models.Model):
    """One fact about a configuration that the upload states."""

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, related_name="evidence")
    path = models.TextField()
    line = models.TextField()
    key = models.TextField()
    value = models.TextField()
    raw = models.TextField()
    kind = models.TextField()
    scope = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["archive", "id"], name="evidence_without_results", condition=WITHOUT_RESULTS)]
