"""What `make install` installs, with the notices of what the program holds, as files of an archive."""

import gzip
import os
import pathlib
import tempfile
from typing import NamedTuple

import content
from command import output
from tree import Tree

_SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Program(NamedTuple):
    """Berth for one architecture. `path`: of the binary. `depends`: by which dpkg knows what it needs.
    The packages are those of which files are in the binary or stand beside it in the archive."""

    path: pathlib.Path
    parts: object  # assemble.Parts
    release: object  # archive.Release
    debian: object  # debian.Debian
    depends: str = ""

    @property
    def held(self):
        paths = [*self.parts.archives, *self.parts.headers]
        return sorted({self.debian.owner(path) for path in paths})

    @property
    def libraries(self):
        """Path by name of the shared libraries that not every Linux has: all but glibc's."""
        return {name: path for name, path in self.parts.libraries.items()
                if self.debian.owner(path).source != "glibc"}


def installed(program, writer, prefix, *settings):
    """The files below `prefix` and the notices. `writer`: the program that writes man pages and
    completion, which runs on this machine."""
    tree = Tree()
    with tempfile.TemporaryDirectory() as folder:
        _make_install(program.path, writer, folder, prefix, settings)
        for path in sorted(pathlib.Path(folder).rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_symlink():
                tree.link(name, os.readlink(path))
            elif path.is_file():
                tree.add(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
    return tree


def add_notices(tree, program, folder, packages):
    """Copyright of each package; licences to which it refers are beside them where Debian is not."""
    copyrights, licences = content.notices(program.debian, packages)
    for name, notice in copyrights.items():
        tree.add(f"{folder}/{name}", notice)
    return licences


def tarball(program, writer):
    """The name and the bytes of an archive that runs on any Linux with a glibc as new as Debian 12's."""
    name = f"berth-{program.release.version}-linux-{program.release.architecture}"
    tree = installed(program, writer, f"/{name}")
    beside = {program.debian.owner(path) for path in program.libraries.values()}
    for library, path in program.libraries.items():
        tree.add(f"{name}/lib/berth/{library}", program.debian.read(path))
    tree.add(f"{name}/LICENSE", program.parts.licence)
    doc = f"{name}/share/doc/berth/notices"
    licences = add_notices(tree, program, doc, sorted({*program.held, *beside}))
    for licence, text in licences.items():
        tree.add(f"{doc}/common-licenses/{licence}", text)
    data = gzip.compress(tree.tar(program.release.epoch), mtime=0)
    return f"{name}.tar.gz", data


def _make_install(binary, writer, folder, prefix, settings):
    output(["make", "--no-print-directory", "-C", _SOURCE, "install", f"DESTDIR={folder}",
            f"PREFIX={prefix}", f"BINARY={binary}", f"WRITER={writer}", *settings], "make install")
