"""Whether a program has what compiler and linker can do against mistakes in memory.

Reads ELF of 64 bits, little endian, as elf(5) and glibc's elf.h describe it.
"""

import re
import struct
from typing import NamedTuple

from problem import Problem

_LOAD, _DYNAMIC, _STACK, _RELRO = 1, 2, 0x6474E551, 0x6474E552
_EXECUTABLE, _WRITABLE = 1, 2
_SHARED_OBJECT = 3
_STRTAB, _STRSZ, _TEXTREL, _BIND_NOW, _FLAGS, _FLAGS_1 = 5, 10, 22, 24, 30, 0x6FFFFFFB
_FLAGS_TEXTREL, _FLAGS_BIND_NOW = 4, 8
_FLAGS_1_NOW, _FLAGS_1_PIE = 1, 0x08000000


class _Segment(NamedTuple):
    kind: int
    flags: int
    offset: int
    address: int
    size: int


class _Program(NamedTuple):
    kind: int
    segments: list
    dynamic: dict  # values by tag
    names: set  # of what is looked up in shared libraries, and more

    def flags_of(self, segment):
        return [each.flags for each in self.segments if each.kind == segment]


def check(path, data):
    """Refuses a program that lacks any of it."""
    lacking = missing(data)
    if lacking:
        raise Problem(f"{path} lacks {', '.join(lacking)}; build it with the preset image, "
                      "which leaves BERTH_HARDEN on")


def missing(data):
    """What a program lacks; empty where it has all."""
    program = _read(data)
    return [name for name, has in _MEASURES.items() if not has(program)]


def _is_position_independent(program):
    flags = program.dynamic.get(_FLAGS_1, 0)
    return program.kind == _SHARED_OBJECT and bool(flags & _FLAGS_1_PIE)


def _is_bound_at_start(program):
    return (_BIND_NOW in program.dynamic
            or bool(program.dynamic.get(_FLAGS, 0) & _FLAGS_BIND_NOW)
            or bool(program.dynamic.get(_FLAGS_1, 0) & _FLAGS_1_NOW))


def _has_data_stack(program):
    # Without such a segment the kernel makes the stack executable.
    stacks = program.flags_of(_STACK)
    return bool(stacks) and not any(flags & _EXECUTABLE for flags in stacks)


def _separates_code(program):
    both = _EXECUTABLE | _WRITABLE
    return all(flags & both != both for flags in program.flags_of(_LOAD))


def _leaves_code_alone(program):
    return (_TEXTREL not in program.dynamic
            and not program.dynamic.get(_FLAGS, 0) & _FLAGS_TEXTREL)


def _is_fortified(program):
    return any(re.fullmatch(r"__\w+_chk", name) for name in program.names)


_MEASURES = {
    "a position of its own in each process (PIE)": _is_position_independent,
    "read-only relocations (RELRO)": lambda program: bool(program.flags_of(_RELRO)),
    "binding at the start (BIND_NOW)": _is_bound_at_start,
    "a stack that is not executable": _has_data_stack,
    "separation of code and data": _separates_code,
    "code without relocations": _leaves_code_alone,
    "the stack protector": lambda program: "__stack_chk_fail" in program.names,
    "fortified functions (_FORTIFY_SOURCE)": _is_fortified,
    "libstdc++'s assertions": lambda program: any(
        "__glibcxx_assert_fail" in name for name in program.names),
}


def _read(data):
    if data[:6] != b"\x7fELF\x02\x01":
        raise Problem("it is no program of 64 bits, little endian (ELF)")
    kind, = struct.unpack_from("<H", data, 16)
    segments = _segments(data)
    dynamic = _dynamic(data, segments)
    return _Program(kind, segments, dynamic, _names(data, segments, dynamic))


def _segments(data):
    start, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = []
    for at in range(start, start + size * count, size):
        kind, flags, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", data, at)
        segments.append(_Segment(kind, flags, offset, address, in_file))
    return segments


def _dynamic(data, segments):
    values = {}
    for segment in segments:
        if segment.kind == _DYNAMIC:
            part = data[segment.offset:segment.offset + segment.size]
            values |= dict(struct.iter_unpack("<qQ", part))
    return values


def _names(data, segments, dynamic):
    for segment in segments:
        within = dynamic.get(_STRTAB, 0) - segment.address
        if segment.kind == _LOAD and 0 <= within < segment.size:
            start = segment.offset + within
            table = data[start:start + dynamic.get(_STRSZ, 0)]
            return {name.decode(errors="replace") for name in table.split(b"\0")}
    return set()
