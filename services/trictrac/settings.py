"""Settings of trictrac's service."""

from typing import ClassVar

from libs.table.settings import GameSettings


class TrictracSettings(GameSettings):
    """As every game."""

    service: ClassVar[str] = "trictrac"
