import io
import json
import logging

import pytest
import structlog

from libs.service import logs


@pytest.fixture
def out():
    stream = io.BytesIO()
    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    logs.configure("demo", "info", stream)
    yield stream
    structlog.reset_defaults()
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)


def lines(out: io.BytesIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_lines_are_json_with_service_and_correlation(out: io.BytesIO) -> None:
    with logs.bound(correlation_id="c1"):
        logs.get_logger("writer").info("claimed", log="trictrac-0", pos=7)
    logs.get_logger("writer").debug("not at this level")
    (line,) = lines(out)
    assert line.pop("at")
    assert line == {
        "service": "demo",
        "event": "claimed",
        "level": "info",
        "part": "writer",
        "correlation_id": "c1",
        "log": "trictrac-0",
        "pos": 7,
    }


def test_telling_names_and_objects_are_hidden(out: io.BytesIO) -> None:
    class Hand:
        def __repr__(self) -> str:
            return "SECRET"

    logs.get_logger("x").info(
        "e",
        token="SECRET",
        seed=b"SECRET",
        state=Hand(),
        data=b"SECRET",
        nested={"password": "SECRET", "n": [1, Hand()]},
        my_dice=[1, 2],
        database_url="SECRET",
    )
    assert b"SECRET" not in out.getvalue()
    (line,) = lines(out)
    assert (line["state"], line["data"], line["my_dice"]) == ("<Hand>", "<bytes>", "[hidden]")
    assert line["nested"] == {"password": "[hidden]", "n": [1, "<Hand>"]}


def test_passwords_in_urls_are_cut(out: io.BytesIO) -> None:
    logs.get_logger("x").info("cannot reach postgresql://anna:hunter2@db/stamtafel")
    assert b"hunter2" not in out.getvalue()
    assert b"postgresql://anna:[hidden]@db" in out.getvalue()


def test_an_exception_shows_type_frames_and_cause(out: io.BytesIO) -> None:
    try:
        try:
            raise ValueError("no such port\nDETAIL: row with SECRET")
        except ValueError as cause:
            raise RuntimeError("cannot start") from cause
    except RuntimeError:
        logs.get_logger("x").error("failed", exc_info=True)
    (line,) = lines(out)
    error = line["error"]
    assert isinstance(error, dict)
    assert (error["type"], error["message"]) == ("builtins.RuntimeError", "cannot start")
    assert error["cause"]["message"] == "no such port"
    assert "test_an_exception_shows_type_frames_and_cause" in error["frames"][-1]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/srv/app/services/klaverjas/rules.py", "[hidden]"),
        ("/srv/app/libs/table/clerk.py", "[hidden]"),
        ("/srv/app/services/klaverjas/__main__.py", "'SECRET card'"),
    ],
)
def test_messages_from_code_that_knows_secrets_are_hidden(path: str, message: str) -> None:
    scope: dict[str, object] = {}
    exec(compile("def think():\n    raise KeyError('SECRET card')", path, "exec"), scope)
    think = scope["think"]
    assert callable(think)
    with pytest.raises(KeyError) as caught:
        think()
    row = logs.describe_error(caught.value)
    assert row["message"] == message
    assert row["frames"][-1] == f"{path.rpartition('/')[2]}:2 think"


def test_libraries_logs_come_along(out: io.BytesIO) -> None:
    logging.getLogger("nats").warning("slow consumer %s", "x")
    (line,) = lines(out)
    assert (line["part"], line["level"], line["event"]) == ("nats", "warning", "slow consumer x")
