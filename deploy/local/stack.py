"""The whole of Stamtafel on one machine, as a library: Postgres, NATS and the services, each a process of its own.

    async with LocalStack(data) as stack:           # Postgres and NATS are up, migrations done with start()
        await stack.start(["trictrac", "gateway"])  # ready when this returns
        await stack.kill("trictrac", signal.SIGKILL)
        await stack.wait_ready()

Made for `python -m deploy.local up` and for the integration, fault and demo tests alike.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

import msgspec

from deploy.catalog import SERVICES, Service, available, find, game_logs
from deploy.local import nats, probes
from deploy.local.children import Child, ChildFailed, Command, Probe, Say
from deploy.local.lock import DataLock
from deploy.local.ports import FIRST_HTTP, GATEWAY, HOST, NATS, Ports
from deploy.local.postgres import Cluster
from deploy.migrate import migrate_all

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 60.0


class StackOptions(msgspec.Struct, frozen=True):
    """How a stack runs.

    `database_url`, `nats_url`: real servers in the place of the embedded ones. `fixed_ports`: the remembered ports
    where they are free. `env`: further variables for the services. `migrate`: whether to run migrations.
    """

    database_url: str = ""
    nats_url: str = ""
    fixed_ports: bool = False
    log_level: str = "info"
    env: Mapping[str, str] = {}
    migrate: bool = True


def _silent(_line: str) -> None:
    pass


class LocalStack:
    """Postgres, NATS and services in one data directory.

    Children: `postgres`, `nats`, services by name, replicas `<name>-2`. They end with the thread that started them,
    however it ends: enter the stack in a program's main thread.
    """

    def __init__(self, data: Path, options: StackOptions | None = None, say: Say = _silent) -> None:
        """`data` keeps everything and is made when missing; `say` hears one line for whatever people should know."""
        self.data = data.resolve()
        self.options = options or StackOptions()
        self.database_url, self.nats_url = self.options.database_url, self.options.nats_url
        self.http_ports: dict[str, int] = {}
        self._say = say
        self._ports = Ports(fixed=self.options.fixed_ports)
        self._lock = DataLock(self.data)
        self._ports_file = self.data / "ports.json"
        self._cluster: Cluster | None = None
        self._infrastructure: dict[str, Child] = {}
        self._services: dict[str, Child] = {}
        self._kinds: dict[str, Service] = {}
        self._logs = ""
        self.gateway_port = 0

    async def __aenter__(self) -> Self:
        """Take the data directory and start Postgres and NATS. `Running` when somebody else has it, `ChildFailed`."""
        self._lock.acquire()
        try:
            self.gateway_port = self._ports.take(GATEWAY)
            await self._start_nats()
            await self._start_postgres()
            self._write_down()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop everything."""
        await self.stop()

    async def start(self, services: Iterable[str | Service] | None = None) -> None:
        """Migrate, start these services (default: all that are here) and wait until all are ready (`ChildFailed`)."""
        asked = available() if services is None else services
        wanted = [find(one) if isinstance(one, str) else one for one in asked]
        if self.options.migrate:
            await migrate_all(self.database_url, wanted)
        self._logs = game_logs([*self._kinds.values(), *wanted]) or game_logs(available())
        for service in wanted:
            self._add(service.name, service)
        self._write_down()
        await self.wait_ready()

    async def add_replica(self, service: str) -> str:
        """Start one more process of a running service, a standby; return its name when it is ready."""
        number = 2
        while f"{service}-{number}" in self._services:
            number += 1
        name = f"{service}-{number}"
        self._add(name, self._kinds[service])
        self._write_down()
        await self._services[name].wait_ready(READY_SECONDS)
        return name

    async def wait_ready(self, *names: str, timeout: float = READY_SECONDS) -> None:
        """Wait until these children (default: all) take work; `ChildFailed` with the end of a log when one does not."""
        children = [self.child(name) for name in names] or [*self._infrastructure.values(), *self._services.values()]
        await asyncio.gather(*(child.wait_ready(timeout) for child in children))

    async def kill(self, name: str, signum: int = signal.SIGKILL, *, restart: bool = True) -> None:
        """Send a signal to a child (also `postgres`, `nats`), and wait for its end if it ends it.

        It is started again as after a crash, unless `restart` is False: then it stays down until `restart(name)`.
        """
        await self.child(name).kill(signum, restart=restart)

    async def restart(self, name: str) -> None:
        """Stop a child in order if it runs, start it, and wait until it is ready."""
        child = self.child(name)
        if child.pid is not None:
            await child.stop()
        child.revive()
        await child.wait_ready(READY_SECONDS)

    async def stop(self) -> None:
        """Stop services, then NATS, then Postgres; give the data directory back. May be called again."""
        await asyncio.gather(*(child.stop() for child in self._services.values()))
        for child in self._infrastructure.values():
            await child.stop()
        self._services.clear()
        self._infrastructure.clear()
        if self._cluster is not None:
            self._cluster.clean()
        if self._lock.held:
            self._ports_file.unlink(missing_ok=True)
            self._lock.release()

    def child(self, name: str) -> Child:
        """A child by name; LookupError names those that there are."""
        children = {**self._infrastructure, **self._services}
        if name not in children:
            raise LookupError(f"no child {name}; there are {', '.join(children)}")
        return children[name]

    def names(self) -> list[str]:
        """All children in the order of their start."""
        return [*self._infrastructure, *self._services]

    @property
    def server(self) -> str:
        """Where clients find the gateway: address and port."""
        return f"{HOST}:{self.gateway_port}"

    def env(self) -> dict[str, str]:
        """Variables that lead a client or another program here."""
        return {
            "DATABASE_URL": self.database_url,
            "NATS_URL": self.nats_url,
            "STAMTAFEL_SERVER": self.server,
            "STAMTAFEL_GATEWAY_PORT": str(self.gateway_port),
        }

    def log_path(self, name: str) -> Path:
        """Where a child's output goes."""
        return self.data / "logs" / f"{name}.log"

    async def _start_postgres(self) -> None:
        if self.database_url:
            return
        self._cluster = cluster = Cluster(self.data / "postgres")
        await asyncio.to_thread(cluster.prepare)
        self.database_url = cluster.dsn()
        self._lock.notes.socket_dir = str(cluster.socket_dir)
        self._lock.save()
        command = cluster.command(self.log_path("postgres"))
        child = self._make(command, cluster.ready)
        self._infrastructure["postgres"] = child
        child.start()
        await child.wait_ready(READY_SECONDS)
        await cluster.make_database()

    async def _start_nats(self) -> None:
        if self.nats_url:
            return
        port = self._ports.take(NATS)
        self.nats_url = f"nats://{HOST}:{port}"
        child = self._make(
            nats.command(self.data / "nats", port, self.log_path("nats")), lambda: probes.nats_ready(HOST, port)
        )
        self._infrastructure["nats"] = child
        child.start()
        await child.wait_ready(READY_SECONDS)

    def _add(self, name: str, service: Service) -> None:
        if name in self._services:
            raise ValueError(f"{name} runs already")
        names = [row.name for row in SERVICES]
        port = self._ports.take(FIRST_HTTP + names.index(name) if name in names else 0)
        env = {
            "STAMTAFEL_KEYS_DIR": str(self.data / "keys"),
            **os.environ,
            **self.env(),
            **({"STAMTAFEL_LOGS": self._logs} if self._logs else {}),
            "STAMTAFEL_LOG_LEVEL": self.options.log_level,
            **self.options.env,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), str(ROOT / "gen"), os.environ.get("PYTHONPATH")))),
            "STAMTAFEL_HTTP_HOST": HOST,
            "STAMTAFEL_HTTP_PORT": str(port),
            "STAMTAFEL_INSTANCE": name,
        }
        command = Command(name, (sys.executable, "-m", service.module), env, self.log_path(name))
        child = self._make(command, lambda: probes.http_ready(HOST, port))
        self._services[name], self._kinds[name], self.http_ports[name] = child, service, port
        child.start()

    def _make(self, command: Command, probe: Probe) -> Child:
        def started(command: Command, pid: int) -> None:
            self._lock.note(command.name, pid, command.stop_signal)

        return Child(command, probe, self._say, started)

    def _write_down(self) -> None:
        self._lock.notes.gateway = self.server
        self._lock.save()
        found = {
            "gateway": self._lock.notes.gateway,
            "nats": self.nats_url if not self.options.nats_url else "",
            "database": self.database_url if not self.options.database_url else "",
            "http": {name: f"{HOST}:{port}" for name, port in self.http_ports.items()},
        }
        self._ports_file.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")


__all__ = ["ChildFailed", "LocalStack", "StackOptions"]
