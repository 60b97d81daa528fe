"""Options as people ask for them: plain JSON by the rules file's names, into the game's message."""

from collections.abc import Mapping
from typing import Any, cast

from google.protobuf.message import Message

from libs.table.plain import fields_by_name, from_plain
from libs.table.rules import Rules


def asked_options(rules: Rules[Any, Any], given: Mapping[str, object]) -> Message:
    """The options message that `given` spells, before presets and defaults. Raises DoesNotFit.

    Null is a value only of an option that is null by default (klaverjas's `target_points`); a message says it by
    leaving the field out.
    """
    kind: type[Message] = rules.options_type
    default = rules.options(kind())
    nullable = {
        name
        for name, field in fields_by_name(kind.DESCRIPTOR).items()
        if field.has_presence and not default.HasField(cast(Any, field.name))
    }
    return from_plain(kind, {name: value for name, value in given.items() if value is not None or name not in nullable})
