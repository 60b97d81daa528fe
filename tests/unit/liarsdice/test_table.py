"""Liar's dice at a table of the kit: the host moves, regulars and people change seats between games."""

from libs.table.life import any_of
from libs.table.views import table_view
from services.liarsdice.rules import RULES
from stamtafel.liarsdice.v1 import liarsdice_pb2 as ld
from stamtafel.table.v1 import table_pb2 as pb
from tests.unit.table.desk import ANN, BEN, CAS, Desk, names


def after_one_game(**options: object) -> Desk:
    """Ann (host, seat 0) and Ben at a table of two with a die each; a game is over."""
    desk = Desk(RULES)
    asked = any_of(ld.Options(seats=2, dice_each=1, starter=0, **options))  # type: ignore[arg-type]
    desk.do(ANN, pb.OpenTable(options=asked))
    if not desk.table.life.seats[1].taken:
        desk.do(BEN, pb.Sit())
        desk.do(BEN, pb.Ready(on=True))
    desk.do(ANN, pb.Ready(on=True))
    return desk


def test_the_house_rules_are_the_new_hosts_when_the_host_has_left() -> None:
    desk = after_one_game()
    desk.act(ANN, 0, ld.Bid(quantity=1, face="6"))
    desk.act(BEN, 1, ld.Lift())
    assert "set_rules" in table_view(desk.table, 0).actions and "set_rules" not in table_view(desk.table, 1).actions
    assert names(desk.do(ANN, pb.Leave()))[:2] == ["SeatLeft", "HostMoved"]
    desk.do(CAS, pb.Sit())
    assert list(table_view(desk.table, 1).actions) == ["next_game", "set_rules"]
    assert list(table_view(desk.table, 0).actions) == ["next_game"]
    assert desk.refused(CAS, pb.Act(seat=0, body=any_of(ld.SetRules(stairs=True)))).code == "not_host"
    desk.act(BEN, 1, ld.SetRules(stairs=True))
    assert ld.Options.FromString(table_view(desk.table, None).options.value).stairs
    began = desk.act(CAS, 0, ld.NextGame())
    assert names(began)[:3] == ["PlayBegan", "GameStarted", "CupsShaken"]
    assert isinstance(began[0], pb.PlayBegan)
    assert ld.Options.FromString(began[0].options.value) == RULES.options(
        ld.Options(seats=2, dice_each=1, starter=0, stairs=True)
    )
    assert desk.table.game.setup.stairs and desk.table.life.play == 2


def test_help_and_nicknames_follow_who_sits_there_now() -> None:
    desk = after_one_game(table="regulars", practice=True)
    view = ld.View.FromString(table_view(desk.table, 0).game_view.value)
    assert list(view.help_on) == [True, False] and "set_help" in table_view(desk.table, 0).actions
    assert "set_help" not in table_view(desk.table, 1).actions
    desk.act(ANN, 0, ld.Bid(quantity=1, face="6"))
    bots = pb.Actor(id="bots", kind=pb.ACTOR_KIND_BOT)
    desk.act(bots, 1, ld.Lift())
    desk.do(ANN, pb.RemoveBot(seat=1))
    desk.do(BEN, pb.Sit())
    view = ld.View.FromString(table_view(desk.table, 1).game_view.value)
    assert list(view.help_on) == [True, True] and "set_help" in table_view(desk.table, 1).actions
