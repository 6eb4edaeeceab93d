"""What a search found in the text files of an archive that people may not want to publish."""

from django.db import models

from webapp.models.archive import Archive


class Exposure(models.Model):
    """The result of the latest search. `version`: of the patterns; `found`: as `webapp.archives.exposure` writes it."""

    archive = models.OneToOneField(Archive, on_delete=models.CASCADE, primary_key=True, related_name="exposure")
    version = models.SmallIntegerField()
    found = models.JSONField()
