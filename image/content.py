"""The two layers of the image: what Debian brings, and Berth with the notices of what it holds."""

import pathlib
import re

from problem import Problem
from tree import Tree

USER = 65532

_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
# By which scanners know the distribution.
_RELEASE = ("/usr/lib/os-release", "/etc/debian_version")

_PASSWD = f"""\
root:x:0:0:root:/root:/usr/sbin/nologin
nonroot:x:{USER}:{USER}:nonroot:/nonexistent:/usr/sbin/nologin
"""
_GROUP = f"root:x:0:\nnonroot:x:{USER}:\n"
# What the loader brings for names of hosts is in libc itself.
_NSSWITCH = "passwd: files\ngroup: files\nhosts: files dns\n"


def base_layer(debian, libraries):
    """Shared libraries (path by name), authorities, users, and what scanners know Debian by.

    Nothing of it changes with Berth's commits, so nodes and registries keep it.
    """
    tree = Tree()
    tree.add("/etc/passwd", _PASSWD)
    tree.add("/etc/group", _GROUP)
    tree.add("/etc/nsswitch.conf", _NSSWITCH)
    _add_libraries(tree, debian, libraries)
    _add_authorities(tree, debian)
    for path in _RELEASE:
        tree.add(path, debian.read(path))
    tree.link("/etc/os-release", "../usr/lib/os-release")
    packages = base_packages(debian, libraries)
    _add_notices(tree, debian, packages)
    _add_entries(tree, packages)
    return tree


def base_packages(debian, libraries):
    files = [*libraries.values(), *_RELEASE, *_authorities(debian)]
    return sorted({debian.owner(path) for path in files})


def berth_layer(debian, binary, licence, linked, compiled, base):
    """The program, and for the packages in it the notices that the base has not.

    Packages of which only headers were used have no entry for scanners: most of what those would
    report about them (the kernel's headers, for one) is in no program.
    """
    tree = Tree()
    tree.add("/usr/bin/berth", binary, 0o755)
    # The names by which kubectl knows it, for those who copy it out of the image.
    for name in ("kubectl-berth", "kubectl_complete-berth"):
        tree.link(f"/usr/bin/{name}", "berth")
    tree.add("/usr/share/doc/berth/copyright", licence)
    _add_notices(tree, debian, {*linked, *compiled})
    _add_entries(tree, linked)
    for path in tree.entries.keys() & base.entries.keys():
        if tree.entries[path].data is not None:
            del tree.entries[path]
    return tree


def check(trees):
    """Raises a Problem if the image would hold what nobody should be able to use."""
    for tree in trees:
        for path, entry in tree.entries.items():
            if entry.target:
                continue
            if entry.mode & 0o6022:
                raise Problem(f"/{path} of the image would be set-id or writable by others")
            if re.search(r"(^|/)(a|ba|da|z|k)?sh$|busybox", path):
                raise Problem(f"/{path} of the image would be a shell")


def _add_libraries(tree, debian, libraries):
    tree.link("/lib", "usr/lib")
    if any(name.startswith("/lib64/") for name in libraries):
        tree.link("/lib64", "usr/lib64")
    for name, path in libraries.items():
        if name.startswith("/"):  # the loader, by the path that the program names
            real = debian.resolve(path)
            tree.add(real, debian.read(real), 0o755)
            tree.link("/usr" + name, f"..{real.removeprefix('/usr')}")
        else:
            folder = pathlib.PurePosixPath(path).parent
            tree.add(f"/usr/{str(folder).removeprefix('/usr').lstrip('/')}/{name}", debian.read(path))


def notices(debian, packages):
    """Copyright by name of the package, and the licences to which they refer, by name."""
    copyrights, licences = {}, {}
    for package in packages:
        notice = debian.read(f"/usr/share/doc/{package.name}/copyright")
        copyrights[package.name] = notice
        for name in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", notice.decode()):
            licences[name] = debian.read(debian.resolve(f"/usr/share/common-licenses/{name}"))
    return copyrights, licences


def _add_notices(tree, debian, packages):
    copyrights, licences = notices(debian, packages)
    for name, notice in copyrights.items():
        tree.add(f"/usr/share/doc/{name}/copyright", notice)
    for name, licence in licences.items():
        tree.add(f"/usr/share/common-licenses/{name}", licence)


def _add_entries(tree, packages):
    """By which scanners know what is in the image."""
    for package in packages:
        tree.add(f"/var/lib/dpkg/status.d/{package.name}", _status(package))


def _authorities(debian):
    return debian.files("/usr/share/ca-certificates/mozilla")


def _add_authorities(tree, debian):
    """Debian's, without those that an administrator has added to this machine."""
    bundle = [debian.read(path) for path in _authorities(debian)]
    if not bundle:
        raise Problem("there are no authorities; run: apt-get install --reinstall ca-certificates")
    tree.add(_CERTIFICATES, b"".join(bundle))
    tree.link("/usr/lib/ssl/cert.pem", _CERTIFICATES)  # where OpenSSL looks


def _status(package):
    lines = {
        "Package": package.name,
        "Status": "install ok installed",
        "Maintainer": package.maintainer,
        "Architecture": package.architecture,
        "Source": f"{package.source} ({package.source_version})",
        "Version": package.version,
        "Homepage": package.homepage,
    }
    return "".join(f"{field}: {value}\n" for field, value in lines.items() if value)
