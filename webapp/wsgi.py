"""What gunicorn serves."""
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
_django = get_wsgi_application()

from webapp.early import answering  # noqa: E402 (it needs the settings)

application = answering(_django)
