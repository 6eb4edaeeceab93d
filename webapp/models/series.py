"""Numbers over time that stand in an archive's files."""

from django.db import models


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
