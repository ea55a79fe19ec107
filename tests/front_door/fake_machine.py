"""A machine made of fakes for the tests of ./lapforge: a folder of commands that record their
calls instead of installing or building, and a checkout with a space in its path."""

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# real commands that the script may use; nothing else of the machine is on its path
REAL = ("bash cat dirname env flock grep head ln mkdir mktemp mv nproc readlink rm sed sleep tail "
        "touch true").split()

# every fake first writes its name and arguments to the call log
FAKES = {
    "dpkg-query": 'cat "$FAKE/installed"',
    "dpkg": "",
    "id": 'cat "$FAKE/uid"',
    "sudo": '[[ $1 == -v ]] || exec "$@"',
    "apt-get": """
        [[ ! -e $FAKE/no_network ]] || { echo "E: no network"; exit 100; }
        [[ $1 != install ]] || for name in "$@"; do echo "$name installed" >>"$FAKE/installed"; done
        """,
    "pip": """
        [[ ! -e $FAKE/no_network ]] || { echo "ERROR: no network"; exit 1; }
        while [[ $1 != --target ]]; do shift; done
        mkdir -p "$2/torch/include" "$2/torch/lib"
        [[ ! -e $FAKE/slow ]] || sleep 1
        [[ ! -e $FAKE/killed ]] || kill -9 "$PPID"
        [[ $4 != *cuda* ]] || mkdir -p "$2/nvidia/cudnn"
        """,
    "cmake": """
        mkdir -p build/release
        touch build/release/build.ninja
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt
        echo "${4#-D}" >>build/release/CMakeCache.txt
        """,
    "ninja": """
        [[ ! -e $FAKE/bad_source ]] || { echo "[1/2] CXX a"; echo "a.cpp:1: error: no"; exit 1; }
        mkdir -p "$2/bin"
        ln -sf "$FAKE/program" "$2/bin/lapforge"
        """,
    "c++": "",
}


class FakeMachine:
    """One temporary machine. `state` files named in FAKES switch its troubles on."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lapforge front door "))
        self.checkout = self.folder / "my checkout"
        self.commands = self.folder / "commands"
        self.state = self.folder / "state"
        for folder in (self.commands, self.state, self.checkout / "tools"):
            folder.mkdir(parents=True)
        shutil.copy(ROOT / "lapforge", self.checkout)
        shutil.copytree(ROOT / "tools/setup", self.checkout / "tools/setup")
        for name in REAL:
            (self.commands / name).symlink_to(shutil.which(name))
        for name, body in FAKES.items():
            self.add_command(self.commands / name, f'echo "{name} $*" >>"$FAKE/calls"\n{body}')
        self.add_command(self.state / "program", 'printf "<%s>" "$@"; exit "${EXIT_WITH:-0}"')
        (self.state / "uid").write_text("0\n")
        (self.state / "installed").write_text("".join(
            f"{name} installed\n" for name in self.packages()))

    @staticmethod
    def add_command(path, body):
        """Writes an executable bash script."""
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    @staticmethod
    def packages():
        """Names in the list of packages."""
        lines = (ROOT / "tools/setup/apt-packages.txt").read_text().splitlines()
        return [line for line in lines if not line.startswith("#")]

    def uninstall(self, *names):
        """Makes packages missing."""
        (self.state / "installed").write_text("".join(
            f"{name} installed\n" for name in self.packages() if name not in names))

    def environment(self, **extra):
        """What the script sees."""
        return {"PATH": str(self.commands), "HOME": str(self.folder), "FAKE": str(self.state),
                "LAPFORGE_PIP": "pip", **extra}

    def start(self, *arguments, script=None, cwd="/", **extra):
        """Starts ./lapforge."""
        return subprocess.Popen([script or self.checkout / "lapforge", *arguments], cwd=cwd,
                                env=self.environment(**extra), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments, **options):
        """Runs ./lapforge to its end. Returns status, standard output, standard error."""
        process = self.start(*arguments, **options)
        process.wait(timeout=60)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    def calls(self):
        """Calls of fakes since the last time this was asked, as lines."""
        log = self.state / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def libtorch(self):
        """The folder that libtorch is installed to."""
        return self.folder / ".cache/lapforge/libtorch-2.11.0"

    def remove(self):
        """Deletes everything."""
        shutil.rmtree(self.folder)
