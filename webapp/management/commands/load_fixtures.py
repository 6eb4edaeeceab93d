"""Read the studies of fixtures/ through the ordinary path; what is there already is left alone."""
from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from webapp.models import Archive

LIBRARY = "poolmark"


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options):
        folders = sorted(path for path in Path(settings.BASE_DIR, "fixtures").iterdir() if path.is_dir())
        read = Archive.objects.filter(owner__username=LIBRARY, state=Archive.State.READ)
        known = set(read.values_list("study", flat=True))
        for at, folder in enumerate(folders, 1):
            if folder.name in known:
                continue
            self.stdout.write(f"Reading study {at} of {len(folders)}: {folder.name}")
            call_command("ingest", str(folder), user=LIBRARY, stdout=self.stdout)
            newest = Archive.objects.filter(owner__username=LIBRARY).order_by("-id").first()
            Archive.objects.filter(pk=newest.pk).update(study=folder.name)
