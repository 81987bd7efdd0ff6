#!/usr/bin/env python3
"""Unpacks Debian's packages of another architecture, against which Berth is compiled for it.

    image/sysroot.py ARCHITECTURE FOLDER PACKAGE...

apt chooses, fetches and verifies the packages and all that they depend on, as it would for a new
machine of that architecture, from the sources of this one. Nothing on this machine changes. The
folder has a database of dpkg's own form, from which image/debian.py reads whose the files are.
Does nothing where the folder is complete for these packages; remove it to have newer ones.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

from command import output
from problem import Problem

_STAMP = "var/lib/dpkg/complete"
# In Debian 12 these are links into /usr, which no package brings.
_MERGED = ("bin", "lib", "sbin")
# Packages of others could take the place of Debian's.
_PREFERENCES = """\
Package: *
Pin: release o=Debian
Pin-Priority: 500

Package: *
Pin: release n=*
Pin-Priority: -1
"""


class Apt:
    """apt as on a machine of an architecture where nothing is installed. Keeps its state in a folder."""

    def __init__(self, architecture, folder):
        self._archives = folder / "archives"
        (self._archives / "partial").mkdir(parents=True, exist_ok=True)
        (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "preferences").write_text(_PREFERENCES)
        self._config = folder / "apt.conf"
        self._config.write_text(
            f'APT::Architecture "{architecture}";\n'
            f'APT::Architectures {{ "{architecture}"; }};\n'
            f'APT::Sandbox::User "root";\n'  # the folder may be readable for nobody else
            f'Dir::State "{folder}";\n'
            f'Dir::State::status "{folder}/status";\n'
            f'Dir::Cache "{folder}";\n'
            f'APT::Keep-Downloaded-Packages "true";\n'
            f'Dir::Etc::preferences "{folder}/preferences";\n'
            f'Dir::Etc::preferencesparts "/dev/null";\n')

    def fetch(self, packages):
        """Archives of the packages and of all that they depend on."""
        self._run("update")
        self._run("install", "--download-only", *packages)
        return sorted(self._archives.glob("*.deb"))

    def _run(self, command, *arguments):
        words = ["apt-get", command, "-y", "--no-install-recommends", *arguments]
        environment = os.environ | {"APT_CONFIG": str(self._config), "LC_ALL": "C"}
        return _output(words, env=environment)


class Sysroot:
    def __init__(self, root):
        self.root = root
        self._database = root / "var/lib/dpkg"
        (self._database / "info").mkdir(parents=True)
        (self._database / "info/format").write_text("1\n")
        for name in _MERGED:
            (root / "usr" / name).mkdir(parents=True)
            (root / name).symlink_to(f"usr/{name}")

    def unpack(self, archive):
        """The files of a package, and what dpkg would note of them. Runs none of its scripts."""
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive],
                              stdout=subprocess.PIPE) as files:
            listed = _output(["tar", "--extract", "--verbose", "--keep-directory-symlink",
                              "--no-same-owner", "--directory", self.root], stdin=files.stdout)
        if files.returncode != 0:
            raise Problem(f"{archive} cannot be unpacked; remove it")
        name = self._name(archive)
        paths = [line.removeprefix(".").rstrip("/") or "/." for line in listed.splitlines()]
        self._info(name, "list").write_text("".join(path + "\n" for path in paths))
        self._note(archive, name)

    def relink(self):
        """Has links that name a path from the root lead to where it is below this one."""
        for folder, folders, files in os.walk(self.root):
            for path in (pathlib.Path(folder, name) for name in (*folders, *files)):
                target = os.readlink(path) if path.is_symlink() else ""
                if target.startswith("/"):
                    path.unlink()
                    path.symlink_to(os.path.relpath(self.root / target[1:], path.parent))

    def complete(self, stamp):
        (self.root / _STAMP).write_text(stamp)

    def _name(self, archive):
        """As dpkg names what it notes of a package."""
        name, architecture, kind = _output(
            ["dpkg-deb", "--show", "--showformat", "${Package} ${Architecture} ${Multi-Arch}",
             archive]).split(" ")
        return f"{name}:{architecture}" if kind == "same" else name

    def _note(self, archive, name):
        control = self._database / "control"
        _output(["dpkg-deb", "--control", archive, control])
        for kind in ("md5sums", "shlibs", "symbols"):
            if (control / kind).exists():
                (control / kind).rename(self._info(name, kind))
        fields = (control / "control").read_text().rstrip("\n").split("\n", 1)
        stanza = f"{fields[0]}\nStatus: install ok installed\n{fields[1]}\n"
        if (control / "conffiles").exists():
            lines = (control / "conffiles").read_text().splitlines()
            stanza += self._conffiles([line for line in lines if line.startswith("/")])
        with open(self._database / "status", "a", encoding="utf-8") as status:
            status.write(stanza + "\n")
        shutil.rmtree(control)

    def _conffiles(self, paths):
        sums = {path: hashlib.md5((self.root / path[1:]).read_bytes(), usedforsecurity=False)
                for path in paths}
        return "Conffiles:\n" + "".join(f" {path} {s.hexdigest()}\n" for path, s in sums.items())

    def _info(self, name, kind):
        return self._database / "info" / f"{name}.{kind}"


def make(architecture, root, packages):
    stamp = " ".join([architecture, *packages])
    if (root / _STAMP).exists() and (root / _STAMP).read_text() == stamp:
        return
    print(f"==> unpacking Debian's packages of {architecture} ({root})", flush=True)
    shutil.rmtree(root, ignore_errors=True)
    state = root.parent / f"{root.name}.apt"
    shutil.rmtree(state, ignore_errors=True)
    archives = Apt(architecture, state).fetch(packages)
    sysroot = Sysroot(root)
    for archive in archives:
        sysroot.unpack(archive)
    sysroot.relink()
    sysroot.complete(stamp)
    shutil.rmtree(state)


def _output(words, **arguments):
    return output(words, " ".join(words[:2]), **arguments)


if __name__ == "__main__":
    try:
        make(sys.argv[1], pathlib.Path(sys.argv[2]).absolute(), sys.argv[3:])
    except (Problem, OSError) as problem:
        sys.exit(f"image: {problem}")
