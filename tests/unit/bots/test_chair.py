"""One computer player: when it thinks, waits, acts, and when it does not."""

import asyncio
from collections.abc import Callable
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage

from libs.bus import Backlog
from libs.testing.clock import ScriptedClock
from services.bots.brains import Sight
from services.bots.census import Seat
from services.bots.chair import Chair, Manners, command_id
from stamtafel.table.v1 import table_pb2 as pb

PLACE = Seat("trictrac-0", "trictrac-0-abc", 1)
MOVE = AnyMessage(type_url="type.googleapis.com/stamtafel.trictrac.v1.Throw")
EVENT = AnyMessage(type_url="type.googleapis.com/stamtafel.trictrac.v1.ThrowMade", value=b"")


class Stage:
    """A chair with everything around it in the test's hands."""

    def __init__(self, pace: float = 0.0) -> None:
        self.clock = ScriptedClock()
        self.sights: list[Sight] = []
        self.memories: list[Any] = []
        self.sent: list[pb.Command] = []
        self.codes: list[str] = []
        self.failures = 0
        self.command: AnyMessage | None = MOVE
        self.wait_s = 2.0
        self.courtesy = False
        self.answers: list[asyncio.Future[bytes]] = []
        self.chair = Chair(
            PLACE, Manners(self, self.send, self, pace, self.clock, self.clock.sleep, lambda: 7), self.level
        )

    def level(self) -> str | None:
        return "hard"

    async def think(self, sight: Sight, memory: Any, seed: int) -> tuple[AnyMessage | None, Any, float]:
        self.sights.append(sight)
        self.memories.append(memory)
        return self.command, len(self.sights), self.wait_s

    def courteous(self, sight: Sight) -> bool:
        return self.courtesy

    async def send(self, log: str, table: str, build: Callable[[str], bytes]) -> bytes:
        self.sent.append(pb.Command.FromString(build("ans.1")))
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]

    def acted(self, code: str) -> None:
        self.codes.append(code)

    def failed(self) -> None:
        self.failures += 1

    def accept(self, version: int) -> None:
        self.answers[-1].set_result(pb.Answer(accepted=pb.Accepted(version=version)).SerializeToString())

    def refuse(self, code: str) -> None:
        self.answers[-1].set_result(pb.Answer(refused=pb.Refusal(code=code)).SerializeToString())

    async def see(self, version: int, *, asked: bool = False, **view: Any) -> None:
        self.chair.see(update(version, **view), asked)
        await turn()


def update(version: int, events: tuple[AnyMessage, ...] = (), **view: Any) -> pb.Update:
    given: dict[str, Any] = {"to_act": [1], "actions": ["throw"], "play": 1, "game": "trictrac", "game_view": EVENT}
    seats = [pb.SeatView(seat=0, player="ann"), pb.SeatView(seat=1, bot="easy")]
    shown = pb.TableView(version=version, **{"seats": seats, **given, **view})
    bodies = [pb.EventView(version=version, body=body) for body in events]
    return pb.Update(table_id=PLACE.table, version=version, view=shown, events=bodies)


async def turn() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_acts_at_once_at_pace_zero() -> None:
    stage = Stage()
    await stage.see(5)
    (command,) = stage.sent
    assert (command.actor.id, command.actor.kind, command.act.seat) == ("bots", pb.ACTOR_KIND_BOT, 1)
    assert command.command_id == command_id(PLACE, 5)
    assert not command.HasField("expected_version")
    assert stage.sights[0].level == "easy"
    stage.accept(6)
    await turn()
    assert stage.codes == ["accepted"]
    await stage.see(6, to_act=[0], actions=[])
    assert len(stage.sights) == 1
    assert not stage.chair.busy


async def test_does_not_act_on_a_view_older_than_its_own_effect() -> None:
    stage = Stage()
    await stage.see(5)
    await stage.see(6)  # somebody else's doing, while the command is on its way
    stage.accept(8)
    await turn()
    assert len(stage.sent) == 1
    await stage.see(7)
    assert len(stage.sent) == 1
    await stage.see(8)
    assert [c.command_id for c in stage.sent] == [command_id(PLACE, 5), command_id(PLACE, 8)]


