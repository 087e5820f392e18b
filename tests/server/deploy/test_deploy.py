"""Files of deploy/, checked against the commands, routes and tables that exist."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import text

from etude_server.catalog import Catalog
from etude_server.health import Health, SelfTest, make_health_routes
from etude_server.metrics import Meter
from etude_server.store import submissions
from etude_server.store.database import Database
from tests.server.conftest import accept_sources

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
MANIFESTS = sorted((DEPLOY / "kubernetes").iterdir())
LANES = ("interactive", "regrade")


def documents() -> Iterator[dict[str, Any]]:
    for path in MANIFESTS:
        yield from yaml.safe_load_all(path.read_text())


def deployments() -> dict[str, Any]:
    return {
        found["metadata"]["name"]: found["spec"]["template"]["spec"]
        for found in documents()
        if found["kind"] == "Deployment"
    }


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield every command line of deploy/, without the program's name."""
    for unit in UNITS:
        (line,) = re.findall(
            r"^ExecStart=/opt/etude/bin/etude (.*)$", unit.read_text(), re.MULTILINE
        )
        for lane in LANES if "@" in unit.name else ("",):
            yield f"{unit.name} {lane}".strip(), shlex.split(line.replace("%i", lane))
    for name, service in compose()["services"].items():
        if service["image"] == "etude-service":
            yield f"compose {name}", service["command"]
    for name, spec in deployments().items():
        for container in (*spec["containers"], *spec.get("initContainers", ())):
            yield f"kubernetes {name} {container['name']}", container["args"]


@pytest.mark.parametrize("words", [pytest.param(words, id=name) for name, words in commands()])
def test_a_command_line_is_one_of_ours(
    words: list[str], tmp_path: Path, parse: Callable[[list[str]], None]
) -> None:
    """Each option exists and takes the value that it is given; the site's folder is a stand-in."""
    folders = ("/srv/etude/site", "/site/pages")
    for folder in folders:
        words = [word.replace(folder, str(tmp_path)) for word in words]
    parse(words)


def test_units_are_what_systemd_understands(tmp_path: Path) -> None:
    """No unit has a key, value or dependency that systemd warns of."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze on this machine")
    program = shutil.which("true") or "/bin/true"
    for unit in UNITS:
        name = unit.name.replace("@", "@interactive")
        (tmp_path / name).write_text(unit.read_text().replace("/opt/etude/bin/etude", program))
    units = sorted(str(path) for path in tmp_path.iterdir())
    done = subprocess.run(
        [analyze, "verify", "--man=no", *units],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_leaves_the_sandbox_what_it_needs(unit: Path) -> None:
    """User namespaces, a /proc of its own, and the line to the kernel's network set-up."""
    keys = {line.partition("=")[0] for line in unit.read_text().splitlines() if "=" in line}
    assert not keys & {
        "RestrictNamespaces", "SystemCallFilter", "ProtectProc", "ProcSubset",
        "ProtectKernelTunables", "ProtectKernelLogs", "MemoryDenyWriteExecute",
    }  # fmt: skip
    assert {"NoNewPrivileges", "ProtectSystem", "CapabilityBoundingSet"} <= keys
    assert "AF_NETLINK" in unit.read_text()
    assert "KillMode=mixed" in unit.read_text()  # a drain ends if its grading processes are ended


def test_no_file_holds_a_secret() -> None:
    """A password comes from a file beside, or from a secret of the cluster."""
    for path in (path for path in DEPLOY.rglob("*") if path.is_file()):
        for line in path.read_text().splitlines():
            for address in re.findall(r"postgresql://\w+:([^@]+)@", line):
                assert address == "PASSWORD" or address.startswith("${POSTGRES_PASSWORD:?")
    database = compose()["services"]["database"]["environment"]
    assert database["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")


def test_containers_have_no_privileges() -> None:
    """No capability, no way to gain one, no user that is root, nothing to write but /tmp."""
    for name, service in compose()["services"].items():
        if name != "database":
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]
            assert service["read_only"]
            assert not service["user"].startswith("0")
    for spec in deployments().values():
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in (*spec["containers"], *spec.get("initContainers", ())):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


