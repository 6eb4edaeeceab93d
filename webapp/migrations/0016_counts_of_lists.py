"""What lists show is counted by the writer: runs by configuration in each archive, and systems by their measurements."""
import json

import django.db.models.deletion
from django.db import migrations, models

NOTHING = {"db_constraint": False, "db_index": False, "on_delete": django.db.models.deletion.DO_NOTHING}
LAST = "chr(1114111)"
SORTED = " || chr(1) || ".join(f"left(coalesce(c.{name}, {LAST}), 60)" for name in (
    "os_name", "os_family", "os_version", "kernel", "fs_type", "pool_layout", "pool_compression"))
SEEN_BY = """CASE WHEN scope = 0 THEN 0 ELSE coalesce(
    (SELECT CASE WHEN a.published_at IS NULL THEN a.owner_id ELSE 0 END FROM webapp_archive a WHERE a.id = scope), -1) END"""

COUNT = f"""
UPDATE webapp_configurationcount n SET system_id = c.system_id, host = left(c.host, 200), sorted = {SORTED}
FROM webapp_configuration c WHERE c.id = n.configuration_id;

CREATE FUNCTION webapp_place_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT c.system_id, left(c.host, 200), {SORTED} INTO NEW.system_id, NEW.host, NEW.sorted
        FROM webapp_configuration c WHERE c.id = NEW.configuration_id;
    RETURN NEW;
END $$;
CREATE TRIGGER configuration_count_place BEFORE INSERT ON webapp_configurationcount
    FOR EACH ROW EXECUTE FUNCTION webapp_place_count();

INSERT INTO webapp_systemcount (scope, system_id, n, configurations, seen_by)
    SELECT scope, system_id, sum(n), count(*), {SEEN_BY} FROM webapp_configurationcount GROUP BY 1, 2;

CREATE FUNCTION webapp_count_systems() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO webapp_systemcount AS s (scope, system_id, n, configurations, seen_by)
            SELECT scope, system_id, sum(n), count(*), {SEEN_BY} FROM come GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (scope, system_id) DO UPDATE
            SET n = s.n + excluded.n, configurations = s.configurations + excluded.configurations;
    ELSIF TG_OP = 'UPDATE' THEN
        UPDATE webapp_systemcount s SET n = s.n + d.n FROM (
            SELECT scope, system_id, sum(n) AS n FROM (
                SELECT scope, system_id, n FROM come UNION ALL SELECT scope, system_id, -n FROM gone) AS change GROUP BY 1, 2) d
            WHERE s.scope = d.scope AND s.system_id = d.system_id;
    ELSE
        UPDATE webapp_systemcount s SET n = s.n - d.n, configurations = s.configurations - d.configurations FROM (
            SELECT scope, system_id, sum(n) AS n, count(*) AS configurations FROM gone GROUP BY 1, 2) d
            WHERE s.scope = d.scope AND s.system_id = d.system_id;
        DELETE FROM webapp_systemcount s USING (SELECT DISTINCT scope, system_id FROM gone) d
            WHERE s.configurations = 0 AND s.scope = d.scope AND s.system_id = d.system_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER system_counts_come AFTER INSERT ON webapp_configurationcount REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_systems();
CREATE TRIGGER system_counts_gone AFTER DELETE ON webapp_configurationcount REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_systems();
CREATE TRIGGER system_counts_changed AFTER UPDATE ON webapp_configurationcount
    REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_systems();

CREATE FUNCTION webapp_see_systems() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE webapp_systemcount SET seen_by = CASE WHEN NEW.published_at IS NULL THEN NEW.owner_id ELSE 0 END
        WHERE scope = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER archive_seen_by AFTER UPDATE ON webapp_archive FOR EACH ROW
    WHEN ((OLD.published_at IS NULL) <> (NEW.published_at IS NULL) OR OLD.owner_id <> NEW.owner_id)
    EXECUTE FUNCTION webapp_see_systems();

INSERT INTO webapp_archiveconfiguration
    (archive_id, configuration_id, runs, measurements, first_run, placed, tools, origins)
    SELECT r.archive_id, r.configuration_id, count(*), sum(r.measurements), min(r.id),
        bool_or(num_nonnulls(c.os_family, c.os_name, c.cpu_model, c.fs_type) > 0),
        jsonb_agg(DISTINCT r.tool ORDER BY r.tool), '[]'
    FROM webapp_run r JOIN webapp_configuration c ON c.id = r.configuration_id GROUP BY 1, 2;
UPDATE webapp_archiveconfiguration k SET origins = o.origins FROM (
    SELECT r.archive_id, r.configuration_id, jsonb_agg(DISTINCT w.origin ORDER BY w.origin) AS origins
    FROM webapp_measurement m JOIN webapp_run r ON r.id = m.run_id JOIN webapp_workload w ON w.id = m.workload_id
    GROUP BY 1, 2) o
    WHERE k.archive_id = o.archive_id AND k.configuration_id = o.configuration_id;
"""
UNCOUNT = """
DROP TRIGGER archive_seen_by ON webapp_archive;
DROP FUNCTION webapp_see_systems();
DROP TRIGGER system_counts_come ON webapp_configurationcount;
DROP TRIGGER system_counts_gone ON webapp_configurationcount;
DROP TRIGGER system_counts_changed ON webapp_configurationcount;
DROP FUNCTION webapp_count_systems();
DROP TRIGGER configuration_count_place ON webapp_configurationcount;
DROP FUNCTION webapp_place_count();
"""

