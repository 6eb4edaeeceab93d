"""Read the studies of fixtures/ through the ordinary path and freeze their comparisons; what is there is left alone."""
from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand

from webapp import gallery, studies
from webapp.models import Archive

LIBRARY = "poolmark"


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options):
        fixtures = Path(settings.BASE_DIR, "fixtures")
        read = Archive.objects.filter(owner__username=LIBRARY, state=Archive.State.READ)
        known = set(read.values_list("study", flat=True))
        names = [name for name in studies.shipped() if (fixtures / name).is_dir()]
        missing = [name for name in names if name not in known]
        if missing:
            self.stdout.write(f"Reading {len(missing)} of {len(names)} studies: {', '.join(missing)}")
            call_command("ingest", *(str(fixtures / name) for name in missing), user=LIBRARY, stdout=self.stdout)
        owner = get_user_model().objects.filter(username=LIBRARY).first()
        for at, title in enumerate(gallery.freeze_missing(owner) if owner else (), 1):
            self.stdout.write(f"Freezing comparison {at}: {title}")
