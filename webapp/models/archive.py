"""Uploads, their files, and every warning about them."""

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.utils import timezone

from webapp.formatting.numbers import count
from webapp.formatting.visible_text import make_visible
from webapp.models.configuration import ArchiveConfiguration
from webapp.models.summary import ACCEPTED, PUBLIC, MetricCount

# What readings of an archive after the first one changed.


class Rereading(models.Model):
    """One reading of an archive that was read before: numbers of values and configuration keys that changed.

    `lines`: a sentence for each change, at most `archives.reparse.MAX_LINES`. `is_compared`: false for archives that are too
    large to compare value by value; all counts but `values` are then 0.
    """

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="rereadings")
    at = models.DateTimeField(auto_now_add=True)
    seconds = models.FloatField()
    values = models.IntegerField()
    changed = models.IntegerField(default=0)
    appeared = models.IntegerField(default=0)
    vanished = models.IntegerField(default=0)
    configuration_changes = models.IntegerField(default=0)
    lines = models.JSONField(default=list)
    is_compared = models.BooleanField(default=True)

    @property
    def omitted(self) -> int:
        """Number of changes without a sentence."""
        return self.changed + self.appeared + self.vanished + self.configuration_changes - len(self.lines)


class ConfigurationMove(models.Model):
    """Runs of an archive that a later reading placed on another configuration, to which the address of the previous one leads."""

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="+")
    previous = models.ForeignKey("Configuration", on_delete=models.CASCADE, related_name="+")
    current = models.ForeignKey("Configuration", on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["archive", "previous", "current"], name="one_move")]


class BulkReread(models.Model):
    """One `manage.py reread` of all archives: those read since it was started are done when it goes on after an interruption."""

    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)


# Statements of an owner about an archive on its review page, with their history.


class Statement(models.Model):
    """One key for the whole archive, a folder, a file, or a selection of runs. Undone, never changed otherwise.

    `reach` and `path` are those of `ingest.records.StatedFact`; `lines` (for runs) are lines of the file with a value of each
    run, since ids of runs change when an archive is read again. `value` is as the registry spells it, `raw` as
    typed. Of two with one key and scope the later is in force; undoing it restores the earlier.
    """

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="statements")
    key = models.TextField()
    value = models.JSONField()
    raw = models.TextField()
    reach = models.CharField(max_length=8)
    path = models.TextField(blank=True)
    lines = models.JSONField(default=list)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now, help_text="One moment for all that was saved together")
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["archive", "-id"], name="statement_latest"),
            models.Index(
                fields=["archive", "key", "path", "id"], name="statement_about", condition=models.Q(undone_at__isnull=True)
            ),
        ]


OPEN = models.Q(published_at__isnull=False, withdrawn_at__isnull=True, state="read")
"""Public, and read."""
LISTED = models.Q(published_at__isnull=False, read_at__isnull=False) & ~models.Q(state="failed")
"""In everybody's list: published and once read; also where it is withdrawn since."""
STUDIED = models.Q(published_at__isnull=False, withdrawn_at__isnull=True, study__gt="")
"""Public, and part of a study."""
PUBLISHED = models.Q(published_at__isnull=False, withdrawn_at__isnull=True)
"""Public."""
PUBLISHED_AND_ACCEPTED = PUBLISHED & models.Q(accepted_at__isnull=False)
"""Public, and accepted for front pages."""
MAX_RANKED_ARCHIVES = 100
"""A person's own archives beside the accepted ones in rankings and on pages of hardware."""
PRIVATE = models.Q(published_at__isnull=True, withdrawn_at__isnull=True)
STANDINGS = {
    "public": PUBLISHED & models.Q(state="read"),
    "private": PRIVATE & models.Q(state="read"),
    "withdrawn": models.Q(withdrawn_at__isnull=False),
    "failed": models.Q(state="failed", withdrawn_at__isnull=True),
    "unread": models.Q(state__in=("received", "reading"), withdrawn_at__isnull=True),
}
"""Name of visibility and state -> condition; every archive is in exactly one (`Archive.standing`)."""


def public_sql(table: str = "") -> str:
    """The condition of `PUBLISHED` for queries in SQL; `table` is what the query calls the table of archives."""
    prefix = f"{table}." if table else ""
    return f"{prefix}published_at IS NOT NULL AND {prefix}withdrawn_at IS NULL"


