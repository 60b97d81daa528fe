"""The door: a gRPC client's move until it is committed and both seats have seen it, over bidi `Play`.

Every table has two players, each with a stream of his own; who is on turn throws, and the next throw comes when both
seats have been shown the one before. The whole platform runs on the same machine, every process for itself.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Any

import grpc

from libs.table.life import any_of
from stamtafel.gateway.v1 import gateway_pb2 as gw
from stamtafel.gateway.v1 import gateway_pb2_grpc as rpc
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt

BENCH_ENV = {
    "STAMTAFEL_COMMANDS_PER_SECOND": "100000",
    "STAMTAFEL_REQUESTS_PER_SECOND": "100000",
}


class Seat:
    """One player with a Play stream."""

    def __init__(self, channel: grpc.aio.Channel, name: str) -> None:
        self._sessions = rpc.SessionsServiceStub(channel)
        self.lobby = rpc.LobbyServiceStub(channel)
        self._tables = rpc.TablesServiceStub(channel)
        self._name = name
        self.meta: tuple[tuple[str, str], ...] = ()
        self.version = 0
        self.view: pb.TableView | None = None
        self._changed = asyncio.Event()
        self._call: Any = None
        self._reading: asyncio.Task[None] | None = None

    async def sign_in(self) -> None:
        session = (await self._sessions.SignInGuest(gw.SignInGuestRequest(name=self._name))).session
        self.meta = (("authorization", f"Bearer {session.access_token}"),)

    async def play(self, table: str) -> None:
        """Opens the stream and watches the table."""
        self._call = self._tables.Play(metadata=self.meta)
        await self._call.write(gw.PlayRequest(watch=gw.WatchTableRequest(table_id=table)))
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for response in self._call:
            for item in response.items:
                if item.HasField("update"):
                    self.version = item.update.version
                    self.view = item.update.view
                    self._changed.set()
                elif item.HasField("answer") and item.answer.HasField("refused"):
                    raise RuntimeError(f"refused: {item.answer.refused}")
                elif item.HasField("status"):
                    raise RuntimeError(f"stopped: {item.status}")

    async def act(self, request: gw.ActRequest) -> None:
        await self._call.write(gw.PlayRequest(act=request))

    async def newer_than(self, version: int) -> None:
        """Waits until this seat has been shown a later version."""
        while self.version <= version:
            self._changed.clear()
            if self._reading is not None and self._reading.done():
                self._reading.result()
            await self._changed.wait()

    async def close(self) -> None:
        if self._call is not None:
            self._call.cancel()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)


THROW = any_of(tt.Throw())
_ids = itertools.count()


async def _sit_down(channel: grpc.aio.Channel, number: int) -> tuple[str, list[Seat]]:
    seats = [Seat(channel, f"p{number}-{side}") for side in (0, 1)]
    for seat in seats:
        await seat.sign_in()
    options = any_of(tt.Options(seats=2, points=12, first_starter=0))
    opened = await seats[0].lobby.OpenTable(
        gw.OpenTableRequest(command_id=f"o{next(_ids)}", game="trictrac", open=pb.OpenTable(options=options)),
        metadata=seats[0].meta,
    )
    table = opened.table_id
    join = gw.JoinTableRequest(command_id=f"j{next(_ids)}", table_id=table)
    await seats[1].lobby.JoinTable(join, metadata=seats[1].meta)
    for seat in seats:
        await seat.play(table)
    for seat in seats:
        await seat.newer_than(0)
    await seats[0].lobby.StartTable(
        gw.StartTableRequest(command_id=f"s{next(_ids)}", table_id=table), metadata=seats[0].meta
    )
    return table, seats


async def _play(table: str, seats: list[Seat], until: float, times: list[float]) -> None:
    """Throws until the time is over, the play's end is reached by nobody (12 points last longer)."""
    await asyncio.gather(*(seat.newer_than(3) for seat in seats))
    while time.perf_counter() < until:
        view = seats[0].view
        assert view is not None
        if not view.to_act:
            if view.state != pb.TABLE_STATE_PLAYING:
                await _again(table, seats)
                continue
            await seats[0].newer_than(seats[0].version)
            continue
        turn = view.to_act[0]
        version = max(seat.version for seat in seats)
        began = time.perf_counter()
        await seats[turn].act(gw.ActRequest(command_id=f"a{next(_ids)}", table_id=table, seat=turn, body=THROW))
        for seat in seats:
            await seat.newer_than(version)
        times.append(time.perf_counter() - began)


async def _again(table: str, seats: list[Seat]) -> None:
    """A rematch."""
    version = max(seat.version for seat in seats)
    for seat in seats:
        request = gw.SetReadyRequest(command_id=f"r{next(_ids)}", table_id=table, ready=pb.Ready(on=True))
        await seat.lobby.SetReady(request, metadata=seat.meta)
    while not all(s.view is not None and s.view.state == pb.TABLE_STATE_PLAYING for s in seats):
        await asyncio.gather(*(seat.newer_than(version) for seat in seats))
        version = min(seat.version for seat in seats)


async def bench_door(address: str, tables: int, seconds: float = 5.0) -> dict[str, float]:
    """p50 and p99 of a move in ms and moves per second at this many tables."""
    times: list[float] = []
    channels = [grpc.aio.insecure_channel(address) for _ in range(4)]
    made = [await _sit_down(channels[n % len(channels)], n) for n in range(tables)]
    until = time.perf_counter() + seconds
    began = time.perf_counter()
    await asyncio.gather(*(_play(table, seats, until, times) for table, seats in made))
    took = time.perf_counter() - began
    for _, seats in made:
        for seat in seats:
            await seat.close()
    for channel in channels:
        await channel.close()
    times.sort()
    return {
        f"door_p50_ms_{tables}": times[len(times) // 2] * 1e3,
        f"door_p99_ms_{tables}": times[len(times) * 99 // 100] * 1e3,
        f"door_moves_per_s_{tables}": len(times) / took,
    }
