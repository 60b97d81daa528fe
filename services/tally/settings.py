"""Settings of the read models."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from libs.service import Settings


class TallySettings(Settings):
    """What `tally` needs beside the common settings."""

    service: ClassVar[str] = "tally"

    logs: str = Field(
        default="trictrac-0",
        pattern=r"^[a-z]+-\d+(,[a-z]+-\d+)*$",
        description="Logs that are followed, as `game-shard` with commas between.",
    )

    @property
    def log_names(self) -> tuple[str, ...]:
        """The logs as a list."""
        return tuple(self.logs.split(","))
