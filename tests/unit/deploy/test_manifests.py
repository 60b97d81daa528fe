"""Everything that deploys or watches the services names all of them, and asks only for metrics that exist."""

import asyncio
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.catalog import SERVICES, available, find, game_logs
from deploy.migrate import migrate_all
from libs.service import LogInstruments, LoopOptions, Process, ReaderInstruments, Settings, all_settings, describe

ROOT = Path(__file__).resolve().parents[3]
BASE = ROOT / "k8s" / "base"
NAMES = [service.name for service in SERVICES]


def test_every_program_here_is_in_the_table() -> None:
    here = {path.parent.name for path in (ROOT / "services").glob("*/__main__.py")}
    assert here == {service.name for service in available()}


def test_an_unknown_service_is_told_the_known_ones() -> None:
    with pytest.raises(LookupError, match="no service poker; there are trictrac, "):
        find("poker")


@pytest.mark.parametrize("name", NAMES)
def test_a_service_is_deployed_everywhere(name: str) -> None:
    manifest = (BASE / f"{name}.yaml").read_text()
    assert f'args: ["services.{name}"]' in manifest
    assert (f'args: ["deploy.migrate", "{name}"]' in manifest) == find(name).keeps_log
    assert ('stamtafel/keeps-log: "true"' in manifest) == find(name).keeps_log
    assert f"  - {name}.yaml\n" in (BASE / "kustomization.yaml").read_text()
    assert f"\n  {name}: {{<<: *service, command: [services.{name}]" in compose()
    assert f"- {name}:8080\n" in (ROOT / "deploy/prometheus/prometheus.yml").read_text()


def test_nothing_else_is_deployed() -> None:
    assert set(re.findall(r"services\.(\w+)", compose())) == set(NAMES)
    listed = re.findall(r"  - (\w+)\.yaml", (BASE / "kustomization.yaml").read_text())
    assert set(listed) == {*NAMES, "settings"}


def test_settings_in_manifests_exist() -> None:
    text = compose() + "".join(path.read_text() for path in BASE.glob("*.yaml"))
    known = {row.env for cls in all_settings() for row in describe(cls)}
    assert set(re.findall(r"STAMTAFEL_[A-Z_]+", text)) - known == set()
    assert text.count(f"STAMTAFEL_LOGS: {game_logs(SERVICES)}\n") == 2


def test_yaml_parses() -> None:
    yaml = pytest.importorskip("yaml")
    paths = [path for folder in ("k8s", "deploy") for path in (ROOT / folder).rglob("*.y*ml")]
    assert len(paths) > len(NAMES)
    for path in paths:
        assert all(list(yaml.safe_load_all(path.read_text()))), path


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not here")
@pytest.mark.parametrize("folder", ["k8s/base", "k8s/overlays/dev"])
def test_kustomize_builds(folder: str) -> None:
    built = subprocess.run(["kubectl", "kustomize", ROOT / folder], capture_output=True, text=True, check=True).stdout
    assert built.count("kind: Deployment") == len(NAMES)
    assert built.count("path: /readyz") == len(NAMES)
    assert built.count("kind: PodDisruptionBudget") == len(NAMES)


async def test_alerts_and_dashboard_ask_for_metrics_that_exist() -> None:
    dashboard = json.loads((ROOT / "deploy/grafana/stamtafel.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += re.findall(r"expr: (.*)", (ROOT / "deploy/prometheus/alerts.yml").read_text())
    names = {name for text in asked for name in re.findall(r"stamtafel_\w+", text)}
    assert len(names) > 10
    assert names - await exported() == set()


async def exported() -> set[str]:
    process = Process(Settings(instance="test"))
    process.supervise("x", asyncio.Event().wait, LoopOptions(stale_after=1))  # type: ignore[arg-type]
    log, reader = LogInstruments(process.metrics, "x-0"), ReaderInstruments(process.metrics, "c", "x-0")
    zero = {"position": float, "behind": float, "lag_seconds": float}
    log.watch(position=float, relay_behind=float, waiting=float, tables=float)
    reader.watch(**zero)
    await asyncio.sleep(0)
    page = process.metrics.render().decode()
    await process.supervisor.stop()
    return set(re.findall(r"^(stamtafel_\w+)", page, re.MULTILINE))


async def test_migrations_of_a_service_without_any_do_nothing() -> None:
    await migrate_all("postgresql://nobody@nowhere/nothing", [find("gateway")])


def compose() -> str:
    return (ROOT / "deploy/compose/docker-compose.yml").read_text()