KEYS = ("host", "os.family", "os.name", "os.version", "kernel", "arch", "cpu.model", "cpu.cores", "memory", "disk.model",
        "disk.count", "fs.type", "fs.version", "fs.stack", "pool.name", "pool.layout", "pool.compression",
        "pool.compression_effective", "pool.dedup", "pool.atime", "pool.recordsize", "pool.sync", "pool.copies", "pool.ashift",
        "pool.log", "pool.cache", "network")
"""The keys of a configuration at the time of this migration."""


def profile(apps, editor) -> None:
    """What `webapp.profiles` writes for each archive that is read from now on."""
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT id FROM webapp_archive WHERE read_at IS NOT NULL ORDER BY id")
        for (archive,) in cursor.fetchall():
            told = json.dumps(_told(cursor, archive))
            cursor.execute("INSERT INTO webapp_profile (archive_id, told) VALUES (%s, %s)", [archive, told])


def _told(cursor, archive: int) -> dict:
    columns = ", ".join(f"c.{key.replace('.', '_')}" for key in KEYS)
    cursor.execute(f"SELECT k.runs, k.measurements, {columns} FROM webapp_archiveconfiguration k"
                   " JOIN webapp_configuration c ON c.id = k.configuration_id WHERE k.archive_id = %s", [archive])
    rows = [(runs, n, dict(zip(KEYS, values, strict=True))) for runs, n, *values in cursor.fetchall()]
    groups: dict[tuple, list[int]] = {}
    for runs, n, values in rows:
        untold = tuple(key for key in KEYS if values[key] is None)
        counts = groups.setdefault((values["os.family"], values["fs.type"], untold), [0, 0])
        counts[0] += runs
        counts[1] += n
    cursor.execute("SELECT code, count(*) FROM webapp_note WHERE archive_id = %s GROUP BY code", [archive])
    notes = dict(cursor.fetchall())
    cursor.execute("SELECT k.key, count(*) FROM webapp_run r JOIN webapp_provenance p ON p.id = r.provenance_id"
                   " CROSS JOIN LATERAL jsonb_each_text(p.told) k WHERE r.archive_id = %s AND k.value = 'stated' GROUP BY k.key",
                   [archive])
    return {"configurations": len(rows), "apart": [key for key in KEYS if len({values[key] for _, _, values in rows}) > 1],
            "groups": [[family, fs, list(untold), *counts] for (family, fs, untold), counts in groups.items()],
            "notes": notes, "stated": dict(cursor.fetchall())}


class Migration(migrations.Migration):
    dependencies = [("webapp", "0015_lists")]
    operations = [
        migrations.AddField("configurationcount", "system", models.ForeignKey(
            default=0, to="webapp.system", **NOTHING), preserve_default=False),
        migrations.AddField("configurationcount", "host", models.TextField(null=True)),
        migrations.AddField("configurationcount", "sorted", models.TextField(db_collation="C", default=""), preserve_default=False),
        migrations.CreateModel(
            name="SystemCount",
            fields=[
                ("pk", models.CompositePrimaryKey("scope", "system_id", blank=True, editable=False, primary_key=True,
                                                  serialize=False)),
                ("scope", models.BigIntegerField()),
                ("system", models.ForeignKey(related_name="counts", to="webapp.system", **NOTHING)),
                ("n", models.BigIntegerField()),
                ("configurations", models.IntegerField()),
                ("seen_by", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="ArchiveConfiguration",
            fields=[
                ("pk", models.CompositePrimaryKey("archive_id", "configuration_id", blank=True, editable=False,
                                                  primary_key=True, serialize=False)),
                ("archive", models.ForeignKey(to="webapp.archive", **NOTHING)),
                ("configuration", models.ForeignKey(to="webapp.configuration", **NOTHING)),
                ("runs", models.IntegerField()),
                ("measurements", models.IntegerField()),
                ("first_run", models.BigIntegerField(help_text="Id of its first run in the archive")),
                ("placed", models.BooleanField()),
                ("tools", models.JSONField()),
                ("origins", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Profile",
            fields=[
                ("archive", models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING,
                                                 primary_key=True, serialize=False, to="webapp.archive")),
                ("told", models.JSONField()),
            ],
        ),
        migrations.RunSQL(COUNT, UNCOUNT),
        migrations.RunPython(profile, migrations.RunPython.noop),
        migrations.AddIndex("configurationcount", models.Index(
            fields=["scope", "system", "sorted", "configuration"], name="count_of_system")),
        migrations.AddIndex("configurationcount", models.Index(
            fields=["scope", "system", "host"], name="count_of_host", condition=models.Q(host__isnull=False))),
        migrations.AddIndex("systemcount", models.Index(
            fields=["-n", "-system"], name="system_most_measured", condition=models.Q(scope=0))),
        migrations.AddIndex("systemcount", models.Index(
            fields=["system", "seen_by", "-scope"], name="system_archives", condition=models.Q(scope__gt=0))),
        migrations.AddIndex("archiveconfiguration", models.Index(
            fields=["archive", "-measurements", "configuration"], name="archive_most_measured")),
        migrations.AddIndex("archiveconfiguration", models.Index(
            fields=["archive", "configuration"], name="archive_unplaced", condition=models.Q(placed=False))),
    ]
