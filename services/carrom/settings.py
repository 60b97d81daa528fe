"""Settings of carrom's service."""

from typing import ClassVar

from libs.table.settings import GameSettings


class CarromSettings(GameSettings):
    """As every game."""

    service: ClassVar[str] = "carrom"
