"""What is blocked, and the audit log with the triggers that let it only grow."""
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

GUARD = """
CREATE FUNCTION webapp_audit_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is only added to: % refused', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER auditentry_row_is_frozen BEFORE UPDATE OR DELETE ON webapp_auditentry
    FOR EACH ROW EXECUTE FUNCTION webapp_audit_only_grows();
CREATE TRIGGER auditentry_table_is_frozen BEFORE TRUNCATE ON webapp_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_audit_only_grows();
"""
UNGUARD = """
DROP TRIGGER auditentry_row_is_frozen ON webapp_auditentry;
DROP TRIGGER auditentry_table_is_frozen ON webapp_auditentry;
DROP FUNCTION webapp_audit_only_grows();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0020_few_rows'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('via', models.CharField(choices=[('web', 'web'), ('command line', 'command line')], max_length=12)),
                ('who', models.TextField(help_text='User name; of the command line that of the operating system')),
                ('action', models.CharField(max_length=20)),
                ('archive', models.BigIntegerField(help_text='Number of the archive, which may be deleted since', null=True)),
                ('title', models.TextField(blank=True)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('owner', models.TextField(blank=True, help_text="User name of the archive's owner")),
                ('about', models.TextField(blank=True, help_text='User name, or place inside of the archive')),
                ('reason', models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(help_text='Of an archive as uploaded', max_length=64, null=True, unique=True)),
                ('reason', models.TextField(blank=True)),
                ('made_by', models.TextField(help_text='As in the audit log')),
                ('made_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(condition=models.Q(('state', 'read'), _negated=True), fields=['-id'], name='archive_unread'),
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(condition=models.Q(('withdrawn_at__isnull', False)), fields=['-id'], name='archive_withdrawn'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['archive', '-id'], name='audit_of_archive'),
        ),
        migrations.AddField(
            model_name='block',
            name='user',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='block', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.CheckConstraint(condition=models.Q(('user__isnull', True), ('sha256__isnull', True), _connector='XOR'), name='block_user_or_bytes'),
        ),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
