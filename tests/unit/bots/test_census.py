"""Which tables have computer players."""

from services.bots.census import Census, Seat
from stamtafel.table.v1 import table_pb2 as pb
from tests.unit.readmodel.records import Script

LOG = "trictrac-0"


def fold(*bodies: object) -> Census:
    script, census = Script(LOG), Census()
    for body in bodies:
        census.fold(script.add("t1", body))  # type: ignore[arg-type]
    return census


def test_seats_of_bots_once_a_play_has_begun() -> None:
    opened = (pb.TableOpened(seats=3), pb.SeatTaken(seat=0, player="ann"), pb.BotSeated(seat=1, level="hard"))
    census = fold(*opened)
    assert list(census.seats()) == []
    assert len(census) == 1
    census = fold(*opened, pb.BotSeated(seat=2, level="easy"), pb.PlayBegan(play=1))
    assert set(census.seats()) == {Seat(LOG, "t1", 1), Seat(LOG, "t1", 2)}
    assert census.level(Seat(LOG, "t1", 2)) == "easy"
    assert census.level(Seat(LOG, "t1", 0)) is None
    assert census.positions == {LOG: 5}


def test_a_seat_in_trust_and_given_back() -> None:
    began = (pb.TableOpened(seats=2), pb.PlayBegan(play=1), pb.SeatEntrusted(seat=1, level="normal"))
    assert fold(*began).level(Seat(LOG, "t1", 1)) == "normal"
    assert list(fold(*began).seats()) == [Seat(LOG, "t1", 1)]
    for over in (pb.SeatReturned(seat=1), pb.PlayEnded(play=1), pb.PlayVoided(play=1), pb.TableClosed()):
        assert len(fold(*began, over)) == 0


def test_bots_that_leave() -> None:
    seated = (pb.BotSeated(seat=0, level="easy"), pb.BotSeated(seat=3, level="hard"))
    assert len(fold(*seated, pb.BotRemoved(seat=0), pb.BotRemoved(seat=3))) == 0
    assert fold(*seated, pb.OptionsSet(seats=3)).level(Seat(LOG, "t1", 3)) is None
    assert fold(*seated, pb.SeatTaken(seat=0, player="ann")).level(Seat(LOG, "t1", 0)) is None
    assert len(fold(*seated, pb.TableClosed())) == 0


def test_over_a_restart() -> None:
    census = fold(pb.BotSeated(seat=1, level="hard"), pb.PlayBegan(play=1))
    again = Census(census.pack())
    assert again.positions == census.positions
    assert list(again.seats()) == list(census.seats())
    assert again.pack() == census.pack()
