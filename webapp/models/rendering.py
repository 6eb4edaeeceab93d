"""A file made of a permalink."""
from django.db import models

from webapp.models.permalink import Permalink


class Rendering(models.Model):
    """`data` are the bytes as first written; a trigger in the database refuses every UPDATE and DELETE of the row."""

    permalink = models.ForeignKey(Permalink, on_delete=models.DO_NOTHING, related_name="renderings")
    name = models.CharField(max_length=60)
    media_type = models.CharField(max_length=60)
    data = models.BinaryField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["permalink", "name"], name="rendering_once")]
