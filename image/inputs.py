"""What has gone into a program: asked of the loader, the linker and the compilers' records."""

import os
import pathlib
import re

from command import output
from problem import Problem


def shared_libraries(binary):
    """Path by the name that the loader looks for; its own path, too."""
    return parse_ldd(output(["ldd", binary]))


def parse_ldd(text):
    libraries = {}
    for line in text.splitlines():
        if match := re.match(r"\s*(\S+) => (/\S+) \(0x", line):
            libraries[match[1]] = match[2]
        elif match := re.match(r"\s*(/\S+) \(0x", line):
            libraries[match[1]] = match[1]
        elif match := re.match(r"\s*(\S+) => not found", line):
            raise Problem(f"the program needs {match[1]}, which is not installed; "
                          "run .ci/install-dependencies")
    return libraries


def shared_libraries_below(root, binary):
    """The same of a program that this machine's loader cannot load, with libraries below `root`."""
    loader, waiting = parse_elf(output(["readelf", "--wide", "-l", "-d", binary]))
    libraries = {loader: loader}
    while waiting:
        name = waiting.pop()
        if name in libraries or name == pathlib.PurePosixPath(loader).name:
            continue
        libraries[name] = _find(root, name)
        said = output(["readelf", "--wide", "-l", "-d", f"{root}{libraries[name]}"])
        waiting += parse_elf(said)[1]
    return dict(sorted(libraries.items()))


def parse_elf(text):
    """The loader, "" of most libraries, and the names of the libraries, of what readelf says."""
    loader = re.search(r"Requesting program interpreter: (/[^]]+)]", text)
    return loader[1] if loader else "", re.findall(r"\(NEEDED\) +Shared library: \[(.+)]", text)


def _find(root, name):
    found = sorted(pathlib.Path(root).glob(f"usr/lib/*/{name}"))
    if not found:
        raise Problem(f"the program needs {name}, which is not below {root}; remove that folder")
    return "/" + str(found[0].relative_to(root))


def archives(map_text):
    """Archives with members in the program, and objects of the compiler, from the linker's map."""
    members = re.findall(r"^(/[^\s()]+\.a)\(", map_text, re.MULTILINE)
    objects = re.findall(r"^LOAD (/\S+\.o)$", map_text, re.MULTILINE)
    return sorted({*members, *objects})


def headers(build_folder, sysroot=""):
    """Headers from outside of the sources that anything in the program included."""
    inputs = output(["ninja", "-C", build_folder, "-t", "inputs", "berth"]).split()
    objects = [path for path in inputs if path.endswith(".o")]
    said = output(["ninja", "-C", build_folder, "-t", "deps", *objects])
    return parse_deps(said, pathlib.Path(build_folder).resolve(), sysroot)


def parse_deps(text, build_folder="", sysroot=""):
    """Ninja names what is in the repository, as a sysroot is, from the folder where it builds."""
    paths = set(re.findall(r"^ +(\S+)$", text, re.MULTILINE))
    whole = {path if path.startswith("/") else os.path.normpath(f"{build_folder}/{path}")
             for path in paths}
    return sorted(path for path in whole if path.startswith(("/usr/", f"{sysroot}/usr/")))
