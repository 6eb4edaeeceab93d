"""Values that tools could not measure, stored beside the measurements of their run, and their number in the archive's row."""
import django.db.models.deletion
from django.db import migrations, models


def _bulk(to, **options):
    """A foreign key of a table that is filled by COPY: without constraint and index in the database."""
    return models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, to=to, **options)


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0024_compressed_values'),
    ]

    operations = [
        migrations.AddField(
            model_name='archive',
            name='unmeasured',
            field=models.IntegerField(db_default=0, default=0, help_text='Values that could not be measured, each once however often the upload shows it'),
        ),
        migrations.CreateModel(
            name='UnmeasuredValue',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('reason', models.CharField(choices=[('too_fast', 'too fast to be measured'), ('zero_time', "below what the tool's clock or digits can tell"), ('failed', 'the tool reported an error'), ('not_finished', 'ended before its result')], max_length=12)),
                ('bound', models.FloatField(help_text="In the metric's base unit", null=True)),
                ('side', models.CharField(choices=[('above', 'Above'), ('below', 'Below')], help_text='Of the bound, on which the true value lies', max_length=5, null=True)),
                ('repetition', models.IntegerField(default=1)),
                ('line', models.TextField()),
                ('raw', models.TextField()),
                ('native', models.TextField()),
                ('duplicate_of', models.TextField(null=True)),
                ('details', models.JSONField(null=True)),
                ('archive', _bulk('webapp.archive', related_name='unmeasured_values')),
                ('file', _bulk('webapp.file')),
                ('metric', _bulk('webapp.metricname')),
                ('run', _bulk('webapp.run')),
                ('workload', _bulk('webapp.workload')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['archive', 'id'], name='unmeasured_in_archive'),
                    models.Index(fields=['file', 'id'], name='unmeasured_in_file'),
                    models.Index(fields=['run', 'id'], name='unmeasured_in_run'),
                ],
            },
        ),
    ]
