"""Parts of tally without a database: notices, summaries, settings, what a row may hold."""

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage

from libs.bus import Live, MemoryBroker, subscribe_live
from libs.readmodel import Place
from libs.service import Metrics, SettingsError, load
from libs.table.life import Life, Seat, any_of
from services.tally.instruments import TallyInstruments
from services.tally.lobby import without_secrets
from services.tally.notices import MOST, lobby_notice
from services.tally.settings import TallySettings
from services.tally.summary import summarize
from stamtafel.trictrac.v1 import trictrac_pb2 as tt


async def test_notices_name_tables_or_everything() -> None:
    broker, heard = MemoryBroker(), list[bytes]()

    def hear(live: Live) -> None:
        heard.append(live.data)

    subscribe_live(broker.connect(), "tally", "lobby", "public", hear)
    bus = broker.connect()
    notify = lobby_notice(bus)
    for keys in (["t1", "t2"], [], [f"t{n}" for n in range(MOST + 1)]):
        notify(keys)
    await bus.close()
    assert heard == [b"t1\nt2", b"", b""]


def test_options_as_json() -> None:
    assert summarize(any_of(tt.Options(seats=0, points=3)), "trictrac") == '{"points":3,"seats":0}'
    assert summarize(AnyMessage(), "trictrac") == "{}"
    assert summarize(AnyMessage(type_url="type.googleapis.com/stamtafel.ludo.v1.Options"), "ludo") == "{}"


def test_no_codes_and_nonces() -> None:
    life = Life(code="CODE", nonces=(b"n",), seats=(Seat(player="ann", nonce=b"n"),))
    assert without_secrets(life) == Life(seats=(Seat(player="ann"),))


def test_names_of_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAMTAFEL_LOGS", "trictrac-0,carrom-12")
    assert load(TallySettings).log_names == ("trictrac-0", "carrom-12")
    for wrong in ("", "trictrac", "trictrac-0;carrom-0", "trictrac-0,"):
        monkeypatch.setenv("STAMTAFEL_LOGS", wrong)
        with pytest.raises(SettingsError, match="STAMTAFEL_LOGS"):
            load(TallySettings)


def test_what_is_set_aside_raises_the_alarm() -> None:
    metrics = Metrics(process=False)
    instruments = TallyInstruments(metrics, ["lobby"], ["trictrac-0"])
    instruments.counted(Place("lobby", 1, "trictrac-0"), 5, 2)
    instruments.lost("trictrac-0")
    text = metrics.render().decode()
    assert 'stamtafel_poison_total{log="trictrac-0"} 2.0' in text
    assert 'stamtafel_reader_events_total{consumer="tally.lobby",log="trictrac-0"} 5.0' in text
    assert 'stamtafel_reader_lost_total{consumer="tally",log="trictrac-0"} 1.0' in text
