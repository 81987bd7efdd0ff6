import io
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import modules  # finds the modules under test
import chart
import deb
import package
import program
from world import LIBRARIES, PARTS, RELEASE, World

# What `make install` asks of berth.
_SCRIPT = """\
#!/bin/sh
case $1 in
  man) mkdir -p "$2" && echo page >"$2/berth.1" ;;
  completion) echo "for $2" ;;
esac
"""
_INSTALLED = {
    "bin/berth", "bin/kubectl-berth", "bin/kubectl_complete-berth", "share/man/man1/berth.1",
    "share/bash-completion/completions/berth", "share/fish/vendor_completions.d/berth.fish",
}


def _members(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {m.name: m for m in archive.getmembers()}


class ArchivesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.world = World(self.folder / "debian")
        script = self.folder / "berth"
        script.write_text(_SCRIPT)
        script.chmod(0o755)
        libraries = PARTS.libraries | {"libgrpc++.a": f"{LIBRARIES}/libgrpc++.a"}
        self.program = program.Program(script, PARTS._replace(libraries=libraries), RELEASE,
                                       self.world.debian, "libc6 (>= 2.36)")

    def tarball(self):
        return program.tarball(self.program, self.program.path)

    def test_the_archive_has_what_is_installed_and_libraries_beside_it(self):
        name, data = self.tarball()
        self.assertEqual(name, "berth-0.1.0-linux-amd64.tar.gz")
        top = "berth-0.1.0-linux-amd64"
        files = {path.removeprefix(top + "/") for path, m in _members(data).items() if not m.isdir()}
        notices = "share/doc/berth/notices"
        self.assertEqual(files, _INSTALLED | {
            "LICENSE", "share/zsh/site-functions/_berth", "lib/berth/libgrpc++.a",
            f"{notices}/libgrpc++-dev", f"{notices}/nlohmann-json3-dev",
            f"{notices}/common-licenses/Apache-2.0"})

    def test_the_program_finds_libraries_where_the_archive_has_them(self):
        said = (modules.ROOT / "cli/CMakeLists.txt").read_text()
        self.assertIn('INSTALL_RPATH "$ORIGIN/../lib/berth"', said)

    def test_every_entry_is_roots_and_of_the_commits_time(self):
        for name, member in _members(self.tarball()[1]).items():
            with self.subTest(name):
                self.assertEqual((member.uid, member.gid, member.mtime), (0, 0, RELEASE.epoch))
                if not member.issym():
                    executable = member.isdir() or name.endswith("bin/berth")
                    self.assertEqual(member.mode, 0o755 if executable else 0o644)

    def test_neither_time_nor_umask_changes_a_byte(self):
        def made():
            return self.tarball()[1], deb.deb(self.program, self.program.path)[1]
        one = made()
        os.utime(self.program.path, (1, 1))
        self.addCleanup(os.umask, os.umask(0o077))
        self.assertEqual(one, made())

    def test_the_debian_package_has_what_is_installed(self):
        name, data = deb.deb(self.program, self.program.path)
        self.assertEqual(name, "berth_0.1.0_amd64.deb")
        file = self.folder / name
        file.write_bytes(data)
        tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], check=True, capture_output=True)
        files = {path.removeprefix("./usr/") for path, m in _members(tar.stdout).items()
                 if not m.isdir()}
        self.assertEqual(files, _INSTALLED | {
            "share/zsh/vendor-completions/_berth", "share/doc/berth/copyright",
            "share/doc/berth/notices/libgrpc++-dev", "share/doc/berth/notices/nlohmann-json3-dev"})
        fields = subprocess.run(["dpkg-deb", "--field", file, "Package", "Version", "Architecture",
                                 "Depends"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(fields, "Package: berth\nVersion: 0.1.0\nArchitecture: amd64\n"
                                 "Depends: libc6 (>= 2.36)\n")

    def test_a_pre_release_is_named_as_dpkg_orders_it(self):
        early = self.program._replace(release=RELEASE._replace(version="0.2.0-rc.1"))
        self.assertEqual(deb.deb(early, self.program.path)[0], "berth_0.2.0~rc.1_amd64.deb")

    def test_dpkg_installs_verifies_and_removes_the_package(self):
        name, data = deb.deb(self.program, self.program.path)
        file, root = self.folder / name, self.folder / "root"
        file.write_bytes(data)
        (root / "var/lib/dpkg/updates").mkdir(parents=True)
        (root / "var/lib/dpkg/info").mkdir()
        (root / "var/lib/dpkg/status").touch()

        def dpkg(*words):
            return subprocess.run(
                ["dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--log=/dev/null",
                 "--force-architecture", *words], check=True, capture_output=True, text=True).stdout
        dpkg("--install", file)
        self.assertEqual(os.readlink(root / "usr/bin/kubectl-berth"), "berth")
        self.assertEqual(dpkg("--verify", "berth"), "")
        (root / "usr/bin/berth").write_text("changed")
        self.assertIn("/usr/bin/berth", dpkg("--verify", "berth"))
        dpkg("--remove", "berth")
        self.assertFalse((root / "usr/bin").exists())


class ChartTest(unittest.TestCase):
    def test_helm_reads_the_archive_of_another_version(self):
        cache = pathlib.Path(os.environ.get("BERTH_CACHE") or modules.ROOT / ".cache")
        helm = cache / "bin/helm"
        if not helm.exists():
            self.skipTest("helm has not been built: tests/e2e/build/build.sh helm")
        release = RELEASE._replace(version="0.2.0-dev.3.g0123")
        name, data = chart.chart(helm, release)
        self.assertEqual(name, "berth-chart-0.2.0-dev.3.g0123.tgz")
        self.assertEqual(data, chart.chart(helm, release)[1])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, name)
            file.write_bytes(data)
            said = subprocess.run([helm, "template", "berth", file], check=True, capture_output=True,
                                  text=True).stdout
        self.assertIn("image: \"berth:0.2.0-dev.3.g0123\"", said)
        self.assertNotIn("0.1.0", said)

    def test_times_and_order_of_the_archive_are_ours(self):
        def tar(names, mtime):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w:gz") as archive:
                for name in names:
                    member = tarfile.TarInfo(name)
                    member.mtime = mtime
                    archive.addfile(member)
            return chart.rewritten(out.getvalue(), RELEASE.epoch)
        one = tar(["berth/Chart.yaml", "berth/values.yaml"], 1)
        self.assertEqual(one, tar(["berth/values.yaml", "berth/Chart.yaml"], 2))
        self.assertEqual({m.mtime for m in _members(one).values()}, {RELEASE.epoch})


class ChecksumsTest(unittest.TestCase):
    def test_sha256sum_reads_them(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("b.deb", "a.tar.gz", "SHA256SUMS"):
                pathlib.Path(folder, name).write_text(name)
            sums = package.checksums(pathlib.Path(folder))
            self.assertEqual([line.split()[1] for line in sums.splitlines()], ["a.tar.gz", "b.deb"])
            done = subprocess.run(["sha256sum", "--check", "--strict"], input=sums, cwd=folder,
                                  text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
