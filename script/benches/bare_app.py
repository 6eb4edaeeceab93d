"""The least that Django does: a greeting, and a page of 20 KB with a table of 60 groups. Copied beside a server."""

from django.conf import settings

settings.configure(
    SECRET_KEY="bench",  # noqa: S106  no secret
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [], "APP_DIRS": False}],
)

import django  # noqa: E402

django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import path  # noqa: E402

GROUPS = [
    {
        "os": f"Debian 12.{n // 8}",
        "compression": f"gzip-{n % 8}",
        "n": 10 + n,
        "median": 1e5 / (n + 1),
        "mean": 1.01e5 / (n + 1),
        "deviation": 1e3 / (n + 1),
        "low": 9e4 / (n + 1),
        "high": 1.1e5 / (n + 1),
    }
    for n in range(60)
]
CELLS = "".join(f'<td class="num">{{{{ g.{name}|floatformat:1 }}}}</td>' for name in ("median", "mean", "deviation", "low", "high"))
PAGE = engines["django"].from_string(
    "<!doctype html><title>{{ title }}</title><nav>" + "<a class=item href=/x>navigation</a>" * 50 + "</nav><table>"
    "{% for g in groups %}<tr><td>{{ g.os }}</td><td>{{ g.compression }}</td><td class=num>{{ g.n }}</td>"
    + CELLS
    + "</tr>{% endfor %}</table>"
    + "<!-- pad -->" * 400
)


def hello(request):
    return HttpResponse("hello")


def page(request):
    return HttpResponse(PAGE.render({"title": "compare", "groups": GROUPS}))


urlpatterns = [path("hello", hello), path("page", page)]
application = get_wsgi_application()
