"""The command `arena`: its commands, its errors, its exit codes."""

import gc
import os
import signal
import sys
from pathlib import Path

import click

from arena import __version__
from arena.cli.exit_codes import (
    BAD_INPUT,
    FINDINGS,
    INTERNAL_ERROR,
    INTERRUPTED,
    OK,
    UNREAD,
    UnreadError,
    unwritable_output,
)
from arena.cli.groups import CommandGroup, NoCommandError
from arena.io.container import closed_folder
from arena.io.errors import ArenaError, FindingError, shortage_of
from arena.io.renamed import with_new_options
from arena.io.signals import handled, leave_first_process
from arena.io.streams import guard_streams

COMMANDS = {
    "author": {
        "new": "Make a folder with a bot that already plays.",
        "check": "Try a bot step by step and say how to mend it.",
        "watch": "Try a bot after every save, in one line.",
        "play": "Play a quick table: bots, or bots and you.",
        "coach": "Show a bot's leaks, and the change that mends each.",
        "puzzle": "Show a bot's worst turns as puzzles: what would you do?",
        "compare": "Say whether a new version of a bot is better, and how it differs.",
        "alike": "Show which bots are alike, by source and by what they decide.",
        "rerun": "Play a stored fixture again, or ask a new build, and compare.",
        "debug": "Ask a bot what it was asked in a game or a file, step by step.",
        "submit": "Submit a bot to a ladder.",
    },
    "league": {
        "run": "Play a league and write its report.",
        "status": "Show the progress of a league, even while it runs.",
        "report": "Write the site of a stored league.",
        "card": "Write the rank of a bot as a picture, for a README.",
        "final": "Play a final of the best, told as it goes.",
        "animate": "Write a stored game as an animated picture.",
        "export": "Write one row per game: CSV, JSON lines, Parquet.",
        "verify": "Replay and check a stored league.",
        "backup": "Copy a stored league, even while it is played.",
        "mend": "Remove what is damaged from a stored league, to be played again.",
        "prune": "Remove the oldest logs of a stored league to save space.",
    },
    "ladder": {
        "ladder": "Run a ladder: a league that never ends.",
        "serve": "Open the web door of a ladder.",
        "demo": "Run a ladder with sample bots and its web door, to look at.",
        "class": "Open a ladder to a class in a room, for an hour.",
    },
    "course": {
        "course": "Mark the hand-ins of a course.",
    },
    "lab": {
        "exploit": "Say how much a best response wins against a bot.",
    },
    "game": {
        "rules": "Print the rule books, clause by clause.",
        "judge": "Apply the rules to positions.",
        "perft": "Count the bid sequences of a round.",
    },
    "bots": {
        "doctor": "Test what each sandbox isolates on this machine.",
        "images": "List or build the images of the docker sandbox.",
        "upgrade": "Say whether this version goes on with a folder.",
    },
    "help": {
        "help": "Show a page of the manual.",
    },
}
"""The line of help of each command, by the heading that it stands under in the manual.

Each takes --json; `make commands` lists them in `docs/reference/commands.md`.
"""

_MODULES = {
    "new": "author.new",
    "check": "author.check",
    "watch": "author.watch",
    "play": "author.play",
    "coach": "author.coach:coach",
    "puzzle": "author.coach:puzzle_",
    "compare": "author.compare",
    "alike": "author.alike",
    "rerun": "author.rerun",
    "debug": "author.debug",
    "submit": "author.submit",
    "run": "league.run",
    "status": "league.status",
    "report": "league.report:report_",
    "card": "league.card",
    "final": "league.final",
    "animate": "league.animate",
    "export": "league.report:export",
    "verify": "league.verify:verify_",
    "backup": "league.keeping:backup_",
    "mend": "league.verify:mend_",
    "prune": "league.keeping:prune_",
    "ladder": "groups:ladder",
    "serve": "ladder.door:serve_",
    "demo": "ladder.running:demo",
    "class": "ladder.classroom",
    "course": "groups:course",
    "exploit": "exploit",
    "rules": "game:rules",
    "judge": "game:judge_",
    "perft": "game:perft_",
    "doctor": "doctor",
    "images": "images",
    "upgrade": "upgrade",
    "help": "help",
}
"""The module of each command below `arena.cli`, and its name there unless it is `command`."""

