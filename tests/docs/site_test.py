import pathlib
import re
import tempfile
import unittest

import html5lib

import world  # finds the modules under test
import build
import document
import mermaid

_NAMESPACE = "{http://www.w3.org/1999/xhtml}"
# What a browser fetches for a page; links that a reader follows are not among them.
_FETCHED = (("img", "src"), ("link", "href"), ("script", "src"), ("iframe", "src"),
            ("source", "srcset"), ("object", "data"), ("form", "action"))
_LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3, level AA


class SiteTest(unittest.TestCase):
    """What a reader, a browser and a screen reader rely on in every page."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.site = build.Site(world.ROOT)
        cls.site.write(cls.folder)
        cls.pages = {path.relative_to(cls.folder): _parse(path)
                     for path in sorted(cls.folder.rglob("*.html"))}

    def test_every_document_is_a_page(self):
        self.assertEqual({doc.path for doc in world.documents()} - set(self.site.documents), set())

    def test_the_menu_leads_to_every_page_of_docs(self):
        listed = {str(target) for _, links in self.site.menu for _, target in links}
        pages = {str(build.page_of(doc.path)) for doc in world.documents()
                 if doc.path.parts[0] in ("docs", "charts")}
        self.assertEqual(pages - listed, set())

    def test_links_lead_to_files_and_anchors(self):
        for page, root in self.pages.items():
            for link in root.iter(_NAMESPACE + "a"):
                target = link.get("href")
                if not document.is_external(target):
                    self.assertEqual(self._broken(page, target), "", page)

    def _broken(self, page, target):
        path, _, anchor = target.partition("#")
        found = (self.folder / page).parent / path if path else self.folder / page
        if not found.is_file():
            return f"{target}: no such file"
        if anchor and anchor not in _ids(self.pages[found.resolve().relative_to(
                self.folder.resolve())]):
            return f"{target}: no such anchor"
        return ""

    def test_nothing_is_fetched_from_another_host_and_no_script_runs(self):
        for page, root in self.pages.items():
            for name, attribute in _FETCHED:
                for element in root.iter(_NAMESPACE + name):
                    fetched = element.get(attribute, "")
                    self.assertFalse(document.is_external(fetched), f"{page}: {fetched}")
                    self.assertEqual(self._broken(page, fetched), "", page)
            self.assertIsNone(root.find(f".//{_NAMESPACE}script"), page)
            self.assertFalse([a for e in root.iter() for a in e.attrib if a.startswith("on")], page)
        for file in [*self.folder.rglob("*.css"), *self.folder.rglob("*.svg")]:
            text = file.read_text(encoding="utf-8")
            self.assertNotRegex(text, r"@import|url\(|<script|href=", file.name)

    def test_a_page_says_what_it_is(self):
        titles = set()
        for page, root in self.pages.items():
            self.assertEqual(root.get("lang"), "en", page)
            titles.add(root.findtext(f".//{_NAMESPACE}title"))
            self.assertEqual(len(list(root.iter(_NAMESPACE + "h1"))), 1, page)
            self.assertEqual(len(list(root.iter(_NAMESPACE + "main"))), 1, page)
            for image in root.iter(_NAMESPACE + "img"):
                self.assertTrue(image.get("alt"), page)
        self.assertEqual(len(titles), len(self.pages))

    def test_headings_leave_no_level_out(self):
        for doc in world.documents():
            before = 0
            for heading in doc.headings:
                self.assertLessEqual(heading.level, before + 1, world.where(doc, heading))
                before = heading.level

    def test_ids_are_unique(self):
        for page, root in self.pages.items():
            ids = [e.get("id") for e in root.iter() if e.get("id")]
            self.assertEqual(len(ids), len(set(ids)), page)

    def test_every_heading_is_in_the_contents(self):
        root = self.pages[pathlib.Path("docs/operations.html")]
        contents = next(nav for nav in root.iter(_NAMESPACE + "nav")
                        if nav.get("class") == "contents")
        linked = {link.get("href") for link in contents.iter(_NAMESPACE + "a")}
        self.assertEqual(linked, {"#" + e.get("id") for level in ("h2", "h3")
                                  for e in root.iter(_NAMESPACE + level)})

    def test_what_markdown_says_is_on_the_page(self):
        text = "".join(self.pages[pathlib.Path("index.html")].itertext())
        for words in ("pods placed on V100", "berth.dev/accelerators", "What goes wrong",
                      "only the controller can"):
            self.assertIn(words, text)
        self.assertNotIn("Written by", "".join(
            self.pages[pathlib.Path("docs/configuration.html")].itertext()))


class ColourTest(unittest.TestCase):
    def test_text_can_be_read(self):
        css = (world.ROOT / "docs/site/style.css").read_text(encoding="utf-8")
        schemes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
                   for block in re.findall(r":root \{([^}]*)\}", css)]
        self.assertEqual(len(schemes), 3, "light, dark and printed")
        for scheme in schemes:
            for text in ("text", "muted", "link"):
                for behind in ("background", "surface"):
                    self.assertGreaterEqual(_contrast(scheme[text], scheme[behind]),
                                            _LEAST_CONTRAST, f"{text} on {behind}: {scheme}")

    def test_contrast_is_that_of_wcag(self):
        self.assertAlmostEqual(_contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(_contrast("#767676", "#ffffff"), 4.54, places=2)


class MermaidTest(unittest.TestCase):
    def test_every_diagram_is_understood(self):
        count = 0
        for doc in world.documents():
            for block in doc.blocks:
                if block.language == "mermaid":
                    count += 1
                    chart = mermaid.parse(block.text)
                    self.assertEqual(len(chart.arrows), block.text.count("-->"))
        self.assertGreater(count, 0)

    def test_arrows_name_nodes_by_their_labels(self):
        said = mermaid.to_html('flowchart LR\nsubgraph s["all of <it>"]\na["<b>one</b><br>first"]\n'
                               'end\na -- "x, y" --> b[two]\nb --> a\n')
        for part in ("all of &lt;it&gt;:", "<strong>one</strong>: first", "<td>one</td><td>x, y ",
                     "<td>two</td><td> "):
            self.assertIn(part, said)

    def test_what_is_not_understood_is_an_error(self):
        for text in ("", "graph LR\n", "flowchart LR\na ==> b\n", "flowchart LR\nclassDef x\n"):
            self.assertRaises(ValueError, mermaid.parse, text)


def _parse(path):
    """Fails for what is not HTML."""
    parser = html5lib.HTMLParser(strict=True)
    return parser.parse(path.read_text(encoding="utf-8"))


def _ids(root):
    return {element.get("id") for element in root.iter()}


def _contrast(one, other):
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


if __name__ == "__main__":
    unittest.main()
