"""What Berth asks of NVIDIA's GPUs, on a machine that has one.

The probes meet the real driver, and the programs that docs/active-checks.yaml ships run as it has
them. Nothing of the GPU is changed or reset.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import yaml

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_BERTH = os.environ.get("BERTH", str(_ROOT / "build/release/cli/berth"))
_VALUES = yaml.safe_load((_ROOT / "docs/active-checks.yaml").read_text())


def _run(arguments, **options):
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=options.pop("stderr", subprocess.STDOUT), timeout=300, **options)


def _smi(*arguments):
    return _run(["nvidia-smi", *arguments, "--format=csv,noheader,nounits"])


def _gpus():
    try:
        asked = _smi("--query-gpu=pci.bus_id")
    except FileNotFoundError:
        return []
    return asked.stdout.split() if asked.returncode == 0 else []


def _has_torch():
    return _run(["python3", "-c", "import torch"]).returncode == 0


def _check(name):
    return {check["name"]: check for check in _VALUES["config"]["controller"]["activeChecks"]}[name]


def _as_nobody(command):
    """A command as the pods of checks run theirs: as nobody, without capabilities. Only root can
    become nobody; other users are as good."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--no-new-privs",
            "--inh-caps", "-all", "--bounding-set", "-all", *command]


def _with_own_tmp(command):
    """A command with a /tmp of its own, as a container has."""
    if os.geteuid() != 0:
        return command
    return ["unshare", "--mount", "sh", "-ec", 'mount -t tmpfs none /tmp; exec "$@"', "sh",
            *command]


def _free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])


@unittest.skipUnless(_gpus(), "this machine has no GPU of NVIDIA's that answers")
class GpuTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def probe(self, name, *flags, before=()):
        """A probe's exit code and its one line. `before`: what starts it."""
        started = time.monotonic()
        ran = _run([*before, _BERTH, "probe", name, "--run-dir", self.folder.name, *flags],
                   stderr=subprocess.PIPE)
        print(f"\n    berth probe {' '.join([name, *flags])}: {ran.returncode} "
              f"{ran.stdout.strip()!r} in {time.monotonic() - started:.2f} s", file=sys.stderr)
        self.assertEqual(ran.stderr, "")
        self.assertRegex(ran.stdout, r"\A[ -~]{1,80}\n\Z")
        return ran.returncode, ran.stdout.strip()


