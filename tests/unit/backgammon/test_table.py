"""A table of backgammon in the shared kit: the bank clock by the stream's time, a rematch, snapshots."""

from libs.table.life import any_of
from libs.table.standing import SnapshotCodec
from services.backgammon.rules import RULES
from services.backgammon.state import ROLL
from stamtafel.backgammon.v1 import backgammon_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.unit.table.desk import TABLE, Desk

ANN = table.Actor(id="ann", name="Ann", kind=table.ACTOR_KIND_PLAYER)
BOB = table.Actor(id="bob", name="Bob", kind=table.ACTOR_KIND_PLAYER)
TIMER = table.Actor(id="timer", kind=table.ACTOR_KIND_TIMER)
PLAYERS = (ANN, BOB)


def seated(**options: object) -> Desk:
    """A table at the opening throw, Ann on seat 0, Bob on seat 1."""
    desk = Desk(RULES)
    desk.do(ANN, table.OpenTable(options=any_of(pb.Options(**options))))  # pyright: ignore[reportArgumentType]
    desk.do(BOB, table.Sit(seat=1))
    desk.do(ANN, table.Ready(on=True))
    desk.do(BOB, table.Ready(on=True))
    return desk


def bank(desk: Desk) -> tuple[int, int]:
    return desk.table.game.bank


def test_the_delay_is_free_and_the_bank_pays_the_rest() -> None:
    desk = seated(play="match", match_length=3, clock="bank", bank_seconds=100, delay_seconds=8)
    desk.later(5)
    desk.act(ANN, 0, pb.Roll())
    desk.later(13)
    desk.act(BOB, 1, pb.Roll())
    assert bank(desk) == (100_000, 90_000)
    seat = desk.table.game.turn
    before = bank(desk)[seat]
    desk.later(20)
    while desk.table.game.turn == seat and desk.table.game.phase != ROLL:
        moves = next(command for command in RULES.some(desk.table.game, seat) if isinstance(command, pb.Play))
        desk.act(PLAYERS[seat], seat, moves)
    assert bank(desk)[seat] == before - 12_000


def test_an_empty_bank_loses_the_match_and_the_next_play_begins_afresh() -> None:
    desk = seated(play="match", match_length=3, clock="bank", bank_seconds=100, delay_seconds=8)
    desk.act(ANN, 0, pb.Roll())
    desk.later(108)
    desk.do(TIMER, table.ExpireClock(clock_id=desk.table.life.clocks[0].clock_id))
    assert desk.table.game.match_result.winner == 0
    desk.do(ANN, table.Ready(on=True))
    desk.do(BOB, table.Ready(on=True))
    assert desk.table.game.match_result is None and bank(desk) == (100_000, 100_000)


def test_a_snapshot_is_read_back_as_it_was() -> None:
    desk = seated(preset="money")
    desk.act(ANN, 0, pb.Roll())
    desk.act(BOB, 1, pb.Roll())
    codec = SnapshotCodec(RULES)
    standing, _ = codec.read(TABLE, codec.write(desk.table, ()))
    assert standing.game == desk.table.game
