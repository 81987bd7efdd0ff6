"""Programs that are run to their end for what they write."""

import subprocess

from problem import Problem


def output(words, name=None, **arguments):
    """What a program writes to its standard output. `name`: of what failed, in a problem; the words by
    default. Further arguments are those of subprocess.run()."""
    words = [str(word) for word in words]
    try:
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, **arguments).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", "") or str(error)).strip()
        raise Problem(f"{name or ' '.join(words)}: {said}") from None
