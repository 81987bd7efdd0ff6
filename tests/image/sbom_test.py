import json
import re
import tempfile
import unittest

from world import World

import sbom
from problem import Problem


class SbomTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.world = World(folder.name)
        self.document = json.loads(self.world.assemble().sbom)
        self.packages = {package["name"]: package for package in self.document["packages"]}

    def related(self, kind):
        return [(r["spdxElementId"], r["relatedSpdxElement"])
                for r in self.document["relationships"] if r["relationshipType"] == kind]

    def test_has_what_spdx_asks_of_a_document(self):
        self.assertEqual(self.document["spdxVersion"], "SPDX-2.3")
        self.assertEqual(self.document["dataLicense"], "CC0-1.0")
        self.assertEqual(self.document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        self.assertRegex(self.document["documentNamespace"], r"^https://\S+-[0-9a-f]{64}$")

    def test_lists_every_package_with_version_licence_and_url(self):
        self.assertEqual(set(self.packages), {
            "berth", "berth-image", "base-files", "ca-certificates", "libc6", "libgrpc++-dev",
            "nlohmann-json3-dev"})
        grpc = self.packages["libgrpc++-dev"]
        self.assertEqual(grpc["versionInfo"], "1.51.1-3+b1")
        self.assertEqual(grpc["licenseDeclared"], "Apache-2.0 AND BSD-3-Clause")
        self.assertEqual(grpc["sourceInfo"], "built from the source package grpc 1.51.1-3")
        self.assertEqual(
            grpc["externalRefs"][0]["referenceLocator"],
            "pkg:deb/debian/libgrpc%2B%2B-dev@1.51.1-3%2Bb1?arch=amd64&distro=debian-12")

    def test_says_how_each_got_in(self):
        self.assertEqual(self.related("DESCRIBES"), [("SPDXRef-DOCUMENT", "SPDXRef-image")])
        self.assertIn(("SPDXRef-image", "SPDXRef-libc6"), self.related("CONTAINS"))
        self.assertEqual(self.related("STATIC_LINK"),
                         [("SPDXRef-berth", "SPDXRef-libgrpc-plus-plus-dev")])
        self.assertEqual(self.related("BUILD_DEPENDENCY_OF"),
                         [("SPDXRef-nlohmann-json3-dev", "SPDXRef-berth")])

    def test_identifiers_are_valid_unique_and_refer_to_something(self):
        identifiers = [package["SPDXID"] for package in self.document["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        for identifier in identifiers:
            self.assertTrue(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identifier), identifier)
        for relationship in self.document["relationships"]:
            for end in ("spdxElementId", "relatedSpdxElement"):
                self.assertIn(relationship[end], [*identifiers, "SPDXRef-DOCUMENT"])

    def test_a_licence_that_nobody_has_looked_up_is_asked_for(self):
        package = self.world.debian.owner("/usr/lib/os-release")._replace(source="new-library")
        with self.assertRaisesRegex(Problem, "licences.json has no licence .* new-library; read"):
            sbom.licence(package)


if __name__ == "__main__":
    unittest.main()
