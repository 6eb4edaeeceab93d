"""Every list is read in its order from an index that holds what it shows."""
import django.db.models.deletion
import django.db.models.expressions
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0014_provenance'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='archive',
            name='archive_newest',
        ),
        migrations.AlterField(
            model_name='note',
            name='archive',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='notes', to='webapp.archive'),
        ),
        migrations.AlterField(
            model_name='run',
            name='archive',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, to='webapp.archive'),
        ),
        migrations.AlterField(
            model_name='run',
            name='configuration',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, to='webapp.configuration'),
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(condition=models.Q(('published_at__isnull', False), ('read_at__isnull', False), models.Q(('state', 'failed'), _negated=True)), fields=['-uploaded_at', '-id'], name='archive_listed'),
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(condition=models.Q(('published_at__isnull', False), ('state', 'read'), ('withdrawn_at__isnull', True)), fields=['-uploaded_at', '-id'], name='archive_newest_read'),
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(condition=models.Q(('published_at__isnull', False), ('study__gt', ''), ('withdrawn_at__isnull', True)), fields=['study', 'id'], name='archive_of_study'),
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(fields=['owner', '-uploaded_at', '-id'], name='archive_own'),
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(condition=models.Q(('published_at__isnull', True), ('withdrawn_at__isnull', True)), fields=['owner', 'id'], name='archive_private'),
        ),
        migrations.AddIndex(
            model_name='collection',
            index=models.Index(fields=['owner', '-frozen_at', '-id'], name='collection_latest'),
        ),
        migrations.AddIndex(
            model_name='evidencerow',
            index=models.Index(condition=models.Q(('key__startswith', 'configuration.'), ('kind', 'stated')), fields=['archive', 'id'], name='evidence_without_results'),
        ),
        migrations.AddIndex(
            model_name='file',
            index=models.Index(condition=models.Q(('duplicate_of__isnull', False)), fields=['archive'], name='file_doubled'),
        ),
        migrations.AddIndex(
            model_name='note',
            index=models.Index(fields=['archive', 'code', 'id'], name='note_of_kind'),
        ),
        migrations.AddIndex(
            model_name='note',
            index=models.Index(models.F('file'), django.db.models.expressions.RawSQL("CASE WHEN line ~ '^[0-9]{1,15}$' THEN line::bigint END", (), models.BigIntegerField()), models.F('id'), name='note_of_line'),
        ),
        migrations.AddIndex(
            model_name='permalink',
            index=models.Index(fields=['owner', '-frozen_at', '-id'], name='permalink_latest'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['archive', 'configuration', 'id'], name='run_in_archive'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['configuration', 'id'], name='run_on_configuration'),
        ),
        migrations.AddIndex(
            model_name='statement',
            index=models.Index(fields=['archive', '-id'], name='statement_latest'),
        ),
        migrations.AddIndex(
            model_name='statement',
            index=models.Index(condition=models.Q(('undone_at__isnull', True)), fields=['archive', 'key', 'path', 'id'], name='statement_about'),
        ),
        migrations.AddIndex(
            model_name='withdrawal',
            index=models.Index(condition=models.Q(('restored_at__isnull', True)), fields=['archive', 'id'], name='withdrawal_holding'),
        ),
        migrations.AddIndex(
            model_name='withdrawal',
            index=models.Index(condition=models.Q(('restored_at__isnull', False)), fields=['archive', '-restored_at', '-id'], name='withdrawal_restored'),
        ),
        migrations.AddIndex(
            model_name='withdrawal',
            index=models.Index(condition=models.Q(('what', 'file')), fields=['archive', 'path'], name='withdrawal_of_file'),
        ),
    ]
