"""Cups through the gateway, by every way in: nobody sees another's dice before the lift; a locked cup stays shut for
its own seat too, whether it reconnects, resumes or looks back; a hidden count is told by no number and no length.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable
from typing import Any, NamedTuple

import pytest
from google.protobuf.message import Message

from libs.client.client import Client, connect
from libs.client.errors import NotAllowed, NotPossible
from libs.client.setup import Wish, set_up
from services.liarsdice.picture import svg
from stamtafel.gateway.v1 import gateway_pb2 as gw
from stamtafel.liarsdice.v1 import liarsdice_pb2 as ld
from stamtafel.table.v1 import table_pb2 as pb
from tests.fixtures.stack import WholeStack
from tests.secrecy.scan import unpacked

ANN, BEN = 0, 1
DICE = 3


class Look(NamedTuple):
    """What one way in shows: the game's view, and the cups of every shake among the events, by (game, round)."""

    way: str
    view: ld.View
    cups: dict[tuple[int, int], list[list[int]]]


class People(NamedTuple):
    """Two at one table, and somebody who looks on."""

    table: str
    ann: Client
    ben: Client
    onlooker: Client

    async def act(self, seat: int, command: Message) -> None:
        """A command that must be accepted."""
        client = self.ann if seat == ANN else self.ben
        answer = await client.tables.act(self.table, seat, command)
        assert answer.HasField("accepted"), answer


@contextlib.asynccontextmanager
async def playing(stack: WholeStack, **rules: Any) -> AsyncIterator[People]:
    """A table for two of three dice each where Ann opens the first round."""
    async with contextlib.AsyncExitStack() as clients:
        ann, ben, onlooker = [await clients.enter_async_context(connect(stack.server)) for _ in range(3)]
        for client, name in ((ann, "Ann"), (ben, "Ben"), (onlooker, "Olga")):
            await client.sign_in_guest(name)
        wish = Wish("liarsdice", {"seats": 2, "dice_each": DICE, "starter": ANN, **rules}, ())
        table, _ = await set_up(ann, wish)
        await ben.lobby.join(table, BEN)
        await ben.lobby.ready(table)
        yield People(table, ann, ben, onlooker)


def look(way: str, view: pb.TableView, events: Iterable[pb.EventView]) -> Look:
    bodies = [unpacked(event.body) for event in events]
    cups = {
        (body.game, body.round): [list(cup.items) for cup in body.dice]
        for body in bodies
        if isinstance(body, ld.CupsShaken)
    }
    return Look(way, ld.View.FromString(view.game_view.value), cups)


async def looks(client: Client, table: str, seat: int | None) -> list[Look]:
    """Every way in while the play runs: the view, a fresh watch, resumes from every version, the list of events."""
    public = seat is None
    now = await client.tables.view(table, seat) if seat is not None else await client.tables.view(table)
    found = [look("view", now, ())] if not public else []
    for since in (None, *range(now.version)):
        async with contextlib.aclosing(client.tables.watch(table, seat, public, since)) as updates:
            update = await anext(updates)
        found.append(look(f"watch from {since}", update.view, update.events))
    asked = gw.ListEventsRequest(table_id=table, as_public=public, seat=seat)
    events = [event async for event in client.history.events(asked)]
    return [*found, Look("events", found[-1].view, look("", update.view, events).cups)]


async def replayed(client: Client, table: str, seat: int | None, **more: Any) -> list[gw.ReplayTableResponse]:
    asked = gw.ReplayTableRequest(table_id=table, as_public=seat is None, seat=seat, **more)
    return [picture async for picture in client.history.replay(asked)]


@contextlib.asynccontextmanager
async def again(stack: WholeStack, client: Client) -> AsyncIterator[Client]:
    """The same player through another connection."""
    kept = client.account.kept
    assert kept is not None
    async with connect(stack.server) as other:
        other.account._kept = kept  # type: ignore[reportPrivateUsage]
        yield other


async def test_nobody_sees_anothers_dice_before_the_lift(whole_stack: WholeStack) -> None:
    async with playing(whole_stack, practice=True) as people:
        for seat, client in ((ANN, people.ann), (BEN, people.ben), (None, people.onlooker)):
            for one in await looks(client, people.table, seat):
                own = [] if seat is None else list(one.view.my_dice.items)
                assert len(own) == (0 if seat is None else DICE), one.way
                for cups in one.cups.values():
                    assert cups == [own if number == seat else [] for number in range(2)], one.way
        # of a running play a replay shows a seat no more than the public
        pictures = await replayed(people.ann, people.table, ANN)
        assert not any(ld.View.FromString(one.view.game_view.value).HasField("my_dice") for one in pictures)
        with pytest.raises(NotPossible):
            await replayed(people.ann, people.table, ANN, revealed=True)
        with pytest.raises(NotAllowed):
            await people.ann.tables.view(people.table, BEN)
        await people.act(ANN, ld.Bid(quantity=1, face="6"))
        await people.act(BEN, ld.Lift())
        for client in people[1:]:
            listed = [event async for event in client.history.events(gw.ListEventsRequest(table_id=people.table))]
            assert all(map(len, look("", pb.TableView(), listed).cups[1, 1]))


