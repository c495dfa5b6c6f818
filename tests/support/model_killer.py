"""A bot that asks a model, and ends a process of the arena after some of the answers.

The file `plan` beside its program says where answers are counted, and after which of them which
process gets which signal: `/tmp/count 2:worker:9 4:arena:15`.
"""

import os
import time
from importlib import import_module
from pathlib import Path

WORDS = Path("plan").read_text(encoding="utf-8").split()
COUNT = Path(WORDS[0])
PLAN = {int(number): (who, int(what)) for number, who, what in (w.split(":") for w in WORDS[1:])}


def parent(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return int(stat.rpartition(")")[2].split()[1])


def strike() -> None:
    with COUNT.open("a", encoding="utf-8") as file:
        file.write(".")
        number = file.tell()
    if number in PLAN:
        who, signal = PLAN[number]
        worker = os.getppid()
        os.kill(worker if who == "worker" else parent(worker), signal)
        time.sleep(3600)  # until it is killed


if __name__ == "__main__":
    import_module("model_bot").main(strike)  # its copy beside this file
