"""What is known of mutants: one JSON object a line, so that a run that was ended loses one at most."""

import json
import pathlib

NOTICED = "noticed"  # a test failed, or the process died
LATE = "late"  # the tests did not end; somebody would notice
SURVIVED = "survived"
NO_MUTANT = "does not compile"


class Record:
    def __init__(self, path):
        self._path = pathlib.Path(path)
        self._entries = {}
        if not self._path.exists():
            return
        for line in self._path.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # of a run that was killed as it wrote
            self._entries[entry["id"]] = entry

    def verdict(self, mutant):
        """None where it was never judged."""
        entry = self._entries.get(mutant.id)
        return entry and entry["verdict"]

    def add(self, mutant, verdict, seconds, diff):
        entry = {
            "id": mutant.id, "path": mutant.path, "line": mutant.line, "operator": mutant.operator,
            "verdict": verdict, "seconds": round(seconds, 1), "diff": diff,
        }
        self._entries[mutant.id] = entry
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as out:
            out.write(json.dumps(entry) + "\n")

    def of(self, mutants):
        """What is known of these, in their order."""
        return [self._entries[each.id] for each in mutants if each.id in self._entries]


def figure(entries):
    """(noticed, judged): what does not compile is no mutant."""
    judged = [each for each in entries if each["verdict"] != NO_MUTANT]
    noticed = [each for each in judged if each["verdict"] in (NOTICED, LATE)]
    return len(noticed), len(judged)


def report(entries):
    """Survivors with their places and diffs, then the figure."""
    lines = []
    for entry in entries:
        if entry["verdict"] == SURVIVED:
            lines += ["%s:%d: survived (%s)" % (entry["path"], entry["line"], entry["operator"])]
            lines += ["    " + line for line in entry["diff"].splitlines()]
    noticed, judged = figure(entries)
    share = 100 * noticed / judged if judged else 0
    seconds = sum(each["seconds"] for each in entries) / len(entries) if entries else 0
    lines.append(
        "%d of %d mutants noticed (%.0f %%), %d more did not compile; %.1f s for each"
        % (noticed, judged, share, len(entries) - judged, seconds)
    )
    return "\n".join(lines)
