"""Settings of the bots."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from libs.service import Settings


class BotsSettings(Settings):
    """What `bots` needs beside the common settings."""

    service: ClassVar[str] = "bots"

    logs: str = Field(
        default="trictrac-0",
        pattern=r"^[a-z]+-\d+(,[a-z]+-\d+)*$",
        description="Logs whose tables the bots play at, as `game-shard` with commas between.",
    )
    bot_pace: float = Field(
        default=1.0, ge=0, le=10, description="Multiplies the time that a bot seems to think; 0 acts at once."
    )
    bot_workers: int = Field(
        default=1, ge=1, le=64, description="Worker processes for heavy thinking (the `hard` level of some games)."
    )
    bot_save_seconds: float = Field(
        default=3.0, gt=0, le=60, description="How often the list of tables with bots is written, in seconds."
    )

    @property
    def log_names(self) -> tuple[str, ...]:
        """The logs as a list."""
        return tuple(self.logs.split(","))
