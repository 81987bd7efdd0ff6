"""The Debian package: https://www.debian.org/doc/debian-policy/ch-controlfields.html."""

import hashlib
import os
import pathlib
import shutil
import tempfile

import version
from command import output
from program import add_notices, installed
from tree import Tree

_CONTROL = """\
Package: berth
Version: {version}
Architecture: {architecture}
Maintainer: The authors of Berth
Installed-Size: {size}
Depends: {depends}
Recommends: ca-certificates
Section: admin
Priority: optional
Description: places machine-learning pods on Kubernetes clusters
 Berth extends kube-scheduler for clusters with several kinds of accelerators,
 where some node is always broken, and makes pods and Jobs safe to run. This
 package has the program, the plugin of kubectl, man pages and completion.
"""


def deb(program, writer):
    """The name and the bytes of the package."""
    tree = files(program, writer)
    release = program.release
    number = version.debian(release.version)
    control = _CONTROL.format(version=number, architecture=release.architecture,
                              size=installed_size(tree), depends=program.depends)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        _whole(tree, control).unpack_at(root, release.epoch)
        package = pathlib.Path(folder, "berth.deb")
        _run(["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "--build", root, package],
             SOURCE_DATE_EPOCH=str(release.epoch))
        return f"berth_{number}_{release.architecture}.deb", package.read_bytes()


def files(program, writer):
    """Debian has the licences to which notices refer, and a folder of its own for zsh."""
    tree = installed(program, writer, "/usr", "ZSH_FUNCTIONS=/usr/share/zsh/vendor-completions")
    tree.add("usr/share/doc/berth/copyright", program.parts.licence)
    add_notices(tree, program, "usr/share/doc/berth/notices", program.held)
    return tree


def installed_size(tree):
    """In KiB, as policy 5.6.20 counts."""
    return sum(-(-len(entry.data) // 1024) if entry.data else 1 for entry in tree.entries.values())


def depends(binary, architecture, sysroot=None):
    """What dpkg-shlibdeps finds the program to depend on: "libc6 (>= 2.36), ..."."""
    with tempfile.TemporaryDirectory() as folder:
        control = pathlib.Path(folder, "debian/control")
        control.parent.mkdir()
        control.write_text("Source: berth\n\nPackage: berth\nArchitecture: any\n")
        options = _below(sysroot, pathlib.Path(folder, "dpkg")) if sysroot else []
        said = _run(["dpkg-shlibdeps", *options, "-O", "-e", binary], cwd=folder,
                    DEB_HOST_ARCH=architecture)
    return said.strip().removeprefix("shlibs:Depends=")


def _below(sysroot, database):
    """Has dpkg-shlibdeps look below a sysroot: there its database names no files, so a copy does."""
    shutil.copytree(sysroot / "var/lib/dpkg", database)
    for listing in (database / "info").glob("*.list"):
        paths = [path for path in listing.read_text().splitlines() if path != "/."]
        listing.write_text("".join(f"{sysroot}{path}\n" for path in paths))
    folders = sorted(sysroot.glob("usr/lib/*-linux-gnu")) + sorted(sysroot.glob("lib/*-linux-gnu"))
    return [f"--admindir={database}", f"-l{sysroot}/lib", *(f"-l{folder}" for folder in folders)]


def _whole(tree, control):
    """With what dpkg reads and dpkg --verify compares."""
    whole = Tree()
    whole.entries |= tree.entries
    sums = {path: hashlib.md5(entry.data, usedforsecurity=False).hexdigest()
            for path, entry in sorted(tree.entries.items()) if entry.data is not None}
    whole.add("DEBIAN/control", control)
    whole.add("DEBIAN/md5sums", "".join(f"{digest}  {path}\n" for path, digest in sums.items()))
    return whole


def _run(words, cwd=None, **environment):
    return output(words, words[0], cwd=cwd, env=os.environ | environment)
