"""Settings of klaverjas's service."""

from typing import ClassVar

from libs.table.settings import GameSettings


class KlaverjasSettings(GameSettings):
    """As every game."""

    service: ClassVar[str] = "klaverjas"
