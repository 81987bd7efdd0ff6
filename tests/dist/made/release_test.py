"""Tries what `make dist` has left in build/dist: dist/check runs this."""

import json
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest

import yaml

_ROOT = pathlib.Path(__file__).resolve().parents[3]
_DIST = _ROOT / "build/dist"
_SYSROOT = _ROOT / "build/sysroot-arm64"
_MACHINES = {"amd64": 62, "arm64": 183}  # e_machine, elf(5)
_JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train, resources: {limits: {nvidia.com/gpu: 1}}}]
"""


def _run(*words, **arguments):
    return subprocess.run(words, check=True, capture_output=True, text=True, **arguments).stdout


def _one(pattern):
    found = sorted(_DIST.glob(pattern))
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def _version():
    """By the name of an archive, which is that of the release."""
    return re.fullmatch(r"berth-(.*)-linux-amd64.tar.gz", _one("*-linux-amd64.tar.gz").name)[1]


class FilesTest(unittest.TestCase):
    def test_checksums_hold_for_every_file(self):
        _run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=_DIST)
        named = {line.split()[1] for line in (_DIST / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(named, {file.name for file in _DIST.iterdir()} - {"SHA256SUMS"})

    def test_every_kind_of_file_is_there(self):
        version = _version()
        debian = version.replace("-", "~", 1)
        want = {f"berth-chart-{version}.tgz", "SHA256SUMS"}
        for architecture in _MACHINES:
            want |= {f"berth-{version}-linux-{architecture}.tar.gz",
                     f"berth_{debian}_{architecture}.deb", f"berth-{version}-{architecture}.tar",
                     f"berth-{version}-{architecture}.spdx.json"}
        self.assertEqual({file.name for file in _DIST.iterdir()}, want)

    def test_the_chart_asks_for_the_image_that_is_there(self):
        helm = pathlib.Path(os.environ.get("BERTH_CACHE") or _ROOT / ".cache") / "bin/helm"
        archive = _one("berth-chart-*.tgz")
        about = yaml.safe_load(_run(helm, "show", "chart", archive))
        self.assertEqual((about["version"], about["appVersion"]), (_version(), _version()))
        rendered = _run(helm, "template", "berth", archive)
        with tarfile.open(_one("berth-*-amd64.tar")) as image:
            manifest = json.load(image.extractfile("manifest.json"))
        self.assertEqual(manifest[0]["RepoTags"], [f"berth:{_version()}"])
        self.assertIn(f'image: "berth:{_version()}"', rendered)

    def test_bills_of_materials_name_archive_and_architecture(self):
        for architecture in _MACHINES:
            bill = json.loads(_one(f"*-{architecture}.spdx.json").read_text())
            linked = {r["relatedSpdxElement"] for r in bill["relationships"]
                      if r["relationshipType"] == "STATIC_LINK"}
            self.assertIn("SPDXRef-libgrpc-plus-plus-dev", linked)
            grpc = next(p for p in bill["packages"] if p["name"] == "libgrpc++-dev")
            self.assertIn(f"?arch={architecture}&", grpc["externalRefs"][0]["referenceLocator"])

    def test_both_architectures_are_made_of_the_same_packages(self):
        made = []
        for architecture in _MACHINES:
            bill = json.loads(_one(f"*-{architecture}.spdx.json").read_text())
            names = {p["SPDXID"]: p["name"].removesuffix("-arm64-cross") for p in bill["packages"]}
            made.append({(r["relationshipType"], names.get(r["spdxElementId"]),
                          names.get(r["relatedSpdxElement"])) for r in bill["relationships"]})
        self.assertIn(("BUILD_DEPENDENCY_OF", "libboost1.81-dev", "berth"), made[0])
        self.assertEqual(made[0], made[1])


class _Tried:
    """The programs of an architecture."""

    architecture = ""

    def emulator(self, _root=None):
        """What runs a program of the architecture here, with the libraries below a folder."""
        return ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def archive(self):
        with tarfile.open(_one(f"*-linux-{self.architecture}.tar.gz")) as archive:
            archive.extractall(self.folder)
        return self.folder / f"berth-{_version()}-linux-{self.architecture}"

    def package(self):
        _run("dpkg-deb", "--extract", _one(f"berth_*_{self.architecture}.deb"), self.folder / "deb")
        return self.folder / "deb/usr"

    def image(self):
        """The files of the image."""
        root = self.folder / "image"
        with tarfile.open(_one(f"berth-*-{self.architecture}.tar")) as image:
            manifest = json.load(image.extractfile("manifest.json"))[0]
            about = json.load(image.extractfile(manifest["Config"]))
            self.assertEqual(about["architecture"], self.architecture)
            for layer in manifest["Layers"]:
                with tarfile.open(fileobj=image.extractfile(layer)) as files:
                    files.extractall(root)
        return root

    def run_in(self, place, *arguments, name="berth"):
        return _run(*self.emulator(), place / "bin" / name, *arguments)

    def test_the_program_is_of_the_architecture(self):
        for place in (self.archive(), self.package()):
            data = (place / "bin/berth").read_bytes()
            self.assertEqual(int.from_bytes(data[18:20], "little"), _MACHINES[self.architecture])

    def test_the_program_says_the_version(self):
        for place in (self.archive(), self.package()):
            said = json.loads(self.run_in(place, "version", "-o", "json"))
            self.assertEqual(said["version"], _version())
            self.assertNotRegex(said["revision"], "dirty|unknown")

    def test_the_program_judges_configuration_and_jobs(self):
        place = self.archive()
        defaults = self.folder / "berth.yaml"
        defaults.write_text(self.run_in(place, "config", "defaults"))
        self.run_in(place, "config", "validate", defaults)
        defaults.write_text(defaults.read_text() + "nonsense: 1\n")
        with self.assertRaises(subprocess.CalledProcessError) as raised:
            self.run_in(place, "config", "validate", defaults)
        self.assertEqual(raised.exception.returncode, 2)
        self.assertIn("nonsense", raised.exception.stderr)
        job = self.folder / "job.yaml"
        job.write_text(_JOB)
        done = subprocess.run([*self.emulator(), place / "bin/berth", "mutate", "-f", job],
                              capture_output=True, text=True, check=False)
        self.assertIn("+", done.stdout, done.stderr)
        self.assertIn("podFailurePolicy", done.stdout)

    def test_kubectl_finds_the_plugin(self):
        place = self.archive()
        self.assertIn("kubectl berth", self.run_in(place, "--help", name="kubectl-berth"))

    def test_people_find_help_and_the_licence(self):
        for place in (self.archive(), self.package()):
            self.assertIn("berth", (place / "share/man/man1/berth.1").read_text())
            self.assertIn("berth", (place / "share/bash-completion/completions/berth").read_text())
        self.assertIn("Apache License", (self.archive() / "LICENSE").read_text())
        self.assertIn("Apache License", (self.package() / "share/doc/berth/copyright").read_text())

    def test_the_package_depends_on_what_the_program_needs(self):
        package = _one(f"berth_*_{self.architecture}.deb")
        depends = _run("dpkg-deb", "--field", package, "Depends")
        for library in ("libc6", "libstdc++6", "libfmt9"):
            self.assertRegex(depends, rf"(^|, ){re.escape(library)} \(>= ")


class Amd64Test(_Tried, unittest.TestCase):
    architecture = "amd64"

    def test_the_image_has_all_libraries_of_the_program(self):
        root = self.image()
        said = _run(root / "lib64/ld-linux-x86-64.so.2", "--library-path",
                    root / "usr/lib/x86_64-linux-gnu", "--inhibit-cache", "--list",
                    root / "usr/bin/berth")
        found = re.findall(r"=> (/\S+)", said)
        self.assertTrue(found and all(path.startswith(str(root)) for path in found), said)

    def test_libraries_of_the_archive_come_before_the_machines(self):
        place = self.archive()
        said = _run("ldd", place / "bin/berth")
        for library in (place / "lib/berth").iterdir():
            self.assertIn(f"{library.name} => {place}/bin/../lib/berth/{library.name}", said)
        elsewhere = re.findall(r"(\S+) => (?!/\S*/lib/berth/)\S+", said)
        self.assertTrue(set(elsewhere) <= {"libc.so.6", "libm.so.6"}, said)

    def test_apt_would_install_the_package(self):
        package = _one("berth_*_amd64.deb")
        said = _run("apt-get", "install", "--simulate", "--no-install-recommends", package)
        self.assertIn("Inst berth ", said)


class Arm64Test(_Tried, unittest.TestCase):
    """Under emulation; nothing of it has run on such a machine."""

    architecture = "arm64"

    def emulator(self, root=None):
        return ("qemu-aarch64-static", "-L", str(root or _SYSROOT))

    def test_the_archive_needs_glibc_alone(self):
        glibc = self.folder / "glibc"
        for path in ("lib/ld-linux-aarch64.so.1", "lib/aarch64-linux-gnu/libc.so.6",
                     "lib/aarch64-linux-gnu/libm.so.6"):
            (glibc / path).parent.mkdir(parents=True, exist_ok=True)
            (glibc / path).write_bytes((_SYSROOT / path).read_bytes())
        self.assertIn(_version(), _run(*self.emulator(glibc), self.archive() / "bin/berth", "version"))
        with self.assertRaises(subprocess.CalledProcessError):
            _run(*self.emulator(glibc), self.package() / "bin/berth", "version")

    def test_the_image_has_all_libraries_of_the_program(self):
        root = self.image()
        self.assertIn(_version(), _run(*self.emulator(root), root / "usr/bin/berth", "version"))


if __name__ == "__main__":
    unittest.main()
