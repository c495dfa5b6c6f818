"""How long a league in containers survives SIGKILL of the arena, at random moments.

`python -m benchmarks.kills` prints, for each kill, the seconds until no process and no container of
the league was left. Exit code 1 if the longest was above two.
"""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.command import LOWEST, bot, league
from tests.e2e.live import Live
from tests.e2e.test_killed_in_docker import ARGUMENTS, wait_until_nothing_is_left

KILLS = 20
ALLOWED = 2.0


def main() -> None:
    rng = random.Random("kills")
    with TemporaryDirectory(prefix="arena-kills-") as folder:
        names = list("abcde")
        for name in names:
            bot(Path(folder, name), LOWEST, command=f"python3 bot.py {folder}")
        league(Path(folder), bots=names, games=40, blocks=400, seed="killed")
        seconds = sorted(kill(Path(folder), rng.uniform(0.5, 6.0)) for _ in range(KILLS))
    print("seconds until nothing was left:", ", ".join(f"{each:.2f}" for each in seconds))
    sys.exit(seconds[-1] > ALLOWED)


def kill(folder: Path, after: float) -> float:
    with Live(*ARGUMENTS, cwd=folder, mark=str(folder)) as live:
        try:
            live.process.wait(after)
        except subprocess.TimeoutExpired:
            live.process.send_signal(signal.SIGKILL)
        killed = time.monotonic()
        live.process.wait()
        wait_until_nothing_is_left(live)
        return time.monotonic() - killed


if __name__ == "__main__":
    main()
