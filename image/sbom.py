"""The bill of materials beside the image: SPDX 2.3, https://spdx.github.io/spdx-spec/v2.3/."""

import json
import pathlib
import re
import urllib.parse

from problem import Problem

_LICENCES = json.loads((pathlib.Path(__file__).parent / "licences.json").read_text())


def document(release, manifest_digest, copied, linked, compiled, modules=()):
    """JSON text. Packages whose files are in the image, linked statically, and whose headers are.

    A package may be in several of these. `modules` are those of node-problem-detector, its own first.
    """
    packages = sorted({*copied, *linked, *compiled})
    name = f"{release.name}-{release.version}"
    return json.dumps({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://berth.dev/spdx/{name}-{manifest_digest.split(':')[1]}",
        "creationInfo": {"created": release.created, "creators": ["Tool: berth-image"]},
        "packages": [
            _image(release, manifest_digest), _berth(release), *map(_debian_package, packages),
            *map(_go_module, modules)],
        "relationships": [
            _relationship("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-image"),
            _relationship("SPDXRef-image", "CONTAINS", "SPDXRef-berth"),
            *[_relationship("SPDXRef-image", "CONTAINS", _id(p)) for p in copied],
            *[_relationship("SPDXRef-berth", "STATIC_LINK", _id(p)) for p in linked],
            *[_relationship(_id(p), "BUILD_DEPENDENCY_OF", "SPDXRef-berth") for p in compiled],
            *[_relationship("SPDXRef-image", "CONTAINS", _module_id(m)) for m in modules[:1]],
            *[_relationship(_module_id(modules[0]), "STATIC_LINK", _module_id(m))
              for m in modules[1:]],
        ],
    }, indent=1) + "\n"


def licence(package):
    """Of what the package brings to a program, as an SPDX expression."""
    if package.source not in _LICENCES:
        raise Problem(
            f"image/licences.json has no licence of the Debian source package {package.source}; "
            f"read /usr/share/doc/{package.name}/copyright and add it")
    return _LICENCES[package.source]


def _image(release, manifest_digest):
    return _ours(release, "SPDXRef-image", f"{release.name}-image", "CONTAINER") | {
        "checksums": [{"algorithm": "SHA256", "checksumValue": manifest_digest.split(":")[1]}]}


def _berth(release):
    return _ours(release, "SPDXRef-berth", "berth", "APPLICATION") | {
        "sourceInfo": f"built from revision {release.revision}"}


def _ours(release, identifier, name, purpose):
    return {
        "SPDXID": identifier,
        "name": name,
        "versionInfo": release.version,
        "primaryPackagePurpose": purpose,
        "licenseDeclared": "Apache-2.0",
    } | _unsaid()


def _debian_package(package):
    described = {
        "SPDXID": _id(package),
        "name": package.name,
        "versionInfo": package.version,
        "supplier": "Organization: Debian",
        "sourceInfo": f"built from the source package {package.source} {package.source_version}",
        "licenseDeclared": licence(package),
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": _purl(package),
        }],
    } | _unsaid()
    return described | ({"homepage": package.homepage} if package.homepage else {})


def _go_module(module):
    """Its licence stands in the notices of the image."""
    return {
        "SPDXID": _module_id(module),
        "name": module.path,
        "versionInfo": module.version,
        "licenseDeclared": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:golang/{urllib.parse.quote(module.path)}@"
                                f"{urllib.parse.quote(module.version, safe='')}",
        }],
    } | _unsaid()


def _module_id(module):
    return "SPDXRef-go-" + re.sub(r"[^A-Za-z0-9.-]", "-", module.path)


def _unsaid():
    """Required fields about which nothing is known."""
    return {
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def _purl(package):
    name, version = (urllib.parse.quote(text, safe="") for text in (package.name, package.version))
    return f"pkg:deb/debian/{name}@{version}?arch={package.architecture}&distro=debian-12"


def _id(package):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package.name.replace("+", "-plus"))


def _relationship(element, kind, related):
    return {
        "spdxElementId": element,
        "relationshipType": kind,
        "relatedSpdxElement": related,
    }
