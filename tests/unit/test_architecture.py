"""Arrows point down, rules are pure: import-linter says so (contracts in pyproject.toml)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_import_contracts() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_wiring_reads_the_environment() -> None:
    """Settings are read in `__main__.py` (and by the settings library itself); everything else takes its ports."""
    allowed = {
        "libs/service/settings.py",
        "libs/service/parent.py",
        "libs/client/cli.py",
        "libs/client/place.py",
        "libs/table/jobs.py",  # tells its workers how many threads to use, and reads nothing
        "services/backgammon/engine/gnu.py",  # starts another program, which must inherit the environment
        "services/backgammon/engine/gnu_side.py",
    }
    found = {
        str(path.relative_to(ROOT))
        for folder in ("libs", "services")
        for path in (ROOT / folder).rglob("*.py")
        if ("os.environ" in path.read_text() or "os.getenv" in path.read_text()) and path.name != "__main__.py"
    }
    assert found <= allowed, sorted(found - allowed)


def test_no_host_of_a_registry_in_the_lock() -> None:
    assert "://" not in (ROOT / "requirements.lock").read_text()