async def test_a_locked_cup_stays_shut_for_its_own_seat(whole_stack: WholeStack) -> None:
    async with playing(whole_stack, peek_once=True, practice=True) as people:
        before = ld.View.FromString((await people.ann.tables.view(people.table, ANN)).game_view.value)
        assert len(before.my_dice.items) == DICE and before.HasField("help")
        await people.act(ANN, ld.Bid(quantity=1, face="6"))
        bid_at = (await people.ann.tables.view(people.table)).version
        async with again(whole_stack, people.ann) as reconnected:
            ways = [*await looks(people.ann, people.table, ANN), *await looks(reconnected, people.table, ANN)]
        assert {"view", "events", "watch from None", "watch from 0", f"watch from {bid_at - 1}"} <= {
            w.way for w in ways
        }
        for one in ways:
            assert not one.view.HasField("my_dice") and not one.view.HasField("help"), one.way
            assert list(one.view.locked) == [True, False] and not one.view.legal.peek
            assert all(cups == [[], []] for cups in one.cups.values()), one.way
        refused = (await people.ann.tables.act(people.table, ANN, ld.Peek())).refused
        assert refused.code == "cup_locked"
        # Ben has not bid: he sees his dice, and the odds that they make
        for one in await looks(people.ben, people.table, BEN):
            assert len(one.view.my_dice.items) == DICE and one.view.help.HasField("current"), one.way
        await people.act(BEN, ld.Lift())
        after = ld.View.FromString((await people.ann.tables.view(people.table, ANN)).game_view.value)
        assert len(after.my_dice.items) == after.dice_counts.items[ANN] and not any(after.locked)
        await to_the_end(people)
        # looking back as the seat saw it: shut at the version of its bid, also now that everything is known
        (then,) = await replayed(people.ann, people.table, ANN, from_version=bid_at, to_version=bid_at)
        shown = ld.View.FromString(then.view.game_view.value)
        assert shown.bids and not shown.HasField("my_dice") and not shown.HasField("help")
        seen = [one for one in await replayed(people.ann, people.table, ANN) if one.view.version < bid_at]
        assert any(cups[ANN] for one in seen for cups in look("", one.view, one.events).cups.values())


async def to_the_end(people: People) -> None:
    """Bids of one six and lifts, until the game is over."""
    while True:
        view = await people.ann.tables.view(people.table)
        if view.state != pb.TABLE_STATE_PLAYING:
            return
        game = ld.View.FromString(view.game_view.value)
        await people.act(game.turn.seat, ld.Lift() if game.bids else ld.Bid(quantity=1, face="6"))


async def test_a_hidden_count_is_told_by_no_number_length_or_maximum(whole_stack: WholeStack) -> None:
    async with playing(whole_stack, hidden_count=True, practice=True, stairs=True) as people:
        counts: set[int] = set()
        while (view := await people.ann.tables.view(people.table, ANN)).state == pb.TABLE_STATE_PLAYING:
            game = ld.View.FromString(view.game_view.value)
            counts.add(len(game.my_dice.items))
            for seat, client in ((ANN, people.ann), (BEN, people.ben), (None, people.onlooker)):
                for one in await looks(client, people.table, seat):
                    told = one.view
                    assert not told.HasField("dice_counts") and not told.HasField("total_dice"), one.way
                    assert not told.HasField("help") and told.max_quantity == 2 * DICE, one.way
                    assert all(bids.to == 2 * DICE for bids in told.legal.bids)
                    last = max(one.cups, default=(0, 0))
                    if last == (1, told.round):
                        own = list(told.my_dice.items)
                        assert one.cups[last] == [own if number == seat else [] for number in range(2)], one.way
                    assert told.HasField("last_reveal") == (told.round > 1 and not told.bids), one.way
                    assert svg(told).count('fill-opacity="0.35"') == 4 * (2 if seat is None else 1), one.way
            await people.act(game.turn.seat, ld.Lift() if game.bids else ld.Bid(quantity=1, face="6"))
        assert len(counts) > 1, "the number of dice changed, and nothing told it"
        refused = (await people.ann.tables.act(people.table, ANN, ld.Bid(quantity=7, face="6"))).refused
        assert refused.code == "game_over"