def accepted_sql(table: str = "") -> str:
    """The condition of `PUBLISHED_AND_ACCEPTED` for queries in SQL; `table` as for `public_sql`."""
    prefix = f"{table}." if table else ""
    return f"{public_sql(table)} AND {prefix}accepted_at IS NOT NULL"


def scopes_sql(table: str) -> str:
    """The condition of the archives with values in scopes of the summary; its parameters are `scopes_parameters`."""
    return f"({table}.id = ANY(%s) OR (%s AND {public_sql(table)}) OR (%s AND {accepted_sql(table)}))"


def scopes_parameters(scopes: Collection[int]) -> list[list[int] | bool]:
    """The parameters of `scopes_sql`, in their order."""
    return [list(scopes), PUBLIC in scopes, ACCEPTED in scopes]


def shared_scopes(is_public: bool, is_accepted: bool) -> tuple[int, ...]:
    """The scopes of several archives that an archive in this state is part of."""
    return () if not is_public else (PUBLIC, ACCEPTED) if is_accepted else (PUBLIC,)


class OwnedQuerySet(models.QuerySet):
    """Rows that belong to an account."""

    def owned_by(self, user):
        """Those of the account."""
        return self.filter(owner=user)


class ArchiveQuerySet(OwnedQuerySet):
    """Archives, filtered by visibility."""

    def open(self):
        """Public ones that are read: what the first page shows."""
        return self.filter(OPEN)

    def public(self):
        """Published, not withdrawn."""
        return self.filter(PUBLISHED)

    def accepted(self):
        """The public ones that are accepted for front pages."""
        return self.filter(PUBLISHED_AND_ACCEPTED)

    def awaiting_acceptance(self):
        """The public ones that are read and not accepted for front pages."""
        return self.open().filter(accepted_at__isnull=True)

    def of_study(self, name: str):
        """The public ones of a study."""
        return self.filter(STUDIED, study=name)

    def with_counts(self):
        """With `counted`: the number of values that a comparison of the archive alone counts."""
        counts = MetricCount.objects.filter(scope=models.OuterRef("pk")).order_by().values("scope")
        return self.annotate(counted=Coalesce(models.Subquery(counts.annotate(total=models.Sum("n")).values("total")), 0))

    def first_in_turn(self) -> int | None:
        """The id of the oldest of these of the person whose last reading began first; of those without any, the oldest."""
        begun = Archive.objects.filter(owner=models.OuterRef("owner"), began_at__isnull=False).order_by("-began_at")
        turns = self.order_by().values("owner").annotate(first=models.Min("pk"), last=models.Subquery(begun.values("began_at")[:1]))
        return turns.order_by(models.F("last").asc(nulls_first=True), "first").values_list("first", flat=True).first()

    def labelled(self, name: str, *values: str):
        """Those with one of these values of a label; an index has them."""
        return self.filter(reduce(or_, [models.Q(labels__contains={name: value}) for value in values]))

    def standing(self, name: str):
        """Those in one of STANDINGS."""
        return self.filter(STANDINGS[name])

    def of_bytes(self, sha256: str, user):
        """The user's own and public ones of these bytes, the user's own first, then in the order in which they were published."""
        others = models.Case(models.When(owner=user, then=0), default=1)
        return (self.owned_by(user) | self.public()).filter(sha256=sha256).order_by(others, "published_at", "id")

    def with_publicity(self):
        """With `open_to_all`: whether everybody may see its contents."""
        return self.annotate(open_to_all=PUBLISHED)

    def listed_for(self, user):
        """What the list shows, as one query for everybody's and one for the user's own; each has an index."""
        return [self.filter(LISTED), *([self.filter(owner=user)] if user.is_authenticated else [])]

    def visible_to(self, user):
        """Public ones, tombstones of withdrawn ones, and the user's own."""
        seen = models.Q(published_at__isnull=False)
        if user.is_authenticated:
            seen |= models.Q(owner=user)
        return self.filter(seen)

    def readable_by(self, user):
        """Those whose contents the user may see: public ones and their own."""
        return self.filter(PUBLISHED | models.Q(owner=user) if user.is_authenticated else PUBLISHED)

    def comparable_by(self, user):
        """Those that are read, not withdrawn, and whose values may enter the user's comparisons: public ones and their own."""
        return self.readable_by(user).filter(state="read", withdrawn_at__isnull=True)

    def of_owners_of(self, archives: Collection[int]):
        """Those of the owners of these archives."""
        return self.filter(owner__in=Archive.objects.filter(pk__in=archives).values("owner"))

    def on_machines_of(self, archives: Collection[int]):
        """Those with runs on a machine of these archives."""
        machines = ArchiveConfiguration.objects.filter(archive__in=archives).values("configuration__machine_id")
        of_each = ArchiveConfiguration.objects.filter(archive=models.OuterRef("pk"), configuration__machine_id__in=machines)
        return self.filter(models.Exists(of_each))

    def of_owner_of(self, archive: int):
        """The other archives of its owner that are not withdrawn."""
        owner = Archive.objects.filter(pk=archive).values("owner")
        return self.filter(owner__in=owner, withdrawn_at__isnull=True).exclude(pk=archive)

    def standing_of(self, user):
        """Those of the account that are not withdrawn."""
        return self.filter(owner=user, withdrawn_at__isnull=True) if user.is_authenticated else self.none()

    def accepted_or_own(self, user):
        """Those accepted for front pages, and the user's own that are not withdrawn."""
        own = models.Q(owner=user, withdrawn_at__isnull=True) if user.is_authenticated else models.Q(pk__in=())
        return self.filter(PUBLISHED_AND_ACCEPTED | own)

    def scopes_of(self, user):
        """Summary scopes of the user's default view: 0 (public) and the user's own private archives' ids."""
        if not user.is_authenticated:
            return [0]
        return [0, *self.filter(PRIVATE, owner=user).order_by("pk").values_list("pk", flat=True)]

    def ranked_scopes_of(self, user) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Summary scopes of what is ranked: accepted archives and the newest of the user's own, each once; and their own alone.
        Two queries."""
        newest = self.standing_of(user).order_by("-pk").values_list("pk", flat=True)
        of_user = sorted(newest[:MAX_RANKED_ARCHIVES])
        return (ACCEPTED, *sorted(newest.exclude(PUBLISHED_AND_ACCEPTED)[:MAX_RANKED_ARCHIVES])), tuple(of_user)


class Archive(models.Model):
    """One upload, stored byte for byte under its SHA-256; its state is in the row, not in the broker."""

    class State(models.TextChoices):
        RECEIVED = "received", "waiting to be read"
        READING = "reading", "being read"
        READ = "read", "read"
        FAILED = "failed", "could not be read"

    sha256 = models.CharField(max_length=64)
    name = models.TextField(help_text="File name as uploaded")
    title = models.TextField(blank=True)
    description = models.TextField(blank=True, default="", db_default="", help_text="A line about what was measured")
    authors = models.TextField(blank=True)
    year = models.SmallIntegerField(null=True)
    licence = models.TextField(blank=True)
    published_in = models.TextField(blank=True, help_text="Where the study was published")
    caveat = models.TextField(blank=True, help_text="Shown wherever the data are drawn")
    captured = models.TextField(blank=True, default="", db_default="", help_text="How many runs a capture made, and are here")
    study = models.SlugField(blank=True, help_text="Name of the study in fixtures/, if it is one")
    size = models.BigIntegerField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="archives")
    state = models.CharField(max_length=10, choices=State, default=State.RECEIVED)
    failure = models.TextField(blank=True, help_text="Why it could not be read, in a sentence")
    attempts = models.SmallIntegerField(default=0, help_text="Readings begun and not ended")
    began_at = models.DateTimeField(null=True, help_text="When its last reading began: whose turn is next follows from it")
    is_slow = models.BooleanField(default=False, db_default=False, help_text="Small, and not read in the time of small ones")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_reason = models.TextField(blank=True)
    accepted_at = models.DateTimeField(null=True, help_text="For front pages, presets and the default comparison")
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Null where it was accepted on the command line",
    )
    accepted_reason = models.TextField(blank=True, default="", db_default="")
    files_total = models.IntegerField(default=0)
    files_done = models.IntegerField(default=0)
    measurements = models.IntegerField(default=0)
    rank_values = models.IntegerField(default=0, db_default=0, help_text="Values of single ranks beside the measurements")
    warnings = models.IntegerField(default=0)
    hosts = models.IntegerField(default=0, db_default=0, help_text="Different hosts of its results, so far while it is read")
    systems = models.IntegerField(default=0, db_default=0, help_text="Different operating systems, by name")
    configurations = models.IntegerField(default=0, db_default=0, help_text="Different configurations")
    unmeasured = models.IntegerField(
        default=0, db_default=0, help_text="Values that could not be measured, each once however often the upload shows it"
    )
    stated_version = models.IntegerField(default=0, help_text="Rises with every statement made or undone")
    labels = models.JSONField(default=dict, db_default={}, help_text="Name to value, both texts, as given with the upload")
    others: bool
    """Whether it belongs to another account and is not public; set by the views."""

    counted: int
    """Set by `ArchiveQuerySet.with_counts`."""

    objects = ArchiveQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "sha256"], name="archive_once_per_owner")]
        # Each list is read in its order from an index with the rows that it shows.
        indexes = [
            models.Index(fields=["-uploaded_at", "-id"], name="archive_listed", condition=LISTED),
            models.Index(fields=["-uploaded_at", "-id"], name="archive_newest_read", condition=OPEN),
            models.Index(fields=["-published_at", "-id"], name="archive_newly_public", condition=OPEN),
            models.Index(fields=["study", "id"], name="archive_of_study", condition=STUDIED),
            models.Index(fields=["owner", "-uploaded_at", "-id"], name="archive_own"),
            models.Index(fields=["owner", "-began_at"], name="archive_turns", condition=models.Q(began_at__isnull=False)),
            models.Index(fields=["-began_at"], name="archive_last_begun", condition=models.Q(began_at__isnull=False)),
            models.Index(fields=["owner", "id"], name="archive_private", condition=PRIVATE),
            models.Index(fields=["-id"], name="archive_unread", condition=~models.Q(state="read")),
            models.Index(fields=["-id"], name="archive_withdrawn", condition=models.Q(withdrawn_at__isnull=False)),
            models.Index(fields=["id"], name="archive_accepted", condition=PUBLISHED_AND_ACCEPTED),
            GinIndex(fields=["labels"], opclasses=["jsonb_path_ops"], name="archive_labels"),
        ]
        permissions = [("accept_archive", "Can accept archives of other accounts for front pages")]

    def __str__(self):
        return make_visible(self.title or self.name)

    @property
    def is_public(self) -> bool:
        return self.published_at is not None and self.withdrawn_at is None

    @property
    def is_private(self) -> bool:
        return self.published_at is None and self.withdrawn_at is None

    @property
    def is_withdrawn(self) -> bool:
        """Whether the archive as a whole is withdrawn."""
        return self.withdrawn_at is not None

    @property
    def is_accepted(self) -> bool:
        """Whether it is accepted for front pages, which it enters while it is public."""
        return self.accepted_at is not None

    @property
    def shared_scopes(self) -> tuple[int, ...]:
        """The scopes of the summary that hold values of it beside those of other archives."""
        return shared_scopes(self.is_public, self.is_accepted)

    @property
    def found_words(self) -> str:
        """What was found in it so far: `3 hosts, 2 OS, 14 configurations, 212 measurements`."""
        counts = (
            (self.hosts, "host", "hosts"),
            (self.systems, "OS", "OS"),
            (self.configurations, "configuration", "configurations"),
        )
        words = [f"{count(number)} {one if number == 1 else many}" for number, one, many in counts if number]
        return ", ".join([*words, f"{count(self.measurements)} measurement{'' if self.measurements == 1 else 's'}"])

    @property
    def standing_since(self) -> str:
        """`public since 1 May 2026, 12:00 UTC`, or that it is withdrawn; '' where it is private."""
        at = self.withdrawn_at or self.published_at
        return f"{'withdrawn' if self.withdrawn_at else 'public'} since {at:%-d %B %Y, %H:%M} UTC" if at else ""

    @property
    def standing(self) -> str:
        """Its name in STANDINGS."""
        if self.is_withdrawn:
            return "withdrawn"
        if self.state != self.State.READ:
            return "failed" if self.state == self.State.FAILED else "unread"
        return "public" if self.is_public else "private"


class FileQuerySet(models.QuerySet):
    """Files by their digests in addresses."""

    def named(self, digest: str):
        """Those whose path has this digest (see `webapp.files.addresses`)."""
        return self.extra(where=["left(encode(sha256(convert_to(path, 'UTF8')), 'hex'), 32) = %s"], params=[digest])

    def with_copies(self):
        """With `copy_of`: the path of the archive's first file of the same bytes with values, None for that file itself.

        Ids rise in the order in which the files were read.
        """
        first = File.objects.filter(
            sha256=models.OuterRef("sha256"), archive=models.OuterRef("archive"), measurements__gt=0, pk__lt=models.OuterRef("pk")
        )
        path = models.Subquery(first.order_by("pk").values("path")[:1])
        return self.annotate(copy_of=models.Case(models.When(measurements__gt=0, then=path)))


class File(models.Model):
    """One file inside an archive, with its report.

    `duplicate_of`: the file of an earlier visible archive whose bytes and resolved configuration are the same; then
    this one is shown, linked and not counted. The ids of its measurements are `first_measurement` and the
    `measurements - 1` that follow, so that no index by file or run is needed on the large table; `rank_values` of them are in
    no row of it (see CompressedValues).
    """

    # Files are written and deleted with their archive's row locked; the order by path is an index by archive too.
    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="files", db_constraint=False, db_index=False)
    path = models.TextField()
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField(default=0)
    format = models.TextField(blank=True)
    parser = models.TextField(blank=True)
    parser_version = models.IntegerField(null=True)
    status = models.CharField(max_length=12)
    first_measurement = models.BigIntegerField(default=0)
    measurements = models.IntegerField(default=0)
    rank_values = models.IntegerField(
        default=0, db_default=0, help_text="Those of the measurements that are values of single ranks"
    )
    warnings = models.IntegerField(default=0)
    config_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the resolved configurations in it")
    withdrawn = models.BooleanField(
        default=False, db_default=False, help_text="By a Withdrawal that holds; then none of its values counts"
    )
    duplicate_of = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="duplicates")

    copy_of: str | None
    """Set by `FileQuerySet.with_copies`."""

    objects = FileQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["archive", "path"], name="file_once_per_archive")]
        indexes = [
            models.Index(fields=["sha256", "config_digest"], name="file_same_bytes"),
            models.Index(fields=["archive"], name="file_doubled", condition=models.Q(duplicate_of__isnull=False)),
        ]

    @property
    def own_measurements(self) -> int:
        """Its measurements without the values of single ranks."""
        return self.measurements - self.rank_values


NOTE_LINE = RawSQL("CASE WHEN line ~ '^[0-9]{1,15}$' THEN line::bigint END", (), models.BigIntegerField())
"""The line of a warning as a number, null where it is a cell of a sheet."""


class NoteQuerySet(models.QuerySet):
    """Warnings by their kind."""

    def first_of_each(self, archive: Archive, codes: Iterable[str], most: int):
        """The first `most` warnings of each of these codes in the archive."""
        return self.raw(
            """
