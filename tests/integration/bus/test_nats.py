"""The bus over NATS keeps the case of every bus."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from libs.bus import Bus, BusPort
from tests.unit.bus.cases import BusCase


class TestNatsBus(BusCase):
    @pytest.fixture
    async def bus(self, nats_url: str) -> AsyncIterator[BusPort]:
        bus = await Bus.connect(nats_url, "near")
        yield bus
        await bus.close()

    @pytest.fixture
    async def far(self, nats_url: str) -> AsyncIterator[BusPort]:
        bus = await Bus.connect(nats_url, "far")
        yield bus
        await bus.close()
