"""A service for the tests of `deploy.local`: ready at once, and with a few bad habits on request (`FAKE_HABIT`)."""

import os
import sys

from libs.service import Process, Settings, run


async def main(process: Process[Settings]) -> None:
    """Do as `FAKE_HABIT` says: crash at once, never get ready, or nothing wrong."""
    habit = os.environ.get("FAKE_HABIT", "")
    print(f"fake service, habit {habit!r}", flush=True)
    if habit == "crash":
        sys.exit(9)
    if habit == "late":
        process.not_ready("habit", "it is late")


if __name__ == "__main__":
    run(main, Settings)
