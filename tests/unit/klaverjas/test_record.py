"""Records (R13): what is written is read again, plays the same game, and is refused where the cards disagree."""

from random import Random

import pytest
from google.protobuf.message import Message

from libs.table.rules import Refused
from libs.table.seeded import SeededCtx
from libs.testing.scripted import Script, ScriptedCtx
from services.klaverjas import pbn, record
from services.klaverjas.rules import RULES
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb


def random_game(asked: pb.Options, seed: int) -> list[Message]:
    rng = Random(seed)
    ctx = SeededCtx(rng)
    options = RULES.options(asked)
    state = RULES.initial(options)
    new = RULES.start(state, ctx)
    events: list[Message] = []
    while True:
        for event in new:
            state = RULES.evolve(state, event)
        events += new
        if RULES.result(state) is not None:
            return events
        (seat,) = RULES.to_act(state)
        new = RULES.decide(state, seat, rng.choice(list(RULES.some(state, seat))), ctx)


@pytest.mark.parametrize("lead", ["forehand", "maker"])
@pytest.mark.parametrize("variant", ["rotterdams", "amsterdams"])
def test_an_imported_game_scores_as_the_exported_one(variant: str, lead: str) -> None:
    asked = pb.Options(variant=variant, undertrump="forbidden", boompjes=3, lead=lead, trump_maker="pass_round")
    events = random_game(asked, 7)
    text = record.write(events, ["Anna de Wit", "B", "C", "D"])
    script = record.read(text)
    ctx = ScriptedCtx(Script(list(script.start)))
    state = RULES.initial(script.options)
    replayed = RULES.start(state, ctx)
    for event in replayed:
        state = RULES.evolve(state, event)
    for step in script.steps:
        ctx.draws.add(*step.draws)
        new = RULES.decide(state, step.seat, step.command, ctx)
        for event in new:
            state = RULES.evolve(state, event)
        replayed += new
        assert not ctx.draws.left
    wanted = [event for event in events if isinstance(event, pb.BoompjeScored)]
    assert [event for event in replayed if isinstance(event, pb.BoompjeScored)] == wanted
    assert [one.points for one in script.boompjes] == [(e.boompje_points.ns, e.boompje_points.ew) for e in wanted]
    assert record.write(replayed, ["Anna de Wit", "B", "C", "D"]) == text


def one() -> str:
    events = random_game(pb.Options(boompjes=1), 3)
    return record.write(events)


def test_a_record_has_the_tags_of_the_rules_file() -> None:
    lines = one().splitlines()
    tags = [line[1:].split(" ")[0] for line in lines if line.startswith("[")]
    assert tags == [
        *("Game", "Variant", "Undertrump", "Boompje", "Dealer", "Deal", "Trump", "Maker"),
        *("CardPoints", "Roem", "Pit", "Points", "Play"),
    ]
    assert len(lines) == 13 + 8


def test_roem_pit_and_points_are_taken_as_written() -> None:
    text = one()
    (before,) = record.read(text).boompjes
    roem = f'[Roem "{before.roem[0]}-{before.roem[1]}"]'
    (after,) = record.read(text.replace(roem, '[Roem "120-20"]')).boompjes
    assert after.roem == (120, 20) and after.card_points == before.card_points


def changed(line: str) -> str:
    """The record with the line of the same tag replaced; an empty line takes the Game tag away."""
    tag = line.split(" ")[0] if line else "[Game"
    return "\n".join(line if old.split(" ")[0] == tag else old for old in one().splitlines())


@pytest.mark.parametrize(
    "line",
    [
        *("", '[CardPoints "100-61"]', '[Maker "X"]', '[Trump "X"]', '[Points "many"]', '[Variant "?"]'),
        *('[Game "Bridge"]', '[Deal "S:AJ97.AT.7.7 KT.987.A8.8 Q.K.KQT.AT9"]', '[Boompje "one"]', "[Roem "),
        f'[Boompje "{"9" * 5000}"]',
    ],
)
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(Refused) as refused:
        record.read(changed(line))
    assert refused.value.code == "bad_argument"


def test_the_first_illegal_card_is_named() -> None:
    lines = one().splitlines()
    lines[-1], lines[-8] = lines[-8], lines[-1]
    with pytest.raises(Refused, match="trick"):
        record.read("\n".join(lines))


@pytest.mark.parametrize("text", ["", "X:...", "S:A.. ... ... ...", "S:AA... ... ... ...", "S:1... ... ... ..."])
def test_what_is_no_deal_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        pbn.read_deal(text)
