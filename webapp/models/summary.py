"""The summary that pages read: one row per scope, metric, configuration and workload; its counts; and the data version."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

PUBLIC = 0
"""The scope of all public archives."""
ACCEPTED = -1
"""The scope of the public archives that are accepted for front pages."""


class Summary(models.Model):
    """Count, mean, sum of squared deviations, extremes, and up to 30 values with their measurement ids.

    `scope` is `PUBLIC`, `ACCEPTED`, or an archive's id for that archive alone. Beyond 30 values `histogram` counts
    buckets of 1 % (bucket number -> count; bucket b counts values v with floor(log(v) / log(1.01)) == b; 'zero' and
    'negative' are buckets of their own). Updated in the transaction that changes the measurements.
    """

    LIMIT = 30

    pk = models.CompositePrimaryKey("scope", "metric_id", "configuration_id", "workload_id")
    scope = models.BigIntegerField()
    metric = models.ForeignKey("MetricName", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    configuration = models.ForeignKey("Configuration", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    workload = models.ForeignKey("Workload", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    n = models.IntegerField()
    mean = models.FloatField()
    m2 = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    values = ArrayField(models.FloatField(), default=list)
    ids = ArrayField(models.BigIntegerField(), default=list)
    histogram = models.JSONField(null=True)

    class Meta:
        # By it the public row of a key is rebuilt from those of the archives. Without rows of several archives: pages read those by
        # the whole key, and the planner would take this index, with all archives' rows.
        indexes = [
            models.Index(fields=["metric", "configuration", "workload"], condition=models.Q(scope__gt=PUBLIC), name="summary_parts")
        ]


class MetricCount(models.Model):
    """How many values (`n`) and how many rows (`rows`) of each metric the summary has in a scope.

    Triggers maintain it with every statement that changes the summary: a page that lists the metrics reads some sixty rows
    instead of all of the summary.
    """

    pk = models.CompositePrimaryKey("scope", "metric_id")
    scope = models.BigIntegerField()
    metric = models.ForeignKey("MetricName", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    n = models.BigIntegerField()
    rows = models.BigIntegerField()


class ConfigurationCount(models.Model):
    """How many values (`n`) and rows (`rows`) each configuration has in a scope; maintained by the triggers of `MetricCount`.

    A trigger sets the indexed columns: the system, the host, and `sorted`, the order of the configurations of a system:
    operating system, then file system, missing ones last.
    """

    pk = models.CompositePrimaryKey("scope", "configuration_id")
    scope = models.BigIntegerField()
    configuration = models.ForeignKey("Configuration", on_delete=models.DO_NOTHING, db_constraint=False, related_name="counts")
    n = models.BigIntegerField()
    rows = models.BigIntegerField()
    system = models.ForeignKey("System", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    host = models.TextField(null=True)
    sorted = models.TextField(db_collation="C")

    class Meta:
        indexes = [
            models.Index(fields=["scope", "system", "sorted", "configuration"], name="count_of_system"),
            models.Index(fields=["scope", "system", "host"], name="count_of_host", condition=models.Q(host__isnull=False)),
        ]


class SystemCount(models.Model):
    """How many values and configurations each system has in a scope; triggers maintain it with every change of those above.

    `seen_by`: 0 where everybody sees the scope (`PUBLIC` and `ACCEPTED` too), else the owner of its archive.
    """

    pk = models.CompositePrimaryKey("scope", "system_id")
    scope = models.BigIntegerField()
    system = models.ForeignKey("System", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="counts")
    n = models.BigIntegerField()
    configurations = models.IntegerField()
    seen_by = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["-n", "-system"], name="system_most_measured", condition=models.Q(scope=PUBLIC)),
            models.Index(fields=["system", "seen_by", "-scope"], name="system_archives", condition=models.Q(scope__gt=PUBLIC)),
        ]


class ScopeCount(models.Model):
    """The metrics of a scope and the counts of `MetricCount` in one row: what a page reads. Maintained by a trigger."""

    scope = models.BigIntegerField(primary_key=True)
    metrics = ArrayField(models.SmallIntegerField())
    names = ArrayField(models.TextField())
    n = ArrayField(models.BigIntegerField())
    rows = ArrayField(models.BigIntegerField())


class CountBlock(models.Model):
    """The counts of the summary's rows of one metric in a scope, as a log in few blocks.

    Entry i says that the row of `configurations[i]` and `workloads[i]` has `counts[i]` values, 0 where it is deleted; the
    last entry of a row is valid, in the order of block numbers. A trigger adds a block of tier 0 with every statement that
    changes the summary; eight blocks of a tier are merged into one of the next. Eight of the last, or blocks with two thirds
    of outdated entries, are merged into one with a single entry for each row (tier 4). So a metric has at most 29 blocks for
    any number of rows and uploads, and an entry is written about three times.
    """

    pk = models.CompositePrimaryKey("scope", "metric_id", "block")
    scope = models.BigIntegerField()
    metric = models.ForeignKey("MetricName", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    block = models.BigIntegerField()
    tier = models.SmallIntegerField()
    entries = models.IntegerField()
    configurations = ArrayField(models.BigIntegerField())
    workloads = ArrayField(models.BigIntegerField())
    counts = ArrayField(models.IntegerField())


class DataVersion(models.Model):
    """One row. `number` rises in the writer's own transaction with every change of what a reader can see."""

    number = models.BigIntegerField(default=1)