class ProbesTest(GpuTest):
    def test_finds_all_gpus(self):
        self.assertEqual(self.probe("gpu-lost"), (0, f"{len(_gpus())} GPUs answer"))

    def test_misses_a_gpu_that_is_expected(self):
        n = len(_gpus())
        self.assertEqual(self.probe("gpu-lost", "--expect", str(n + 1)),
                         (1, f"{n} of {n + 1} accelerators are on the PCI bus"))

    def test_knows_every_field_of_this_driver(self):
        # Memory with ECC has all of these fields: what the driver is asked for is spelt right.
        modes = _smi("--query-gpu=ecc.mode.current").stdout.split("\n")
        if "Enabled" not in modes:
            self.skipTest("no GPU of this machine has ECC")
        for name, well in (("pending-page", "no page or row is pending"),
                           ("remapped-rows", "no row failed to be remapped"),
                           ("ecc", "no uncorrected ECC errors"),
                           ("clock", "no GPU is slowed down")):
            with self.subTest(probe=name):
                self.assertEqual(self.probe(name), (0, well))

    def test_judges_the_link(self):
        # A virtual machine may not be told of the link: that is unknown, and excludes no node.
        code, said = self.probe("pcie-link")
        self.assertIn(code, (0, 2), said)
        self.assertRegex(said, r"the links of \d+ accelerators are full|does not say how wide")

    def test_a_gpu_at_work_is_well(self):
        if not _has_torch():
            self.skipTest("python3 has no PyTorch")
        work = subprocess.Popen(["python3", "-c", textwrap.dedent("""
            import sys, torch
            a = torch.rand(8192, 8192, device="cuda", dtype=torch.bfloat16)
            (a @ a).sum().item()
            print("at work", flush=True)
            while True:
                for _ in range(200): a @ a
                torch.cuda.synchronize()
            """)], stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(work.stdout.readline(), "at work\n")
            self.assertEqual(self.probe("gpu-lost")[0], 0)
            self.assertEqual(self.probe("clock"), (0, "no GPU is slowed down"))
        finally:
            work.kill()
            work.wait()
            work.stdout.close()


@unittest.skipUnless(os.geteuid() == 0, "only root can hide what is in the file system")
class MissingDriverTest(GpuTest):
    """What the real nvidia-smi says when something is missing, and what the probes make of it."""

    def without(self, path):
        """Starts a program with an empty file in place of that path."""
        nothing = os.path.join(self.folder.name, "nothing")
        pathlib.Path(nothing).touch()
        return ["unshare", "--mount", "sh", "-ec", 'mount --bind "$1" "$2"; shift 2; exec "$@"',
                "sh", nothing, path]

    def test_a_driver_that_does_not_answer_excludes_no_node(self):
        before = self.without("/dev/nvidiactl")
        for name in ("gpu-lost", "ecc", "clock", "pending-page", "remapped-rows"):
            with self.subTest(probe=name):
                code, said = self.probe(name, before=before)
                self.assertEqual(code, 2, said)
                self.assertIn("nvidia-smi", said)

    def test_a_gpu_that_the_driver_does_not_have_is_lost(self):
        gpus = _gpus()
        self.assertEqual(self.probe("gpu-lost", before=self.without("/dev/nvidia0")),
                         (1, f"nvidia-smi lists {len(gpus) - 1} of {len(gpus)} GPUs"))

    def test_the_vector_addition_fails(self):
        ran = _run([*self.without("/dev/nvidiactl"), *_vector_addition(self)])
        self.assertEqual(ran.returncode, 1, ran.stdout)


def _vector_addition(test):
    """The command that docs/active-checks.yaml ships, with a program of the tests' own."""
    if shutil.which("nvcc") is None:
        test.skipTest("there is no nvcc")
    os.chmod(test.folder.name, 0o755)
    program = os.path.join(test.folder.name, "vectorAdd")
    built = _run(["nvcc", "-std=c++17", "-o", program, str(_ROOT / "tests/gpu/vector_add.cu")])
    test.assertEqual(built.returncode, 0, built.stdout)
    command = _check("vector-add")["command"]
    test.assertIn("/cuda-samples/vectorAdd", command[-1])
    return [*command[:-1], command[-1].replace("/cuda-samples/vectorAdd", program)]


class VectorAdditionTest(GpuTest):
    def test_passes(self):
        command = _vector_addition(self)
        started = time.monotonic()
        ran = _run(_as_nobody(command))
        print(f"\n    vector-add: {time.monotonic() - started:.1f} s", file=sys.stderr)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))


class AllReduceTest(GpuTest):
    """The all-reduce that docs/active-checks.yaml ships, as an active check and as a preflight."""

    def all_reduce(self, command, **environment):
        if not _has_torch():
            self.skipTest("python3 has no PyTorch")
        names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
        clean = {name: value for name, value in os.environ.items() if name not in names}
        started = time.monotonic()
        ran = _run(_with_own_tmp(_as_nobody(command)),
                   env={**clean, "HOME": "/", **environment})
        print(f"\n    all-reduce: {ran.returncode} in {time.monotonic() - started:.1f} s",
              file=sys.stderr)
        return ran

    def test_passes_as_an_active_check(self):
        ran = self.all_reduce(_check("all-reduce")["command"], MASTER_PORT=_free_port())
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_passes_as_a_preflight(self):
        preflight = _VALUES["config"]["planner"]["gangs"]["preflight"]
        ran = self.all_reduce(preflight["command"], RANK="0", WORLD_SIZE="1",
                              MASTER_ADDR="127.0.0.1", MASTER_PORT=_free_port())
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_a_node_that_has_lost_its_gpus_says_that_it_is_at_fault(self):
        ran = self.all_reduce(_check("all-reduce")["command"], CUDA_VISIBLE_DEVICES="",
                              MASTER_PORT=_free_port())
        self.assertEqual(ran.returncode, 3, ran.stdout)
        self.assertIn("no GPU answers", ran.stdout)


if __name__ == "__main__":
    unittest.main()
