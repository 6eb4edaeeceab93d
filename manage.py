#!/usr/bin/env python3
"""Django's commands, on the database that script/server uses, running or not."""
import os
import sys
from pathlib import Path

NO_DATABASE = {"help", "version", "--version", "--help", "-h", "makemigrations", "collectstatic", "check", "diffsettings"}


def run() -> None:
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if os.environ.get("DATABASE_URL") or os.environ.get("POOLMARK_EMBEDDED_URL") or command in NO_DATABASE:
        run()
        return
    from webapp.embedded import CannotStart, running

    data = Path(os.environ.get("POOLMARK_DATA") or Path(__file__).resolve().parent / "var")
    try:
        with running(data, lambda text: print(text, file=sys.stderr)) as url:
            os.environ["POOLMARK_EMBEDDED_URL"] = url
            run()
    except CannotStart as error:
        sys.exit(f"The embedded database cannot start: {error}")


if __name__ == "__main__":
    main()
