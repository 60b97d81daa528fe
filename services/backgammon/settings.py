"""Settings of backgammon's service."""

from typing import ClassVar

from libs.table.settings import GameSettings


class BackgammonSettings(GameSettings):
    """As every game."""

    service: ClassVar[str] = "backgammon"
