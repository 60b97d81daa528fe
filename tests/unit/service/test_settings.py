from typing import Literal

import pytest
from pydantic import Field

from libs.service.settings import Settings, SettingsError, all_settings, describe, load


class DemoSettings(Settings):
    service = "demo"
    width: int = Field(default=4, ge=1, le=9, description="Width of a thing, in millimetres.")
    mode: Literal["fast", "safe"] = Field(default="safe", description="How it is done.")
    name: str = Field(description="Name of the thing.")


def test_values_come_from_prefixed_variables_and_two_bare_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "STAMTAFEL_NAME": "x",
        "STAMTAFEL_WIDTH": "7",
        "DATABASE_URL": "postgresql://u:p@h/d",
        "STAMTAFEL_DATABASE_URL": "not this",
    }.items():
        monkeypatch.setenv(name, value)
    settings = load(DemoSettings)
    assert (settings.name, settings.width, settings.mode) == ("x", 7, "safe")
    assert settings.database_url == "postgresql://u:p@h/d"


def test_a_bad_value_names_the_variable_and_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAMTAFEL_NAME", "x")
    monkeypatch.setenv("STAMTAFEL_WIDTH", "12secret")
    monkeypatch.setenv("STAMTAFEL_MODE", "slow")
    with pytest.raises(SettingsError) as bad:
        load(DemoSettings)
    assert "STAMTAFEL_WIDTH has a value that is not allowed; allowed: whole number from 1 to 9" in str(bad.value)
    assert "STAMTAFEL_MODE has a value that is not allowed; allowed: one of fast, safe" in str(bad.value)
    assert "12secret" not in str(bad.value)


def test_a_missing_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STAMTAFEL_NAME", raising=False)
    with pytest.raises(SettingsError, match="STAMTAFEL_NAME is missing"):
        load(DemoSettings)


def test_secrets_are_not_shown() -> None:
    assert "hunter2" not in repr(Settings(database_url="postgresql://u:hunter2@h/d", nats_password="hunter2"))


def test_describe_lists_only_own_fields() -> None:
    rows = describe(DemoSettings)
    assert [row.env for row in rows] == ["STAMTAFEL_WIDTH", "STAMTAFEL_MODE", "STAMTAFEL_NAME"]
    assert rows[0].default == "4"
    assert rows[2].default == "(required)"


def test_every_setting_of_every_service_has_a_meaning() -> None:
    classes = [cls for cls in all_settings() if cls.__module__.startswith(("libs.", "services."))]
    assert classes[0] is Settings
    for row in (row for cls in classes for row in describe(cls)):
        assert row.meaning, f"{row.service} {row.name} has no description"
