import tempfile
import unittest

from world import AUTHORITIES, LIBRARIES, LOADER, World

import debian
from problem import Problem


class DebianTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.world = World(folder.name)
        self.debian = self.world.debian

    def test_knows_the_package_of_a_file_by_every_path_of_it(self):
        for path in (LOADER, "/lib/x86_64-linux-gnu/libc.so.6", f"{LIBRARIES}/libc.so.6"):
            with self.subTest(path):
                package = self.debian.owner(path)
                self.assertEqual((package.name, package.version), ("libc6", "2.36-9+b1"))
                self.assertEqual((package.source, package.source_version), ("glibc", "2.36-9"))

    def test_reads_what_packages_brought(self):
        self.assertEqual(self.debian.read("/lib/x86_64-linux-gnu/libc.so.6"), b"libc")
        self.assertEqual(self.debian.read("/etc/debian_version"), b"12.12\n")

    def test_lists_packaged_files_alone(self):
        self.world.write(f"{AUTHORITIES}/local.crt", "somebody's own")
        self.assertEqual(self.debian.files(AUTHORITIES),
                         [f"{AUTHORITIES}/a.crt", f"{AUTHORITIES}/b.crt"])

    def test_a_changed_file_is_refused_with_what_mends_it(self):
        for path, package in ((f"{LIBRARIES}/libc.so.6", "libc6"),
                              ("/etc/debian_version", "base-files")):
            with self.subTest(path):
                self.world.write(path, "patched")
                with self.assertRaisesRegex(Problem, f"apt-get install --reinstall {package}$"):
                    self.debian.read(path)

    def test_a_missing_file_is_refused_with_what_brings_it(self):
        (self.world.root / "usr/lib/os-release").unlink()
        with self.assertRaisesRegex(Problem, "os-release is missing; run .ci/install-dependencies"):
            self.debian.read("/usr/lib/os-release")

    def test_a_file_of_no_package_is_refused(self):
        self.world.write("/usr/local/lib/libgrpc++.a", "somebody's own")
        with self.assertRaisesRegex(Problem, "libgrpc.*no Debian package.*apt-get"):
            self.debian.owner("/usr/local/lib/libgrpc++.a")

    def test_another_system_is_told_what_to_do(self):
        with self.assertRaisesRegex(Problem, "not Debian; build image/Containerfile"):
            debian.Debian("/nonexistent")


if __name__ == "__main__":
    unittest.main()
