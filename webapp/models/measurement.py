"""Measurements, values that could not be measured, and the names of their metrics."""

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from webapp.models.withdrawal import Withdrawal


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

    def counted(self):
        """Those that are no repetition of another record, nor withdrawn, nor in a file that counts in another archive."""
        return self.filter(
            duplicate_of__isnull=True,
            file__withdrawn=False,
            file__duplicate_of__isnull=True,
            run__archive__withdrawn_at__isnull=True,
        )

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
