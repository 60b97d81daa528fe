"""A process: settings, logs, metrics, health, supervised loops, shutdown. A service's `__main__.py` calls `run`."""

from libs.service.instruments import BatchReport, LogInstruments, ReaderInstruments
from libs.service.logs import get_logger
from libs.service.loops import LoopOptions, Supervisor
from libs.service.metrics import Heartbeat, Metrics
from libs.service.parent import die_with_parent
from libs.service.process import Process, run
from libs.service.settings import Settings, SettingsError, all_settings, describe, load

__all__ = [
    "BatchReport",
    "Heartbeat",
    "LogInstruments",
    "LoopOptions",
    "Metrics",
    "Process",
    "ReaderInstruments",
    "Settings",
    "SettingsError",
    "Supervisor",
    "all_settings",
    "describe",
    "die_with_parent",
    "get_logger",
    "load",
    "run",
]
