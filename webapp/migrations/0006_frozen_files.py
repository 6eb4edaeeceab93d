"""Files kept with a record, DOIs, collections; and the triggers that keep the first and the last as they are."""
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_TABLES = ("rendering", "collection")
GUARD = "".join(f"""
CREATE TRIGGER {name}_row_is_frozen BEFORE UPDATE OR DELETE ON webapp_{name}
    FOR EACH ROW EXECUTE FUNCTION webapp_permalink_is_frozen();
CREATE TRIGGER {name}_table_is_frozen BEFORE TRUNCATE ON webapp_{name}
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_permalink_is_frozen();
""" for name in _TABLES)
UNGUARD = "".join(f"""
DROP TRIGGER {name}_row_is_frozen ON webapp_{name};
DROP TRIGGER {name}_table_is_frozen ON webapp_{name};
""" for name in _TABLES)


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0005_statements_and_withdrawals'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='permalink',
            name='content',
            field=models.CharField(help_text='SHA-256 of the record without name, date and address', max_length=64),
        ),
        migrations.CreateModel(
            name='Doi',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('of', models.CharField(db_index=True, max_length=16)),
                ('doi', models.CharField(blank=True, help_text='`10.5281/zenodo.12345`; empty: taken back', max_length=200)),
                ('entered_at', models.DateTimeField(auto_now_add=True)),
                ('entered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Rendering',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('of', models.CharField(max_length=16)),
                ('name', models.CharField(max_length=80)),
                ('media_type', models.CharField(max_length=120)),
                ('data', models.BinaryField()),
                ('sha256', models.CharField(max_length=64)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('of', 'name'), name='rendering_once')],
            },
        ),
        migrations.CreateModel(
            name='Collection',
            fields=[
                ('id', models.CharField(max_length=16, primary_key=True, serialize=False)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('content', models.CharField(help_text='SHA-256 of the record without name, date and address', max_length=64)),
                ('record', models.BinaryField()),
                ('title', models.TextField(blank=True)),
                ('frozen_at', models.DateTimeField()),
                ('owner', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('owner', 'content'), name='collection_once_per_owner')],
            },
        ),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
