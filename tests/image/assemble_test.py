import gzip
import hashlib
import io
import json
import os
import pathlib
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest

from world import AUTHORITIES, RELEASE, World

import content
from problem import Problem
from tree import Tree

_IMAGE = pathlib.Path(__file__).resolve().parents[2] / "image"
_ASSEMBLE = _IMAGE / "assemble.py"
_CONTAINERFILE = _IMAGE / "Containerfile"


def files_of(tar):
    """Bytes by name, of the regular files."""
    archive = tarfile.open(fileobj=io.BytesIO(tar))
    return {m.name: archive.extractfile(m).read() for m in archive.getmembers() if m.isfile()}


class Unpacked:
    """An image as an OCI runtime reads it."""

    def __init__(self, image):
        self.files = files_of(image.archive)
        self.index = json.loads(self.files["index.json"])
        self.manifest = json.loads(self._blob(self.index["manifests"][0]))
        self.config = json.loads(self._blob(self.manifest["config"]))
        self.layers = [gzip.decompress(self._blob(layer)) for layer in self.manifest["layers"]]
        self.members = [m for layer in self.layers
                        for m in tarfile.open(fileobj=io.BytesIO(layer)).getmembers()]
        self.contents = {}
        for layer in self.layers:
            self.contents |= files_of(layer)

    def _blob(self, descriptor):
        data = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        assert descriptor["digest"] == "sha256:" + hashlib.sha256(data).hexdigest()
        assert descriptor["size"] == len(data)
        return data


class AssembleTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.world = World(f"{self.folder.name}/a")

    def image(self, **changes):
        return Unpacked(self.world.assemble(**changes))

    def test_the_same_packages_give_the_same_bytes(self):
        other = World(f"{self.folder.name}/b", order=lambda names: sorted(names, reverse=True))
        os.utime(other.root / "usr/lib/os-release", (1, 1))
        (other.root / "usr/lib/os-release").chmod(0o600)
        one, another = self.world.assemble(), other.assemble()
        self.assertEqual((one.archive, one.sbom), (another.archive, another.sbom))

    def test_another_program_leaves_the_base_layer_as_it_is(self):
        one = self.image()
        later = self.image(release=RELEASE._replace(revision="f00", epoch=1_800_000_000),
                           binary=b"changed")
        self.assertEqual(one.layers[0], later.layers[0])
        self.assertNotEqual(one.layers[1], later.layers[1])

    def test_is_an_oci_layout_and_a_docker_archive_of_the_same_image(self):
        image = self.image()
        self.assertEqual(json.loads(image.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        docker = json.loads(image.files["manifest.json"])[0]
        blob = lambda descriptor: "blobs/" + descriptor["digest"].replace(":", "/")
        self.assertEqual(docker["RepoTags"], ["berth:0.1.0"])
        self.assertEqual(docker["Config"], blob(image.manifest["config"]))
        self.assertEqual(docker["Layers"], [blob(layer) for layer in image.manifest["layers"]])
        self.assertEqual(image.config["rootfs"]["diff_ids"],
                         ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in image.layers])

    def test_has_the_name_that_the_chart_asks_for(self):
        entry = self.image().index["manifests"][0]
        self.assertEqual(entry["annotations"]["io.containerd.image.name"],
                         "docker.io/library/berth:0.1.0")
        self.assertEqual(entry["platform"], {"architecture": "amd64", "os": "linux"})

    def test_runs_berth_as_a_user_without_rights(self):
        image = self.image()
        self.assertEqual(image.config["config"]["User"], "65532:65532")
        self.assertEqual(image.config["config"]["Entrypoint"], ["/usr/bin/berth"])
        self.assertEqual(image.config["config"]["Env"], ["PATH=/usr/bin"])
        self.assertIn(b"nonroot:x:65532:65532:", image.contents["etc/passwd"])

    def test_the_containerfile_makes_an_image_that_runs_alike(self):
        lines = _CONTAINERFILE.read_text().splitlines()
        said = dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))
        config = self.image().config["config"]
        self.assertEqual(said["USER"], config["User"])
        self.assertEqual(json.loads(said["ENTRYPOINT"]), config["Entrypoint"])
        self.assertEqual([said["ENV"]], config["Env"])
        for label in said["LABEL"].split():
            name, text = label.split("=")
            self.assertEqual(config["Labels"][name], text)

    def test_says_what_it_is(self):
        image = self.image()
        labels = image.config["config"]["Labels"]
        self.assertEqual(labels, image.manifest["annotations"])
        self.assertEqual({name.rsplit(".", 1)[1]: text for name, text in labels.items()
                          if not name.endswith("description")}, {
            "title": "berth", "version": "0.1.0", "revision": "0123456789ab",
            "licenses": "Apache-2.0", "created": "2023-11-14T22:13:20Z"})

    def test_everything_is_roots_and_nobody_elses_to_write(self):
        for member in self.image().members:
            with self.subTest(member.name):
                self.assertEqual((member.uid, member.gid), (0, 0))
                if not member.issym():
                    self.assertFalse(member.mode & (stat.S_IWGRP | stat.S_IWOTH))
                    self.assertFalse(member.mode & (stat.S_ISUID | stat.S_ISGID))

    def test_every_folder_comes_before_what_is_in_it(self):
        for layer in self.image().layers:
            names = tarfile.open(fileobj=io.BytesIO(layer)).getnames()
            for name in names:
                parent = str(pathlib.PurePosixPath(name).parent)
                self.assertTrue(parent == "." or parent in names[:names.index(name)], name)

    def test_the_program_is_the_only_one(self):
        programs = [m.name for m in self.image().members if m.isfile() and m.mode & 0o111]
        self.assertEqual(programs, ["usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
                                    "usr/bin/berth"])

    def test_kubectl_finds_the_program_by_its_names(self):
        links = {m.name: m.linkname for m in self.image().members if m.issym()}
        self.assertEqual(links["usr/bin/kubectl-berth"], "berth")
        self.assertEqual(links["usr/bin/kubectl_complete-berth"], "berth")

    def test_the_loader_and_libraries_are_found(self):
        root = pathlib.Path(self.folder.name) / "root"
        root.mkdir()
        for tree in self.world.assemble().trees:
            tree.unpack(root)
        self.assertEqual((root / "lib64/ld-linux-x86-64.so.2").read_text(), "loader")
        self.assertEqual((root / "lib/x86_64-linux-gnu/libc.so.6").read_text(), "libc")
        self.assertTrue(os.access(root / "usr/bin/berth", os.X_OK))

    def test_trusts_debians_authorities_alone(self):
        self.world.write(f"{AUTHORITIES}/local.crt", "somebody's own")
        image = self.image()
        self.assertEqual(image.contents["etc/ssl/certs/ca-certificates.crt"], b"a\nb\n")

    def test_scanners_find_what_was_copied_and_linked_and_not_headers(self):
        entries = {name: text for name, text in self.image().contents.items()
                   if name.startswith("var/lib/dpkg/status.d/")}
        self.assertEqual({name.rsplit("/", 1)[1] for name in entries},
                         {"base-files", "ca-certificates", "libc6", "libgrpc++-dev"})
        self.assertIn(b"Source: grpc (1.51.1-3)\nVersion: 1.51.1-3+b1\n",
                      entries["var/lib/dpkg/status.d/libgrpc++-dev"])

    def test_licences_come_along(self):
        contents = self.image().contents
        for name in ("libc6", "libgrpc++-dev", "nlohmann-json3-dev", "berth"):
            self.assertIn(f"usr/share/doc/{name}/copyright", contents)
        self.assertIn("usr/share/common-licenses/Apache-2.0", contents)


