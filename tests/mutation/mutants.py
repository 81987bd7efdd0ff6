"""Finds what can be broken in C++: every mutant is one small change of one statement.

It reads tokens, not a syntax tree, and relies on the code being formatted as .clang-format says:
operators of two operands have a space on both sides, those of one have none, and neither have the
brackets of templates. A mutant that does not compile all the same is told by the compiler.
"""

import hashlib
import re
from typing import NamedTuple


class Mutant(NamedTuple):
    path: str  # from the root of the repository
    operator: str
    start: int  # of the characters that are replaced
    end: int
    after: str
    line: int
    context: str  # the lines that it is in, and its column
    nth: int  # of those in equal lines of the file, from 0

    @property
    def id(self):
        """The same for as long as the statement stays as it is, wherever it moves in its file."""
        key = "\0".join([self.path, self.operator, self.context, self.after, str(self.nth)])
        return hashlib.sha256(key.encode()).hexdigest()[:12]

    def apply(self, text):
        return text[: self.start] + self.after + text[self.end :]


_SKIPPED = re.compile(
    r"""
    //[^\n]*
  | /\*.*?\*/
  | R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"
  | "(?:\\.|[^"\\\n])*"
  | '(?:\\.|[^'\\\n])+'
  | ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*
  | \bstatic_assert\([^;]*;
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

# A digit separator is no quote: 45'000.
_SEPARATOR = re.compile(r"(?<=\d)'(?=\d)")

_SWAPS = {
    "comparison": {
        " == ": " != ", " != ": " == ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ",
    },
    "boolean": {" && ": " || ", " || ": " && "},
    "arithmetic": {
        " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += ",
    },
}
_LITERALS = {"true": "false", "false": "true"}

_NOT = re.compile(r"(?<=[\s(])!(?=[\w(])")
_STEP = re.compile(r"\+\+|--")
_LITERAL = re.compile(r"\b(?:true|false)\b")
_NUMBER = re.compile(r"(?<![\w.'])\d+(?![\w.'])")
_IF = re.compile(r"\bif \(")
# A call or an assignment: a name, perhaps of something's member, and what is done to it. What has a
# second name instead declares something.
_STATEMENT = re.compile(
    r"(?<=[;{}])(?P<gap>\s*)(?P<body>(?!return\b|if\b|for\b|while\b|switch\b|else\b|do\b|case\b|using\b|throw\b)"
    r"[A-Za-z_][\w:]*(?:(?:\.|->)\w+|\[[^\[\]]*\])*(?:\(| (?:[-+*/|&]?=) |\+\+|--)[^;{}]*;)"
)


def blank(text):
    """The text with comments, literals and preprocessor lines as spaces, so that positions stay."""
    text = _SEPARATOR.sub("0", text)
    return _SKIPPED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def _balanced(text):
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def _condition(code, start):
    """The text in the bracket that opens before `start`."""
    depth = 1
    for at in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return code[start:at]
    return ""


def _places(code):
    """(operator, start, end, what stands there instead), in no order."""
    for operator, swaps in _SWAPS.items():
        for old, new in swaps.items():
            # A look ahead, so that operators which share a space are all found.
            for match in re.finditer("(?=%s)" % re.escape(old), code):
                start = match.start() + 1
                yield operator, start, start + len(old.strip()), new.strip()
    for match in _STEP.finditer(code):
        yield "arithmetic", *match.span(), "--" if match.group() == "++" else "++"
    for match in _NOT.finditer(code):
        yield "boolean", *match.span(), ""
    for match in _LITERAL.finditer(code):
        yield "constant", *match.span(), _LITERALS[match.group()]
    for match in _NUMBER.finditer(code):
        yield "constant", *match.span(), str(int(match.group()) + 1)
    for match in _IF.finditer(code):
        condition = _condition(code, match.end())
        if not condition or ";" in condition or re.search(r"[\w>&*] \w+ = ", condition):
            continue  # it declares something
        end = match.end() + len(condition)
        yield "branch", match.end(), end, "true || (%s)"
        yield "branch", match.end(), end, "false && (%s)"
    for match in _STATEMENT.finditer(code):
        # Room that is made beforehand is speed, which no test of behaviour sees.
        if _balanced(match.group("body")) and ".reserve(" not in match.group("body"):
            yield "statement", *match.span("body"), ";"


def _context(text, start, end):
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return "%s@%d" % (text[first : last if last >= 0 else len(text)], start - first)


def _is_of_text(text, start, end):
    """Whether an operand is a string literal, of which there is no difference."""
    return text[:start].rstrip().endswith('"') or text[end:].lstrip().startswith('"')


def of(path, text):
    """Every mutant of a source, in the order of the text."""
    code = blank(text)
    seen = {}
    found = []
    for operator, start, end, after in sorted(_places(code), key=lambda place: place[1:]):
        if operator == "arithmetic" and _is_of_text(text, start, end):
            continue
        after = after.replace("%s", text[start:end])
        context = _context(text, start, end)
        nth = seen.get((operator, context, after), 0)
        seen[operator, context, after] = nth + 1
        line = text.count("\n", 0, start) + 1
        found.append(Mutant(path, operator, start, end, after, line, context, nth))
    return found
