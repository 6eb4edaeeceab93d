"""The comparisons of shipped studies that were frozen when the study was loaded."""

from django.db import models


class StudyFigure(models.Model):
    """`study` is the study's name in fixtures/, empty for a comparison between studies; `query` the one it was frozen from."""

    study = models.SlugField(blank=True)
    query = models.TextField()
    permalink = models.ForeignKey("Permalink", on_delete=models.PROTECT, related_name="study_figures")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "query"], name="study_figure_once")]
