"""A ladder at full tilt for hours: authors, visitors, readers, kills and a slow disk at once.

`python -m benchmarks.endurance` runs a ladder and its door as processes of their own for
`--minutes`. Authors submit bots, good, bad and hostile ones, and withdraw some; visitors play;
readers follow links, listen to events and run `arena verify`, `status`, `export`, `backup` and
others; an operator lets versions rest and closes seasons. For the first half of the time the
ladder, its door, their jobs and bots are killed at random moments and started again. Each wait for
the disk takes 10 ms longer, and every 200th 2 s, if there is a C compiler.

It prints a table, and its exit code is 1 if a promise was broken: a submission that was accepted is
lost or there twice, a season does not verify, an answer is 500, a process ends by itself or grows,
a site is older than the manual says, or, if the door has two cores, one of a hundred pages takes
more than 200 ms. The seed draws the same choices again, though not the same moments.

`--only guests`: visitors alone, who play as fast as they can, and nothing is killed.
"""

import argparse
import secrets
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.ladder.endurance.endurance import Endurance, Plan, guests_only, table


def main() -> None:
    """Run it, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=300.0)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--only", choices=["guests"])
    parser.add_argument("--folder", type=Path, help="on the disk to be tried; a new one in TMPDIR")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    plan = guests_only if options.only else Plan
    with TemporaryDirectory(prefix="arena-endurance-", dir=options.folder) as folder:
        lines = Endurance(plan(60 * options.minutes, options.seed), Path(folder)).run()
    print(table(lines))
    sys.exit(any(line.broken for line in lines))


if __name__ == "__main__":
    main()
