import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

import world

_HEAD = "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n"


class BlocksTest(unittest.TestCase):
    def test_every_block_of_yaml_or_json_can_be_read(self):
        for doc in world.documents():
            for block in doc.blocks:
                with self.subTest(world.where(doc, block)):
                    if block.language == "yaml":
                        list(yaml.safe_load_all(_without_dots(block.text)))
                    elif block.language == "json":
                        json.loads(block.text)

    def test_every_manifest_of_berths_configuration_is_valid(self):
        if world.berth() is None:
            self.skipTest("berth has not been built")
        count = 0
        for doc in world.documents():
            for block in doc.blocks:
                text = _configuration(block)
                if text:
                    count += 1
                    said = _validate(text)
                    self.assertEqual(said, "", f"{world.where(doc, block)}: {said}\n{text}")
        self.assertGreater(count, 15)

    def test_what_is_not_valid_is_found(self):
        if world.berth() is None:
            self.skipTest("berth has not been built")
        self.assertIn("nothing", _validate(_HEAD + "health: {nothing: 1}\n"))


class MutateTest(unittest.TestCase):
    """Complete pods and Jobs in the documents are what a namespace that enforces takes, changed or not."""

    def test_every_manifest_is_taken(self):
        if world.berth() is None:
            self.skipTest("berth has not been built")
        count = 0
        for doc in world.documents():
            for block in doc.blocks:
                if _is_workload(block):
                    count += 1
                    done = subprocess.run([world.berth(), "mutate", "-f", "-"], input=block.text,
                                          text=True, capture_output=True)
                    self.assertIn(done.returncode, (0, 1), f"{world.where(doc, block)}: {done.stderr}")
        self.assertGreater(count, 0)


def _without_dots(text):
    """What is left out of an example, in a list, a map or on a line of its own."""
    return re.sub(r"(, \.\.\.(?=[}\]])|^\s*(- )?\.\.\.)\s*(#.*)?$|, \.\.\.(?=[}\]])", "", text,
                  flags=re.MULTILINE)


def _configuration(block):
    """The whole file that a block of Berth's configuration is part of; None for other blocks."""
    if block.language != "yaml":
        return None
    text = _without_dots(block.text)
    value = next(iter(yaml.safe_load_all(text)), None)
    if not isinstance(value, dict) or not value:
        return None
    if value.get("kind") == "BerthConfiguration":
        return text
    return _HEAD + text if set(value) <= _sections() else None


def _sections():
    defaults = yaml.safe_load((world.ROOT / "charts/berth/files/defaults.yaml").read_text())
    return set(defaults) - {"apiVersion", "kind"}


def _validate(text):
    """What `berth config validate` says against a file; empty if it is valid."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "berth.yaml"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([world.berth(), "config", "validate", file], text=True,
                              capture_output=True)
        return "" if done.returncode == 0 else done.stderr + done.stdout or "exit code"


def _is_workload(block):
    if block.language != "yaml":
        return False
    value = next(iter(yaml.safe_load_all(_without_dots(block.text))), None)
    if not isinstance(value, dict) or value.get("kind") not in ("Job", "Pod"):
        return False
    spec = value.get("spec", {})
    return "containers" in spec.get("template", {}).get("spec", spec)


if __name__ == "__main__":
    unittest.main()
