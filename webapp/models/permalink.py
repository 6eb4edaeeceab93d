"""Permanent records, the files made of them, collections; and DOIs, which are added later."""

from django.conf import settings
from django.db import models

from webapp.models.archive import Archive, OwnedQuerySet


class PermalinkQuerySet(OwnedQuerySet):
    """Permalinks, which everybody can open who has the address."""

    def listed(self):
        """Those that search engines are shown: made of archives that all are public now."""
        sources = FrozenSource.objects.filter(permalink=models.OuterRef("pk"))
        hidden = sources.exclude(archive__in=Archive.objects.public().values("pk"))
        return self.filter(models.Exists(sources), ~models.Exists(hidden))


class Permalink(models.Model):
    """`record` are the canonical JSON bytes; a trigger in the database refuses every UPDATE and DELETE of the row."""

    id = models.CharField(primary_key=True, max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    content = models.CharField(max_length=64, help_text="SHA-256 of the record without name, date and address")
    record = models.BinaryField()
    title = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False)
    frozen_at = models.DateTimeField()

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


class Collection(models.Model):
    """Several permalinks under one address, in order, with captions and one citation; frozen as they are."""

    id = models.CharField(primary_key=True, max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    content = models.CharField(max_length=64, help_text="SHA-256 of the record without name, date and address")
    record = models.BinaryField()
    title = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False)
    frozen_at = models.DateTimeField()

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