async def test_the_update_may_come_before_the_answer() -> None:
    stage = Stage()
    await stage.see(5)
    await stage.see(6)
    assert len(stage.sent) == 1
    stage.accept(6)
    await turn()
    assert len(stage.sent) == 2


async def test_a_refusal_is_not_repeated_until_something_is_new() -> None:
    stage = Stage()
    await stage.see(5)
    stage.refuse("not_your_turn")
    await turn()
    assert len(stage.sent) == 1
    assert not stage.chair.busy
    await stage.see(5)
    assert len(stage.sent) == 1
    await stage.see(5, asked=True)  # the sweep, half a minute later
    assert stage.sent[1].command_id == command_id(PLACE, 5, 1)
    stage.refuse("busy")
    await turn()
    await stage.see(6)
    assert stage.sent[2].command_id == command_id(PLACE, 6)
    assert stage.codes == ["not_your_turn", "busy"]


async def test_waits_as_a_person_would_and_looks_again_at_what_is_newer() -> None:
    stage = Stage(pace=1.0)
    stage.wait_s = 2.0
    await stage.see(5, events=(EVENT,))
    await stage.clock.until_sleeping()
    stage.clock.advance(1.5)
    await stage.see(6, events=(EVENT,))
    assert len(stage.sights) == 2
    assert stage.memories == [None, None]  # the first thought came to nothing
    assert len(stage.sights[1].events) == 2
    await stage.clock.until_sleeping()
    stage.clock.advance(0.49)
    await turn()
    assert not stage.sent
    stage.clock.advance(0.02)
    await turn()
    assert [c.command_id for c in stage.sent] == [command_id(PLACE, 6)]


async def test_gives_others_their_chance() -> None:
    stage = Stage(pace=2.0)
    stage.wait_s, stage.courtesy = 0.1, True
    await stage.see(5)
    await stage.clock.until_sleeping()
    stage.clock.advance(2.9)
    await turn()
    assert not stage.sent
    stage.clock.advance(0.2)
    await turn()
    assert len(stage.sent) == 1


async def test_none_waits_for_the_next_update_with_memory_and_fresh_events() -> None:
    stage = Stage()
    stage.command = None
    await stage.see(5, events=(EVENT,))
    await stage.see(6, events=(EVENT, EVENT))
    assert stage.memories == [None, 1]
    assert [len(sight.events) for sight in stage.sights] == [1, 2]
    assert not stage.sent


async def test_what_it_leaves_alone() -> None:
    stage = Stage()
    await stage.see(1, paused=True)
    await stage.see(2, to_act=[0], actions=[])
    await stage.see(3, game_view=AnyMessage())
    await stage.see(4, seats=[pb.SeatView(seat=0), pb.SeatView(seat=1, player="ben")])
    assert not stage.sights
    await stage.see(5, to_act=[0], actions=["take_point"])  # out of turn
    assert len(stage.sights) == 1
    stage = Stage()
    await stage.see(5, seats=[pb.SeatView(seat=0), pb.SeatView(seat=1, player="ben", entrusted=True)])
    assert stage.sights[0].level == "hard"  # the view does not tell the level of an entrusted seat


async def test_a_new_play_begins_with_an_empty_head() -> None:
    stage = Stage()
    stage.command = None
    began = AnyMessage(type_url="type.googleapis.com/" + pb.PlayBegan.DESCRIPTOR.full_name)
    await stage.see(5)
    await stage.see(6, play=2, events=(EVENT, EVENT, began, EVENT))
    assert stage.memories == [None, None]
    assert len(stage.sights[1].events) == 1


async def test_a_full_stream_is_tried_again_later_and_a_failing_brain_is_not() -> None:
    stage = Stage()
    await stage.see(5)
    stage.answers[-1].set_exception(Backlog("full"))
    await stage.clock.until_sleeping()
    stage.clock.advance(1)
    await turn()
    assert len(stage.sent) == 2
    stage.accept(6)
    await turn()

    async def broken(sight: Sight, memory: Any, seed: int) -> Any:
        raise ValueError("a bug")

    stage.think = broken  # type: ignore[method-assign]
    await stage.see(7)
    assert stage.failures == 1
    assert not stage.chair.busy
