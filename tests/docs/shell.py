"""The commands in a document: in its blocks of shell, and in code within lines."""

import dataclasses
import re
import shlex

PROGRAMS = ("berth", "make", "helm", "kubectl", "cmake", "ctest", "grpcurl", "node-problem-detector")
_SHELL = ("sh", "bash")
_PLACEHOLDER = re.compile(r"<[a-z][\w -]*>")  # <pod>
_OPERATORS = set("();<>|&")
_BEFORE = ("do", "then", "while", "if", "!", "exec", "xargs")


@dataclasses.dataclass(frozen=True)
class Command:
    words: tuple
    line: int

    def __str__(self):
        return " ".join(self.words)


def is_shell(block):
    """Blocks that name no language are output, unless they begin with a program or a prompt."""
    if block.language:
        return block.language in _SHELL
    first = block.text.lstrip().split(" ", 1)[0]
    return first == "$" or first in PROGRAMS


def is_synopsis(text):
    """Whether it says how a command may look: `berth x [--option VALUE] -o a|b`."""
    return re.search(r"\[-|\w\|\w", text) is not None


def script(block):
    """What a person would type: where there are prompts, only what follows one."""
    lines = block.text.splitlines(keepends=True)
    if any(line.startswith("$ ") for line in lines):
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    return _PLACEHOLDER.sub("NAME", "".join(lines))


def of_block(block):
    """Raises ValueError where quotes do not match."""
    for words in _statements(script(block)):
        yield from _commands(words, block.line)


def of_code(code):
    """The command that code within a line is; none for anything else, such as `berth isolation: why`."""
    text = _PLACEHOLDER.sub("NAME", code.text).replace("...", "")
    program, _, rest = text.partition(" ")
    is_message = rest.split(" ")[0].endswith(":")
    if program in PROGRAMS and rest and not is_message and not is_synopsis(text):
        for words in _statements(text):
            yield from _commands(words, code.line)


def _statements(text):
    """The words of each line; a line that a quote or backslash goes on with the next."""
    pending = ""
    for line in text.splitlines():
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        lexer = shlex.shlex(pending, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:
            pending += "\n"
            continue
        pending = ""
        yield words
    if pending:
        raise ValueError(f"quotes do not match: {pending}")


def _commands(words, line):
    """The simple commands of a line: without redirections, assignments and what others begin with."""
    command, skip = [], False
    for word in [*words, ";"]:
        if word and set(word) <= _OPERATORS:
            skip = ">" in word or "<" in word
            if not skip:
                if command:
                    yield Command(tuple(command), line)
                command = []
        elif skip:
            skip = False
        elif command or not (word in _BEFORE or re.match(r"\w+=", word)):
            command.append(word)
