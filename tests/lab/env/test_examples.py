"""The examples of the manual, in small: they train, and what they train plays."""

import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from arena.bots.manifest import load_bot
from arena.lab.env.vector import VectorEnv
from tests.cli.command import HANG, ROOT, environment, run
from tests.support.depth import depth

EXAMPLES = ROOT / "examples"
EXAMPLE = EXAMPLES / "train_tabular.py"
SIZES = depth(
    ("--games", "64", "--steps", "40", "--looks", "1", "--measured", "50"),
    ("--games", "1024", "--steps", "1200", "--looks", "1", "--measured", "2000"),
)


def example(name: str, *arguments: str, cwd: Path) -> list[str]:
    """Run an example; returns its lines."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        cwd=cwd,
        env=environment(PYTHONPATH=str(ROOT), OPENBLAS_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    return done.stdout.splitlines()


def test_tabular_training_makes_a_bot_that_plays(tmp_path: Path) -> None:
    lines = example("train_tabular.py", "trained", *SIZES, cwd=tmp_path)
    first, last = (line.split() for line in lines[1:3])
    wins, error = float(last[2]), float(last[4])
    assert wins > float(first[2])
    assert wins - error > depth(0, 0.5)
    weights = np.load(tmp_path / "trained" / "weights.npz")["values"]
    assert ((weights >= 0) & (weights <= 1)).all()
    assert (weights != 0.5).any()
    assert load_bot(tmp_path / "trained").name == "trained"
    play_live(tmp_path / "trained")


def play_live(bot: Path) -> None:
    for rivals in (["sample:honest"], ["sample:honest", "sample:odds"]):
        options = ("--sandbox", "process", "--trust-bots", "--games", depth(4, 20), "--json")
        ran = run("play", bot.name, *rivals, *options, cwd=bot.parent)
        assert ran.code == 0, ran.err
        assert '"faults": 0' in ran.out


@pytest.mark.slow
def test_training_on_exported_rows_makes_a_bot_that_plays(tmp_path: Path) -> None:
    options = ("--into", "played", "--sandbox", "process", "--games", depth(12, 300))
    assert run("play", "sample:odds", "sample:random", *options, cwd=tmp_path).code == 0
    rows = ("--rows", "decisions", "--format", "jsonl", "-o", "decisions.jsonl")
    assert run("export", "played/league.yaml", *rows, cwd=tmp_path).code == 0
    decisions = (tmp_path / "decisions.jsonl").read_text(encoding="utf-8").count("\n")
    measured = ("--measured", str(depth(100, 1000)))
    lines = example("train_on_rows.py", "decisions.jsonl", "trained", *measured, cwd=tmp_path)
    assert lines[0].startswith(f"{decisions} decisions, wins against honest: 0.")
    play_live(tmp_path / "trained")


@pytest.mark.slow
def test_learners_of_openspiel_print_their_curves(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel has no package for this machine")
    sizes = ("--iterations", "0", "--games", depth("40", "4000"), "--looks", "2")
    first, *looks = example("openspiel_learners.py", *sizes, cwd=tmp_path)
    assert first.startswith("games")
    assert [line.split()[0] for line in looks] == depth(["20", "40"], ["2000", "4000"])
    assert float(looks[-1].split()[-1]) > depth(0.2, 0.8)


def test_honest_of_the_example_is_the_sample_bot() -> None:
    """Compare with the sample's own `choose`, request by request."""
    namespace: dict[str, object] = {"__name__": "train_tabular"}
    exec(compile(EXAMPLE.read_text(encoding="utf-8"), str(EXAMPLE), "exec"), namespace)  # noqa: S102
    source = (ROOT / "sample_bots" / "honest" / "bot.py").read_text(encoding="utf-8")
    sample: dict[str, object] = {}
    exec(source.partition("for line in sys.stdin")[0], sample)  # noqa: S102
    env, rng = VectorEnv(200, "classic", 2, 4, seed=4), Random(4)
    for _ in range(depth(10, 100)):
        said = namespace["honest"](env)  # type: ignore[operator]
        for game in range(env.games):
            answer = sample["choose"](turn(env, game))  # type: ignore[operator]
            kind, *bid = (answer.get(key, 0) for key in ("action", "quantity", "face"))
            assert said[game] == env.table.action(kind, *bid)
        env.step(np.where(np.array([rng.random() < 0.5 for _ in said]), said, env.sample()))


def turn(env: VectorEnv, game: int) -> dict[str, object]:
    seat, mask = env.seat[game], env.masks()[game]
    table, bid = env.table, int(env.bid[game])
    bids = mask[3:].reshape(-1, 6)
    raises = [
        {
            "face": face + 1,
            "min": int(bids[:, face].argmax()) + 1,
            "max": int(np.flatnonzero(bids[:, face])[-1]) + 1,
        }
        for face in np.flatnonzero(bids.any(0))
    ]
    last = [{"quantity": bid // 6 + 1, "face": bid % 6 + 1}] if bid < 6 * table.cap else []
    hand = env.hands[game, seat]
    return {
        "id": 1,
        "dice": [face + 1 for face in range(6) for _ in range(hand[face])],
        "palifico_seat": None if env.palifico[game] < 0 else int(env.palifico[game]),
        "bids": last,
        "dudo": bool(mask[0]),
        "raises": raises,
    }
