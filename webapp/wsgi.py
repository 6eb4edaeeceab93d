"""What gunicorn serves."""

import gc
import os
import sys

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
_django = get_wsgi_application()

from django.conf import settings  # noqa: E402

from webapp.http.early_answers import with_early_answers  # noqa: E402 (it needs the settings)
from webapp.http.read_replica import ReplicaRouter  # noqa: E402

application = with_early_answers(_django)
if settings.DATABASE_REPLICA_URL:
    application = ReplicaRouter(application, settings.DATABASE_REPLICA_URL)

# What is loaded by now stays; and a page makes thousands of objects, few of them in cycles: looking for some among the
# rows that a process keeps, at every 700 new ones, takes longer than many a page.
gc.freeze()
gc.set_threshold(50_000, 20, 20)

# The threads of a worker share one interpreter: whoever comes back from the database waits so long for his turn while
# another builds a page. With the usual 5 ms eight readers wait twice as long (script/bench pages).
sys.setswitchinterval(0.001)
