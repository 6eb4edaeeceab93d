from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0003_permalink_content'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='derived',
            field=models.JSONField(default=dict),
        ),
    ]
