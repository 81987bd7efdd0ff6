"""A copy of the repository that may be broken, and a build of it."""

import difflib
import pathlib
import resource
import shutil
import subprocess
import time

import record

# Of the folder that a source is in: the binary that has to notice. The first prefix counts.
TESTS = {
    "policies/admission/": "unit_policies_admission",
    "policies/": "unit_policies",
    "cluster/": "unit_cluster",
    "extender/": "unit_extender",
    "admission/": "unit_admission",
    "controller/": "unit_controller",
}


def tests_of(path):
    return next(tests for prefix, tests in TESTS.items() if path.startswith(prefix))


_MEMORY = 4 << 30


def _limit_memory():
    """In the process of the tests: a loop that never ends may take memory all the while."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)


class Workshop:
    """`tree` gets the files that git knows in `root`, as they are there now."""

    def __init__(self, root, tree, jobs):
        self._root = pathlib.Path(root)
        self._tree = pathlib.Path(tree)
        # As deep in its tree as the presets' builds are, so that ccache takes the one for the other.
        self._build = self._tree / "build" / "mutation"
        self._jobs = str(jobs)
        self._limits = {}

    def prepare(self):
        listed = _run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                      cwd=self._root)
        names = {name for name in listed.stdout.split("\0") if name and (self._root / name).is_file()}
        for name in names:
            self._copy(name)
        for old in self._known():
            if old not in names:
                (self._tree / old).unlink()
        self._configure()

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

    def _configure(self):
        done = _run(["cmake", "--preset", "release", "-B", str(self._build), "--log-level=WARNING",
                     "-DBERTH_BENCHMARKS=OFF",
                     "-DCMAKE_PROJECT_berth_INCLUDE=" +
                     str(self._tree / "tests" / "mutation" / "settings.cmake")], cwd=self._tree)
        if done.returncode != 0:
            raise RuntimeError(done.stdout)

    def text(self, path):
        return (self._tree / path).read_text()

    def judge(self, mutant):
        """(verdict, seconds, diff). The tree is whole again afterwards."""
        tests = tests_of(mutant.path)
        limit = self._limit_of(tests)
        whole = self.text(mutant.path)
        broken = mutant.apply(whole)
        began = time.monotonic()
        try:
            (self._tree / mutant.path).write_text(broken)
            verdict = self._verdict(tests, limit)
        finally:
            (self._tree / mutant.path).write_text(whole)
        return verdict, time.monotonic() - began, _diff(whole, broken)

    def _verdict(self, tests, limit):
        if self._make(tests).returncode != 0:
            return record.NO_MUTANT
        passed = self._test(tests, limit)
        if passed is None:
            return record.LATE
        return record.SURVIVED if passed else record.NOTICED

    def _limit_of(self, tests):
        """Ten times what the tests take unbroken, which have to pass, and 10 s."""
        if tests not in self._limits:
            made = self._make(tests)
            if made.returncode != 0:
                raise RuntimeError(made.stdout)
            began = time.monotonic()
            if not self._test(tests, 600):
                raise RuntimeError(tests + " fails though nothing is broken")
            self._limits[tests] = 10 + 10 * (time.monotonic() - began)
        return self._limits[tests]

    def _make(self, tests):
        return _run(["cmake", "--build", str(self._build), "-j", self._jobs, "--target", tests])

    def _test(self, tests, limit):
        """Whether they pass; None: they did not end in time."""
        binary = next(self._build.rglob(tests), None)
        try:
            done = _run([str(binary), "--gtest_brief=1", "--gtest_fail_fast"], cwd=self._tree,
                        timeout=limit, preexec_fn=_limit_memory)
        except subprocess.TimeoutExpired:
            return None
        return done.returncode == 0


def _diff(whole, broken):
    lines = list(difflib.unified_diff(whole.splitlines(), broken.splitlines(), n=0, lineterm=""))
    return "\n".join(line for line in lines[2:] if not line.startswith("@@"))
