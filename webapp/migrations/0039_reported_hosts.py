"""A host of which numbers were reported is a system by itself; configurations keep their ids."""

import hashlib
import json
import re

import django.db.models.deletion
from django.db import migrations, models

PARTS = "arch, cpu_model, cpu_cores, memory, disk_model, disk_count"
REPORTED = """SELECT c.id, c.digest, c.host, s.id, s.digest, m.digest FROM webapp_configuration c
JOIN webapp_system s ON s.id = c.system_id JOIN webapp_machine m ON m.id = c.machine_id
WHERE c.host IS NOT NULL AND c.id IN (
    SELECT configuration_id FROM webapp_archiveconfiguration GROUP BY 1 HAVING NOT bool_or(origins ? 'measured' OR origins = '[]'))
ORDER BY c.id"""
ADD = f"""INSERT INTO webapp_system (digest, host, hardware_id, {PARTS}) SELECT %s, %s, id, {PARTS} FROM webapp_system WHERE id = %s
ON CONFLICT (digest) DO NOTHING"""
MOVE = """UPDATE webapp_configuration SET digest = %s, system_id = (SELECT id FROM webapp_system WHERE digest = %s) WHERE id = %s"""
# A trigger places what is inserted, and others count it.
COUNT = """CREATE TEMPORARY TABLE moved ON COMMIT DROP AS
    SELECT * FROM webapp_configurationcount WHERE configuration_id = ANY(%s);
DELETE FROM webapp_configurationcount n USING moved m WHERE (n.scope, n.configuration_id) = (m.scope, m.configuration_id);
INSERT INTO webapp_configurationcount SELECT * FROM moved;
DROP TABLE moved;
SET CONSTRAINTS ALL IMMEDIATE;
UPDATE webapp_dataversion SET number = number + 1"""
ADDRESS = re.compile(r"[\d.]+\Z|[\da-f:]*:[\da-f:]*\Z")


def short_name(host: str) -> str:
    name = host.strip().strip("()").rstrip(".").lower()
    return name if ADDRESS.match(name) else name.partition(".")[0]


def digest_of(*texts: str) -> str:
    return hashlib.sha256(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def place(apps, editor) -> None:
    with editor.connection.cursor() as cursor:
        cursor.execute(REPORTED)
        moved = []
        for pk, digest, host, hardware, parts, machine in cursor.fetchall():
            if (short := short_name(host)) not in ("", "localhost", "localhost4", "localhost6", "none"):
                system = digest_of(parts, machine, short)
                cursor.execute(ADD, [system, host, hardware])
                cursor.execute(MOVE, [digest_of(digest, ":reported"), system, pk])
                moved.append(pk)
        if moved:
            cursor.execute(COUNT, [moved])


class Migration(migrations.Migration):
    dependencies = [("webapp", "0038_known_machines")]

    operations = [
        migrations.AddField("system", "host", models.TextField(null=True)),
        migrations.AddField(
            "system",
            "hardware",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="hosts", to="webapp.system"
            ),
        ),
        migrations.RunPython(place, migrations.RunPython.noop),
    ]
