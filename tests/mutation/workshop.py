"""A build of a copy of the repository, to which broken sources are linked."""

import difflib
import json
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import time
from typing import NamedTuple

import record

# Of the folder that a source is in: the binaries of which one has to notice. The first prefix counts.
# Explanations and static policies are tested as berth explain and berth policies print them, and what
# the controller's configuration may say with the other configuration.
TESTS = {
    "admission/cel_facts.cc": ("unit_admission", "unit_cli"),
    "admission/static_": ("unit_admission", "unit_cli"),
    "controller/config.cc": ("unit_controller", "unit_config"),
    "policies/admission/": ("unit_policies_admission",),
    "policies/": ("unit_policies",),
    "cluster/": ("unit_cluster",),
    "extender/": ("unit_extender",),
    "admission/": ("unit_admission",),
    "placement/": ("unit_placement", "unit_cli"),
    "controller/": ("unit_controller",),
}


def tests_of(path):
    return next(tests for prefix, tests in TESTS.items() if path.startswith(prefix))


# Tests that take longer are left until the others have passed.
_SLOW = 0.2

# Of the process of the tests: a loop that never ends may take memory all the while.
_MEMORY = 4 << 30


def _run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)


class Workshop:
    """`out`/tree gets the files that git knows in `root`, as they are there now, and stays whole."""

    def __init__(self, root, out, jobs):
        self._root = pathlib.Path(root)
        self._out = pathlib.Path(out)
        self._tree = self._out / "tree"
        # As deep in its tree as the presets' builds are, so that ccache takes the one for the other.
        self._build = self._tree / "build" / "mutation"
        self._jobs = str(jobs)
        # Of each binary: the tests that are run together, as Runs.
        self._runs = {}

    def prepare(self, binaries):
        """Builds these, which have to pass. Once, before judge()."""
        self._copy_all()
        self._make(sorted(binaries))
        for tests in sorted(binaries):
            self._try_unbroken(tests)

    def _copy_all(self):
        listed = _run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                      cwd=self._root)
        names = {name for name in listed.stdout.split("\0") if name and (self._root / name).is_file()}
        for name in names:
            self._copy(name)
        for old in self._known():
            if old not in names:
                (self._tree / old).unlink()

    def _known(self):
        files = (path for path in self._tree.rglob("*") if path.is_file())
        names = [path.relative_to(self._tree).as_posix() for path in files]
        return [name for name in names if not name.startswith(("build/", ".git"))]

    def _copy(self, name):
        # What is the same keeps its time, or all of it would be built again.
        source, copy = self._root / name, self._tree / name
        content = source.read_bytes()
        if copy.exists() and copy.read_bytes() == content:
            return
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)

    def _make(self, binaries):
        if not binaries:
            return
        for command in [
            ["cmake", "--preset", "release", "-B", str(self._build), "--log-level=WARNING",
             "-DBERTH_BENCHMARKS=OFF", "-DBERTH_HARDEN=OFF",
             "-DCMAKE_PROJECT_berth_INCLUDE=" +
             str(self._tree / "tests" / "mutation" / "settings.cmake")],
            ["cmake", "--build", str(self._build), "-j", self._jobs, "--target", *binaries],
        ]:
            done = _run(command, cwd=self._tree)
            if done.returncode != 0:
                raise RuntimeError(done.stdout)

    def _try_unbroken(self, tests):
        with tempfile.TemporaryDirectory(dir=self._out) as folder:
            times = pathlib.Path(folder) / "times.json"
            binary = self._binary(tests)
            if not self._test(binary, ["--gtest_output=json:" + str(times)], 600):
                raise RuntimeError("%s fails though nothing is broken" % binary)
            self._runs[tests] = runs_of(json.loads(times.read_text()))

    def _binary(self, tests):
        return next(path for path in self._build.rglob(tests) if path.is_file())

    def judge(self, mutant):
        """(verdict, seconds, diff). May be called by several threads at a time."""
        whole = (self._tree / mutant.path).read_text()
        broken = mutant.apply(whole)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self._out) as folder:
            source = pathlib.Path(folder) / pathlib.Path(mutant.path).name
            source.write_text(broken)
            verdict = self._verdict(mutant.path, source)
        return verdict, time.monotonic() - began, _diff(whole, broken)

    def _verdict(self, path, source):
        compiled = self._compile(path, source)
        if compiled is None:
            return record.NO_MUTANT
        for tests in tests_of(path):
            binary = self._link(compiled, tests)
            if binary is None:
                return record.NO_MUTANT
            for run in self._runs[tests]:
                passed = self._test(binary, ["--gtest_filter=" + run.tests], run.limit)
                if passed is None:
                    return record.LATE
                if not passed:
                    return record.NOTICED
        return record.SURVIVED

    def _compile(self, path, source):
        """The object of `source`, compiled as the one at `path` is; None where that fails."""
        compiled = source.with_suffix(".o")
        compiling = compile_command(self._build, self._tree / path, source, compiled)
        return compiled if _run(compiling, cwd=self._build).returncode == 0 else None

    def _link(self, compiled, tests):
        """The binary `tests` with this object in place of its source's; None where that fails."""
        binary = compiled.with_suffix("")
        built = self._binary(tests).relative_to(self._build)
        listed = _run(["ninja", "-t", "commands", "-s", str(built)], cwd=self._build).stdout
        linked = _run(link_command(listed, str(built), str(compiled), str(binary)), cwd=self._build,
                      shell=True)
        return binary if linked.returncode == 0 else None

    def _test(self, binary, flags, limit):
        """Whether they pass; None: they did not end in time."""
        try:
            done = _run(["prlimit", "--as=%d" % _MEMORY, "--core=0", str(binary), "--gtest_brief=1",
                         "--gtest_fail_fast", *flags], cwd=self._tree, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        return done.returncode == 0


class Run(NamedTuple):
    tests: str  # as --gtest_filter takes them
    limit: float  # seconds: ten times as long as they took unbroken, and 10 s


def runs_of(times):
    """The quick tests, then the slow ones, of what --gtest_output wrote."""
    seconds = {suite["name"] + "." + test["name"]: float(test["time"].rstrip("s"))
               for suite in times["testsuites"] for test in suite["testsuite"]}
    slow = [name for name, took in seconds.items() if took > _SLOW]
    of_slow = sum(seconds[name] for name in slow)
    of_quick = sum(seconds.values()) - of_slow
    runs = [Run("-" + ":".join(slow) if slow else "*", 10 + 10 * of_quick)]
    return runs + ([Run(":".join(slow), 10 + 10 * of_slow)] if slow else [])


def compile_command(build, path, source, compiled):
    """What compiles the file at `path`, for `source` in its place and into `compiled`."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] == str(path):
            words = shlex.split(entry["command"])
            words[words.index("-o") + 1] = str(compiled)
            return [str(source) if word == str(path) else word for word in words]
    raise RuntimeError("nothing compiles " + str(path))


def link_command(listed, built, compiled, binary):
    """What links `built`, to `binary`: an object comes before the archives, so that what it defines
    is not looked for in them."""
    return listed.strip().replace(" -o %s " % built, " -o %s %s " % (binary, compiled))


def _diff(whole, broken):
    lines = list(difflib.unified_diff(whole.splitlines(), broken.splitlines(), n=0, lineterm=""))
    return "\n".join(line for line in lines[2:] if not line.startswith("@@"))
