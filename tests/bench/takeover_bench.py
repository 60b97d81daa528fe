"""How long a table stands still when the process that owns its log is killed and a standby takes over."""

from __future__ import annotations

import itertools
import time

import grpc

from deploy.local.stack import LocalStack
from libs.table.life import any_of
from stamtafel.gateway.v1 import gateway_pb2 as gw
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.bench.door_bench import Seat

_ids = itertools.count()


async def bench_takeover(stack: LocalStack) -> dict[str, float]:
    """`takeover_s`: from `kill -9` of trictrac's owner to the next command that is accepted; a standby is there."""
    standby = await stack.add_replica("trictrac")
    async with grpc.aio.insecure_channel(stack.server) as channel:
        seat = Seat(channel, "takeover")
        await seat.sign_in()
        options = any_of(tt.Options(seats=2))
        request = gw.OpenTableRequest(command_id="t-open", game="trictrac", open=pb.OpenTable(options=options))
        table = (await seat.lobby.OpenTable(request, metadata=seat.meta)).table_id
        await stack.kill("trictrac", restart=False)
        began = time.perf_counter()
        while True:
            try:
                request_on = gw.SetReadyRequest(command_id=f"t{next(_ids)}", table_id=table, ready=pb.Ready(on=True))
                answer = await seat.lobby.SetReady(request_on, metadata=seat.meta)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                continue
            if answer.answer.HasField("accepted"):
                break
    took = time.perf_counter() - began
    await stack.restart("trictrac")
    await stack.kill(standby, restart=False)
    return {"takeover_s": took}
