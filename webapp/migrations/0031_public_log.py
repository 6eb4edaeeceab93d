"""The public log with the triggers that let it only grow, and the versions of permalinks."""
import hashlib
import json
from datetime import UTC

import django.db.models.deletion
from django.db import migrations, models


GUARD = """
CREATE FUNCTION webapp_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the public log is only added to: % refused', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER logentry_row_is_frozen BEFORE UPDATE OR DELETE ON webapp_logentry
    FOR EACH ROW EXECUTE FUNCTION webapp_log_only_grows();
CREATE TRIGGER logentry_table_is_frozen BEFORE TRUNCATE ON webapp_logentry
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_log_only_grows();
"""
UNGUARD = """
DROP TRIGGER logentry_row_is_frozen ON webapp_logentry;
DROP TRIGGER logentry_table_is_frozen ON webapp_logentry;
DROP FUNCTION webapp_log_only_grows();
"""
KINDS = {"withdraw": "withdraw", "unwithdraw": "restore", "delete": "delete"}


def write_past(apps, schema_editor):
    """Entries of what was frozen, withdrawn, restored and deleted so far, by time."""
    get = lambda name: apps.get_model("webapp", name)
    acts = [(row.frozen_at, "freeze", f"p/{row.pk}", row.digest, "", "") for row in get("Permalink").objects.defer("record")]
    acts += [(row.frozen_at, "freeze", f"c/{row.pk}", row.digest, "", "") for row in get("Collection").objects.defer("record")]
    audit = get("AuditEntry").objects
    known = set(get("Archive").objects.filter(published_at__isnull=False).values_list("pk", flat=True))
    known |= set(audit.filter(action="publish").values_list("archive", flat=True))
    known |= set(get("FrozenSource").objects.values_list("archive_id", flat=True))
    acts += [
        (row.at, KINDS[row.action], f"archives/{row.archive}", row.sha256, row.about, row.reason)
        for row in audit.filter(action__in=KINDS).order_by("id")
        if row.archive in known
    ]
    previous, rows = "", []
    for number, (at, kind, subject, sha256, place, reason) in enumerate(sorted(acts, key=lambda act: act[0]), 1):
        fields = {
            "at": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "kind": kind, "number": number, "place": place, "previous": previous, "reason": reason,
            "sha256": sha256, "subject": subject,
        }
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(text.encode()).hexdigest()
        rows.append(get("LogEntry")(**{**fields, "at": at}, hash=digest))
        previous = digest
    get("LogEntry").objects.bulk_create(rows, batch_size=500)


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0030_frozen_sources'),
    ]

    operations = [
        migrations.CreateModel(
            name='LogEntry',
            fields=[
                ('number', models.BigIntegerField(help_text='1, 2, 3 ... without a gap', primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('kind', models.CharField(choices=[('freeze', 'frozen'), ('correct', 'corrected'), ('withdraw', 'withdrawn'), ('restore', 'restored'), ('delete', 'deleted')], max_length=12)),
                ('subject', models.CharField(help_text='Path of the page: `p/ID`, `c/ID`, `archives/12`', max_length=40)),
                ('sha256', models.CharField(help_text='Of the record, or of the archive as uploaded', max_length=64)),
                ('place', models.TextField(blank=True, help_text='Path, or path and line, within the archive')),
                ('reason', models.TextField(blank=True)),
                ('previous', models.CharField(blank=True, max_length=64)),
                ('hash', models.CharField(max_length=64, unique=True)),
            ],
            options={
                'indexes': [models.Index(fields=['subject', 'number'], name='log_of_subject')],
            },
        ),
        migrations.CreateModel(
            name='PermalinkVersion',
            fields=[
                ('permalink', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='older', serialize=False, to='webapp.permalink')),
                ('previous', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='newer', to='webapp.permalink')),
            ],
        ),
        migrations.RunPython(write_past, migrations.RunPython.noop),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
