"""The Debian package of the gateway daemon: licences, scripts of the maintainer, and the unit."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from evenair_command import ROOT


def program(name: str) -> str:
    """Return the path of a program; skip without it, fail where CI is true."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{Path.home()}/.cargo/bin")
    if found is None and not os.environ.get("CI"):
        pytest.skip(f"without {name}")
    assert found, f"{name} is missing"
    return found


def output(*command: str | Path, **environment: str) -> str:
    """Return what a command prints; fail if it does."""
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def crates() -> list[str]:
    """Return "NAME VERSION" of the crates that evenaird is linked with, as cargo-tree has them."""
    options = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    tree = output(program("cargo"), "tree", "--locked", "-p", "evenaird", *options)
    lines = [line.split(" (")[0].replace(" v", " ") for line in tree.splitlines()]
    return sorted({line for line in lines if not line.startswith("evenair")})


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package, and return the folder with its files and, in DEBIAN, its scripts."""
    for name in ("cargo", "objdump"):
        program(name)
    built = os.environ.get("EVENAIRD", ROOT / "target" / "debug" / "evenaird")
    if not Path(built).exists() and not os.environ.get("CI"):
        pytest.skip("evenaird is not built")
    folder = tmp_path_factory.mktemp("package")
    path = f"{os.environ.get('PATH', '')}:{Path.home()}/.cargo/bin"
    file = output(ROOT / "packaging" / "build-deb", built, folder, PATH=path).strip()
    output(program("dpkg-deb"), "--raw-extract", file, folder / "root")
    return folder / "root"


def test_the_licence_of_every_linked_crate_is_there(crates: list[str], package: Path) -> None:
    doc = package / "usr/share/doc/evenaird"
    text = gzip.decompress((doc / "crates.gz").read_bytes()).decode()
    listed, *texts = text.split("\n" + "-" * 80 + "\n")
    known = dict(line.split(": ", 1) for line in listed.splitlines() if ": " in line)
    # Each text is preceded by the crates that have it.
    with_text = {name for names in texts[::2] for name in names.split(", ")}
    assert len(crates) > 50
    for crate in crates:
        assert known[crate].split(";")[0].strip(), crate
        assert crate in with_text, f"{crate} has no text"
    for part in ("Permission is hereby granted", "Apache License"):
        assert part in text
    assert "crates.gz" in (doc / "copyright").read_text()


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Make a root with what the daemon and its operator leave there."""
    for file in (
        "etc/evenaird/eth1.toml",
        "etc/evenaird/community",
        "var/log/evenaird/eth1.jsonl.1",
        "run/evenaird/eth1.lock",
        "etc/systemd/system/other.wants/other.service",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x")
    wants = tmp_path / "etc/systemd/system/sys-subsystem-net-devices-eth1.device.wants"
    wants.mkdir()
    (wants / "evenaird@eth1.service").symlink_to("/usr/lib/systemd/system/evenaird@.service")
    return tmp_path


def files(root: Path) -> set[str]:
    """Return the files and links below a folder."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}


def test_a_purge_removes_state_and_a_removal_keeps_it(package: Path, installed: Path) -> None:
    before = files(installed)

    def run(action: str) -> None:
        output(package / "DEBIAN/postrm", action, DPKG_ROOT=str(installed))

    for action in ("remove", "upgrade"):
        run(action)
        assert files(installed) == before
    run("purge")
    assert files(installed) == {"etc/systemd/system/other.wants/other.service"}
    for folder in ("etc/evenaird", "var/log/evenaird", "run/evenaird"):
        assert not (installed / folder).exists()
    run("purge")


def test_dpkg_installs_it_below_another_root(package: Path, installed: Path) -> None:
    """The user of the unit is made; a purge leaves nothing of the package but the user."""
    program("systemd-sysusers")
    if os.geteuid() != 0 and not os.environ.get("CI"):
        pytest.skip("needs root")
    (installed / "var/lib/dpkg/info").mkdir(parents=True)
    (installed / "var/lib/dpkg/updates").mkdir()
    (installed / "var/lib/dpkg/status").touch()
    [file] = package.parent.glob("*.deb")
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    # The libraries that it depends on are not installed there.
    options = ["--force-script-chrootless", "--force-depends"]

    def dpkg(*arguments: str | Path) -> None:
        output(program("dpkg"), f"--root={installed}", *options, *arguments, PATH=path)

    dpkg("--install", file)
    unit = (installed / "usr/lib/systemd/system/evenaird@.service").read_text()
    [user] = [line[5:] for line in unit.splitlines() if line.startswith("User=")]
    [entry] = (installed / "etc/passwd").read_text().splitlines()
    name, _, uid, _, _, home, shell = entry.split(":")
    assert (name, home, shell.rsplit("/", 1)[1]) == (user, "/", "nologin")
    assert 0 < int(uid) < 1000
    dpkg("--purge", "evenaird")
    left = [path for path in installed.rglob("*evenaird*") if "var/lib/dpkg" not in str(path)]
    assert left == []


def test_the_unit_is_accepted_by_systemd(package: Path, tmp_path: Path) -> None:
    """Nothing is unknown in it, and its exposure is at most 2.0 of 10: it cannot do much harm."""
    analyze = program("systemd-analyze")
    text = (package / "usr/lib/systemd/system/evenaird@.service").read_text()
    assert "/usr/sbin/evenaird" in text
    unit = tmp_path / "evenaird@eth1.service"
    unit.write_text(text.replace("/usr/sbin/evenaird", str(package / "usr/sbin/evenaird")))
    done = subprocess.run(
        [analyze, "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    about = [line for line in done.stderr.splitlines() if "evenaird" in line]
    assert (done.returncode, about) == (0, [])
    shown = output(analyze, "security", "--offline=true", "--no-pager", "--threshold=20", unit)
    assert "Overall exposure level" in shown
