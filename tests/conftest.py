"""Fixtures that all tests share: real Postgres and NATS, started from their wheels."""

pytest_plugins = ["tests.fixtures.nats", "tests.fixtures.postgres", "tests.fixtures.stack"]