_MEANT = {
    **dict.fromkeys(("upload", "push", "publish", "enter", "join", "send"), "submit"),
    **dict.fromkeys(("validate", "test", "lint", "try", "verify-bot"), "check"),
    **dict.fromkeys(("init", "create", "begin", "scaffold", "template", "generate"), "new"),
    **dict.fromkeys(("match", "game", "fight", "battle", "duel", "simulate"), "play"),
    **dict.fromkeys(("tournament", "league", "round-robin", "start"), "run"),
    **dict.fromkeys(("replay", "rewatch", "reproduce"), "rerun"),
    **dict.fromkeys(("benchmark", "diff", "versus", "vs", "ab"), "compare"),
    **dict.fromkeys(("improve", "advice", "analyze", "analyse", "tips"), "coach"),
    **dict.fromkeys(("leaderboard", "standings", "rating", "ratings", "rank"), "report --open"),
    **dict.fromkeys(("plagiarism", "similar", "moss"), "alike"),
    **dict.fromkeys(("server", "web", "site"), "serve"),
    **dict.fromkeys(("kits", "languages", "langs"), "new --list"),
    **dict.fromkeys(("cup", "knockout", "playoff"), "final"),
    **dict.fromkeys(("docs", "manual", "man", "wiki"), "help"),
    **dict.fromkeys(("grade", "mark"), "course grade"),
    **dict.fromkeys(("step", "trace", "inspect"), "debug"),
    "train": "help champion",
    "search": "help --search",
    "fix": "mend",
    "repair": "mend",
    "setup": "doctor",
    "docker": "images",
    "version": "--version",
}
"""Commands of other programs, and what to type here."""

HELP = """A tournament arena for bots that play Perudo (liar's dice, dudo).

Exit codes: 0 success, 1 findings (a bot faulted, a position was refused, a store does not verify,
no sandbox is safe for untrusted bots, a fixture was quarantined), 2 bad input, 3 internal error,
130 interrupted, 141 nobody read the rest of the output.
"""

_KEPT = (("run",), ("serve",), ("demo",), ("class",), ("ladder", "run"), ("course", "grade"))
"""Commands whose results are on the disk, whether or not what they print can be written."""


class Commands(CommandGroup):
    """All commands, listed without importing them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([row for room in COMMANDS.values() for row in room.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; a pipe that breaks is an error as others are.

        The standard streams are guarded, so it is another pipe. click would take it for one of them
        and exit with code 1 without a word.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise RuntimeError(f"the other end of a pipe has ended: {error}") from error


@click.group(
    cls=Commands,
    where=_MODULES,
    meant=_MEANT,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="arena")
def cli() -> None:
    """Refuse what no command can do without: a folder to start from."""
    try:
        Path.cwd()
    except OSError as error:
        what = f"the current folder was deleted or cannot be read: {error.strerror}"
        raise ArenaError(what, hint="change to another folder") from None
    if warning := closed_folder():
        click.echo(warning, err=True)


def main() -> None:
    """Run the command line and exit with its code; SIGTERM interrupts it, as Ctrl-C does."""
    leave_first_process()
    guard_streams()
    # For matrices this small, more threads are slower, and they add in another order.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with handled(signal.default_int_handler, signal.SIGTERM):
        code = run(sys.argv[1:])
    # Python would search all that is left for cycles, to free what the system takes back anyway.
    gc.freeze()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; returns its exit code and prints at most one error."""
    arguments = with_new_options(arguments)
    try:
        code = cli.main(arguments, prog_name="arena", standalone_mode=False, obj=arguments)
    except ArenaError as error:
        code = FINDINGS if isinstance(error, FindingError) else BAD_INPUT
        return _fail(error, code, arguments)
    except NoCommandError as error:
        click.echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.ClickException as error:
        return _fail(_usage(error), BAD_INPUT, arguments)
    except UnreadError:
        return UNREAD
    except (click.Abort, KeyboardInterrupt):
        # With --json, what was printed is whole: some commands end in no other way.
        return _fail(ArenaError("interrupted"), INTERRUPTED, [])
    except Exception as error:
        return _unexpected(error, arguments)
    return _finished(code if isinstance(code, int) else OK, arguments)


def _unexpected(error: Exception, arguments: list[str]) -> int:
    """Say what the machine lacked, or that this is a bug; returns the exit code."""
    if os.environ.get("ARENA_TRACEBACK"):
        raise error
    if shortage := shortage_of(error):
        return _fail(shortage, BAD_INPUT, arguments)
    hint = "internal error: run again with ARENA_TRACEBACK=1 and report what it prints"
    unknown = ArenaError(f"{type(error).__name__}: {error}", hint=hint)
    return _fail(unknown, INTERNAL_ERROR, arguments)


def _finished(code: int, arguments: list[str]) -> int:
    """Return the exit code of a command that finished: its own, whether or not anybody read it.

    Only a success becomes an error if its output cannot be written, unless the results are kept.
    """
    error = unwritable_output()
    if error and any(arguments[: len(words)] == [*words] for words in _KEPT):
        click.echo(f"warning: {error}", err=True)
    elif error:
        failed = _fail(error, BAD_INPUT, [])
        return code or failed
    return code


def _usage(error: click.ClickException) -> ArenaError:
    """Return a usage error as what, where, hint."""
    context = getattr(error, "ctx", None)
    where = context.command_path if context else ""
    hint = f"see: {where} --help" if where else ""
    text = " ".join(error.format_message().split()).rstrip(".")
    return ArenaError(text[:1].lower() + text[1:], where, hint)


def _fail(error: ArenaError, code: int, arguments: list[str]) -> int:
    # Slow to import, and most commands succeed.
    from arena.cli.failure import print_error

    print_error(error, code, as_json="--json" in arguments)
    return code
