#!/usr/bin/env python3
"""Prints the version of this commit, which the tags vX.Y.Z decide: docs/releasing.md#versions."""

import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

_SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_SOURCE / "image"))

from problem import Problem  # noqa: E402

_NUMBER = r"(?:0|[1-9]\d*)"
_RELEASE = re.compile(rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})")
# Semantic versions without "+...", which tags of images and values of labels do not take.
_VERSION = re.compile(rf"{_RELEASE.pattern}(?:-(?:{_NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*)"
                      rf"(?:\.(?:{_NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*))*)?", re.ASCII)


class Place(NamedTuple):
    """Where a commit stands. `tag`: the latest vX.Y.Z before it or at it, "" where there is none.
    `distance`: commits since that, or since the beginning. `revision`: as git abbreviates it."""

    tag: str
    distance: int
    revision: str
    dirty: bool


def version_of(place, planned):
    """`planned`: the version that CMakeLists.txt names, which is released now or next.

    Between releases it is a pre-release of the next, so that it sorts between the two, by
    https://semver.org, Helm and dpkg alike.
    """
    released = place.tag.removeprefix("v")
    if released and place.distance == 0 and not place.dirty:
        if released != planned:
            raise Problem(f"the tag {place.tag} is at a commit whose CMakeLists.txt and Chart.yaml "
                          f"say {planned}; tag the commit that says {released}")
        return released
    version = f"{_next(released, planned)}-dev.{place.distance}.g{place.revision}"
    return version + (".dirty" if place.dirty else "")


def _next(released, planned):
    """The version that the next release will have at least."""
    if not released or _numbers(planned) > _numbers(released):
        return planned
    major, minor, patch = _numbers(released)
    return f"{major}.{minor}.{patch + 1}"


def _numbers(release):
    return tuple(map(int, _RELEASE.fullmatch(release).groups()))


def debian(version):
    """As dpkg orders it: a tilde comes before everything, even the end."""
    return version.replace("-", "~", 1).replace("-", ".")


def checked(version):
    """A version that somebody has chosen."""
    if not _VERSION.fullmatch(version):
        raise Problem(f"VERSION is '{version}'; write it as 1.2.3 or 1.2.3-rc.1")
    return version


def place_of(repository):
    said = _git(repository, "describe", "--tags", "--match=v[0-9]*", "--long", "--dirty",
                "--abbrev=12")
    found = said and re.fullmatch(r"(.*)-(\d+)-g([0-9a-f]+)(-dirty)?", said)
    if found and not _RELEASE.fullmatch(found[1].removeprefix("v")):
        raise Problem(f"the tag {found[1]} is no vX.Y.Z; delete it, or name it otherwise")
    if found:
        return Place(found[1], int(found[2]), found[3], bool(found[4]))
    said = _git(repository, "describe", "--always", "--exclude=*", "--dirty", "--abbrev=12")
    if not said:
        raise Problem("the version is not known outside of a git repository; "
                      "name it: make dist VERSION=1.2.3")
    count = int(_git(repository, "rev-list", "--count", "HEAD"))
    return Place("", count, said.removesuffix("-dirty"), said.endswith("-dirty"))


def planned_in(repository):
    """The version in CMakeLists.txt, which must be the chart's, too."""
    cmake = re.search(r"^project\(berth VERSION (\S+)",
                      (repository / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    chart = dict(re.findall(r"^(version|appVersion): (\S+)$",
                            (repository / "charts/berth/Chart.yaml").read_text(), re.MULTILINE))
    if set(chart.values()) != {cmake}:
        raise Problem(f"CMakeLists.txt says {cmake}, charts/berth/Chart.yaml version "
                      f"{chart['version']} and appVersion {chart['appVersion']}; make them equal")
    return cmake


def _git(repository, *arguments):
    """What git says; "" where it fails."""
    return subprocess.run(["git", *arguments], cwd=repository, capture_output=True, text=True,
                          check=False).stdout.strip()


def main():
    if chosen := os.environ.get("VERSION"):
        print(checked(chosen))
        return
    place = place_of(_SOURCE)
    if not place.tag:
        print("dist: no tag vX.Y.Z is known here (git fetch --tags), so this counts as a "
              f"pre-release of {planned_in(_SOURCE)}", file=sys.stderr)
    print(version_of(place, planned_in(_SOURCE)))


if __name__ == "__main__":
    try:
        main()
    except (Problem, OSError) as problem:
        sys.exit(f"dist: {problem}")
