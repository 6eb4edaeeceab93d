"""Executions of tools, as far as outputs separate them, and the evidence of an archive."""

from django.db import models


class Provenance(models.Model):
    """Where each key of a configuration was read: key -> FILE:LINE, or `stated`. Runs of an archive with equal ones share it.

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
    and `cache_from`, the FILE:LINE of the cache state. The ids of its measurements are `first_measurement` and the
    `measurements - 1` that follow; `rank_values` of them are in CompressedValues. `session` is null in
    rows made before sessions were known. No foreign keys in the database (bulk rows;
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
