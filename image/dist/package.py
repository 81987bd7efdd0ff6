#!/usr/bin/env python3
"""Puts a release together of what image/build has built: archives, Debian packages, the chart, and the
checksums of all that is in the folder. image/dist/build runs it."""

import argparse
import hashlib
import pathlib
import sys

_SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_SOURCE / "image"))

import assemble  # noqa: E402
import chart  # noqa: E402
import deb  # noqa: E402
from problem import Problem  # noqa: E402
from program import Program, tarball  # noqa: E402

_SUMS = "SHA256SUMS"
# Where image/build builds for an architecture, and against which sysroot.
_BUILT = {"amd64": ("build/image", None), "arm64": ("build/image-arm64", "build/sysroot-arm64")}


def program_of(architecture):
    build, sysroot = _BUILT[architecture]
    build, sysroot = _SOURCE / build, sysroot and _SOURCE / sysroot
    debian = assemble.debian_of(sysroot)
    binary = build / "cli/berth"
    return Program(
        path=binary,
        parts=assemble.parts_of(build, sysroot),
        release=assemble.release_of(build, debian.architecture, sysroot),
        debian=debian,
        depends=deb.depends(binary, architecture, sysroot),
    )


def checksums(folder):
    """As sha256sum writes them."""
    files = sorted(file for file in folder.iterdir() if file.name != _SUMS)
    return "".join(f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in files)


def _write(folder, name, data):
    (folder / name).write_bytes(data)
    print(f"{folder.name}/{name}: {len(data) / 2**20:.1f} MiB")


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder of the release")
    parser.add_argument("--helm", type=pathlib.Path, required=True, help="the program helm")
    parser.add_argument("architectures", nargs="+", choices=_BUILT)
    return parser.parse_args()


def main():
    arguments = _arguments()
    programs = [program_of(architecture) for architecture in arguments.architectures]
    # Man pages and completion are the same everywhere, and are written by what runs here.
    writer = programs[0].path
    for program in programs:
        for make in (tarball, deb.deb):
            _write(arguments.output, *make(program, writer))
    _write(arguments.output, *chart.chart(arguments.helm, programs[0].release))
    _write(arguments.output, _SUMS, checksums(arguments.output).encode())


if __name__ == "__main__":
    try:
        main()
    except (Problem, OSError) as problem:
        sys.exit(f"dist: {problem}")
