#!/usr/bin/env python3
"""Django's commands, on the database that script/server uses, running or not."""

import contextlib
import gc
import importlib
import os
import sys
from pathlib import Path

NO_DATABASE = {"help", "version", "--version", "--help", "-h", "makemigrations", "collectstatic", "check", "diffsettings"}


def run() -> None:
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


def load(command: str) -> None:
    """Import Django and the command. No garbage is looked for in what comes to stay, now or later: a fifth of the start."""
    gc.disable()
    try:
        import django

        django.setup()
        with contextlib.suppress(ModuleNotFoundError):  # a command of Django itself, or none: run() prints the error
            importlib.import_module(f"webapp.management.commands.{command}")
    finally:
        gc.freeze()
        gc.enable()


def main() -> None:
    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    # Commands migrate, copy and read large results, which a pooler of transactions (PgBouncer) does not pass on.
    if os.environ.get("DATABASE_DIRECT_URL"):
        os.environ["DATABASE_URL"] = os.environ["DATABASE_DIRECT_URL"]
    if os.environ.get("DATABASE_URL") or os.environ.get("POOLMARK_EMBEDDED_URL") or command in NO_DATABASE:
        run()
        return
    from webapp.infrastructure.embedded_postgres import Cluster, StartError, run_cluster

    data = Path(os.environ.get("POOLMARK_DATA") or Path(__file__).resolve().parent / "var")
    os.environ["POOLMARK_EMBEDDED_URL"] = Cluster(data).url
    if command == "restore":  # it makes the database
        run()
        return
    try:
        with run_cluster(data, lambda text: print(text, file=sys.stderr), lambda: load(command)):
            run()
    except StartError as error:
        sys.exit(f"The embedded database cannot start: {error}")


if __name__ == "__main__":
    main()
