import json
import pathlib
import subprocess
import tempfile
import unittest

import mutants
import record
import workshop

_SOURCE = "policies/scheduling/a.cc"
_TEXT = "int x = a == b;\n"
_TIMES = {"testsuites": [{"name": "S", "testsuite": [{"name": "Quick", "time": "0.1s"},
                                                     {"name": "Slow", "time": "1.5s"}]}]}


class Bench(workshop.Workshop):
    """Links and tests as it is told."""

    def __init__(self, root, out):
        super().__init__(root, out, 1)
        self.compiles = True
        self.passes = []
        self.unbroken_passes = True
        self.seen = None
        self.linked = []
        self.flags = []

    def _make(self, binaries):
        pass

    def _binary(self, tests):
        return pathlib.Path(tests)

    def _compile(self, path, source):
        self.seen = (path, source.read_text())
        self.linked = []
        return source if self.compiles else None

    def _link(self, compiled, tests):
        self.linked.append(tests)
        return compiled

    def _test(self, binary, flags, limit):
        self.flags.append((binary.name, *flags))
        if flags[0].startswith("--gtest_output=json:"):
            pathlib.Path(flags[0].split(":", 1)[1]).write_text(json.dumps(_TIMES))
            return self.unbroken_passes
        return self.passes.pop(0)


class WorkshopTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "root"
        self.out = pathlib.Path(folder.name) / "out"
        self.tree = self.out / "tree"
        self.write(_SOURCE, _TEXT)
        self.write("model/b.h", "int y;\n")
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.shop = Bench(self.root, self.out)
        self.shop.prepare({"unit_policies"})
        (self.mutant,) = mutants.of(_SOURCE, _TEXT)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_the_tests_judge_what_is_broken(self):
        for compiles, passes, verdict in [
            (True, [False], record.NOTICED), (True, [True, False], record.NOTICED),
            (True, [True, True], record.SURVIVED), (True, [None], record.LATE),
            (True, [True, None], record.LATE), (False, [], record.NO_MUTANT),
        ]:
            with self.subTest(passes):
                self.shop.compiles, self.shop.passes = compiles, list(passes)
                got, _, diff = self.shop.judge(self.mutant)
                self.assertEqual(got, verdict)
                self.assertEqual(self.shop.passes, [])
                self.assertEqual(diff, "-int x = a == b;\n+int x = a != b;")
                self.assertEqual(self.shop.seen, (_SOURCE, "int x = a != b;\n"))
                self.assertEqual(self.shop.linked, ["unit_policies"] if compiles else [])

    def test_each_binary_of_the_folder_may_notice(self):
        source = "placement/a.cc"
        self.write(source, _TEXT)
        self.shop.prepare({"unit_placement", "unit_cli"})
        (mutant,) = mutants.of(source, _TEXT)
        for passes, linked, verdict in [
            ([False], ["unit_placement"], record.NOTICED),
            ([True, True, False], ["unit_placement", "unit_cli"], record.NOTICED),
            ([True, True, True, True], ["unit_placement", "unit_cli"], record.SURVIVED),
        ]:
            with self.subTest(passes):
                self.shop.passes = list(passes)
                self.assertEqual(self.shop.judge(mutant)[0], verdict)
                self.assertEqual(self.shop.linked, linked)

    def test_nothing_is_broken_but_a_copy_of_the_source(self):
        self.shop.passes = [False]
        self.shop.judge(self.mutant)
        self.assertEqual((self.root / _SOURCE).read_text(), _TEXT)
        self.assertEqual((self.tree / _SOURCE).read_text(), _TEXT)
        self.assertEqual([path.name for path in self.out.iterdir()], ["tree"])

    def test_what_is_slow_is_tried_last(self):
        self.shop.passes = [True, True]
        self.shop.judge(self.mutant)
        self.assertEqual(self.shop.flags[1:], [("a.cc", "--gtest_filter=-S.Slow"),
                                               ("a.cc", "--gtest_filter=S.Slow")])
        self.assertEqual(workshop.runs_of(_TIMES), [("-S.Slow", 11), ("S.Slow", 25)])
        quick = {"testsuites": [{"name": "S", "testsuite": [{"name": "Quick", "time": "0s"}]}]}
        self.assertEqual(workshop.runs_of(quick), [("*", 10)])

    def test_tests_that_fail_already_judge_nothing(self):
        self.shop.unbroken_passes = False
        with self.assertRaisesRegex(RuntimeError, "unit_policies fails though nothing is broken"):
            self.shop.prepare({"unit_policies"})

    def test_a_source_is_compiled_as_the_one_that_it_stands_for(self):
        command = "c++ -I/t -O0 -o a/x.o -c /t/a/x.cc"
        listed = [{"file": "/t/a/y.cc", "command": "none"}, {"file": "/t/a/x.cc", "command": command}]
        (self.out / "compile_commands.json").write_text(json.dumps(listed))
        self.assertEqual(workshop.compile_command(self.out, "/t/a/x.cc", "/b/x.cc", "/b/x.o"),
                         ["c++", "-I/t", "-O0", "-o", "/b/x.o", "-c", "/b/x.cc"])

    def test_its_object_is_linked_before_the_archives(self):
        self.assertEqual(
            workshop.link_command(": && c++ t.o -o unit/u  a/liba.a && :\n", "unit/u", "/b/x.o", "/b/x"),
            ": && c++ t.o -o /b/x /b/x.o  a/liba.a && :")

    def test_what_is_the_same_is_not_built_again(self):
        before = (self.tree / "model/b.h").stat().st_mtime_ns
        self.write(_SOURCE, "int x = a == c;\n")
        self.shop.prepare(set())
        self.assertEqual((self.tree / "model/b.h").stat().st_mtime_ns, before)
        self.assertEqual((self.tree / _SOURCE).read_text(), "int x = a == c;\n")

    def test_what_is_gone_goes(self):
        (self.root / "model/b.h").unlink()
        self.shop.prepare(set())
        self.assertFalse((self.tree / "model/b.h").exists())


if __name__ == "__main__":
    unittest.main()
