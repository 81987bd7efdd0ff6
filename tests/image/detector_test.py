import json
import pathlib
import re
import tempfile
import unittest

from assemble_test import Unpacked
from world import RELEASE, World

import detector
from problem import Problem

_BUILD = pathlib.Path(__file__).resolve().parents[2] / "tests/e2e/build/build.sh"

_SAID = """\
node-problem-detector: go1.26.8
\tpath\tk8s.io/node-problem-detector/cmd/nodeproblemdetector
\tmod\tk8s.io/node-problem-detector\t(devel)\t
\tdep\tgithub.com/Example/Lib\tv1.2.0\th1:abc=
\tdep\tgo.example.org/old\tv1.0.0
\t=>\tgo.example.org/new\tv1.1.0\th1:def=
\tbuild\t-trimpath=true
"""


class ParseTest(unittest.TestCase):
    def test_knows_the_version_of_the_program_and_what_was_replaced(self):
        self.assertEqual(detector.parse_modules(_SAID, "1.36.0"), [
            ("k8s.io/node-problem-detector", "v1.36.0"),
            ("github.com/Example/Lib", "v1.2.0"),
            ("go.example.org/new", "v1.1.0")])

    def test_refuses_what_is_no_go_program(self):
        with self.assertRaisesRegex(Problem, "does not say which Go modules"):
            detector.parse_modules("node-problem-detector: not a Go executable", "1.36.0")

    def test_finds_modules_with_capitals(self):
        self.assertEqual(detector.escape("github.com/Example/Lib"), "github.com/!example/!lib")

    def test_has_the_version_that_is_built(self):
        import assemble
        built = re.search(r"module=k8s.io/node-problem-detector version=(\S+)", _BUILD.read_text())
        self.assertEqual(assemble._DETECTOR_VERSION, built[1])


class ImageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.world = World(f"{folder.name}/debian")
        self.modules = [self.module(folder.name, path, version) for path, version in (
            ("k8s.io/node-problem-detector", "v1.36.0"), ("go.example.org/lib", "v1.0.0"))]
        self.assembled = self.world.assemble(
            release=RELEASE._replace(name="berth-probe"),
            probed=detector.Detector(b"detector", self.modules))

    def module(self, folder, path, version):
        at = pathlib.Path(folder) / path
        at.mkdir(parents=True)
        (at / "LICENSE").write_text(f"licence of {path}")
        (at / "NOTICE.txt").write_text("notice")
        (at / "main.go").write_text("package main")
        return detector.Module(path, version, at)

    def test_has_both_programs_and_all_notices(self):
        image = Unpacked(self.assembled)
        self.assertEqual(image.contents["usr/bin/berth"], b"berth")
        self.assertEqual(image.contents["usr/bin/node-problem-detector"], b"detector")
        folder = "usr/share/doc/node-problem-detector/go.example.org/lib"
        self.assertEqual(image.contents[f"{folder}/LICENSE"], b"licence of go.example.org/lib")
        self.assertIn(f"{folder}/NOTICE.txt", image.contents)
        self.assertNotIn(f"{folder}/main.go", image.contents)

    def test_has_the_name_that_the_chart_asks_for(self):
        image = Unpacked(self.assembled)
        self.assertEqual(image.index["manifests"][0]["annotations"]["io.containerd.image.name"],
                         "docker.io/library/berth-probe:0.1.0")

    def test_shares_its_other_layers_with_the_image_of_berth(self):
        berth = Unpacked(self.world.assemble())
        self.assertEqual(Unpacked(self.assembled).layers[:2], berth.layers)

    def test_lists_the_modules(self):
        document = json.loads(self.assembled.sbom)
        packages = {package["name"]: package for package in document["packages"]}
        self.assertEqual(packages["go.example.org/lib"]["externalRefs"][0]["referenceLocator"],
                         "pkg:golang/go.example.org/lib@v1.0.0")
        links = [(r["spdxElementId"], r["relatedSpdxElement"]) for r in document["relationships"]
                 if r["relationshipType"] == "STATIC_LINK"]
        self.assertIn(("SPDXRef-go-k8s.io-node-problem-detector", "SPDXRef-go-go.example.org-lib"),
                      links)

    def test_refuses_a_module_without_a_licence(self):
        for name in ("LICENSE", "NOTICE.txt"):
            (self.modules[1].folder / name).unlink()
        with self.assertRaisesRegex(Problem, "has no licence, which has to come along"):
            detector.layer(detector.Detector(b"", self.modules))


if __name__ == "__main__":
    unittest.main()
