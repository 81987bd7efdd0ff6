"""A Markdown document of the repository as GitHub reads it: headings and their anchors, links, code."""

import dataclasses
import os
import pathlib
import re

from markdown_it import MarkdownIt

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@dataclasses.dataclass(frozen=True)
class Heading:
    level: int
    text: str
    anchor: str
    line: int


@dataclasses.dataclass(frozen=True)
class Link:
    target: str
    line: int


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced code block: its language, what else its first line says, and its text."""

    language: str
    note: str
    text: str
    line: int


@dataclasses.dataclass(frozen=True)
class Code:
    """Code within a line."""

    text: str
    line: int


class Document:
    """What is in a document. `path` is relative to the repository; lines count from 1."""

    def __init__(self, path, text):
        self.path = pathlib.PurePosixPath(path)
        self.text = text
        self.tokens = PARSER.parse(text)
        self.headings = list(_headings(self.tokens))
        self.links = list(_links(self.tokens))
        self.blocks = list(_blocks(self.tokens))
        self.codes = list(_codes(self.tokens))

    @property
    def title(self):
        return next((h.text for h in self.headings if h.level == 1), self.path.name)

    def anchors(self):
        return {heading.anchor for heading in self.headings}

    def resolve(self, target):
        """The repository's path and the anchor that a relative link leads to."""
        path, _, anchor = target.partition("#")
        if not path:
            return self.path, anchor
        return pathlib.PurePosixPath(os.path.normpath(self.path.parent / path)), anchor


def read(root, path):
    return Document(path, (pathlib.Path(root) / path).read_text(encoding="utf-8"))


def is_external(target):
    return re.match(r"[a-z][a-z0-9+.-]*:|//", target) is not None


def plain(inline):
    """The text of an inline token without its markup."""
    return "".join(
        {"softbreak": " ", "hardbreak": " "}.get(child.type, child.content)
        for child in inline.children or []
    )


def _headings(tokens):
    seen = {}
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            text = plain(tokens[place + 1])
            anchor = _anchor(text, seen)
            yield Heading(int(token.tag[1:]), text, anchor, token.map[0] + 1)


def _anchor(text, seen):
    """As GitHub makes it: https://github.com/gjtorikian/html-pipeline, toc_filter.rb."""
    anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    count = seen.get(anchor, 0)
    seen[anchor] = count + 1
    return f"{anchor}-{count}" if count else anchor


def _children(tokens):
    """Each token within a line, with the line."""
    for token in tokens:
        line = token.map[0] + 1 if token.map else 0
        for child in token.children or []:
            yield child, line
            line += child.type in ("softbreak", "hardbreak")


def _links(tokens):
    for child, line in _children(tokens):
        attribute = {"link_open": "href", "image": "src"}.get(child.type)
        if attribute:
            yield Link(child.attrs[attribute], line)


def _blocks(tokens):
    for token in tokens:
        if token.type == "fence":
            language, _, note = token.info.strip().partition(" ")
            yield Block(language, note.strip(), token.content, token.map[0] + 1)


def _codes(tokens):
    for child, line in _children(tokens):
        if child.type == "code_inline":
            yield Code(child.content, line)
