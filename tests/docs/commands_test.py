import functools
import re
import subprocess
import unittest

import yaml

import shell
import world  # finds the module under test
import document

# Values that the chart takes as they are, whatever their keys.
_FREE = (None, {}, [])


def _commands(program):
    """Every command of a program in the documents, and where it stands."""
    for doc in world.documents():
        found = [c for block in doc.blocks if shell.is_shell(block) and not
                 shell.is_synopsis(block.text) for c in shell.of_block(block)]
        found += [c for code in doc.codes for c in shell.of_code(code)]
        for command in found:
            if command.words[0] == program:
                yield world.where(doc, command), command


def _block(text, language=""):
    return document.Block(language, "", text, 1)


class ShellTest(unittest.TestCase):
    def test_every_block_of_shell_is_sound(self):
        scripts = 0
        for doc in world.documents():
            for block in doc.blocks:
                if shell.is_shell(block) and not shell.is_synopsis(block.text):
                    scripts += 1
                    checked = subprocess.run(["bash", "-n"], input=shell.script(block), text=True,
                                             capture_output=True)
                    self.assertEqual(checked.stderr, "", world.where(doc, block))
        self.assertGreater(scripts, 20)

    def test_commands_are_found_in_blocks(self):
        for text, want in (
            ("berth a  # say\nmake b\n", ["berth a", "make b"]),
            ("$ berth a \\\n$   --x 'y\n", ValueError),
            ("$ berth a\nwhat it says\n", ["berth a"]),
            ("helm x \\\n  --set a=b | berth c >d.yaml; make e", ["helm x --set a=b", "berth c",
                                                                "make e"]),
            ("kubectl patch -p '{\n}'\nX=1 make f && berth <pod>", ["kubectl patch -p {\n}",
                                                                  "make f", "berth NAME"]),
        ):
            if want is ValueError:
                self.assertRaises(ValueError, list, shell.of_block(_block(text)))
            else:
                self.assertEqual([str(c) for c in shell.of_block(_block(text))], want)

    def test_output_is_no_shell(self):
        self.assertTrue(shell.is_shell(_block("$ anything\n")))
        self.assertTrue(shell.is_shell(_block("anything\n", "sh")))
        for text, language in (("Warning: berth: x\n", ""), ("make: x\n", "yaml")):
            self.assertFalse(shell.is_shell(_block(text, language)))


class BerthTest(unittest.TestCase):
    def setUp(self):
        if world.berth() is None:
            self.skipTest("berth has not been built")

    def test_every_subcommand_and_option_exists(self):
        commands = list(_commands("berth"))
        wrong = [f"{where}: {command}: {problem}" for where, command in commands
                 if (problem := _problem(command.words[1:]))]
        self.assertEqual(wrong, [])
        self.assertGreater(len(commands), 50)

    def test_every_synopsis_names_options_that_exist(self):
        for doc in world.documents():
            for part in [*doc.blocks, *doc.codes]:
                if not part.text.startswith("berth ") or not shell.is_synopsis(part.text):
                    continue
                words = re.sub(r"[\[\]|]", " ", part.text).replace("...", " ").split()
                options = [w for w in words[1:] if w.startswith("-")]
                self.assertEqual(_problem([*_subcommands(words[1:]), *options]), "",
                                 world.where(doc, part))

    def test_what_does_not_exist_is_found(self):
        self.assertEqual(_problem(["doctor", "--only", "x", "-o", "json"]), "")
        self.assertIn("--nothing", _problem(["doctor", "--nothing"]))
        self.assertIn("nothing", _problem(["nothing"]))
        self.assertIn("nothing", _problem(["config", "nothing"]))


@functools.cache
def _help(subcommands):
    """The subcommands and the options that `berth ... --help` lists."""
    said = subprocess.run([world.berth(), *subcommands, "--help"], check=True, text=True,
                          capture_output=True).stdout
    options, below, section = set(), set(), ""
    for line in said.splitlines():
        if re.match(r"\S.*:$", line):
            section = line.rstrip(":").lower()
        elif re.match(r"  ?\S", line):
            first = line.split()[0]
            if section == "subcommands":
                below.add(first)
            else:
                options |= {name for name in first.split(",") if name.startswith("-")}
    return below, options


def _subcommands(words):
    path = ()
    for word in words:
        if word not in _help(path)[0]:
            break
        path += (word,)
    return path


def _problem(words):
    """What is wrong with the arguments of berth; empty if nothing is."""
    path = _subcommands(words)
    below, options = _help(path)
    rest = words[len(path):]
    if below and rest and not rest[0].startswith("-") and not rest[0].isupper():
        return f"no subcommand {rest[0]}"
    unknown = [w for w in rest if w.startswith("-") and w not in ("-", "--")
               and w.split("=")[0] not in options]
    return f"no option {', '.join(unknown)}" if unknown else ""


class MakeTest(unittest.TestCase):
    def test_every_target_and_variable_exists(self):
        text = (world.ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^([a-z-]+):(?!=)", text, re.MULTILINE))
        variables = set(re.findall(r"\$\((\w+)\)", text))
        commands = list(_commands("make"))
        for where, command in commands:
            for word in command.words[1:]:
                name, is_variable, _ = word.partition("=")
                self.assertIn(name, variables if is_variable else targets, where)
        self.assertGreater(len(commands), 20)


class HelmTest(unittest.TestCase):
    """Values that commands set have to be those of the chart."""

    def setUp(self):
        self.values = _yaml("charts/berth/values.yaml")
        self.values["config"] = _yaml("charts/berth/files/defaults.yaml")

    def test_every_value_exists(self):
        missing, count = [], 0
        for doc in world.documents():
            for part in [*doc.blocks, *doc.codes]:
                for key in keys(part.text):
                    count += 1
                    if not _has(self.values, key):
                        missing.append(f"{world.where(doc, part)}: {'.'.join(key)}")
        self.assertEqual(missing, [])
        self.assertGreater(count, 15)

    def test_what_does_not_exist_is_found(self):
        for text, known in (
            ("--set image.repository=a/b", True), ("--set-json 'config.planner.schedulers=[]'", True),
            ("--set nodeSelector.any=x,pdb.enabled=false", True), ("--set pdb.nothing=1", False),
            ("--set config.nothing.at=1", False), ("--set scheduler=1,nothing=2", False),
            ("--set config.scheduling.policies.<policy>.mode=Observe", True),
        ):
            self.assertEqual(all(_has(self.values, key) for key in keys(text)), known, text)


def keys(text):
    """The paths that --set and its kin set. A placeholder stands for any name, and is `*`."""
    for found in re.finditer(r"--set(?:-json|-string|-file)?[ =]('[^']*'|\"[^\"]*\"|\S+)", text):
        argument = found[1].strip("'\"`")
        for pair in re.split(r",(?![^{\[]*[}\]])", argument):
            name = re.sub(r"<[\w ]+>", "*", pair.partition("=")[0])
            if "=" in pair:
                yield [part for part in re.split(r"(?<!\\)\.|\[\d+\]", name) if part]


def _has(values, key):
    if not key or values in _FREE or not isinstance(values, dict):
        return not key or values in _FREE or isinstance(values, list)
    if key[0] == "*":
        return any(_has(value, key[1:]) for value in values.values())
    return key[0] in values and _has(values[key[0]], key[1:])


def _yaml(path):
    return yaml.safe_load((world.ROOT / path).read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
