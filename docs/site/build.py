#!/usr/bin/python3
"""Makes plain HTML pages of the repository's Markdown: `build.py FOLDER`. `make site` runs it.

It begins with README.md and follows relative links. What else they lead to is copied. The pages ask
no other host for anything and run no script."""

import html
import os
import pathlib
import shutil
import string
import sys

import document
import mermaid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FRONT = pathlib.PurePosixPath("README.md")
_DEEPEST_CONTENTS = 3  # the level of headings


class Site:
    """Documents by their path in the repository, and the other files that they link to."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.documents = {}
        self.files = set()
        self.folders = set()
        self._follow(FRONT)
        self.menu = list(_menu(self.documents[FRONT]))

    def _follow(self, path):
        self.documents[path] = doc = document.read(self.root, path)
        for link in doc.links:
            if document.is_external(link.target):
                continue
            target, _ = doc.resolve(link.target)
            if not (self.root / target).exists():
                raise FileNotFoundError(f"{path}:{link.line}: there is no {target}")
            if target.suffix != ".md":
                self._take(target)
            elif target not in self.documents:
                self._follow(target)
        for block in doc.blocks:
            if block.note:
                self._take(pathlib.PurePosixPath(block.note))

    def _take(self, target):
        if not (self.root / target).is_dir():
            self.files.add(target)
            return
        self.folders.add(target)
        for file in sorted((self.root / target).iterdir()):
            if file.is_file():
                self.files.add(target / file.name)

    def write(self, folder):
        folder = pathlib.Path(folder)
        for doc in self.documents.values():
            _write(folder / page_of(doc.path), self._page(doc))
        for path in self.folders:
            _write(folder / path / "index.html", self._listing(path))
        for path in self.files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / path, folder / path)
        shutil.copyfile(HERE / "style.css", folder / "style.css")

    def _page(self, doc):
        title = doc.title if doc.path == FRONT else f"{doc.title} - Berth"
        return self._framed(page_of(doc.path), title, _contents(doc), self._article(doc))

    def _listing(self, path):
        names = sorted(file.name for file in self.files if file.parent == path)
        items = "".join(f'<li><a href="{name}">{name}</a></li>\n' for name in names)
        article = f"<h1>{path}</h1>\n<ul>\n{items}</ul>"
        return self._framed(path / "index.html", f"{path} - Berth", "", article)

    def _framed(self, page, title, contents, article):
        frame = string.Template((HERE / "page.html").read_text(encoding="utf-8"))
        up = "../" * (len(page.parts) - 1)
        heading, end, rest = article.partition("</h1>\n")  # the contents stand below it
        return frame.substitute(
            title=html.escape(title),
            root=up,
            heading=heading + end.strip(),
            contents=contents,
            article=rest,
            pages=self._pages(page, up),
        )

    def _pages(self, page, up):
        lines = []
        for group, links in self.menu:
            lines.append(f"<p>{html.escape(group)}</p>\n<ul>")
            for text, target in links:
                here = ' aria-current="page"' if target == page else ""
                lines.append(f'<li><a href="{up}{target}"{here}>{html.escape(text)}</a></li>')
            lines.append("</ul>")
        return "\n".join(lines)

    def _article(self, doc):
        """The document in HTML, with the links of the site."""
        tokens = document.PARSER.parse(doc.text)
        headings = iter(doc.headings)
        for token in tokens:
            if token.type == "heading_open":
                token.attrSet("id", next(headings).anchor)
            for child in token.children or []:
                if child.type == "link_open":
                    child.attrSet("href", self._target(doc, child.attrs["href"]))
        return _RENDERER.render(_without_empty_heads(tokens), document.PARSER.options, {"doc": doc})

    def _target(self, doc, target):
        if document.is_external(target) or target.startswith("#"):
            return target
        path, anchor = doc.resolve(target)
        page = path / "index.html" if path in self.folders else page_of(path)
        here = os.path.relpath(page, page_of(doc.path).parent)
        return f"{here}#{anchor}" if anchor else here


def page_of(path):
    """Where a file of the repository is on the site."""
    if path.name == "README.md":
        return path.with_name("index.html")
    return path.with_suffix(".html") if path.suffix == ".md" else path


def _menu(front):
    """The tables of the front page below its heading Documentation: a group, and its links."""
    heading = next(h for h in front.headings if h.text == "Documentation")
    tables = []
    for place, token in enumerate(front.tokens):
        if token.type == "table_open" and token.map[0] >= heading.line:
            tables.append(place)
    for place in tables:
        group, links, column = "", [], 0
        for token in front.tokens[place:]:
            column = 0 if token.type == "tr_open" else column + (token.type in ("th_open", "td_open"))
            if token.type == "inline" and column == 1:
                found = list(_texts_and_targets(front, token))
                links += found
                group = group or document.plain(token)
            if token.type == "table_close":
                break
        yield group, links


def _texts_and_targets(doc, inline):
    target, text = None, ""
    for child in inline.children:
        if child.type == "link_open":
            target, text = page_of(doc.resolve(child.attrs["href"])[0]), ""
        elif child.type == "link_close":
            yield text, target
            target = None
        else:
            text += child.content


def _contents(doc):
    """A list of the headings; empty where there is nothing to choose from."""
    entries = [h for h in doc.headings if 1 < h.level <= _DEEPEST_CONTENTS]
    if len(entries) < 2:
        return ""
    items = "\n".join(
        f'<li class="level{h.level}"><a href="#{h.anchor}">{html.escape(h.text)}</a></li>'
        for h in entries
    )
    return (
        '<nav class="contents" aria-label="On this page">\n<details open>\n<summary>On this page</summary>\n'
        f"<ul>\n{items}\n</ul>\n</details>\n</nav>"
    )


def _without_empty_heads(tokens):
    """Markdown's tables need a head, also where it says nothing."""
    kept, place = [], 0
    while place < len(tokens):
        if tokens[place].type == "thead_open":
            end = next(i for i in range(place, len(tokens)) if tokens[i].type == "thead_close")
            if not any(t.content for t in tokens[place:end] if t.type == "inline"):
                place = end + 1
                continue
        kept.append(tokens[place])
        place += 1
    return kept


