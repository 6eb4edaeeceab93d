"""Values of the single ranks of a parallel run, compressed."""

from django.db import models


class CompressedValues(models.Model):
    """The values that single ranks of a run have of one metric under one name of the output, in no summary and no comparison.

    Single ranks print most of the values of some submissions, and no figure needs one of them: they are kept for the export. Each
    value has its own id, in the range of its run, like a measurement. `data`: what a row of `Measurement` holds and these columns
    do not (see `storage.compressed_values`). `low`, `median`, `high`: of all of them, in the base unit. Inserted by COPY; no
    foreign keys in the database.
    """

    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, related_name="compressed_values")
    run = models.ForeignKey("Run", on_delete=models.DO_NOTHING, db_constraint=False, related_name="compressed_values")
    metric = models.ForeignKey("MetricName", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    native = models.TextField()
    raw_unit = models.TextField()
    count = models.IntegerField()
    low = models.FloatField()
    median = models.FloatField()
    high = models.FloatField()
    data = models.BinaryField()
