"""Settings that every game's service has; a game names them in `services/<game>/settings.py`."""

from pydantic import Field

from libs.service.settings import Settings


class GameSettings(Settings):
    """A game's service: which logs it may own and how many processes compute for it."""

    shards: int = Field(
        default=1, ge=1, le=64, description="Number of this game's logs, `<game>-0` on; this process competes for all."
    )
    workers: int = Field(
        default=1, ge=1, le=32, description="Worker processes for long computations (simulated shots)."
    )
