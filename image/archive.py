"""The image as one tar that is an OCI layout and what `docker save` writes in one."""

import datetime
import gzip
import hashlib
import json
from typing import NamedTuple

from content import USER
from tree import Tree

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


class Release(NamedTuple):
    """Which Berth it is. `epoch`: when it was committed, in seconds since 1970. `name`: the image's."""

    version: str
    revision: str
    architecture: str  # as Go and Debian call it
    epoch: int
    name: str = "berth"

    @property
    def created(self):
        time = datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ")


class Layer:
    def __init__(self, tree, mtime, made_by):
        tar = tree.tar(mtime)
        self.made_by = made_by
        self.size = len(tar)
        self.diff_id = digest(tar)
        self.blob = gzip.compress(tar, mtime=0)


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def labels(release):
    prefix = "org.opencontainers.image."
    return {
        prefix + "title": release.name,
        prefix + "description": "Places machine-learning pods on clusters with several kinds of accelerators",
        prefix + "licenses": "Apache-2.0",
        prefix + "version": release.version,
        prefix + "revision": release.revision,
        prefix + "created": release.created,
    }


def config(release, layers):
    """What a container runtime reads; the chart's pods say user and arguments again."""
    return _json({
        "architecture": release.architecture,
        "os": "linux",
        "created": release.created,
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": ["/usr/bin/berth"],
            "WorkingDir": "/",
            "Labels": labels(release),
        },
        "rootfs": {"type": "layers", "diff_ids": [layer.diff_id for layer in layers]},
        "history": [{"created": release.created, "created_by": l.made_by} for l in layers],
    })


def archive(release, layers):
    """The bytes of the tar, and the digest of the manifest in it."""
    blobs = [config(release, layers), *(layer.blob for layer in layers)]
    manifest = _manifest(release, blobs)
    tree = Tree()
    tree.add("oci-layout", _json({"imageLayoutVersion": "1.0.0"}))
    tree.add("index.json", _index(release, manifest))
    tree.add("manifest.json", _docker_manifest(release, blobs))
    for blob in [manifest, *blobs]:
        tree.add(_blob_path(blob), blob)
    return tree.tar(release.epoch), digest(manifest)


def _manifest(release, blobs):
    types = [_CONFIG] + [_LAYER] * (len(blobs) - 1)
    described = [_descriptor(kind, blob) for kind, blob in zip(types, blobs)]
    return _json({
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "config": described[0],
        "layers": described[1:],
        "annotations": labels(release),
    })


def _index(release, manifest):
    entry = _descriptor(_MANIFEST, manifest)
    entry["platform"] = {"architecture": release.architecture, "os": "linux"}
    entry["annotations"] = {
        "io.containerd.image.name": f"docker.io/library/{release.name}:{release.version}",
        "org.opencontainers.image.ref.name": release.version,
    }
    return _json({"schemaVersion": 2, "manifests": [entry]})


def _docker_manifest(release, blobs):
    return _json([{
        "Config": _blob_path(blobs[0]),
        "RepoTags": [f"{release.name}:{release.version}"],
        "Layers": [_blob_path(blob) for blob in blobs[1:]],
    }])


def _descriptor(kind, blob):
    return {"mediaType": kind, "digest": digest(blob), "size": len(blob)}


def _blob_path(blob):
    return "blobs/" + digest(blob).replace(":", "/")


def _json(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
