"""The cache of what bots' builds made."""

from pathlib import Path

import pytest

from arena.bots.bot import Bot, StagedBot
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.io.errors import ArenaError
from arena.ladder.season.build_cache import Built
from tests.cli.command import bot
from tests.e2e.live import let_others_in


def built_bot(folder: Path) -> Bot:
    """Return a bot whose build counts itself in a file outside."""
    count = folder / "builds"
    count.touch()
    count.chmod(0o666)
    build = f"sh -c 'echo built >> {count}; cp bot.py made.py'"
    return load_bot(bot(folder / "bot", name="one", build=build, command="python3 made.py"))


def staged(folder: Path, found: Bot, start: int) -> StagedBot:
    """Stage a bot as the ladder does that starts for the n-th time."""
    runs = folder / f"runs-{start}"
    runs.mkdir()
    let_others_in(runs)
    return Built(folder / "built", ProcessSandbox(), runs, packages=False).stage(found)


def builds(folder: Path) -> int:
    return len((folder / "builds").read_text().split())


def files(bot: StagedBot) -> dict[str, tuple[bytes, int]]:
    found = sorted(bot.folder.rglob("*"))
    return {
        str(one.relative_to(bot.folder)): (one.read_bytes(), one.stat().st_mode) for one in found
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    let_others_in(tmp_path)
    return tmp_path


def test_a_build_is_not_repeated_at_the_next_start(folder: Path) -> None:
    found = built_bot(folder)
    first, second = (staged(folder, found, start) for start in (1, 2))
    assert builds(folder) == 1
    assert files(first) == files(second)
    assert first.folder != second.folder
    assert first.command == second.command


def test_a_damaged_cache_is_built_again(folder: Path) -> None:
    found = built_bot(folder)
    staged(folder, found, 1)
    [path] = (folder / "built").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    staged(folder, found, 2)
    staged(folder, found, 3)
    assert builds(folder) == 2


def test_only_bots_that_are_built_are_kept_and_only_while_they_play(folder: Path) -> None:
    plain = load_bot(bot(folder / "plain", name="two"))
    staged(folder, plain, 1)
    assert list((folder / "built").iterdir()) == []
    found = built_bot(folder)
    staged(folder, found, 2)
    cache = Built(folder / "built", ProcessSandbox(), folder, packages=False)
    cache.keep({found.info.digest, plain.info.digest})
    assert len(list((folder / "built").iterdir())) == 1
    cache.keep({plain.info.digest})
    assert list((folder / "built").iterdir()) == []


def test_a_build_that_fails_is_not_kept(folder: Path) -> None:
    broken = load_bot(bot(folder / "broken", name="one", build="false"))
    with pytest.raises(ArenaError):
        staged(folder, broken, 1)
    assert list((folder / "built").iterdir()) == []
