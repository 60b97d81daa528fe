"""The audit finds what is wrong: on doctored data."""

from msgspec.structs import replace

from libs.bus.ports import Fact
from libs.log.chain import link, start_hash
from libs.log.export import to_message
from libs.log.model import EventRecord, NewEvent
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as pb
from tests.faults import audit
from tests.faults.storm import Told

LOG = "trictrac-0"


def event(ver: int, command_id: str, actor: str = "ann", at: int = 5) -> NewEvent:
    data = pb.SeatAway(seat=0).SerializeToString()
    return NewEvent("t", ver, "stamtafel.table.v1.SeatAway", at, command_id, "", "", actor, 0, data, "table")


def records(*events: NewEvent) -> list[EventRecord]:
    return link(LOG, 0, start_hash(LOG), events)


GOOD = records(event(1, "a"), event(2, "a"), event(3, "b"))


def facts(of: list[EventRecord]) -> list[Fact]:
    return [Fact(r.pos, r.stream, r.kind, to_message(r).SerializeToString()) for r in of]


def test_what_is_right_is_found_right() -> None:
    assert audit.chain(LOG, GOOD) == []
    assert audit.acceptances([Told("ann", "a", "t", 2), Told("ann", "b", "t", 3)], GOOD) == []
    assert audit.stream(facts(GOOD), GOOD) == []


def test_a_gap_and_a_tampered_event_break_the_chain() -> None:
    assert audit.chain(LOG, [GOOD[0], GOOD[2]])
    assert audit.chain(LOG, [GOOD[0], replace(GOOD[1], data=b"x"), GOOD[2]])


def test_lost_doubled_and_misplaced_acceptances_are_found() -> None:
    assert audit.acceptances([Told("ann", "c", "t", 4)], GOOD)
    assert audit.acceptances([Told("ann", "a", "t", 1)], GOOD)
    twice = records(event(1, "a"), event(2, "b"), event(3, "a"))
    assert audit.acceptances([], twice)
    at_once = records(event(1, "a"), event(2, "a", at=6))
    assert audit.acceptances([], at_once)
    assert audit.acceptances([Told("ben", "a", "t", 2)], GOOD)


def test_a_shifted_or_altered_stream_is_found() -> None:
    assert audit.stream(facts(GOOD)[1:], GOOD)
    shifted = [fact._replace(seq=fact.seq + 1) for fact in facts(GOOD)]
    assert audit.stream(shifted, GOOD)
    altered = [*facts(GOOD)[:2], facts(GOOD)[2]._replace(data=b"x")]
    assert audit.stream(altered, GOOD)


def test_clocks_that_fire_twice_early_or_never_are_found() -> None:
    opened = pb.TableOpened(game="trictrac", seats=2)
    running = pb.ClocksSet(running=[pb.RunningClock(clock_id="2-0", seat=0, key="k", due_us=100)])

    def stored(ver: int, body: pb.TableOpened | pb.ClocksSet | pb.SeatAway, actor: str, at: int) -> NewEvent:
        return NewEvent(
            "t", ver, body.DESCRIPTOR.full_name, at, f"c{ver}", "", "", actor, 0, body.SerializeToString(), "table"
        )

    begun = [stored(1, opened, "ann", 1), stored(2, running, "ann", 2)]
    once = records(*begun, stored(3, pb.SeatAway(seat=0), "timer", 100))
    assert audit.clocks(RULES, once) == []
    twice = records(*begun, stored(3, pb.SeatAway(seat=0), "timer", 100), stored(4, pb.SeatAway(seat=0), "timer", 101))
    assert audit.clocks(RULES, twice)
    early = records(*begun, stored(3, pb.SeatAway(seat=0), "timer", 99))
    assert audit.clocks(RULES, early)
    assert audit.overdue(RULES, records(*begun), now_us=200, grace_us=50)
    assert not audit.overdue(RULES, records(*begun), now_us=140, grace_us=50)