class CheckTest(unittest.TestCase):
    def test_refuses_what_nobody_should_be_able_to_use(self):
        for path, mode, said in (
            ("/usr/bin/sh", 0o755, "/usr/bin/sh of the image would be a shell"),
            ("/usr/bin/bash", 0o755, "shell"),
            ("/usr/bin/busybox", 0o755, "shell"),
            ("/usr/bin/su", 0o4755, "set-id"),
            ("/etc/passwd", 0o666, "writable by others"),
        ):
            with self.subTest(path):
                tree = Tree()
                tree.add(path, b"", mode)
                with self.assertRaisesRegex(Problem, said):
                    content.check([tree])

    def test_refuses_two_files_at_one_path(self):
        tree = Tree()
        tree.add("/etc/passwd", b"one")
        tree.add("/etc/passwd", b"one")
        with self.assertRaisesRegex(Problem, "two different files would be /etc/passwd"):
            tree.add("/etc/passwd", b"other")


class CommandTest(unittest.TestCase):
    """Of assemble.py with a script in the program's place."""

    def assertRefuses(self, said, script="", environment=()):
        with tempfile.TemporaryDirectory() as build:
            if script:
                program = pathlib.Path(build) / "cli/berth"
                program.parent.mkdir()
                program.write_text(f"#!/bin/sh\n{script}\n")
                program.chmod(0o755)
            done = subprocess.run(
                [sys.executable, "-B", _ASSEMBLE, "--build", build], capture_output=True, text=True,
                env=os.environ | dict(environment), check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, said)

    def test_says_what_to_run_first(self):
        self.assertRefuses("^image: .*/cli/berth is missing; run image/build")

    def test_says_what_a_time_is(self):
        self.assertRefuses(
            "^image: SOURCE_DATE_EPOCH is 'today'; write seconds since 1970",
            script="echo 'berth 0.1.0 (revision 0123, g++ 12)'",
            environment={"SOURCE_DATE_EPOCH": "today"})

    def test_warns_of_what_nobody_can_rebuild(self):
        self.assertRefuses(
            "^image: there are changes that are not committed",
            script="echo 'berth 0.1.0 (revision 0123-dirty, g++ 12)'")

    def test_refuses_a_program_that_differs_from_folder_to_folder(self):
        self.assertRefuses(
            "holds the path .*; build it with the preset image",
            script=f"echo 'berth 0.1.0 (revision 0123, g++ 12)' # {_ASSEMBLE}",
            environment={"SOURCE_DATE_EPOCH": "1"})


if __name__ == "__main__":
    unittest.main()
