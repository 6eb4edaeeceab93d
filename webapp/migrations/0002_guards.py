"""The row of the data version, and the trigger that keeps permalinks as they were frozen."""
from django.db import migrations

GUARD = """
INSERT INTO webapp_dataversion (id, number) VALUES (1, 1) ON CONFLICT DO NOTHING;
CREATE FUNCTION webapp_permalink_is_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a permalink is frozen for ever: % refused', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER permalink_row_is_frozen BEFORE UPDATE OR DELETE ON webapp_permalink
    FOR EACH ROW EXECUTE FUNCTION webapp_permalink_is_frozen();
CREATE TRIGGER permalink_table_is_frozen BEFORE TRUNCATE ON webapp_permalink
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_permalink_is_frozen();
"""
UNGUARD = """
DROP TRIGGER permalink_row_is_frozen ON webapp_permalink;
DROP TRIGGER permalink_table_is_frozen ON webapp_permalink;
DROP FUNCTION webapp_permalink_is_frozen();
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0001_initial")]
    operations = [migrations.RunSQL(GUARD, UNGUARD)]