SELECT n.* FROM unnest(%s::text[]) AS k(one) CROSS JOIN LATERAL (
    SELECT * FROM webapp_note m WHERE m.archive_id = %s AND m.code = k.one ORDER BY m.id LIMIT %s) n""",
            [list(codes), archive.pk, most],
        )


class Note(models.Model):
    """A warning of the reader: what was not read, or read with doubt. Linked to its line in the raw view.

    Bulk rows without foreign keys in the database; `file` is null for what concerns the archive as a whole."""

    archive = models.ForeignKey(Archive, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="notes")
    file = models.ForeignKey(
        File, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="notes"
    )
    path = models.TextField(blank=True)
    line = models.TextField(blank=True, help_text="1-based line or SHEET!CELL")
    code = models.CharField(max_length=40)
    message = models.TextField()
    address: str
    """Of its line in the raw view, '' where it concerns no file; set by the views."""
    take: str
    asks: bool
    """The words of the button that takes what it left out, '' where there is none; set by the views."""

    objects = NoteQuerySet.as_manager()

    class Meta:
        indexes = [
            # For pages that read whether the files of the shown values were cut.
            models.Index(fields=["file"], condition=models.Q(code="cut"), name="note_cut"),
            models.Index(fields=["archive", "code", "id"], name="note_of_kind"),
            models.Index("file", NOTE_LINE, "id", name="note_of_line"),
        ]


# What a search found in the text files of an archive that people may not want to publish.


class Exposure(models.Model):
    """The result of the latest search. `version`: of the patterns; `found`: as `webapp.archives.exposure` writes it."""

    archive = models.OneToOneField(Archive, on_delete=models.CASCADE, primary_key=True, related_name="exposure")
    version = models.SmallIntegerField()
    found = models.JSONField()
