"""The notice that read models have changed: ids of tables, for whoever shows the lobby and reads the rows itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from libs.bus import Wire, publish_live

MOST = 1000


def lobby_notice(bus: Wire) -> Callable[[Sequence[str]], None]:
    """Publishes on `live.tally.lobby.public`: table ids, one a line; an empty notice: anything may have changed."""

    def notify(keys: Sequence[str]) -> None:
        text = "\n".join(keys) if len(keys) <= MOST else ""
        publish_live(bus, "tally", "lobby", "public", text.encode())

    return notify
