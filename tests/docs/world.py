"""The repository's Markdown, for the tests beside this file, and the modules under test."""

import functools
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import document  # noqa: E402  (found by the line above)


@functools.cache
def tracked():
    """The paths of all files that are, or would be, in a commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(path for path in listed.split("\0") if path and (ROOT / path).is_file())


@functools.cache
def documents():
    return [document.read(ROOT, path) for path in tracked() if path.endswith(".md")]


def berth():
    """The path of the binary; None if it has not been built."""
    path = pathlib.Path(os.environ.get("BERTH_BINARY", ROOT / "build/release/cli/berth"))
    return path if path.exists() else None


def where(doc, part):
    return f"{doc.path}:{part.line}"
