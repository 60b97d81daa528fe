"""Settings of the gateway."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from pydantic import Field, field_validator

from libs.service import Settings
from libs.table.ids import game_of
from services.gateway.oidc import Issuer


class GatewaySettings(Settings):
    """What `gateway` needs beside the common settings."""

    service: ClassVar[str] = "gateway"

    gateway_host: str = Field(default="127.0.0.1", description="Address on which clients are served.")
    gateway_port: int = Field(default=7420, ge=0, le=65535, description="TCP port for clients; 0 takes a free one.")
    tls_cert: str = Field(default="", description="File with the certificate chain (PEM) for TLS; empty: no TLS.")
    tls_key: str = Field(default="", description="File with the private key (PEM) of that certificate.")
    logs: str = Field(
        default="trictrac-0",
        pattern=r"^[a-z]+-\d+(,[a-z]+-\d+)*$",
        description="Logs that are served, as `game-shard` with commas between; the shards of a game count from 0.",
    )
    keys_dir: str = Field(
        default=".stamtafel/keys",
        min_length=1,
        description="Directory of the keys for tokens (*.pem, Ed25519); the last by name signs, all are accepted.",
    )
    make_key: bool = Field(
        default=True,
        description="Make a first key when there is none; switch off where several gateways share a secret.",
    )
    access_seconds: int = Field(
        default=3600, ge=10, le=86400, description="How long an access token counts, in seconds."
    )
    refresh_seconds: int = Field(
        default=30 * 86400, ge=60, le=366 * 86400, description="How long a refresh token counts, in seconds."
    )
    oidc_issuers: str = Field(
        default="[]",
        description="OpenID Connect issuers: a JSON list of {issuer, audience, jwks_uri} and maybe roles_claim.",
    )
    commands_per_second: float = Field(
        default=50.0,
        gt=0,
        le=1e6,
        description="Commands of one player in the long run, a second; four times as many at once.",
    )
    requests_per_second: float = Field(
        default=50.0,
        gt=0,
        le=1e6,
        description="Calls of one player (or stranger's address), a second; four times as many at once.",
    )
    streams_per_player: int = Field(default=32, ge=1, le=10_000, description="Streams that one player may hold open.")
    streams_per_connection: int = Field(
        default=1000, ge=1, le=100_000, description="Calls at one time on one connection."
    )
    request_bytes: int = Field(default=65536, ge=1024, le=1_048_576, description="Largest request, in bytes.")
    answer_seconds: float = Field(
        default=10.0, gt=0, le=60, description="How long an answer is waited for, in seconds."
    )
    drain_seconds: float = Field(
        default=5.0, ge=0, le=60, description="How long calls may go on when the gateway stops."
    )
    tally_role: str = Field(
        default="tally_reader",
        description="Database role for reading the list of tables; empty: the user of the URL itself.",
    )

    @field_validator("oidc_issuers")
    @classmethod
    def _readable(cls, value: str) -> str:
        read_issuers(value)
        return value

    @property
    def games(self) -> dict[str, int]:
        """Number of shards by game."""
        found: dict[str, int] = {}
        for log in self.logs.split(","):
            shard = int(log.rpartition("-")[2])
            found[game_of(log)] = max(found.get(game_of(log), 0), shard + 1)
        return found

    @property
    def issuers(self) -> list[Issuer]:
        """The issuers."""
        return read_issuers(self.oidc_issuers)


def read_issuers(text: str) -> list[Issuer]:
    """Issuers from JSON. Raises ValueError."""
    try:
        return msgspec.json.decode(text.encode(), type=list[Issuer])
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from error
