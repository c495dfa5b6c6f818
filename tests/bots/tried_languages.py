"""The languages that the tests try: `.ci/` installs them, and puts them into an image.

With ARENA_TEST_LARGE those are among them that take over 300 MB (`make morelanguages`).
"""

import os
import sys

from arena.bots.runtimes import LANGUAGES, toolchains

LARGE = bool(os.environ.get("ARENA_TEST_LARGE"))
TRIED = {name: row for name, row in LANGUAGES.items() if LARGE or not row.large}


def main(what: str) -> None:
    """Print the names of languages, or each program that tests run, with its packages."""
    if what == "names":
        print(*TRIED)
        return
    programs = dict(next(iter(row.programs.items())) for row in TRIED.values())
    for program, packages in {**toolchains(), **programs}.items():
        print(program, packages)


if __name__ == "__main__":
    main(sys.argv[1])
