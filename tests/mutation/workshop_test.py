import pathlib
import subprocess
import tempfile
import unittest

import mutants
import record
import workshop

_SOURCE = "policies/scheduling/a.cc"
_TEXT = "int x = a == b;\n"


class Bench(workshop.Workshop):
    """Builds and tests as it is told."""

    def __init__(self, root, tree):
        super().__init__(root, tree, 1)
        self.compiles = True
        self.passes = True
        self.seen = []

    def _configure(self):
        pass

    def _make(self, tests):
        self.seen.append(self.text(_SOURCE))
        compiles = self.compiles or self.seen[-1] == _TEXT
        return subprocess.CompletedProcess([], 0 if compiles else 1, "")

    def _test(self, tests, limit):
        if self.text(_SOURCE) == _TEXT:
            return True
        if isinstance(self.passes, BaseException):
            raise self.passes
        return self.passes


class WorkshopTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "root"
        self.tree = pathlib.Path(folder.name) / "tree"
        self.write(_SOURCE, _TEXT)
        self.write("model/b.h", "int y;\n")
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.shop = Bench(self.root, self.tree)
        self.shop.prepare()
        (self.mutant,) = mutants.of(_SOURCE, _TEXT)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_the_tests_judge_what_is_broken(self):
        for compiles, passes, verdict in [(True, False, record.NOTICED), (True, True, record.SURVIVED),
                                          (True, None, record.LATE), (False, True, record.NO_MUTANT)]:
            with self.subTest(verdict):
                self.shop.compiles, self.shop.passes = compiles, passes
                got, _, diff = self.shop.judge(self.mutant)
                self.assertEqual(got, verdict)
                self.assertEqual(diff, "-int x = a == b;\n+int x = a != b;")
                self.assertEqual(self.shop.seen[-1], "int x = a != b;\n")
                self.assertEqual(self.shop.text(_SOURCE), _TEXT)

    def test_the_tree_is_whole_again_whatever_happens(self):
        self.shop.passes = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            self.shop.judge(self.mutant)
        self.assertEqual(self.shop.text(_SOURCE), _TEXT)

    def test_nothing_is_broken_outside_of_the_copy(self):
        self.shop.passes = False
        self.shop.judge(self.mutant)
        self.assertEqual((self.root / _SOURCE).read_text(), _TEXT)

    def test_what_is_the_same_is_not_built_again(self):
        before = (self.tree / "model/b.h").stat().st_mtime_ns
        self.write(_SOURCE, "int x = a == c;\n")
        self.shop.prepare()
        self.assertEqual((self.tree / "model/b.h").stat().st_mtime_ns, before)
        self.assertEqual(self.shop.text(_SOURCE), "int x = a == c;\n")

    def test_what_is_gone_goes(self):
        (self.root / "model/b.h").unlink()
        self.shop.prepare()
        self.assertFalse((self.tree / "model/b.h").exists())


if __name__ == "__main__":
    unittest.main()
