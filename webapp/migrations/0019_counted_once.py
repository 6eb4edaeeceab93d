"""What an update changes is counted in one pass; files are held to their archive as runs are, by the one who writes them."""
import django.db.models.deletion
from django.db import migrations, models

HEAD = """
-- Arguments of the trigger: the table of counts, and the column of the summary that it counts by beside the scope.
CREATE OR REPLACE FUNCTION webapp_count_summary() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
"""
ONCE = HEAD + """
    IF TG_OP = 'INSERT' THEN
        EXECUTE format('INSERT INTO %1$I AS c (scope, %2$I, n, rows)
            SELECT scope, %2$I, sum(n), count(*) FROM come GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (scope, %2$I) DO UPDATE SET n = c.n + excluded.n, rows = c.rows + excluded.rows',
            TG_ARGV[0], TG_ARGV[1]);
    ELSIF TG_OP = 'UPDATE' THEN
        -- Nobody changes what a row is of, only what it counts.
        EXECUTE format('UPDATE %1$I c SET n = c.n + d.n FROM (
                SELECT scope, %2$I, sum(n) AS n FROM (
                    SELECT scope, %2$I, n FROM come UNION ALL SELECT scope, %2$I, -n FROM gone) AS change
                GROUP BY 1, 2 HAVING sum(n) <> 0) d
            WHERE c.scope = d.scope AND c.%2$I = d.%2$I', TG_ARGV[0], TG_ARGV[1]);
    ELSE
        EXECUTE format('UPDATE %1$I c SET n = c.n - o.n, rows = c.rows - o.rows
            FROM (SELECT scope, %2$I, sum(n) AS n, count(*) AS rows FROM gone GROUP BY 1, 2) o
            WHERE c.scope = o.scope AND c.%2$I = o.%2$I', TG_ARGV[0], TG_ARGV[1]);
        EXECUTE format('DELETE FROM %1$I c USING (SELECT DISTINCT scope, %2$I FROM gone) o
            WHERE c.rows = 0 AND c.scope = o.scope AND c.%2$I = o.%2$I', TG_ARGV[0], TG_ARGV[1]);
    END IF;
    RETURN NULL;
END $$;
"""
TWICE = HEAD + """
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('UPDATE %1$I c SET n = c.n - o.n, rows = c.rows - o.rows
            FROM (SELECT scope, %2$I, sum(n) AS n, count(*) AS rows FROM gone GROUP BY 1, 2) o
            WHERE c.scope = o.scope AND c.%2$I = o.%2$I', TG_ARGV[0], TG_ARGV[1]);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE format('INSERT INTO %1$I AS c (scope, %2$I, n, rows)
            SELECT scope, %2$I, sum(n), count(*) FROM come GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (scope, %2$I) DO UPDATE SET n = c.n + excluded.n, rows = c.rows + excluded.rows',
            TG_ARGV[0], TG_ARGV[1]);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('DELETE FROM %1$I c USING (SELECT DISTINCT scope, %2$I FROM gone) o
            WHERE c.rows = 0 AND c.scope = o.scope AND c.%2$I = o.%2$I', TG_ARGV[0], TG_ARGV[1]);
    END IF;
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0018_parts_of_archives")]
    operations = [
        migrations.RunSQL(ONCE, TWICE),
        migrations.AlterField("file", "archive", models.ForeignKey(
            db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="files",
            to="webapp.archive")),
    ]
