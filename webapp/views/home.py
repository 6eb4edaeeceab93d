"""The first page: what this is, one living figure, three doors, the newest archives."""
from __future__ import annotations

from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.conditional import conditional
from webapp.featured import featured
from webapp.models import Archive


@require_safe
@conditional
def home(request):
    newest = Archive.objects.public().filter(state=Archive.State.READ).order_by("-uploaded_at", "-id")[:6]
    return render(request, "home/home.html", {"newest": list(newest), "featured": featured()})
