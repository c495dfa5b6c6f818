"""The cache of built bots: nothing is built twice, and nothing in the cache is trusted."""

import os
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from arena.bots.bot import Bot, StagedBot
from arena.bots.builds import staging
from arena.bots.builds.staging import BuildCache
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import PATH
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.workshop import Workshop
from arena.io.errors import ArenaError
from tests.cli.command import bot
from tests.e2e.live import let_others_in
from tests.support.live import mode


class Builds:
    """A cache, and a bot whose build counts itself in a file outside and leaves a program."""

    def __init__(self, folder: Path) -> None:
        let_others_in(folder)
        self.home = folder
        self.cache = BuildCache(folder / "cache")
        self.count = folder / "count"
        self.count.touch()
        self.count.chmod(0o666)
        self.outputs: list[tuple[str, bool]] = []
        """What the builds wrote, and whether they took time."""
        self.bot = self.write("bot")

    def write(self, name: str, more: str = "") -> Bot:
        script = f"echo built >> {self.count}; echo made {name}; cp bot.py made.py; {more}"
        build = ["sh", "-c", script]
        folder = bot(self.home / name, name=name, build=build, command="python3 made.py")
        return load_bot(folder)

    def stage(self, found: Bot | None = None, sandbox: ProcessSandbox | None = None) -> StagedBot:
        """Stage a bot as another process does that was started later."""
        runs = self.home / f"runs-{len(list(self.home.glob('runs-*')))}"
        runs.mkdir()
        let_others_in(runs)
        workshop = Workshop(sandbox or ProcessSandbox(), runs, builds=self.cache)
        return workshop.stage(found or self.bot, self._hear)

    def _hear(self, output: str, seconds: float) -> None:
        self.outputs.append((output, seconds > 0))

    @property
    def number(self) -> int:
        """How many there were."""
        return len(self.count.read_text().split())

    @property
    def entries(self) -> list[Path]:
        """The files of the cache."""
        return sorted(self.cache.folder.glob("*"))


@pytest.fixture
def builds(tmp_path: Path) -> Builds:
    return Builds(tmp_path)


def files(staged: StagedBot) -> dict[str, tuple[bytes, int]]:
    paths = sorted(staged.folder.rglob("*"))
    return {path.name: (path.read_bytes(), path.stat().st_mode) for path in paths}


def test_a_bot_is_built_once_and_equal_whoever_stages_it(builds: Builds) -> None:
    first, second = builds.stage(), builds.stage()
    assert builds.number == 1
    assert files(first) == files(second)
    assert first.folder != second.folder
    assert first.command == second.command


def test_the_output_of_a_build_is_told_again_but_its_time_is_not_charged(builds: Builds) -> None:
    builds.stage()
    builds.stage()
    assert builds.outputs == [("made bot", True), ("made bot", False)]


def test_other_executables_another_sandbox_or_another_compiler_build_again(
    builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds.stage()
    (builds.bot.folder / "bot.py").chmod(0o755)
    builds.stage(load_bot(builds.bot.folder))
    assert builds.number == 2
    sandbox = ProcessSandbox()
    monkeypatch.setattr(sandbox, "name", "other")
    builds.stage(sandbox=sandbox)
    builds.stage(sandbox=sandbox)
    assert builds.number == 3
    for number, image in enumerate(("sha256:1", "sha256:2"), 4):
        monkeypatch.setattr(sandbox, "image_id", {"any": image}.__getitem__)
        builds.stage(sandbox=sandbox)
        builds.stage(sandbox=sandbox)
        assert builds.number == number


@pytest.mark.parametrize("by_path", [False, True])
def test_a_changed_program_that_the_build_names_builds_again(
    builds: Builds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_path: bool
) -> None:
    compiler = tmp_path / "bin" / "my-compiler"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    monkeypatch.setattr("arena.bots.builds.staging.PATH", f"{compiler.parent}:{PATH}")
    found = builds.write("compiled", f": {compiler if by_path else compiler.name}")
    builds.stage(found)
    builds.stage(found)
    assert builds.number == 1
    compiler.write_text("#!/bin/sh\n# 2\n")
    builds.stage(found)
    assert builds.number == 2


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "shorter": lambda content: content[:-1],
    "changed": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "empty": lambda _: b"",
    "text": lambda _: b"x" * 100,
    "no entry": lambda _: sealed(b"x"),
}


def sealed(content: bytes) -> bytes:
    """Return content as a file of the cache has it."""
    return sha256(content).hexdigest().encode() + content


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_built_again(builds: Builds, damage: str) -> None:
    builds.stage()
    [path] = builds.entries
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    builds.stage()
    builds.stage()
    assert builds.number == 2


FORGED: dict[str, list[tuple[bytes, str, bytes]]] = {
    "a link that leads out": [(b"made.py", "file", b""), (b"link", "link", b"../../../secret")],
    "a file behind a link": [(b"a", "link", b"/tmp"), (b"a/forged", "file", b"x")],
    "a file outside": [(b"../forged", "file", b"x")],
    "no program": [(b"bot.py", "file", b"")],
}


MAKES_PROGRAM = "echo '#!/bin/sh' > made.py; chmod 755 made.py"


@pytest.mark.parametrize("forged", FORGED)
def test_the_cache_gives_nothing_that_a_build_may_not_leave(builds: Builds, forged: str) -> None:
    found = load_bot(
        bot(
            builds.home / "b",
            build=["sh", "-c", f"echo >> {builds.count} x; {MAKES_PROGRAM}"],
            command="./made.py",
        )
    )
    builds.stage(found)
    [path] = builds.entries
    content = zlib.compress(msgspec.msgpack.encode(FORGED[forged]))
    bundle = {"digest": sha256(content).hexdigest(), "content": content}
    path.write_bytes(sealed(msgspec.msgpack.encode((bundle, "made"))))
    staged = builds.stage(found)
    assert {file.name for file in staged.folder.iterdir()} == {"bot.py", "bot.yaml", "made.py"}
    assert builds.number == 2
    assert not Path("/tmp/forged").exists()


def test_only_the_owner_can_read_the_cache(builds: Builds) -> None:
    builds.stage()
    assert mode(builds.cache.folder) == 0o700
    assert [mode(path) for path in builds.entries] == [0o600]


def test_a_bot_without_a_build_is_not_kept(builds: Builds, tmp_path: Path) -> None:
    builds.stage(load_bot(bot(tmp_path / "plain")))
    assert builds.entries == []


def test_a_build_that_fails_is_not_kept(builds: Builds) -> None:
    broken = builds.write("broken", "false")
    for number in (1, 2):
        with pytest.raises(ArenaError, match="failed"):
            builds.stage(broken)
        assert builds.number == number
    assert builds.entries == []


def test_the_entries_used_longest_ago_make_room(
    builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [builds.write(f"bot-{number}") for number in range(4)]
    for number, each in enumerate(bots[:3]):
        builds.stage(each)
        [new] = [path for path in builds.entries if path.stat().st_mtime > 1000]
        os.utime(new, (number, number))
    monkeypatch.setattr(staging, "MAX_CACHE", 2 * builds.entries[0].stat().st_size + 200)
    builds.stage(bots[0])
    builds.stage(bots[3])
    assert builds.number == 4
    builds.stage(bots[0])
    builds.stage(bots[3])
    assert builds.number == 4
    builds.stage(bots[1])
    assert builds.number == 5


def test_a_cache_that_cannot_be_written_only_costs_time(builds: Builds) -> None:
    builds.cache.folder.write_text("no folder")
    builds.stage()
    builds.stage()
    assert builds.number == 2
