"""A ladder with the sample bots and its web door, on this machine: `make demo`.

python examples/demo.py [FOLDER [PORT]] goes on with the ladder in FOLDER if it is there.
"""

import re
import subprocess
import sys
import webbrowser
from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "sample_bots"
ARENA = [sys.executable, "-m", "arena"]
FAST = 'quotas: {"uploads": 100, "refused": 100}\nintervals: {"publish": 5}\n'


def arena(*words: object) -> str:
    """Run a command to its end; returns what it printed."""
    command = [*ARENA, *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def make(ladder: Path) -> None:
    """Make a ladder, and submit the sample bots that can be checked here."""
    made = subprocess.run([*ARENA, "ladder", "init", str(ladder)], check=False)
    if made.returncode:  # without bubblewrap; whoever runs this trusts their own bots
        print("the bots run without isolation, as your own user", file=sys.stderr)
        arena("ladder", "init", ladder, "--sandbox", "process", "--trust-bots")
    config = ladder / "ladder.yaml"
    kept = re.sub(r"^(quotas|intervals):.*\n", "", config.read_text(), flags=re.MULTILINE)
    config.write_text(kept + FAST)
    for bot in ("random", "honest", "odds", "bluffer"):
        print(arena("submit", SAMPLES / bot, "--to", ladder, "--no-wait").splitlines()[0])


def main(ladder: Path, port: str) -> None:
    """Run the ladder and its door until Ctrl-C."""
    if not ladder.exists():
        make(ladder)
    words = [*ARENA, "ladder", "run", str(ladder), "--serve", "--port", port]
    running = subprocess.Popen(words)
    try:
        url = f"http://127.0.0.1:{port}"
        invited = arena("ladder", "invite", ladder, "you", "--admin", "--url", url)
        link = invited.split()[-1]
        print(f"\nyour link: {link}\nsubmit a bot of your own: arena new my-bot --lang python")
        print("Ctrl-C ends it; make demo goes on with it", flush=True)
        webbrowser.open(link)
        sys.exit(running.wait())
    except KeyboardInterrupt:  # the ladder got it, too
        sys.exit(running.wait())
    finally:
        running.kill()


if __name__ == "__main__":
    folder, port, *_ = [*sys.argv[1:], *("build/demo", "8500")[len(sys.argv) - 1 :]]
    main(Path(folder), port)
