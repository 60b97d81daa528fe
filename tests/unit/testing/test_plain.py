"""JSON into messages, strictly, and back."""

from typing import Any

import pytest
from google.protobuf.message import Message

from libs.table.plain import DoesNotFit, from_plain, to_plain, type_name
from stamtafel.table.v1.table_pb2 import Answer, Command, Result
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


def test_presence_and_shapes() -> None:
    options = from_plain(pb.Options, {"seats": 0, "bots": [{"seat": 0, "level": "hard"}]})
    assert options.HasField("seats") and not options.HasField("points")
    plain = to_plain(options)
    assert plain["seats"] == 0
    assert plain["points"] is None
    assert to_plain(options, unset=False) == {"seats": 0, "bots": [{"seat": 0, "level": "hard"}]}


def test_a_message_of_items_is_a_list() -> None:
    drawn = from_plain(pb.StarterDrawn, {"passes": [[{"seat": 0, "die": 4}], []], "starter": 0})
    assert [len(one.items) for one in drawn.passes] == [1, 0]
    assert to_plain(drawn)["passes"] == [[{"seat": 0, "die": 4}], []]
    assert to_plain(pb.Table())["dice"] is None
    assert to_plain(from_plain(pb.Table, {"dice": []}))["dice"] == []


def test_digits_stand_for_text() -> None:
    assert from_plain(pb.Throw, {"style": 4}).style == "4"


@pytest.mark.parametrize(
    ("kind", "given", "path"),
    [
        (pb.Throw, {"direction": "13"}, "direction"),
        (pb.Throw, {"direction": 2.0}, "direction"),
        (pb.Throw, {"direction": True}, "direction"),
        (pb.Throw, {"direction": None}, "direction"),
        (pb.Throw, {"direction": 1 << 31}, "direction"),
        (pb.Throw, {"style": 2.5}, "style"),
        (pb.Throw, {"style": ["roll"]}, "style"),
        (pb.Throw, {"style": "\ud800"}, "style"),
        (pb.Throw, {"force": 3}, "force"),
        (pb.Throw, [], ""),
        (pb.Throw, None, ""),
        (pb.Options, {"bok": 1}, "bok"),
        (pb.Options, {"bots": {}}, "bots"),
        (pb.Options, {"bots": [{"level": "hard"}, {"level": False}]}, "bots.1.level"),
        (pb.StarterDrawn, {"passes": [[3]]}, "passes.0.0"),
        (Result, {"numbers": [{"key": "a", "values": [1.5]}]}, "numbers.0.values.0"),
        (Command, {"actor": {"kind": "NOBODY"}}, "actor.kind"),
    ],
)
def test_what_does_not_fit(kind: type[Message], given: Any, path: str) -> None:
    with pytest.raises(DoesNotFit) as raised:
        from_plain(kind, given)
    assert raised.value.path == path
    assert raised.value.field == (path.split(".")[0] or None)


def test_names() -> None:
    assert type_name(pb.ThrowOffPassEnded) == "throw_off_pass_ended"
    assert to_plain(Answer(command_id="a"), unset=False) == {"command_id": "a", "table_id": ""}
    assert from_plain(Command, {"actor": {"kind": "ACTOR_KIND_BOT"}}).actor.kind == 3
