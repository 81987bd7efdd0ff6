"""node-problem-detector in the image of the probes, and the Go modules that it holds."""

import pathlib
import re
from typing import NamedTuple

from command import output
from problem import Problem
from tree import Tree

_NOTICE = re.compile(r"(LICEN[CS]E|NOTICE|COPYING|COPYRIGHT|PATENTS)([.-].*)?", re.IGNORECASE)


class Module(NamedTuple):
    """A Go module; the first of a program is the program's own. `folder`: with its notices."""

    path: str
    version: str
    folder: pathlib.Path


class Detector(NamedTuple):
    binary: bytes
    modules: list


def read(program, version):
    """Of a program that tests/e2e/build/build.sh has built of this version."""
    program = pathlib.Path(program)
    if not program.exists():
        raise Problem(f"{program} is missing; run image/build --probe, which builds it first")
    environment = dict(zip(("cache", "root", "version"),
                           _go("env", "GOMODCACHE", "GOROOT", "GOVERSION").splitlines()))
    cache = pathlib.Path(environment["cache"])
    said = parse_modules(_go("version", "-m", program), version)
    modules = [Module(path, number, cache / f"{escape(path)}@{escape(number)}")
               for path, number in said]
    modules.append(Module("std", environment["version"], pathlib.Path(environment["root"])))
    return Detector(program.read_bytes(), modules)


def parse_modules(text, version):
    """Path and version of each module, of what `go version -m` says.

    The program was built in the folder of its own module, of which Go does not know the version.
    """
    found = re.findall(r"^\t(mod|dep|=>)\t(\S+)\t(\S+)", text, re.MULTILINE)
    modules = []
    for kind, path, number in found:
        if kind == "=>":  # in the place of the one before
            modules.pop()
        modules.append((path, f"v{version}" if kind == "mod" else number))
    if not modules:
        raise Problem("node-problem-detector does not say which Go modules it holds")
    return modules


def escape(text):
    """As the module cache writes capitals: https://go.dev/ref/mod#module-cache."""
    return re.sub(r"[A-Z]", lambda match: "!" + match[0].lower(), text)


def layer(detector):
    """The program, and the notices of its modules."""
    tree = Tree()
    tree.add("/usr/bin/node-problem-detector", detector.binary, 0o755)
    for module in detector.modules:
        names = [file.name for file in sorted(module.folder.iterdir())
                 if file.is_file() and _NOTICE.fullmatch(file.name)]
        if not names:
            raise Problem(f"{module.folder} has no licence, which has to come along")
        for name in names:
            tree.add(f"/usr/share/doc/node-problem-detector/{module.path}/{name}",
                     (module.folder / name).read_bytes())
    return tree


def _go(*arguments):
    return output(["go", *arguments])
