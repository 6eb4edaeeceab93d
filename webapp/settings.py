"""Django's settings: one file that runs with no variable set. Every variable is listed in docs/running.md."""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from kombu import Queue

from webapp.infrastructure import redis_address
from webapp.infrastructure.children import ROLES, counters_folder

BASE_DIR = Path(__file__).resolve().parent.parent


def env(name: str, default: str = "") -> str:
    """An empty variable is one that is not set: files for containers pass all of them."""
    return os.environ.get(name) or default


def env_bool(name: str, default: bool = False) -> bool:
    return env(name, "1" if default else "0").lower() in ("1", "true", "yes", "on")


def env_list(name: str) -> list[str]:
    return [part.strip() for part in env(name).split(",") if part.strip()]


POOLMARK_DATA = Path(env("POOLMARK_DATA") or BASE_DIR / "var").resolve()
# Counters of all processes of this host, read by /metrics. script/server names a folder in memory, and empties it at each start.
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(counters_folder(POOLMARK_DATA)))
Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).mkdir(parents=True, exist_ok=True)


def load_secret(path: Path) -> str:
    """The secret of this installation, made at the first start, in a file readable by its owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()


DEBUG = env_bool("DEBUG")
SECRET_KEY = env("SECRET_KEY") or load_secret(POOLMARK_DATA / "secret-key")
CSRF_TRUSTED_ORIGINS = [origin.rstrip("/") for origin in env_list("POOLMARK_ORIGINS")]
PUBLIC_ORIGIN = next(iter(CSRF_TRUSTED_ORIGINS), "")
"""Scheme and host of addresses in frozen files; empty: a local instance, whose addresses lead nowhere beyond this machine."""
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *env_list("POOLMARK_HOSTS")]
ALLOWED_HOSTS += [host for host in (urlsplit(origin).hostname for origin in CSRF_TRUSTED_ORIGINS) if host and "*" not in host]
POOLMARK_PROXIES = int(env("POOLMARK_PROXIES") or bool(PUBLIC_ORIGIN))
"""How many proxies stand in front: so many addresses at the end of X-Forwarded-For are believed. With a public origin one."""
LOCAL_ORIGIN = env("POOLMARK_ADDRESS")
"""The address that script/server prints, for what is frozen without a request."""

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.sitemaps",
    "django_htmx",
    "template_partials",
    "csp",
    "axes",
    "webapp",
]
MIDDLEWARE = [
    "webapp.http.page_cache.page_cache",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "webapp.http.page_cache.CompressionMiddleware",
    "webapp.api.answers.api_answers",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "webapp.http.middleware.before_body",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webapp.http.middleware.PolicyMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
# A read replica, which answers anonymous reads.
DATABASE_REPLICA_URL = env("DATABASE_REPLICA_URL")
POOLMARK_REPLICA_LAG = float(env("POOLMARK_REPLICA_LAG") or 10)
"""Seconds that the replica may be late; while it is later the primary answers."""
if DATABASE_REPLICA_URL:
    MIDDLEWARE.append("webapp.http.read_replica.RetryOnPrimary")
ROOT_URLCONF = "webapp.urls"
WSGI_APPLICATION = "webapp.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "webapp.pages.contact.contact",
            ]
        },
    }
]

# DATABASE_URL replaces the embedded server, which manage.py and script/server start and name in POOLMARK_EMBEDDED_URL.
DATABASES = {
    "default": dj_database_url.parse(
        env("DATABASE_URL") or env("POOLMARK_EMBEDDED_URL") or "postgresql:///poolmark", conn_max_age=60
    )
}
# A server that vanishes is found out before every thread waits for it. The URL may say otherwise: ?connect_timeout=20.
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,  # seconds
    "tcp_user_timeout": 15_000,  # milliseconds
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    **DATABASES["default"].get("OPTIONS", {}),
}
# The server itself, where DATABASE_URL is PgBouncer with transaction pooling: for locks that a session holds, and for commands.
DATABASE_DIRECT_URL = env("DATABASE_DIRECT_URL")
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = DATABASE_DIRECT_URL not in ("", env("DATABASE_URL"))
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE, TIME_ZONE, USE_I18N, USE_TZ = "en", "UTC", False, True
STATIC_URL = "static/"
STATIC_ROOT = POOLMARK_DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static" / "dist"] if (BASE_DIR / "static" / "dist").is_dir() else []
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 365 * 24 * 3600
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
HTTPS = env_bool("POOLMARK_HTTPS", default=PUBLIC_ORIGIN.startswith("https://"))
"""Whether readers come by HTTPS, through a proxy that says so in X-Forwarded-Proto."""
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
COOKIE_PREFIX = "__Host-" if HTTPS else ""
"""Of the name of every cookie: browsers then take it from this host alone, over HTTPS."""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid", f"{COOKIE_PREFIX}csrftoken"
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for subdomains: they may belong to others
    "security.W008",  # the proxy redirects to HTTPS; health checks of this host come without
    "security.W021",  # preloading is a promise for the whole domain
]
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "webapp.views.site.errors.csrf"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"

# Failed sign-ins, by account and by address: webapp/accounts/throttle.py.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AXES_FAILURE_LIMIT = int(env("POOLMARK_SIGN_IN_FAILURES") or 10)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = "webapp.accounts.throttle.counted_by"
AXES_CLIENT_IP_CALLABLE = "webapp.accounts.throttle.client_network"
AXES_LOCKOUT_CALLABLE = "webapp.views.accounts.sign_in_pages.locked_out"
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "csrfmiddlewaretoken", "next"]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    }
}

POOLMARK_ROLES = env_list("POOLMARK_ROLES") or list(ROLES)
"""What script/server starts here: the others run on other machines."""

# Where the bytes of archives and of the public data are kept: a folder, or s3://BUCKET/PREFIX; empty: POOLMARK_DATA. And where
# those are looked for that are not there yet, while `manage.py store move` moves them.
POOLMARK_STORE = env("POOLMARK_STORE").strip()
POOLMARK_STORE_BEFORE = env("POOLMARK_STORE_BEFORE").strip()

# Who takes something down: an e-mail address or the address of a page, shown on every page.
POOLMARK_CONTACT = env("POOLMARK_CONTACT").strip()
POOLMARK_UPLOAD_LIMIT = int(env("POOLMARK_UPLOAD_LIMIT") or 2 * 2**30)
POOLMARK_WEBHOOKS_PRIVATE = env("POOLMARK_WEBHOOKS_PRIVATE") == "1"
POOLMARK_API_REQUESTS = int(env("POOLMARK_API_REQUESTS") or 6000)
"""Requests of the API that an account, or an address without a token, may make in a minute: 429 beyond."""
POOLMARK_QUOTA_BYTES = int(env("POOLMARK_QUOTA_BYTES") or 50 * 2**30)
POOLMARK_QUOTA_ARCHIVES = int(env("POOLMARK_QUOTA_ARCHIVES") or 500)
"""What a person who is not staff may upload within 24 hours (webapp/archives/upload.py)."""
POOLMARK_RESERVE = int(env("POOLMARK_RESERVE") or 2**28)
"""Bytes that stay free for the database and what is being read: an upload that would leave less is refused."""
POOLMARK_STATUS = env("POOLMARK_STATUS", "public")
"""`public`: everybody may see /status and /metrics; `staff`: staff, and programs with POOLMARK_METRICS_TOKEN as bearer token."""
POOLMARK_METRICS_TOKEN = env("POOLMARK_METRICS_TOKEN")
POOLMARK_READ_MEMORY = int(env("POOLMARK_READ_MEMORY") or 2 * 2**30)
POOLMARK_READ_SECONDS = float(env("POOLMARK_READ_SECONDS") or 60)
"""CPU seconds in which a file is read, and a third of them for each MiB of it; twice as many for an archive."""
POOLMARK_SMALL_ARCHIVE = int(env("POOLMARK_SMALL_ARCHIVE") or 2**20)
"""Bytes up to which an archive is read by the process that reads small ones alone."""
DATA_UPLOAD_MAX_NUMBER_FILES = 20_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 50_000
FILE_UPLOAD_TEMP_DIR = None

REDIS_URL = env("REDIS_URL")
CACHES = {
    "default": redis_address.cache_settings(REDIS_URL)
    if REDIS_URL
    else {"BACKEND": "webapp.http.process_cache.BoundedPages", "OPTIONS": {"MAX_ENTRIES": 1000}}
}

# Switched off only to measure pages without it.
PAGE_CACHE = env_bool("POOLMARK_PAGE_CACHE", True)

# Kombu's filesystem transport needs its folders to exist before the first message.
BROKER_FOLDER = POOLMARK_DATA / "queue"
CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = redis_address.broker_settings(REDIS_URL)
if not REDIS_URL:
    for _name in ("in", "control"):
        (BROKER_FOLDER / _name).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # Sender and receiver share one folder. An idle worker polls it every 50 ms.
        "data_folder_in": str(BROKER_FOLDER / "in"),
        "data_folder_out": str(BROKER_FOLDER / "in"),
        "control_folder": str(BROKER_FOLDER / "control"),
        "polling_interval": 0.05,
    }
# Separate queues, so that archives do not wait for drawings, of which there are many after the first start, nor drawings for
# archives; and small archives not for large ones. A worker without a named queue serves all.
CELERY_TASK_QUEUES = [
    Queue("celery", routing_key="celery"),
    Queue("small", routing_key="small"),
    Queue("drawing", routing_key="drawing"),
]
CELERY_TASK_ROUTES = {
    task: {"queue": "drawing"}
    for task in (
        "poolmark.render_permalink",
        "poolmark.bundle_collection",
        "poolmark.make_public_data",
        "poolmark.sweep_public_data",
        "poolmark.ask_permalinks_again",
    )
}
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"()": "webapp.monitoring.logs.PlainFormatter"},
        "json": {"()": "webapp.monitoring.logs.LineFormatter"},
    },
    "filters": {"context": {"()": "webapp.monitoring.logs.Context"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "json" if env("POOLMARK_LOG") == "json" else "plain",
            "filters": ["context"],
        },
        "errors": {"()": "webapp.monitoring.metrics.ErrorCounter"},
    },
    "root": {"handlers": ["console", "errors"], "level": env("POOLMARK_LOG_LEVEL", "INFO")},
    # fontTools logs every glyph of every font that is embedded into a file, axes every sign-in.
    "loggers": {"axes": {"level": "WARNING"}, "fontTools": {"level": "WARNING"}},
}
