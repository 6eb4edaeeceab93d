"""Machines and sessions; both are null in rows that were made before, until their archive is read again."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def _loose(to, **options):
    """A foreign key without constraint and index in the database."""
    options = {"db_index": False} | options
    return models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, to=to, **options)


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0025_unmeasured'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='configuration',
            name='stated',
            field=models.BooleanField(null=True),
        ),
        migrations.CreateModel(
            name='Machine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('name', models.TextField(blank=True)),
                ('folder', models.TextField(blank=True)),
                ('archive', _loose('webapp.archive', null=True, related_name='+')),
                ('owner', _loose(settings.AUTH_USER_MODEL, null=True, related_name='+')),
            ],
        ),
        migrations.AddField(
            model_name='configuration',
            name='machine',
            field=_loose('webapp.machine', null=True, related_name='configurations'),
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.IntegerField()),
                ('started', models.TextField(null=True)),
                ('ended', models.TextField(null=True)),
                ('separated_by', models.TextField(blank=True)),
                ('archive', _loose('webapp.archive', db_index=True, related_name='sessions')),
                ('machine', _loose('webapp.machine', related_name='sessions')),
            ],
        ),
        migrations.AddField(
            model_name='run',
            name='session',
            field=_loose('webapp.session', null=True),
        ),
    ]
