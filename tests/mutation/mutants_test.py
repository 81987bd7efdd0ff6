import unittest

import mutants


def broken(text, operator=None):
    """What becomes of a text, a mutant each."""
    return [each.apply(text) for each in mutants.of("a.cc", text)
            if operator in (None, each.operator)]


class MutantsTest(unittest.TestCase):
    def test_each_operator_breaks_what_it_is_for(self):
        for operator, text, expected in [
            ("comparison", "x = a == b;", ["x = a != b;"]),
            ("comparison", "x = a < b;", ["x = a <= b;"]),
            ("comparison", "x = a >= b;", ["x = a > b;"]),
            ("boolean", "x = a && b;", ["x = a || b;"]),
            ("boolean", "x = !a;", ["x = a;"]),
            ("arithmetic", "x = a + b;", ["x = a - b;"]),
            ("arithmetic", "x = ++a;", ["x = --a;"]),
            ("arithmetic", "x -= b;", ["x += b;"]),
            ("constant", "x = true;", ["x = false;"]),
            ("constant", "x = 41;", ["x = 42;"]),
            ("branch", "if (a(b)) c;", ["if (true || (a(b))) c;", "if (false && (a(b))) c;"]),
            ("statement", "{ a(); b->c[1].d(e); }", ["{ ; b->c[1].d(e); }", "{ a(); ; }"]),
            ("statement", "{\n  a = b;\n}", ["{\n  ;\n}"]),
        ]:
            with self.subTest(text):
                self.assertEqual(sorted(broken(text, operator)), sorted(expected))

    def test_what_is_no_code_is_left_alone(self):
        for text in ['// if (a == b) x = 1;', '/* a == b\n && 1 */', 's = "a == 1";', 'c = \'<\';',
                     '#if A == 1', 'R"(a == 1)";', "static_assert(a == 1);", "#define A(b) \\\n  1 + b"]:
            with self.subTest(text):
                self.assertEqual(broken(text), [])

    def test_what_only_looks_like_an_operator_is_left_alone(self):
        for text in ["std::map<int, T> a;", "T&& a", "a->b", "x << y", "template <typename T>",
                     "T operator+(T)", "x1", "0x10", "1.5", "a != nullptr"]:
            with self.subTest(text):
                found = [each for each in mutants.of("a.cc", text) if each.after != "=="]
                self.assertEqual(found, [])

    def test_declarations_are_no_statements(self):
        for text in ["{ int a = b; }", "{ T a(b); }", "{ const T& a = b(); }", "{ return a(); }",
                     "{ std::vector<T> a; }", "{ T* a = b; }"]:
            with self.subTest(text):
                self.assertEqual(broken(text, "statement"), [])

    def test_conditions_that_declare_something_are_left_whole(self):
        self.assertEqual(broken("if (const auto a = b(); a) c;", "branch"), [])
        self.assertEqual(broken("if (auto a = b()) c;", "branch"), [])

    def test_texts_are_not_subtracted(self):
        self.assertEqual(broken('x = a + "b";', "arithmetic"), [])
        self.assertEqual(broken('x = "a" + b;', "arithmetic"), [])

    def test_a_separator_of_digits_opens_no_character(self):
        self.assertEqual(broken("x = 45'000; y = a == b; z = 1'0;", "comparison"),
                         ["x = 45'000; y = a != b; z = 1'0;"])

    def test_operators_that_share_a_space_are_all_found(self):
        self.assertEqual(len(broken("x = a == b && c == d;", "comparison")), 2)

    def test_an_id_stays_when_other_lines_change(self):
        line = "  x = a == b;\n"
        (before,) = [each.id for each in mutants.of("a.cc", line)]
        moved = mutants.of("a.cc", "y = c < d;\n" + line)
        self.assertIn(before, [each.id for each in moved])
        self.assertNotIn(before, [each.id for each in mutants.of("b.cc", line)])

    def test_equal_lines_have_ids_of_their_own(self):
        ids = [each.id for each in mutants.of("a.cc", "x = a == b;\nx = a == b;\n")]
        self.assertEqual(len(set(ids)), len(ids))


if __name__ == "__main__":
    unittest.main()