def _fence(tokens, place, options, env):
    token = tokens[place]
    language, _, source = token.info.strip().partition(" ")
    if language == "mermaid":
        return mermaid.to_html(token.content)
    kind = f' class="language-{html.escape(language)}"' if language else ""
    code = f'<pre tabindex="0"><code{kind}>{html.escape(token.content)}</code></pre>\n'
    if not source:
        return code
    link = os.path.relpath(source, page_of(env["doc"].path).parent)
    return f'<figure>\n<figcaption><a href="{link}">{source}</a></figcaption>\n{code}</figure>\n'


def _nothing(*_):
    return ""


def _table_open(tokens, place, _, env):
    """Wide tables scroll by themselves, also by the keyboard, and say in which section they are."""
    below = [h.text for h in env["doc"].headings if h.line <= tokens[place].map[0]]
    label = html.escape(f"Table in {below[-1] if below else env['doc'].title}")
    return f'<div class="table" role="region" tabindex="0" aria-label="{label}">\n<table>\n'


def _table_close(*_):
    return "</table>\n</div>\n"


_RENDERER = document.PARSER.renderer
_RENDERER.rules |= {
    "fence": _fence,
    "html_block": _nothing,  # comments: tests/docs/links_test.py allows no other HTML
    "html_inline": _nothing,
    "table_open": _table_open,
    "table_close": _table_close,
}


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(arguments):
    if len(arguments) != 1:
        print("build.py: name one folder to write to", file=sys.stderr)
        return 2
    site = Site(ROOT)
    site.write(arguments[0])
    print(f"{len(site.documents)} pages: {pathlib.Path(arguments[0]) / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
