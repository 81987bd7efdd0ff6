#!/usr/bin/env python3
"""Puts what `cmake --build --preset image` left together as a container image, with its SBOM.

Same commit and same Debian packages: same bytes. image/build runs it.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import archive
import content
import detector
import hardening
import inputs
import sbom
from debian import Cross, Debian
from problem import Problem

_SOURCE = pathlib.Path(__file__).resolve().parent.parent
_DETECTOR_VERSION = "1.36.0"  # as in tests/e2e/build/build.sh


class Image(NamedTuple):
    archive: bytes
    digest: str  # of the manifest, by which registries and the chart know it
    sbom: str
    trees: list  # of the layers
    size: int  # of the layers, not compressed


class Parts(NamedTuple):
    """Files that make the program, by path: libraries by the name that the loader looks for."""

    binary: bytes
    licence: bytes
    libraries: dict
    archives: list
    headers: list


def assemble(debian, release, parts, probed=None):
    """`probed`: the node-problem-detector that runs Berth's probes, for their image."""
    linked = _packages(debian, parts.archives)
    compiled = _packages(debian, parts.headers)
    base = content.base_layer(debian, parts.libraries)
    berth = content.berth_layer(debian, parts.binary, parts.licence, linked, compiled, base)
    trees = [base, berth]
    layers = [
        archive.Layer(base, 0, "Debian: shared libraries and authorities"),
        archive.Layer(berth, release.epoch, "Berth"),
    ]
    modules = []
    if probed:
        modules = probed.modules
        trees.append(detector.layer(probed))
        layers.append(archive.Layer(trees[-1], 0, "node-problem-detector"))
    content.check(trees)
    data, digest = archive.archive(release, layers)
    copied = content.base_packages(debian, parts.libraries)
    return Image(data, digest, sbom.document(release, digest, copied, linked, compiled, modules),
                 trees, sum(layer.size for layer in layers))


def parts_of(build, sysroot=None):
    """Of a folder that the preset image has built, or image-arm64 against a sysroot."""
    binary = build / "cli/berth"
    data = binary.read_bytes()
    if str(_SOURCE).encode() + b"/" in data:
        raise Problem(f"{binary} holds the path {_SOURCE}, so it would differ elsewhere; "
                      "build it with the preset image")
    hardening.check(binary, data)
    return Parts(
        binary=data,
        licence=(_SOURCE / "LICENSE").read_bytes(),
        libraries=(inputs.shared_libraries_below(sysroot, binary) if sysroot else
                   inputs.shared_libraries(binary)),
        archives=inputs.archives((build / "berth.map").read_text()),
        headers=inputs.headers(build, sysroot or ""),
    )


def debian_of(sysroot):
    return Cross(sysroot, Debian()) if sysroot else Debian()


def release_of(build, architecture, sysroot=None):
    binary = build / "cli/berth"
    if not binary.exists():
        raise Problem(f"{binary} is missing; run image/build, which builds it first")
    emulator = ["qemu-aarch64-static", "-L", sysroot] if sysroot else []
    said = subprocess.run([*emulator, binary, "version"], check=True, capture_output=True,
                          text=True).stdout
    version, revision = re.match(r"berth (\S+) \(revision ([^,]+),", said).groups()
    if revision.endswith("-dirty"):
        print("image: there are changes that are not committed: nobody else can build this image",
              file=sys.stderr)
    return archive.Release(version, revision, architecture, epoch())


def epoch():
    if text := os.environ.get("SOURCE_DATE_EPOCH"):
        if not text.isdecimal():
            raise Problem(f"SOURCE_DATE_EPOCH is '{text}'; write seconds since 1970")
        return int(text)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=_SOURCE, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Problem("the time of the commit is not known outside of a git repository; "
                      "set SOURCE_DATE_EPOCH to it, in seconds since 1970")
    return int(done.stdout)


def _packages(debian, paths):
    return sorted({debian.owner(path) for path in paths})


def _write(image, release, folder):
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{release.name}-{release.version}-{release.architecture}"
    _replace(folder / f"{name}.spdx.json", image.sbom.encode())
    return _replace(folder / f"{name}.tar", image.archive)


def _replace(path, data):
    """All of it or, on a full disk, what was there before."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(data)
    return new.replace(path)


def _unpack(trees, folder):
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Problem(f"{folder} is not empty; name a folder that is, or one that is not there")
    for tree in trees:
        tree.unpack(folder)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=_SOURCE / "build/image",
                        help="where the preset image has built (default: build/image)")
    parser.add_argument("--sysroot", type=lambda path: pathlib.Path(path).resolve(),
                        help="what the preset image-arm64 has built against")
    parser.add_argument("--output", type=pathlib.Path,
                        help="folder for the image and its SBOM (default: that of --build)")
    parser.add_argument("--root", type=pathlib.Path,
                        help="also unpack the image's files into this folder")
    parser.add_argument("--probe", action="store_true",
                        help="the image of the probes, which holds node-problem-detector, too")
    return parser.parse_args()


def _probed():
    cache = os.environ.get("BERTH_CACHE") or _SOURCE / ".cache"
    return detector.read(pathlib.Path(cache) / "bin/node-problem-detector", _DETECTOR_VERSION)


def main():
    arguments = _arguments()
    debian = debian_of(arguments.sysroot)
    release = release_of(arguments.build, debian.architecture, arguments.sysroot)
    probed = None
    if arguments.probe:
        release, probed = release._replace(name="berth-probe"), _probed()
    image = assemble(debian, release, parts_of(arguments.build, arguments.sysroot), probed)
    path = _write(image, release, arguments.output or arguments.build)
    if arguments.root:
        _unpack(image.trees, arguments.root)
    print(f"{path}: {len(image.archive) / 2**20:.1f} MiB, unpacked {image.size / 2**20:.1f} MiB")
    print(f"revision {release.revision}, image.digest={image.digest}")


if __name__ == "__main__":
    try:
        main()
    except (Problem, OSError) as problem:
        sys.exit(f"image: {problem}")
