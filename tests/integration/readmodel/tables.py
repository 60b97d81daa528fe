"""A small life of several tables as a log, and helpers to look at the rows of read models."""

from random import Random

import asyncpg
from google.protobuf.any_pb2 import Any as AnyMessage

from stamtafel.table.v1 import table_pb2 as pb
from tests.unit.readmodel.records import Script

PEOPLE = ("anna", "bert", "cees", "dirk")


def evening(seed: int, tables: int = 4, log: str = "trictrac-0") -> Script:
    """Tables that open, fill, play and close, interleaved."""
    rng, script = Random(seed), Script(log)
    lives = [list(_life(rng, n)) for n in range(tables)]
    while any(lives):
        n = rng.choice([n for n, life in enumerate(lives) if life])
        body = lives[n].pop(0)
        kind = "clock" if isinstance(body, pb.ClocksSet) else "table"
        script.add(f"{log}-t{n}", body, kind)
    return script


def _life(rng: Random, n: int):
    options = AnyMessage(type_url="type.googleapis.com/stamtafel.none.v1.Options", value=b"")
    yield pb.TableOpened(
        game="trictrac", options=options, seats=3, private=n % 2 == 1, code="SECRETCODE", hot_seat=n == 3
    )
    yield pb.DrawsSealed(play=1, commitment=b"c" * 32)
    players = rng.sample(PEOPLE, 2)
    for seat, player in enumerate(players):
        yield pb.SeatTaken(seat=seat, player=player, name=player.title(), nonce=b"NONCENONCE")
    yield pb.HostMoved(seat=0)
    yield pb.BotSeated(seat=2, level="hard", name="Klaas")
    for play in (1, 2):
        yield pb.SeatReady(seat=0, on=True)
        yield pb.SeatReady(seat=1, on=True)
        yield pb.PlayBegan(play=play, options=options, players=[*players, "bot:hard"])
        yield pb.ClocksSet()
        yield pb.ScoreChanged(score=[1, 2, 3])
        if rng.random() < 0.3:
            yield pb.PlayVoided(play=play, reason="power cut")
        else:
            yield pb.PlayEnded(play=play, result=pb.Result(places=rng.sample((1, 2, 3), 3), sides=[0, 1, 2]))
    yield pb.SeatLeft(seat=1, player=players[1])
    if rng.random() < 0.5:
        yield pb.TableClosed(reason="host")


async def rows(dsn: str, schema: str, *tables: str) -> dict[str, list[str]]:
    """All rows of the views, as text, in a fixed order."""
    connection = await asyncpg.connect(dsn)
    try:
        return {
            table: [row[0] for row in await connection.fetch(f"SELECT t::text FROM {schema}.{table} t ORDER BY 1")]
            for table in tables
        }
    finally:
        await connection.close()
