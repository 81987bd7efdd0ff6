#!/usr/bin/env python3
"""Breaks the product on purpose and counts how often the unit tests notice.

Mutants are chosen by a seed, the same for the same sources. Each is judged by the unit tests of its
folder alone, in a copy of the working tree. What was judged is not judged again, so a run that was
ended goes on where it was; --again does so for survivors, after tests were added.
"""

import argparse
import pathlib
import random
import sys

import mutants
import record
import workshop

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def sources(root):
    """Those that are broken, by their paths. Headers hold declarations, and compile for minutes."""
    folders = sorted({prefix.split("/")[0] for prefix in workshop.TESTS})
    return sorted(path.relative_to(root).as_posix()
                  for folder in folders for path in (root / folder).rglob("*.cc"))


def choose(everything, count, seed):
    """A sample in the order of files, of which one after the other is compiled."""
    chosen = random.Random(seed).sample(everything, min(count, len(everything)))
    return sorted(chosen, key=lambda mutant: (mutant.path, mutant.start, mutant.after))


def is_due(verdict, again):
    return verdict is None or (again and verdict == record.SURVIVED)


def judge_all(chosen, known, shop, limit, again, say):
    judged = 0
    for mutant in chosen:
        if not is_due(known.verdict(mutant), again):
            continue
        if judged == limit:
            break
        verdict, seconds, diff = shop.judge(mutant)
        known.add(mutant, verdict, seconds, diff)
        judged += 1
        say("%-16s %4.0f s  %s:%d %s" % (verdict, seconds, mutant.path, mutant.line,
                                         mutant.operator))


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=200, help="how many are chosen")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=-1, help="judge at most so many this time")
    parser.add_argument("--folder", default="", help="of the chosen only those below it")
    parser.add_argument("--again", action="store_true", help="judge survivors again")
    parser.add_argument("--report", action="store_true", help="only say what is known")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default=str(_ROOT / "build" / "mutation"))
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    out = pathlib.Path(options.out)
    everything = [mutant for path in sources(_ROOT)
                  for mutant in mutants.of(path, (_ROOT / path).read_text())]
    chosen = [mutant for mutant in choose(everything, options.mutants, options.seed)
              if mutant.path.startswith(options.folder)]
    known = record.Record(out / "mutants.jsonl")
    if not options.report:
        shop = workshop.Workshop(_ROOT, out / "tree", options.jobs)
        shop.prepare()
        judge_all(chosen, known, shop, options.limit, options.again,
                  lambda line: print(line, flush=True))
    entries = known.of(chosen)
    print(record.report(entries))
    left = len(chosen) - len(entries)
    if left > 0:
        print("%d of the %d chosen are not judged yet" % (left, len(chosen)))


if __name__ == "__main__":
    main(sys.argv[1:])
