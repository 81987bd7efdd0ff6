"""What dpkg knows about the files on this machine. Read from its database, /var/lib/dpkg."""

import functools
import hashlib
import os
import pathlib
import re
from typing import NamedTuple

from problem import Problem


class Package(NamedTuple):
    name: str
    version: str
    architecture: str
    source: str
    source_version: str
    maintainer: str
    homepage: str  # "" where the package names none


def _package(stanza):
    fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", stanza, re.MULTILINE))
    source = re.fullmatch(r"(\S+)(?: \((.*)\))?", fields.get("Source", fields["Package"]))
    return Package(
        name=fields["Package"],
        version=fields["Version"],
        architecture=fields["Architecture"],
        source=source[1],
        source_version=source[2] or fields["Version"],
        maintainer=fields.get("Maintainer", ""),
        homepage=fields.get("Homepage", ""),
    )


class Debian:
    """The packages below `root`. Paths are absolute, as a program on that machine sees them."""

    def __init__(self, root="/"):
        self.root = pathlib.Path(root)
        self._database = self.root / "var/lib/dpkg"
        if not (self._database / "status").exists():
            raise Problem("the image is made of Debian's packages, and this is not Debian; "
                          "build image/Containerfile instead")

    @functools.cached_property
    def _packages(self):
        """Package by name and by name:architecture; the first of several architectures wins."""
        stanzas = (self._database / "status").read_text().split("\n\n")
        packages = {}
        for package in [_package(stanza) for stanza in stanzas if "\nStatus: install ok" in stanza]:
            packages.setdefault(package.name, package)
            packages[f"{package.name}:{package.architecture}"] = package
        return packages

    @functools.cached_property
    def _owners(self):
        """Name of the list, which is the package's with or without architecture, by path."""
        owners = {}
        for listing in sorted((self._database / "info").glob("*.list")):
            for path in listing.read_text().splitlines():
                owners[path] = listing.stem
        return owners

    @property
    def architecture(self):
        """Of the programs, as Debian and Go call it."""
        return self._packages["libc6"].architecture

    def resolve(self, path):
        """The path of the file behind all symbolic links."""
        return "/" + os.path.relpath(os.path.realpath(self._on_disk(path)), self.root.resolve())

    def owner(self, path):
        """The package of a file."""
        listed = self._listed(path)
        if listed is None:
            raise Problem(
                f"{path} is of no Debian package, so nobody else would get the same file; "
                "install what it is from with apt-get, and remove what lies in front of it"
            )
        return self._packages[self._owners[listed]]

    def read(self, path):
        """The bytes of a file, which must be those that its package brought."""
        try:
            data = self._on_disk(path).read_bytes()
        except FileNotFoundError:
            raise Problem(f"{path} is missing; run .ci/install-dependencies") from None
        package = self.owner(path)
        packaged = self._checksum(self._listed(path))
        if packaged != hashlib.md5(data, usedforsecurity=False).hexdigest():
            raise Problem(
                f"{path} is not as the package {package.name} brought it; "
                f"run: apt-get install --reinstall {package.name}"
            )
        return data

    def files(self, folder):
        """Paths of the packaged files below a folder, sorted."""
        return sorted(p for p in self._owners if p.startswith(folder + "/") and self._is_file(p))

    def _listed(self, path):
        """As dpkg spells the path. Packages name files below /lib that are in /usr/lib now."""
        real = self.resolve(path)
        spellings = [real, real.removeprefix("/usr"), path]
        return next((spelling for spelling in spellings if spelling in self._owners), None)

    def _checksum(self, listed):
        packaged = self._checksums(self._owners[listed])
        return packaged.get(listed) or self._conffiles.get(listed)

    @functools.cached_property
    def _conffiles(self):
        """Checksum by path of what dpkg keeps apart, because administrators may change it."""
        status = (self._database / "status").read_text()
        return dict(re.findall(r"^ (/\S+) ([0-9a-f]{32})$", status, re.MULTILINE))

    @functools.cache
    def _checksums(self, listing):
        lines = (self._database / f"info/{listing}.md5sums").read_text().splitlines()
        return {"/" + path: checksum for checksum, path in (line.split("  ", 1) for line in lines)}

    def _on_disk(self, path):
        return self.root / path.lstrip("/")

    def _is_file(self, path):
        return self._on_disk(path).is_file()


class Cross(Debian):
    """A sysroot of another architecture, and behind it this machine, whose cross compiler has files of
    its own. Paths of the sysroot's files may begin with the sysroot's."""

    def __init__(self, root, host):
        super().__init__(pathlib.Path(root).resolve())
        self._host = host

    def owner(self, path):
        path = path.removeprefix(str(self.root))
        return super().owner(path) if self._listed(path) else self._host.owner(path)

    def read(self, path):
        # What the compiler adds is of the same sources, and its packages lack some of the notices.
        return super().read(path.replace(f"-{self.architecture}-cross/copyright", "/copyright"))
