import pathlib
import subprocess
import tempfile
import unittest

from world import World

import sysroot
from debian import Cross, Debian
from problem import Problem

_TRIPLET = "aarch64-linux-gnu"
_LIBRARY = f"/usr/lib/{_TRIPLET}/libx.so"
_CONTROL = """\
Package: libx-dev
Version: 1.2-3
Architecture: arm64
Multi-Arch: same
Source: x
Maintainer: Debian
Description: a library
"""


def _package(folder):
    """A package as some of Debian's are: for /lib, with an absolute link and a configuration."""
    root = folder / "libx-dev"
    for path, text in (
        ("DEBIAN/control", _CONTROL),
        ("DEBIAN/conffiles", "/etc/x.conf\nremove-on-upgrade /etc/old.conf\n"),
        ("DEBIAN/md5sums", ""),
        ("DEBIAN/shlibs", "libx 1 libx-dev (>= 1.2)\n"),
        ("etc/x.conf", "setting"),
        (f"lib/{_TRIPLET}/libx.so.1", "library"),
        (f"usr/include/{_TRIPLET}/x.h", "header"),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / _LIBRARY[1:]).parent.mkdir(parents=True)
    (root / _LIBRARY[1:]).symlink_to(f"/lib/{_TRIPLET}/libx.so.1")
    made = folder / "libx-dev_1.2-3_arm64.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, made], check=True,
                   capture_output=True)
    return made


class SysrootTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.root = self.folder / "sysroot"
        made = sysroot.Sysroot(self.root)
        made.unpack(_package(self.folder))
        made.relink()

    def test_links_stay_within(self):
        self.assertEqual((self.root / _LIBRARY[1:]).resolve(),
                         self.root / f"usr/lib/{_TRIPLET}/libx.so.1")
        self.assertEqual((self.root / _LIBRARY[1:]).read_text(), "library")

    def test_the_database_says_whose_files_are(self):
        debian = Debian(self.root)
        for path in (_LIBRARY, f"/lib/{_TRIPLET}/libx.so.1", f"/usr/lib/{_TRIPLET}/libx.so.1"):
            with self.subTest(path):
                package = debian.owner(path)
                self.assertEqual((package.name, package.version, package.architecture),
                                 ("libx-dev", "1.2-3", "arm64"))
        self.assertEqual(debian.read("/etc/x.conf"), b"setting")

    def test_dpkg_reads_the_database(self):
        said = subprocess.run(
            ["dpkg-query", f"--admindir={self.root}/var/lib/dpkg", "--search", "*/x.h"],
            check=True, capture_output=True, text=True).stdout
        self.assertEqual(said, f"libx-dev:arm64: /usr/include/{_TRIPLET}/x.h\n")
        shlibs = self.root / "var/lib/dpkg/info/libx-dev:arm64.shlibs"
        self.assertIn("libx 1", shlibs.read_text())

    def test_files_of_the_cross_compiler_are_this_machines(self):
        host = World(self.folder / "host")
        host.write("/usr/include/nlohmann/json.hpp", "json")
        debian = Cross(self.root, host.debian)
        self.assertEqual(debian.owner(f"{self.root}/usr/include/{_TRIPLET}/x.h").name, "libx-dev")
        self.assertEqual(debian.owner("/usr/include/nlohmann/json.hpp").name, "nlohmann-json3-dev")
        with self.assertRaisesRegex(Problem, "is of no Debian package"):
            debian.owner("/usr/local/include/x.h")

    def test_what_is_complete_is_left_as_it_is(self):
        sysroot.Sysroot(self.folder / "other").complete("arm64 libx-dev")
        sysroot.make("arm64", self.folder / "other", ["libx-dev"])
        self.assertTrue((self.folder / "other/var/lib/dpkg/info/format").exists())


if __name__ == "__main__":
    unittest.main()
