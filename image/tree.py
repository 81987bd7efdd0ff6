"""Files of a layer or an archive, and the tar that has the same bytes wherever it is written."""

import io
import os
import pathlib
import tarfile
from typing import NamedTuple

from problem import Problem


class Entry(NamedTuple):
    """A file with data, a symbolic link with a target, or, with neither, a folder."""

    mode: int
    data: bytes | None = None
    target: str = ""


class Tree:
    """Entries by path, without a leading slash. Folders come with what is in them."""

    def __init__(self):
        self.entries = {}

    def add(self, path, data, mode=0o644):
        if isinstance(data, str):
            data = data.encode()
        self._put(path, Entry(mode, data))

    def link(self, path, target):
        self._put(path, Entry(0o777, target=target))

    def tar(self, mtime):
        """Sorted, everything root's, with one time (seconds since 1970) throughout."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path, entry in sorted(self.entries.items()):
                archive.addfile(_header(path, entry, mtime), io.BytesIO(entry.data or b""))
        return out.getvalue()

    def unpack_at(self, folder, mtime):
        """Writes the entries below a folder that is not there, with one time (seconds since 1970)."""
        folder.mkdir()
        folder.chmod(0o755)
        self.unpack(folder)
        for path in [*self.entries, ""]:
            os.utime(folder / path, (mtime, mtime), follow_symlinks=False)

    def unpack(self, folder):
        """Writes the entries below a folder."""
        for path, entry in sorted(self.entries.items()):
            to = pathlib.Path(folder) / path
            if entry.target:
                to.symlink_to(entry.target)
            elif entry.data is None:
                to.mkdir(exist_ok=True)
                to.chmod(entry.mode)
            else:
                to.write_bytes(entry.data)
                to.chmod(entry.mode)

    def _put(self, path, entry):
        path = path.lstrip("/")
        if self.entries.get(path, entry) != entry:
            raise Problem(f"two different files would be /{path} of the image")
        for parent in list(pathlib.PurePosixPath(path).parents)[:-1]:
            self._put(str(parent), Entry(0o755))
        self.entries[path] = entry


def _header(path, entry, mtime):
    header = tarfile.TarInfo(path)
    header.mode = entry.mode
    header.mtime = mtime
    if entry.target:
        header.type, header.linkname = tarfile.SYMTYPE, entry.target
    elif entry.data is None:
        header.type = tarfile.DIRTYPE
    else:
        header.size = len(entry.data)
    return header
