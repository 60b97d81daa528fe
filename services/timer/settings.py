"""Settings of the timer."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from libs.service import Settings


class TimerSettings(Settings):
    """What `timer` needs beside the common settings."""

    service: ClassVar[str] = "timer"

    logs: str = Field(
        default="trictrac-0",
        pattern=r"^[a-z]+-\d+(,[a-z]+-\d+)*$",
        description="Logs whose clocks are followed, as `game-shard` with commas between.",
    )
    timer_save_seconds: float = Field(
        default=3.0, gt=0, le=60, description="How often the running clocks are written to the database, in seconds."
    )

    @property
    def log_names(self) -> tuple[str, ...]:
        """The logs as a list."""
        return tuple(self.logs.split(","))
