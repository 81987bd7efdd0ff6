"""The archive of the chart, for one version of Berth."""

import gzip
import io
import pathlib
import tarfile
import tempfile

from command import output
from tree import Tree

_CHART = pathlib.Path(__file__).resolve().parents[2] / "charts/berth"


def chart(helm, release):
    """The name and the bytes. helm writes the time at which it ran, so its archive is written anew."""
    with tempfile.TemporaryDirectory() as folder:
        output([helm, "package", _CHART, "--version", release.version, "--app-version",
                release.version, "--destination", folder], "helm package")
        packaged = pathlib.Path(folder, f"berth-{release.version}.tgz").read_bytes()
    return f"berth-chart-{release.version}.tgz", rewritten(packaged, release.epoch)


def rewritten(packaged, epoch):
    """The same files, sorted, with one time."""
    tree = Tree()
    with tarfile.open(fileobj=io.BytesIO(packaged)) as archive:
        for member in archive.getmembers():
            tree.add(member.name, archive.extractfile(member).read())
    return gzip.compress(tree.tar(epoch), mtime=0)
