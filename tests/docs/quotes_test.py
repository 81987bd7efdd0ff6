import unittest

import world


class QuotesTest(unittest.TestCase):
    """A block whose first line names a file, as in ```cpp policies/scheduling/avoid.cc, quotes it. A line
    of three dots, perhaps in a comment, stands for lines that are left out."""

    def test_quotes_stand_in_the_files_that_they_name(self):
        wrong, quotes = [], 0
        for doc in world.documents():
            for block in doc.blocks:
                if block.note:
                    quotes += 1
                    wrong += [f"{world.where(doc, block)}: not in {block.note}:\n{part}"
                              for part in missing(block.text, (world.ROOT / block.note).read_text())]
        self.assertEqual(wrong, [])
        self.assertGreater(quotes, 0)

    def test_what_is_not_there_is_found(self):
        for quote, want in (
            ("a\nb\n", []), ("a\n// ...\nc\n", []), ("...\nb\n", []),
            ("a\nc\n", ["a\nc\n"]), ("c\n...\na\n", ["a\n"]), ("d\n", ["d\n"]),
        ):
            self.assertEqual(list(missing(quote, "a\nb\nc\n")), want, quote)


def missing(quote, source):
    """The parts of a quote that the source has not, or only before the part that they follow."""
    place = 0
    for part in _parts(quote):
        found = source.find(part, place)
        if found < 0:
            yield part
        else:
            place = found + len(part)


def _parts(quote):
    part = ""
    for line in quote.splitlines(keepends=True):
        if line.strip() in ("...", "// ...", "# ..."):
            if part:
                yield part
            part = ""
        elif part or line.strip():
            part += line
    if part:
        yield part


if __name__ == "__main__":
    unittest.main()
