import pathlib
import struct
import unittest

import world  # finds the modules under test
import hardening
from problem import Problem

_READ, _WRITE, _EXECUTE = 4, 2, 1
_NAMES = ("__stack_chk_fail", "__memcpy_chk", "_ZSt21__glibcxx_assert_failPKciS0_S0_")


def program(kind=3, code=_READ | _EXECUTE, stack=_READ | _WRITE, relro=True, flags=8,
            flags_1=0x08000001, tags=(), names=_NAMES):
    """The smallest ELF file that says these things of itself."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    segments = 3 + (stack is not None) + relro
    dynamic_at = 64 + 56 * segments
    entries = [(30, flags), (0x6FFFFFFB, flags_1), *((tag, 0) for tag in tags)]
    size = 16 * (len(entries) + 3)
    strings_at = dynamic_at + size
    # Addresses are not offsets, as in a real one.
    base = 0x400000
    entries += [(5, base + strings_at), (10, len(strings)), (0, 0)]

    def segment(type_, flags, at, length):
        return struct.pack("<IIQQQQQQ", type_, flags, at, base + at, base + at, length, length, 8)

    end = strings_at + len(strings)
    table = segment(1, _READ, 0, end) + segment(1, code, end, 0)
    table += segment(2, _READ | _WRITE, dynamic_at, size)
    if stack is not None:
        table += segment(0x6474E551, stack, 0, 0)
    if relro:
        table += segment(0x6474E552, _READ, dynamic_at, size)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", kind, 62, 1, 0, 64, 0, 0, 64,
                         56, segments, 0, 0, 0)
    return header + table + b"".join(struct.pack("<qQ", *each) for each in entries) + strings


class HardeningTest(unittest.TestCase):
    def test_takes_a_program_that_has_everything(self):
        self.assertEqual(hardening.missing(program()), [])
        self.assertEqual(hardening.missing(program(flags=0, flags_1=0x08000001)), [])
        self.assertEqual(hardening.missing(program(flags=0, flags_1=0x08000000, tags=[24])), [])

    def test_says_what_is_missing(self):
        for said, data in {
            "a position of its own in each process (PIE)": program(kind=2, flags_1=1),
            "read-only relocations (RELRO)": program(relro=False),
            "binding at the start (BIND_NOW)": program(flags=0, flags_1=0x08000000),
            "a stack that is not executable": program(stack=_READ | _WRITE | _EXECUTE),
            "separation of code and data": program(code=_READ | _WRITE | _EXECUTE),
            "code without relocations": program(flags=8 | 4),
            "the stack protector": program(names=_NAMES[1:]),
            "fortified functions (_FORTIFY_SOURCE)": program(names=(_NAMES[0], _NAMES[2])),
            "libstdc++'s assertions": program(names=_NAMES[:2]),
        }.items():
            with self.subTest(said):
                self.assertEqual(hardening.missing(data), [said])

    def test_a_stack_that_nothing_is_said_of_is_executable(self):
        self.assertEqual(hardening.missing(program(stack=None)), ["a stack that is not executable"])

    def test_relocations_of_code_are_known_by_their_tag_too(self):
        self.assertEqual(hardening.missing(program(tags=[22])), ["code without relocations"])

    def test_the_image_refuses_such_a_program(self):
        with self.assertRaisesRegex(
                Problem, r"^build/x lacks read-only relocations \(RELRO\); build it with the preset"):
            hardening.check("build/x", program(relro=False))

    def test_refuses_what_is_no_program(self):
        with self.assertRaisesRegex(Problem, "no program of 64 bits"):
            hardening.missing(b"#!/bin/sh\n")


class BuiltTest(unittest.TestCase):
    """Of the release, where stack protector and fortified functions are Berth's own. The image's
    program has those of Debian's archives, too; assemble.py looks at it before it takes it."""

    def test_the_release_has_everything(self):
        built = pathlib.Path(__file__).resolve().parents[2] / "build/release/cli/berth"
        if not built.exists():
            self.skipTest(f"there is no {built}; run: make berth")
        self.assertEqual(hardening.missing(built.read_bytes()), [])


if __name__ == "__main__":
    unittest.main()
