import pathlib
import tempfile
import unittest

import mutants
import record
import run
import workshop

_TEXT = "\n".join("int x%d = a%d == b;" % (i, i) for i in range(50))


class Shop:
    """Judges by what it is told, and counts."""

    def __init__(self, verdicts):
        self._verdicts = list(verdicts)
        self.judged = []

    def judge(self, mutant):
        self.judged.append(mutant.id)
        return self._verdicts.pop(0), 1.5, "-a\n+b"


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "out" / "mutants.jsonl"
        self.said = []
        self.all = mutants.of("policies/a.cc", _TEXT)

    def judge(self, chosen, verdicts, limit=-1, again=False):
        shop = Shop(verdicts)
        known = record.Record(self.path)
        run.judge_all(run.due_of(chosen, known, limit, again), known, shop, 1, self.said.append)
        return shop.judged

    def test_a_seed_chooses_the_same_and_another_others(self):
        self.assertEqual(run.choose(self.all, 10, 1), run.choose(self.all, 10, 1))
        self.assertNotEqual(run.choose(self.all, 10, 1), run.choose(self.all, 10, 2))
        self.assertEqual(len(run.choose(self.all, 1000, 1)), len(self.all))

    def test_most_of_a_sample_stays_when_a_line_changes(self):
        before = {each.id for each in run.choose(self.all, 20, 1)}
        changed = mutants.of("policies/a.cc", _TEXT.replace("a7", "c"))
        after = {each.id for each in run.choose(changed, 20, 1)}
        self.assertGreaterEqual(len(before & after), 19)

    def test_what_was_judged_is_not_judged_again(self):
        chosen = self.all[:3]
        self.assertEqual(len(self.judge(chosen, [record.NOTICED] * 3, limit=2)), 2)
        self.assertEqual(self.judge(chosen, [record.SURVIVED]), [chosen[2].id])
        self.assertEqual(self.judge(chosen, []), [])
        self.assertEqual(len(self.said), 3)

    def test_survivors_are_judged_again_where_that_is_asked_for(self):
        chosen = self.all[:2]
        self.judge(chosen, [record.NOTICED, record.SURVIVED])
        self.assertEqual(self.judge(chosen, [record.NOTICED], again=True), [chosen[1].id])
        self.assertEqual(record.figure(record.Record(self.path).of(chosen)), (2, 2))

    def test_a_line_that_was_cut_is_no_verdict(self):
        self.judge(self.all[:1], [record.NOTICED])
        with self.path.open("a") as out:
            out.write('{"id": "abc", "ver')
        self.assertEqual(record.Record(self.path).verdict(self.all[0]), record.NOTICED)

    def test_what_does_not_compile_is_no_mutant(self):
        chosen = self.all[:4]
        self.judge(chosen, [record.NOTICED, record.NO_MUTANT, record.LATE, record.SURVIVED])
        said = record.report(record.Record(self.path).of(chosen))
        self.assertIn("policies/a.cc:4: survived (comparison)\n    -a\n    +b", said)
        self.assertIn("2 of 3 mutants noticed (67 %), 1 more did not compile; 1.5 s for each", said)

    def test_nothing_judged_is_no_division_by_zero(self):
        self.assertIn("0 of 0 mutants noticed", record.report([]))

    def test_every_source_has_a_binary_that_has_to_notice(self):
        paths = run.sources(run._ROOT)
        self.assertGreater(len(paths), 50)
        for path in paths:
            for binary in workshop.tests_of(path):
                lists = (run._ROOT / "tests" / "unit").rglob("CMakeLists.txt")
                self.assertTrue(any("berth_test(%s\n" % binary in each.read_text() for each in lists))


if __name__ == "__main__":
    unittest.main()
