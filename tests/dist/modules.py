"""Finds the modules under test, and the small Debian of the image's tests."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("image/dist", "image", "tests/image")]
