#!/usr/bin/env python3
"""Breaks the product on purpose and counts how often the unit tests notice.

A seed chooses the mutants, mostly the same ones after other lines have changed. Each is judged by
the unit tests of its folder alone, in a copy of the working tree. What was judged is not judged
again, so a run that was ended goes on where it was; --again does so for survivors, after tests were
added.
"""

import argparse
import concurrent.futures
import hashlib
import pathlib
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
    """A sample, ordered by file. Whether a mutant is in it hardly depends on the others."""
    def turn(mutant):
        return hashlib.sha256(("%d %s" % (seed, mutant.id)).encode()).digest()

    chosen = sorted(everything, key=turn)[:count]
    return sorted(chosen, key=lambda mutant: (mutant.path, mutant.start, mutant.after))


def is_due(verdict, again):
    return verdict is None or (again and verdict == record.SURVIVED)


def due_of(chosen, known, limit, again):
    """Those that are to be judged now, at most `limit` of them unless that is negative."""
    due = [mutant for mutant in chosen if is_due(known.verdict(mutant), again)]
    return due if limit < 0 else due[:limit]


def judge_all(due, known, shop, jobs, say):
    """`jobs` at a time. What is interrupted keeps what was judged until then."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        judged = {pool.submit(shop.judge, mutant): mutant for mutant in due}
        try:
            for each in concurrent.futures.as_completed(judged):
                mutant = judged[each]
                verdict, seconds, diff = each.result()
                known.add(mutant, verdict, seconds, diff)
                say("%-16s %4.0f s  %s:%d %s" % (verdict, seconds, mutant.path, mutant.line,
                                                 mutant.operator))
        finally:
            pool.shutdown(cancel_futures=True)


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=200, help="how many are chosen")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=-1, help="judge at most so many this time")
    parser.add_argument("--folder", default="", help="of the chosen only those below it")
    parser.add_argument("--again", action="store_true", help="judge survivors again")
    parser.add_argument("--report", action="store_true", help="only say what is known")
    parser.add_argument("--jobs", type=int, default=2, help="how many are judged at a time")
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
        due = due_of(chosen, known, options.limit, options.again)
        shop = workshop.Workshop(_ROOT, out, options.jobs)
        shop.prepare({tests for mutant in due for tests in workshop.tests_of(mutant.path)})
        judge_all(due, known, shop, options.jobs, lambda line: print(line, flush=True))
    entries = known.of(chosen)
    print(record.report(entries))
    left = len(chosen) - len(entries)
    if left > 0:
        print("%d of the %d chosen are not judged yet" % (left, len(chosen)))


if __name__ == "__main__":
    main(sys.argv[1:])
