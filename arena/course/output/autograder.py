"""Grades one hand-in on Gradescope: it is copied into an autograder, where it runs as root.

The student's program and its build run as the user `student`, who can neither read the grader nor
write its results. These are written when every process of that user has ended.
"""

import json
import os
import pwd
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

_SECONDS = 600
"""The most seconds that a check may take."""
_SHOWN = 4_000
"""The most characters of an error that are shown."""


def main(home: Path, user: str, points: float) -> None:
    """Check home/submission and write home/results/results.json."""
    results = home / "results"
    results.mkdir(mode=0o700, exist_ok=True)
    results.chmod(0o700)
    work = home / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(mode=0o700)
    try:
        result = _graded(home) or _checked(home / "submission", work / "bot", user, points)
    finally:
        end_processes(user)
    draft = results / ".results.json"
    draft.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    draft.replace(results / "results.json")


def _graded(home: Path) -> dict[str, Any] | None:
    """Return the teacher's result for a submitter, by e-mail address; None without one."""
    try:
        graded = json.loads((home / "source/graded.json").read_bytes())
        users = json.loads((home / "submission_metadata.json").read_bytes())["users"]
        found = [graded.get(str(user["email"]).casefold()) for user in users]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return next(filter(None, found), None)


def _checked(submission: Path, bot: Path, user: str, points: float) -> dict[str, Any]:
    inner = [path for path in submission.iterdir() if not path.name.startswith((".", "__"))]
    # A link may lead to what root alone may read.
    one_folder = len(inner) == 1 and inner[0].is_dir() and not inner[0].is_symlink()
    shutil.copytree(inner[0] if one_folder else submission, bot, symlinks=True)
    _run_as(bot / "bot.yaml", user)
    command = [sys.executable, "-m", "arena", "check", str(bot), "--all", "--json"]
    command += ["--sandbox", "process", "--trust-bots"]
    try:
        ran = subprocess.run(
            command, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return {"score": 0, "output": f"the check took longer than {_SECONDS} s"}
    try:
        [report] = json.loads(ran.stdout)
    except ValueError:
        text = ran.stderr.decode("utf-8", "replace")[-_SHOWN:]
        return {"score": 0, "output": f"the bot could not be checked:\n{text}"}
    return result_of(report, points)


def _run_as(manifest: Path, user: str) -> None:
    """Have a bot and its build run as another user; a faulty bot.yaml is left to the check."""
    if manifest.is_symlink() or not manifest.is_file():
        return
    try:
        data = yaml.safe_load(manifest.read_bytes())
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    if not isinstance(data, dict):
        return
    entry = pwd.getpwnam(user)
    prefix = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
    prefix += ["--inh-caps=-all", "--no-new-privs", "--"]
    for key in ("command", "build"):
        value = data.get(key)
        if isinstance(value, str):
            try:
                value = shlex.split(value)
            except ValueError:
                return
        if isinstance(value, list):
            data[key] = prefix + value
    manifest.write_text(json.dumps(data), encoding="utf-8")


def result_of(report: dict[str, Any], points: float) -> dict[str, Any]:
    """Return the results.json for a report of `arena check --json`, with a test for each step."""
    steps = {step["number"]: step for step in report["steps"]}
    last = len(steps) + report["left"]
    tests = [_test(number, steps.get(number), points / last) for number in range(1, last + 1)]
    return {"tests": tests, "visibility": "visible"}


def _test(number: int, step: dict[str, Any] | None, points: float) -> dict[str, Any]:
    test = {"max_score": points, "output_format": "text"}
    if step is None:
        return {**test, "name": f"step {number}", "score": 0, "output": "not tried"}
    faults = [
        " / ".join(filter(None, (finding["what"], finding["where"], finding["hint"])))
        for finding in step["findings"]
    ]
    score = 0 if faults else points
    return {**test, "name": step["name"], "score": score, "output": "\n".join(faults) or "ok"}


def end_processes(user: str) -> None:
    """Kill the processes of a user until none is left."""
    uid = pwd.getpwnam(user).pw_uid
    while left := _processes_of(uid):
        for pid in left:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        time.sleep(0.05)


def _processes_of(uid: int) -> list[int]:
    pids = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                lines = (path / "status").read_text(encoding="ascii", errors="replace").splitlines()
            except OSError:
                continue
            status = dict(line.partition(":")[::2] for line in lines)
            if status["Uid"].split()[0] == str(uid) and status["State"].split()[0] != "Z":
                pids.append(int(path.name))
    return pids


if __name__ == "__main__":
    os.umask(0o022)
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
