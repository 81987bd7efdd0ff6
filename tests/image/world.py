"""A small Debian in a folder, with what a program of two libraries needs."""

import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "image"))

import archive
import assemble
import debian

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
LOADER = "/lib64/ld-linux-x86-64.so.2"
RELEASE = archive.Release("0.1.0", "0123456789ab", "amd64", 1_700_000_000)
PARTS = assemble.Parts(
    binary=b"berth",
    licence=b"Apache",
    libraries={"libc.so.6": "/lib/x86_64-linux-gnu/libc.so.6", LOADER: LOADER},
    archives=[f"{LIBRARIES}/libgrpc++.a"],
    headers=["/usr/include/nlohmann/json.hpp"],
)
AUTHORITIES = "/usr/share/ca-certificates/mozilla"

# Files by package, "source version" behind a package that is built from another's source.
_PACKAGES = {
    "libc6 glibc 2.36-9": {
        # As dpkg spells them, which are not the paths that they have.
        "/lib/x86_64-linux-gnu/libc.so.6": "libc",
        "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2": "loader",
    },
    "base-files": {
        "/usr/lib/os-release": "ID=debian\n",
        "/usr/share/common-licenses/Apache-2.0": "Apache License",
    },
    "ca-certificates": {f"{AUTHORITIES}/{name}.crt": f"{name}\n" for name in ("b", "a")},
    "libgrpc++-dev grpc 1.51.1-3": {f"{LIBRARIES}/libgrpc++.a": "grpc"},
    "nlohmann-json3-dev nlohmann-json3 3.11.2-2": {"/usr/include/nlohmann/json.hpp": "json"},
}


class World:
    """`order` is that in which packages are installed."""

    def __init__(self, root, order=sorted):
        self.root = pathlib.Path(root)
        (self.root / "var/lib/dpkg/info").mkdir(parents=True)
        (self.root / "usr/lib").mkdir(parents=True)
        (self.root / "usr/lib64").mkdir()
        (self.root / "lib").symlink_to("usr/lib")
        (self.root / "lib64").symlink_to("usr/lib64")
        (self.root / "usr/lib64/ld-linux-x86-64.so.2").symlink_to(
            "../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")
        for package in order(_PACKAGES):
            self._install(package, _PACKAGES[package])
        self._conffile("/etc/debian_version", "12.12\n")
        self.debian = debian.Debian(self.root)

    def write(self, path, text):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def assemble(self, release=RELEASE, probed=None, **parts):
        return assemble.assemble(self.debian, release, PARTS._replace(**parts), probed)

    def _install(self, package, files):
        name, source, version = (package.split() + [package, "12"])[:3]
        notice = f"{name} is under /usr/share/common-licenses/Apache-2.0."
        files = files | {f"/usr/share/doc/{name}/copyright": notice}
        for path, text in files.items():
            self.write(path, text)
        self._info(f"{name}.list", "\n".join(files) + "\n")
        self._info(f"{name}.md5sums", "".join(
            f"{_md5(text)}  {path.lstrip('/')}\n" for path, text in files.items()))
        self._add_to_status(
            f"Package: {name}\nStatus: install ok installed\nMaintainer: Debian\n"
            f"Architecture: amd64\nSource: {source} ({version})\nVersion: {version}+b1\n")

    def _conffile(self, path, text):
        self.write(path, text)
        self._info("base-files.list", f"{path}\n")
        self._add_to_status(
            f"Package: other\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n"
            f"Conffiles:\n {path} {_md5(text)}\n")

    def _info(self, name, text):
        with open(self.root / "var/lib/dpkg/info" / name, "a", encoding="utf-8") as file:
            file.write(text)

    def _add_to_status(self, stanza):
        with open(self.root / "var/lib/dpkg/status", "a", encoding="utf-8") as file:
            file.write(stanza + "\n")


def _md5(text):
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
