"""Permanent records, the files made of them, collections; and DOIs, which are added later."""

from django.conf import settings
from django.db import models

from webapp.models.archive import Archive, OwnedQuerySet

# Dated editions of everything public as files.


class PublicData(models.Model):
    """An edition. Its files are in the store under their digests, so that editions share what did not change.

    `parts`: closed ranges of archives, each `{"archives": ids, "withdrawn": ids of withdrawals, "state": what it was made of,
    "measurements", "unmeasured", "files": {form: {"sha256", "bytes"}}}`. `whole`: of the newest one, its tables as one file each:
    {table: {form: {"sha256", "bytes"}}}; empty while they are to be made. `archives`: what the list of archives says of each.
    `left_out`: archives and withdrawals that went out of it after it was made.
    """

    class State(models.TextChoices):
        ASKED = "asked", "being made"
        READY = "ready", "ready"
        FAILED = "failed", "could not be made"

    date = models.DateField(unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.ASKED)
    data_version = models.BigIntegerField(default=0, help_text="The newest data version that is not in it for sure")
    asked_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)
    done = models.BigIntegerField(default=0, help_text="Values so far")
    total = models.BigIntegerField(default=0)
    attempts = models.IntegerField(default=0)
    parts = models.JSONField(default=list)
    archives = models.JSONField(default=list)
    left_out = models.IntegerField(default=0)
    whole = models.JSONField(default=dict, db_default={})

    class Meta:
        ordering = ["-date"]

    @property
    def measurements(self) -> int:
        return sum(part["measurements"] for part in self.parts)

    @property
    def unmeasured(self) -> int:
        return sum(part["unmeasured"] for part in self.parts)


# Withdrawals of archives, files and measurements from every comparison, with reasons and history.


class WithdrawalQuerySet(models.QuerySet):
    """Withdrawals by whether they are in force."""

    def active(self):
        """Those that are not undone."""
        return self.filter(restored_at__isnull=True)


class Withdrawal(models.Model):
    """An archive, a file of it, or one measurement. Undone with account and time, never changed otherwise.

    A measurement is identified by what does not change when its archive is read again: path, line, metric, native name, and
    `nth`, its position (from 0) among those equal in all four. `first` to `beyond - 1` are the ids of the withdrawn
    measurements, 0 and 0 where there are none (an archive as a whole; a value that the current parser does not give).
    """

    class What(models.TextChoices):
        ARCHIVE = "archive", "archive"
        FILE = "file", "file"
        MEASUREMENT = "measurement", "measurement"

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="withdrawals")
    what = models.CharField(max_length=12, choices=What)
    path = models.TextField(blank=True)
    line = models.TextField(blank=True)
    metric = models.TextField(blank=True)
    native = models.TextField(blank=True)
    nth = models.IntegerField(default=0)
    raw = models.TextField(blank=True, help_text="The value as printed, for people")
    reason = models.TextField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    restored_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    restored_at = models.DateTimeField(null=True)
    first = models.BigIntegerField(default=0)
    beyond = models.BigIntegerField(default=0)

    objects = WithdrawalQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["first"], name="withdrawal_first"),
            models.Index(fields=["archive", "id"], name="withdrawal_holding", condition=models.Q(restored_at__isnull=True)),
            models.Index(
                fields=["archive", "-restored_at", "-id"], name="withdrawal_restored", condition=models.Q(restored_at__isnull=False)
            ),
            models.Index(fields=["archive", "path"], name="withdrawal_of_file", condition=models.Q(what="file")),
        ]


# The comparisons of shipped studies that were frozen when the study was loaded.


class StudyFigure(models.Model):
    """`study` is the study's name in fixtures/, empty for a comparison between studies; `query` the one it was frozen from."""

    study = models.SlugField(blank=True)
    query = models.TextField()
    permalink = models.ForeignKey("Permalink", on_delete=models.PROTECT, related_name="study_figures")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "query"], name="study_figure_once")]


class PermalinkQuerySet(OwnedQuerySet):
    """Permalinks, which everybody can open who has the address."""

    def listed(self):
        """Those that search engines are shown: made of archives that all are public now."""
        sources = FrozenSource.objects.filter(permalink=models.OuterRef("pk"))
        hidden = sources.exclude(archive__in=Archive.objects.public().values("pk"))
        return self.filter(models.Exists(sources), ~models.Exists(hidden))


class FrozenRecord(models.Model):
    """What permalinks and collections have: a record that never changes, under a name of its own."""

    id = models.CharField(primary_key=True, max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    content = models.CharField(max_length=64, help_text="SHA-256 of the record without name, date and address")
    record = models.BinaryField()
    title = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False)
    frozen_at = models.DateTimeField()

    class Meta:
        abstract = True


class Permalink(FrozenRecord):
    """`record` are the canonical JSON bytes; a trigger in the database refuses every UPDATE and DELETE of the row."""

    objects = PermalinkQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "content"], name="permalink_once_per_owner")]
        indexes = [models.Index(fields=["owner", "-frozen_at", "-id"], name="permalink_latest")]

    def get_absolute_url(self) -> str:
        """The path of its page."""
        return f"/p/{self.pk}"


class FrozenSource(models.Model):
    """An archive whose values a permalink holds. It may have been deleted since."""

    pk = models.CompositePrimaryKey("permalink_id", "archive_id")
    permalink = models.ForeignKey(Permalink, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    archive = models.ForeignKey(Archive, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)


class Rendering(models.Model):
    """A file made of a record or collection, once; a trigger refuses changes.

    `of` is the name of the permalink or collection; `name` the file's, as in the bundle: `data.csv`, `figure-85.svg`.
    """

    of = models.CharField(max_length=16)
    name = models.CharField(max_length=80)
    media_type = models.CharField(max_length=120)
    data = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["of", "name"], name="rendering_once")]


class Doi(models.Model):
    """A DOI that the owner entered for a permalink or collection; the latest is valid. Shown, never in a frozen file."""

    of = models.CharField(max_length=16, db_index=True)
    doi = models.CharField(max_length=200, blank=True, help_text="`10.5281/zenodo.12345`; empty: taken back")
    entered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    entered_at = models.DateTimeField(auto_now_add=True)


class Collection(FrozenRecord):
    """Several permalinks under one address, in order, with captions and one citation; frozen as they are."""

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "content"], name="collection_once_per_owner")]
        indexes = [models.Index(fields=["owner", "-frozen_at", "-id"], name="collection_latest")]

    def get_absolute_url(self) -> str:
        """The path of its page."""
        return f"/c/{self.pk}"


class PermalinkVersion(models.Model):
    """`permalink` was frozen as the next version of `previous`: the same selection of later data. Versions form a line."""

    permalink = models.OneToOneField(
        Permalink, primary_key=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="older"
    )
    previous = models.OneToOneField(Permalink, on_delete=models.DO_NOTHING, db_constraint=False, related_name="newer")
