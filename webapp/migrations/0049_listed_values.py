"""What lists of archives show of each is kept with its counts."""

from django.db import migrations

_LISTED = """
UPDATE webapp_profile p SET told = p.told || jsonb_build_object('listed', d.listed) FROM webapp_archive a CROSS JOIN LATERAL (
    SELECT jsonb_build_array(
        coalesce(jsonb_agg(DISTINCT t.tool) FILTER (WHERE t.tool IS NOT NULL), '[]'),
        coalesce(jsonb_agg(DISTINCT k.os) FILTER (WHERE k.os <> ''), '[]'),
        coalesce(jsonb_agg(DISTINCT k.fs) FILTER (WHERE k.fs <> ''), '[]'),
        coalesce(jsonb_agg(DISTINCT k.cpu) FILTER (WHERE k.cpu <> ''), '[]'),
        coalesce(jsonb_agg(DISTINCT k.host) FILTER (WHERE k.host <> ''), '[]')) AS listed
    FROM (
        SELECT u.tools, coalesce(c.os_name, c.os_family) AS os, coalesce(c.fs_stack, c.fs_type) AS fs, c.cpu_model AS cpu, c.host
        FROM (SELECT * FROM webapp_archiveconfiguration o WHERE o.archive_id = a.id
            ORDER BY o.measurements DESC, o.configuration_id LIMIT 1000) u
        JOIN webapp_configuration c ON c.id = u.configuration_id) k
    LEFT JOIN LATERAL jsonb_array_elements_text(k.tools) AS t(tool) ON true) d
WHERE p.archive_id = a.id
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0048_claims_seen")]

    operations = [migrations.RunSQL(_LISTED, migrations.RunSQL.noop)]