def test_probes_ask_for_routes_that_there_are() -> None:
    """Each probe's port is one that the container opens, its path one that is answered."""
    health = Health(Database("postgresql://x/y"), SelfTest(None, Catalog((), {})), lambda: None)
    paths = {each.path for each in make_health_routes(health, Meter())}
    for spec in deployments().values():
        (container,) = spec["containers"]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        opened = {int(word) for word in re.findall(r"port=(\d+)", " ".join(container["args"]))}
        assert set(ports.values()) == opened
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            asked = container[probe]["httpGet"]
            assert asked["path"] in paths
            assert asked["port"] in ports
    for service in compose()["services"].values():
        for port, path in re.findall(r":(\d+)(/\w+)'", str(service.get("healthcheck"))):
            assert path in paths
            assert f"port={port}" in str(service["command"])


def test_manifests_name_each_other() -> None:
    """Every name that a manifest refers to is made by another, but for the secret."""
    made = {(found["kind"], found["metadata"]["name"]) for found in documents()}
    (scaled,) = (found["spec"] for found in documents() if found["kind"] == "ScaledObject")
    assert ("Deployment", scaled["scaleTargetRef"]["name"]) in made
    (trigger,) = scaled["triggers"]
    assert ("TriggerAuthentication", trigger["authenticationRef"]["name"]) in made
    for found in documents():
        if found["kind"] == "Deployment":
            labels = found["spec"]["template"]["metadata"]["labels"]
            assert found["spec"]["selector"]["matchLabels"] == labels
    assert "replicas" not in next(
        found["spec"] for found in documents() if found["metadata"]["name"] == "etude-worker"
    )


@pytest.mark.slow
def test_the_scaler_counts_what_waits(database: Database) -> None:
    """The query of the ScaledObject gives the length of the queue, without what is parked."""
    (scaled,) = (found["spec"] for found in documents() if found["kind"] == "ScaledObject")
    query = text(scaled["triggers"][0]["metadata"]["query"])
    first, *_ = accept_sources(database, "1", "2", "3")
    with database.write() as connection:
        assert connection.execute(query).scalar_one() == 3
        submissions.park_submission(connection, first.id, "test")
        assert connection.execute(query).scalar_one() == 2


def test_the_image_takes_the_locked_packages() -> None:
    """The file that the build copies exists, is let through, and has hashes."""
    assert "COPY requirements/service.txt" in (DEPLOY / "Dockerfile").read_text()
    assert "!requirements/service.txt" in (DEPLOY / "Dockerfile.dockerignore").read_text()
    assert "--hash=sha256:" in (ROOT / "requirements" / "service.txt").read_text()


def test_servers_have_pages_and_every_lane_has_workers() -> None:
    """On one host and on many: `--site` is what was built before, and regrades are taken."""
    lines = [" ".join(words) for name, words in commands() if name.startswith("kubernetes")]
    for own in (lines, [" ".join(words) for name, words in commands() if "compose" in name]):
        assert any(line.startswith("serve") and "--site=/site/pages" in line for line in own)
        assert any(line.startswith("site build --certified --output=/site/pages") for line in own)
        for lane in LANES:
            assert any(line.startswith("worker") and f"--lane={lane}" in line for line in own)


def test_alerts_and_dashboard_ask_for_what_is_measured(database: Database) -> None:
    """Each metric and route in them is one that the service tells."""
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text())["groups"][0]["rules"]
    panels = json.loads((DEPLOY / "grafana/etude.json").read_text())["panels"]
    asked = [rule["expr"] for rule in rules]
    asked += [target["expr"] for panel in panels for target in panel["targets"]]
    meter = Meter()
    meter.register_queue(database)
    meter.count_verdict("passed", 1)
    meter.count_request("POST", "/v1/submissions", 202, 1)
    told = meter.render().decode()
    for name in {name for line in asked for name in re.findall(r"etude_\w+", line)}:
        assert re.search(rf"^{name}\b", told, re.MULTILINE), name
    assert {route for line in asked for route in re.findall(r'route="([^"]+)"', line)} == {
        "/v1/submissions"
    }
