"""Machine, system, operating system, pool configuration and open properties: one row each per distinct value, and all together."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from ingest.keys import KEYS
from ingest.open_keys import CONTROLLER

# Counts of an archive as a whole, written with its rows: its pages read these instead of counting runs.


class ArchiveConfiguration(models.Model):
    """One configuration of an archive: its runs there and their measurements, whether these count or not.

    `placed`: whether an identifying key has a value (see `webapp.storage.archive_rows`). `tools` and `origins` are sorted lists.
    """

    pk = models.CompositePrimaryKey("archive_id", "configuration_id")
    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    configuration = models.ForeignKey("Configuration", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    runs = models.IntegerField()
    measurements = models.IntegerField()
    first_run = models.BigIntegerField(help_text="Id of its first run in the archive")
    placed = models.BooleanField()
    tools = models.JSONField()
    origins = models.JSONField()

    class Meta:
        indexes = [
            models.Index(fields=["archive", "-measurements", "configuration"], name="archive_most_measured"),
            models.Index(fields=["archive", "configuration"], name="archive_unplaced", condition=models.Q(placed=False)),
        ]


class Profile(models.Model):
    """Counts of an archive as a whole; `webapp.storage.archive_rows` writes and reads its keys."""

    archive = models.OneToOneField("Archive", on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True)
    told = models.JSONField()


class SystemColumns(models.Model):
    """What a system is, and what a configuration repeats of it."""

    arch = models.TextField(null=True)
    cpu_model = models.TextField(null=True)
    cpu_cores = models.IntegerField(null=True)
    memory = models.BigIntegerField(null=True)
    disk_model = models.TextField(null=True)
    disk_count = models.IntegerField(null=True)

    class Meta:
        abstract = True


class OperatingSystemColumns(models.Model):
    """The same of an operating system."""

    os_family = models.TextField(null=True)
    os_name = models.TextField(null=True)
    os_version = models.TextField(null=True)
    kernel = models.TextField(null=True)

    class Meta:
        abstract = True


class PoolColumns(models.Model):
    """The same of a file system and its pool."""

    fs_type = models.TextField(null=True)
    fs_version = models.TextField(null=True)
    fs_stack = models.TextField(null=True)
    pool_layout = models.TextField(null=True)
    pool_compression = models.TextField(null=True)
    pool_compression_effective = models.TextField(null=True)
    pool_dedup = models.TextField(null=True)
    pool_atime = models.TextField(null=True)
    pool_recordsize = models.BigIntegerField(null=True)
    pool_sync = models.TextField(null=True)
    pool_copies = models.IntegerField(null=True)
    pool_ashift = models.IntegerField(null=True)
    pool_log = models.TextField(null=True)
    pool_cache = models.TextField(null=True)
    network = models.TextField(null=True)

    class Meta:
        abstract = True


class System(SystemColumns):
    """Hardware, keyed by architecture, CPU model, cores, nominal memory and disks; the host name is not part of it.

    A host of which numbers were reported (a row of a published list) is a system by itself: `host` is its name as written,
    `hardware` the system of all hosts with the same parts.
    """

    digest = models.CharField(max_length=64, unique=True)
    host = models.TextField(null=True)
    hardware = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="hosts")
    memory = models.BigIntegerField(null=True, help_text="Nominal, in bytes")
    measurements: int
    configurations: int
    """Number of measurements on it that the reader sees; set by `systems.system_queries`."""


class OperatingSystem(OperatingSystemColumns):
    """Family, name, version and kernel."""

    digest = models.CharField(max_length=64, unique=True)


class PoolConfiguration(PoolColumns):
    """File system, layout and properties of the pool or of a file system without pools."""

    digest = models.CharField(max_length=64, unique=True)


class OpenProperties(models.Model):
    """Open keys that are part of a configuration's identity (`ingest.open_keys`), with their values."""

    digest = models.CharField(max_length=64, unique=True)
    values = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["id"], name="open_of_controllers", condition=models.Q(values__has_key=CONTROLLER))]


class Machine(models.Model):
    """A machine: a host of an owner's archives, or what one archive distinguishes (`webapp.storage.machines`).

    `name`: its host, '' where it has none that identifies it; `folder`: that of its runs where an archive has several machines;
    `known`: what archives show of it, by which others of the owner are recognised.
    """

    digest = models.CharField(max_length=64, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="+"
    )
    archive = models.ForeignKey(
        "Archive", on_delete=models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="+"
    )
    name = models.TextField(blank=True)
    folder = models.TextField(blank=True)

    known = models.JSONField(default=dict, db_default={})

    class Meta:
        indexes = [models.Index(fields=["owner"], name="machine_of_owner", condition=models.Q(owner__isnull=False))]

    @classmethod
    def named_of(cls, owner: int):
        """The machines of an owner that have a name."""
        return cls.objects.filter(owner=owner, name__gt="")


class Configuration(SystemColumns, OperatingSystemColumns, PoolColumns):
    """System x operating system x pool configuration x open properties (none: null), with host and pool name, on a machine.

    `machine` and `stated` (whether a person stated any key) are null in rows made before they were known. Repeats every column of
    the first three, so that a page filters and groups one narrow table.
    """

    digest = models.CharField(max_length=64, unique=True)
    system = models.ForeignKey(System, on_delete=models.PROTECT)
    os = models.ForeignKey(OperatingSystem, on_delete=models.PROTECT)
    pool = models.ForeignKey(PoolConfiguration, on_delete=models.PROTECT)
    open = models.ForeignKey(OpenProperties, on_delete=models.PROTECT, null=True)
    chosen = models.JSONField(default=list, db_default=[], help_text="Open keys of its identity that a person set")
    machine = models.ForeignKey(
        Machine, on_delete=models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="configurations"
    )
    stated = models.BooleanField(null=True)
    host = models.TextField(null=True)
    pool_name = models.TextField(null=True)
    sorted: str
    """Its number among those of its system; set by `systems.system_queries`."""
    heading: str
    apart: str
    """Its name on a page, and what differs from others of that name; set by the views."""
    measurements: int
    """Number of measurements on it that the reader sees; set by `systems.search_queries`."""

    @property
    def known(self) -> dict[str, Any]:
        """Every known key with its value, registered ones first; a query of its own unless `open` was selected with the row."""
        columns = {key.name: getattr(self, key.column) for key in KEYS.values()}
        return {name: value for name, value in columns.items() if value is not None} | (self.open.values if self.open else {})
