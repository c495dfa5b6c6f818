"""What authors bring from elsewhere: the hint makes it a bot, or says what a bot is here."""

import json
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from arena.bots.elsewhere import address_hint
from arena.bots.manifest import load_bot
from arena.io.errors import ArenaError
from tests.cli.command import LOWEST, ROOT, TRUSTED, bot, run

FOLDERS = {
    "Kaggle": ({"main.py": "", "requirements.txt": ""}, "python3 main.py", None),
    "Halite": ({"MyBot.py": "", "hlt.py": ""}, "python3 MyBot.py", None),
    "Battlesnake": (
        {"Dockerfile": 'FROM python\nCMD ["python", "app.py"]\n'},
        "python3 app.py",
        None,
    ),
    "a Dockerfile without a list": ({"Dockerfile": "CMD node server.js\n"}, "node server.js", None),
    "Node.js": ({"package.json": '{"main": "server.js"}'}, "node server.js", None),
    "a start script": ({"package.json": '{"scripts": {"start": "node a.js"}}'}, "node a.js", None),
    "Cargo": (
        {"Cargo.toml": '[package]\nname = "bot-of-mine"\n'},
        "target/release/bot-of-mine",
        "cargo build --release --offline",
    ),
    "a script": ({"run.sh": "", "main.py": ""}, "sh run.sh", None),
    "Java": (
        {"MyBot.java": "", "Util.java": ""},
        "java -cp classes MyBot",
        "javac -d classes MyBot.java Util.java",
    ),
    "Go": ({"main.go": "", "go.mod": ""}, "./bot", "go build -o bot ."),
    "C": ({"player.c": "", "test.c": ""}, "./bot", "cc -O2 -o bot player.c -lm"),
    "C++": ({"solution.cpp": ""}, "./bot", "g++ -O2 -o bot solution.cpp"),
    "Lua": ({"my.lua": ""}, "lua5.4 my.lua", None),
    "a broken package.json": ({"package.json": "{", "index.js": ""}, "node index.js", None),
}
"""By habit: the files, and the command and build that are guessed."""


def mended(error: pytest.ExceptionInfo[ArenaError], cwd: Path) -> None:
    """Run the command that an error's hint begins with."""
    command = error.value.hint.partition("; `arena help protocol`")[0]
    subprocess.run(["sh", "-ec", command], cwd=cwd, check=True)


@pytest.mark.parametrize("habit", FOLDERS)
def test_hint_makes_a_folder_a_bot(tmp_path: Path, habit: str) -> None:
    files, command, build = FOLDERS[habit]
    folder = tmp_path / "snake"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(ArenaError, match=r"no bot\.yaml") as error:
        load_bot(folder)
    mended(error, tmp_path)
    made = load_bot(folder)
    assert (made.name, " ".join(made.command)) == ("snake", command)
    assert (" ".join(made.build) if made.build else None) == build


def test_hint_makes_a_file_a_bot(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(textwrap.dedent(LOWEST))
    with pytest.raises(ArenaError, match="neither a bot's folder nor an archive") as error:
        load_bot(tmp_path / "first.py")
    mended(error, tmp_path)
    played = run("play", "first", "sample:odds", "--games", "1", *TRUSTED, cwd=tmp_path)
    assert played.code == 0, played.err


def test_folder_that_says_nothing_is_led_to_the_protocol(tmp_path: Path) -> None:
    for name in ("notes.txt", "one.py", "two.py"):
        (tmp_path / name).touch()
    (tmp_path / "package.json").symlink_to("/etc/hostname")
    with pytest.raises(ArenaError) as error:
        load_bot(tmp_path)
    assert error.value.hint == "arena help protocol"


def test_folder_around_a_bot_is_led_to_it(tmp_path: Path) -> None:
    bot(tmp_path / "repository" / "bot")
    with pytest.raises(ArenaError) as error:
        load_bot(tmp_path / "repository")
    assert error.value.hint == f"give the folder in it: {tmp_path / 'repository/bot'}"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("https://github.com/somebody/bot.git", "git clone"),
        ("git@github.com:somebody/bot.git", "git clone"),
        ("docker://somebody/bot", "in a container: arena help languages"),
        ("http://localhost:8000", "over HTTP: arena help languages"),
        ("odds", "did you mean 'sample:odds'?"),
        ("my-bt", "did you mean 'my-bot'?"),
    ],
)
@pytest.mark.parametrize("command", ["play", "check"])
def test_address_or_mistyped_name_is_answered_by_what_a_bot_is(
    tmp_path: Path, command: str, given: str, told: str
) -> None:
    bot(tmp_path / "my-bot")
    ran = run(command, given, cwd=tmp_path)
    assert (ran.code, told in ran.err) == (2, True), ran.err


def test_names_and_paths_are_no_addresses() -> None:
    assert [address_hint(name) for name in ("my-bot", "../bots/*", "sample:odds", "C:bot")] == [
        ""
    ] * 4


@pytest.fixture
def over_http() -> Iterator[str]:
    """The address of a bot that answers over HTTP."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer: dict[str, object] | None = None
            if asked["type"] == "hello":
                answer = {"type": "ready"}
            elif asked["type"] == "turn":
                answer = {"id": asked["id"], "action": "dudo"}
                if asked["raises"]:
                    first = asked["raises"][0]
                    answer |= {"action": "bid", "quantity": first["min"], "face": first["face"]}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode() if answer else b"")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.slow
def test_bridge_plays_a_bot_over_http(tmp_path: Path, over_http: str) -> None:
    folder = shutil.copytree(ROOT / "examples/http_bridge", tmp_path / "bridge")
    manifest = folder / "bot.yaml"
    manifest.write_text(manifest.read_text().replace("http://127.0.0.1:8000/", over_http))
    played = run("play", "bridge", "sample:odds", "--games", "1", "--json", *TRUSTED, cwd=tmp_path)
    assert played.code == 0, played.err
    assert [result["faults"] for result in json.loads(played.out)["results"]] == [0, 0]


def test_manual_shows_the_bridge_as_it_is() -> None:
    code = (ROOT / "examples/http_bridge/bot.py").read_text().partition('"""\n\n')[2]
    assert f"```python\n{code}```" in (ROOT / "docs/guides/languages.md").read_text()
