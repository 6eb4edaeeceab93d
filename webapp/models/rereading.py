"""What readings of an archive after the first one changed."""

from django.db import models


class Rereading(models.Model):
    """One reading of an archive that was read before: numbers of values and configuration keys that changed.

    `lines`: a sentence for each change, at most `archives.reparse.MAX_LINES`. `is_compared`: false for archives that are too
    large to compare value by value; all counts but `values` are then 0.
    """

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="rereadings")
    at = models.DateTimeField(auto_now_add=True)
    seconds = models.FloatField()
    values = models.IntegerField()
    changed = models.IntegerField(default=0)
    appeared = models.IntegerField(default=0)
    vanished = models.IntegerField(default=0)
    configuration_changes = models.IntegerField(default=0)
    lines = models.JSONField(default=list)
    is_compared = models.BooleanField(default=True)

    @property
    def omitted(self) -> int:
        """Number of changes without a sentence."""
        return self.changed + self.appeared + self.vanished + self.configuration_changes - len(self.lines)


class ConfigurationMove(models.Model):
    """Runs of an archive that a later reading placed on another configuration, to which the address of the previous one leads."""

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="+")
    previous = models.ForeignKey("Configuration", on_delete=models.CASCADE, related_name="+")
    current = models.ForeignKey("Configuration", on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["archive", "previous", "current"], name="one_move")]


class BulkReread(models.Model):
    """One `manage.py reread` of all archives: those read since it was started are done when it goes on after an interruption."""

    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
