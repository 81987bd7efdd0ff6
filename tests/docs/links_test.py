import pathlib
import re
import unittest

import world  # finds the module under test
import document

_MACHINES = re.compile(r"/(?:home|root|work|Users)/")
_MENTIONS = re.compile(r"(?<![\w/.-])(?:\.\./)*(docs/[\w/-]+\.md)(?:#([\w-]+))?")
# What looks like ours and is cited from another repository.
_CITED = {
    "docs/book/src/tasks/automated-machine-management/healthchecking.md": "Cluster API",
    "docs/cri/config.md": "containerd",
    "docs/custom_plugin_monitor.md": "node-problem-detector",
    "docs/gpu-feature-discovery/README.md": "NVIDIA's k8s-device-plugin",
}


def _broken(doc, link, by_path):
    """What is wrong with a relative link; empty if nothing is."""
    path, anchor = doc.resolve(link.target)
    if not (world.ROOT / path).exists():
        return f"there is no {path}"
    if anchor and anchor not in by_path[path].anchors():
        return f"{path} has no heading #{anchor}"
    return ""


class LinksTest(unittest.TestCase):
    def setUp(self):
        self.by_path = {doc.path: doc for doc in world.documents()}

    def test_relative_links_lead_to_files_and_headings(self):
        broken = []
        for doc in self.by_path.values():
            for link in doc.links:
                if not document.is_external(link.target):
                    wrong = _broken(doc, link, self.by_path)
                    if wrong:
                        broken.append(f"{world.where(doc, link)}: {wrong}")
        self.assertEqual(broken, [])

    def test_other_files_mention_documents_and_headings_that_exist(self):
        broken = []
        for path in world.tracked():
            if path.endswith(".md") or path.startswith("tests/docs/"):
                continue
            text = (world.ROOT / path).read_text(encoding="utf-8", errors="replace")
            for mentioned, anchor in _MENTIONS.findall(text):
                doc = self.by_path.get(pathlib.PurePosixPath(mentioned))
                has = doc and (not anchor or anchor in doc.anchors())
                if not has and mentioned not in _CITED:
                    broken.append(f"{path}: {mentioned}#{anchor}")
        self.assertEqual(broken, [])

    def test_code_that_names_a_file_of_the_repository_names_one_that_exists(self):
        folders = {path.split("/")[0] for path in world.tracked() if "/" in path}
        missing = []
        for doc in world.documents():
            for code in doc.codes:
                top, _, rest = code.text.partition("/")
                if top not in folders or not re.fullmatch(r"[\w./-]*", rest):
                    continue
                if code.text not in _CITED and not _exists(code.text):
                    missing.append(f"{world.where(doc, code)}: {code.text}")
        self.assertEqual(missing, [])

    def test_nothing_names_a_path_of_a_machine(self):
        found = [f"{doc.path}: {line}" for doc in world.documents()
                 for line in doc.text.splitlines() if _MACHINES.search(line)]
        self.assertEqual(found, [])

    def test_nothing_but_comments_is_written_in_html(self):
        html = [f"{doc.path}: {part.content}" for doc in world.documents()
                for token in doc.tokens for part in [token, *(token.children or [])]
                if part.type in ("html_block", "html_inline")]
        self.assertEqual([part for part in html if ": <!--" not in part], [])


def _exists(text):
    """Also for the name of sources without their ending: `policies/fit/fit`."""
    path = world.ROOT / text
    return path.exists() or path.parent.is_dir() and any(path.parent.glob(path.name + ".*"))


class DocumentTest(unittest.TestCase):
    def test_anchors_are_those_of_github(self):
        doc = document.Document("docs/a.md", "# `berth` explain\n## What's new?\n## A\n## A\n")
        self.assertEqual([h.anchor for h in doc.headings],
                         ["berth-explain", "whats-new", "a", "a-1"])

    def test_links_are_relative_to_their_document(self):
        doc = document.Document("docs/a.md", "See [b](../b/c.md#d),\n[here](#e).")
        self.assertEqual([link.line for link in doc.links], [1, 2])
        self.assertEqual([(str(path), anchor) for path, anchor in
                          (doc.resolve(link.target) for link in doc.links)],
                         [("b/c.md", "d"), ("docs/a.md", "e")])

    def test_a_broken_link_is_found(self):
        doc = document.Document("docs/a.md", "# A\n[x](none.md) [y](../README.md#b)")
        by_path = {doc.path: doc, **{other.path: other for other in world.documents()}}
        self.assertEqual([_broken(doc, link, by_path) for link in doc.links],
                         ["there is no docs/none.md", "README.md has no heading #b"])


if __name__ == "__main__":
    unittest.main()
