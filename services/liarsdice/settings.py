"""Settings of liarsdice's service."""

from typing import ClassVar

from libs.table.settings import GameSettings


class LiarsdiceSettings(GameSettings):
    """As every game."""

    service: ClassVar[str] = "liarsdice"
