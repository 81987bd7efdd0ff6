import sys
import tempfile
import unittest

import world  # finds the modules under test
import inputs
from problem import Problem

_MAP = """\
Archive member included to satisfy reference by file (symbol)

/usr/lib/x86_64-linux-gnu/libgrpc++.a(channel_cc.cc.o)
                              server/libberth_server.a(grpc_listener.cc.o) (grpc::Channel)
/usr/lib/x86_64-linux-gnu/libgrpc++.a(server_cc.cc.o)
                              /usr/lib/x86_64-linux-gnu/libgrpc++.a(channel_cc.cc.o) (grpc::Server)
cli/libberth_cli.a(run.cc.o)  cli/main.o (Run)

LOAD /usr/lib/x86_64-linux-gnu/Scrt1.o
LOAD cli/main.o
LOAD /usr/lib/x86_64-linux-gnu/libz.a
"""

_DEPS = """\
model/node.cc.o: #deps 3, deps mtime 1 (VALID)
    /home/somebody/berth/model/node.cc
    ../../model/node.h
    /usr/include/fmt/core.h

model/pod.cc.o: #deps 1, deps mtime 1 (VALID)
    /usr/include/fmt/core.h
"""

_LDD = """\
\tlinux-vdso.so.1 (0x00007ffc)
\tlibfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x00007f1a)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f1b)
"""

_ELF = """\
      [Requesting program interpreter: /lib/ld-linux-aarch64.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libfmt.so.9]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x000000000000000e (SONAME)             Library soname: [libelse.so.1]
"""


class InputsTest(unittest.TestCase):
    def test_libraries_are_those_that_the_loader_finds(self):
        self.assertEqual(inputs.parse_ldd(_LDD), {
            "libfmt.so.9": "/lib/x86_64-linux-gnu/libfmt.so.9",
            "/lib64/ld-linux-x86-64.so.2": "/lib64/ld-linux-x86-64.so.2",
        })

    def test_a_library_that_is_not_found_is_named(self):
        with self.assertRaisesRegex(Problem, "needs libfmt.so.9, .* run .ci/install-dependencies"):
            inputs.parse_ldd("\tlibfmt.so.9 => not found\n")

    def test_archives_count_when_the_program_has_a_member(self):
        self.assertEqual(inputs.archives(_MAP), [
            "/usr/lib/x86_64-linux-gnu/Scrt1.o",
            "/usr/lib/x86_64-linux-gnu/libgrpc++.a",
        ])

    def test_headers_are_those_of_others(self):
        self.assertEqual(inputs.parse_deps(_DEPS), ["/usr/include/fmt/core.h"])

    def test_headers_of_a_sysroot_are_others_too(self):
        deps = _DEPS.replace("/usr/include", "../sysroot/usr/include")
        build = "/home/somebody/berth/build"
        self.assertEqual(inputs.parse_deps(deps, f"{build}/image", f"{build}/sysroot"),
                         [f"{build}/sysroot/usr/include/fmt/core.h"])

    def test_a_program_of_another_architecture_says_what_it_needs(self):
        self.assertEqual(inputs.parse_elf(_ELF),
                         ("/lib/ld-linux-aarch64.so.1", ["libfmt.so.9", "libc.so.6"]))
        self.assertEqual(inputs.parse_elf(""), ("", []))

    def test_libraries_are_found_below_a_sysroot_with_those_that_they_need(self):
        ours = inputs.shared_libraries(sys.executable)
        below = inputs.shared_libraries_below("/", sys.executable)
        self.assertEqual(below.keys(), {name for name in ours if "vdso" not in name})

    def test_a_library_that_is_not_below_the_sysroot_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Problem, r"needs lib.*, which is not below .*; remove"):
                inputs.shared_libraries_below(folder, sys.executable)

    def test_a_folder_without_a_build_is_said(self):
        with self.assertRaisesRegex(Problem, "ninja -C /nonexistent"):
            inputs.headers("/nonexistent")


if __name__ == "__main__":
    unittest.main()
