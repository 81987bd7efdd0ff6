"""What has gone into a program: asked of the loader, the linker and the compilers' records."""

import re
import subprocess

from problem import Problem


def shared_libraries(binary):
    """Path by the name that the loader looks for; its own path, too."""
    return parse_ldd(_output("ldd", binary))


def parse_ldd(text):
    libraries = {}
    for line in text.splitlines():
        if match := re.match(r"\s*(\S+) => (/\S+) \(0x", line):
            libraries[match[1]] = match[2]
        elif match := re.match(r"\s*(/\S+) \(0x", line):
            libraries[match[1]] = match[1]
        elif match := re.match(r"\s*(\S+) => not found", line):
            raise Problem(f"the program needs {match[1]}, which is not installed; "
                          "run .ci/install-dependencies")
    return libraries


def archives(map_text):
    """Archives with members in the program, and objects of the compiler, from the linker's map."""
    members = re.findall(r"^(/[^\s()]+\.a)\(", map_text, re.MULTILINE)
    objects = re.findall(r"^LOAD (/\S+\.o)$", map_text, re.MULTILINE)
    return sorted({*members, *objects})


def headers(build_folder):
    """Headers from outside of the sources that anything in the program included."""
    inputs = _output("ninja", "-C", build_folder, "-t", "inputs", "berth").split()
    objects = [path for path in inputs if path.endswith(".o")]
    return parse_deps(_output("ninja", "-C", build_folder, "-t", "deps", *objects))


def parse_deps(text):
    return sorted(set(re.findall(r"^ +(/usr/\S+)$", text, re.MULTILINE)))


def _output(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", "") or error
        raise Problem(f"{' '.join(map(str, command))}: {said}") from None
