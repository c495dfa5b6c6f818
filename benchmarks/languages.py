"""Seconds from a bot.yaml to the end of `arena check`: `python -m benchmarks.languages`.

For the bot of each language of Debian in `tests/bots/languages/`, in each sandbox. Nothing is kept
between checks: each builds its bot. `--image` is of containers that have the languages.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.bots.runtimes import LANGUAGES
from tests.bots.tried_languages import TRIED

_SHOWN = 200
"""Characters that are shown of a check that failed."""
BOTS = Path(__file__).parents[1] / "tests/bots/languages"


def main() -> None:
    """Print a row for each language; where a check failed, what it said."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", nargs="+", default=["bubblewrap", "docker"])
    parser.add_argument("--image", help="of containers, in place of perudo-arena/any")
    parser.add_argument("languages", nargs="*", default=[*TRIED])
    options = parser.parse_args()
    print("| language |", " | ".join(options.sandbox), "|")
    print("|---|" + "---|" * len(options.sandbox))
    for name in options.languages:
        cells = [checked(name, sandbox, options.image) for sandbox in options.sandbox]
        print(f"| {LANGUAGES[name].title} |", " | ".join(cells), "|", flush=True)


def checked(language: str, sandbox: str, image: str | None) -> str:
    """Return how long a check took, or how it failed."""
    where = ["--image", image] if image and sandbox == "docker" else ["--sandbox", sandbox]
    trusted = ["--trust-bots"] if sandbox == "process" else []
    command = [sys.executable, "-m", "arena", "check", str(BOTS / language), *where, *trusted]
    with TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        began = time.monotonic()
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        seconds = time.monotonic() - began
    if ran.returncode == 0:
        return f"{seconds:.1f} s"
    said = " ".join((ran.stdout or ran.stderr).split())
    return f"exit code {ran.returncode}: {said[:_SHOWN]}"


if __name__ == "__main__":
    main()
