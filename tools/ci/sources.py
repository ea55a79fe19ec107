"""What the checks share: which files to look at, and how they report."""

import subprocess
import sys
from pathlib import Path

CPP = (".h", ".cpp", ".c", ".cu", ".cuh", ".inl")


def project_root():
    """The tree to check: the first argument, else the project of this script."""
    return Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()


def project_files(root, suffixes=None):
    """Paths, relative to the root, of files that git tracks or would track."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    paths = sorted(Path(name) for name in set(listed.split("\0")) if name)
    return [path for path in paths
            if (root / path).is_file() and (suffixes is None or path.suffix in suffixes)]


def read_lines(root, path):
    """Lines of a text file; none of a binary one."""
    try:
        return (root / path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def report(problems):
    """Prints problems, one a line, and ends the script."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
