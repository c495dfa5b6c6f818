"""The languages that bots are written in: their programs, packages, images and kits.

A language with a kit is a row of `RUNTIMES` and a folder in `protocol/kits/`. One without a kit is
a row of `LANGUAGES` and a folder in `tests/bots/languages/`: its bots have `runtime: any`. What
`arena alike` reads of a language is in `arena/author/alike/tokens.py`.
"""

from collections import ChainMap
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from arena.io.errors import ArenaError, did_you_mean


class Language(Struct, frozen=True):
    """A language that bots may be written in."""

    title: str
    programs: dict[str, str]
    """Each program that runs or compiles bots, and its packages in Debian and Ubuntu."""
    config: tuple[str, ...] = ()
    """Patterns of the paths below /etc and /var/lib that its programs read: no more than they need,
    as every bot can read them. None may hold passwords, accounts or names of hosts."""
    reserves: int = 0
    """Bytes that a program reserves at its start and may never use."""
    large: bool = False
    """Whether its packages take over 300 MB."""

    @property
    def packages(self) -> tuple[str, ...]:
        """All its packages, each once."""
        return tuple(dict.fromkeys(" ".join(self.programs.values()).split()))


_MONO = "mono-mcs"
# debootstrap leaves out what a package provides under another name.
_OCAML = "ocaml ocaml-base"
LANGUAGES = {
    "chicken": Language("Scheme (Chicken)", {"csi": "chicken-bin"}, ("/var/lib/chicken",)),
    "clisp": Language("Common Lisp (CLISP)", {"clisp": "clisp"}),
    "common-lisp": Language("Common Lisp (SBCL)", {"sbcl": "sbcl"}, reserves=1024 * 2**20),
    "csharp": Language(
        "C# (Mono)",
        {"mono": _MONO, "mcs": _MONO},
        ("/etc/mono/config", "/etc/mono/4.5/machine.config"),
    ),
    "elixir": Language("Elixir", {"elixir": "elixir"}),
    "erlang": Language("Erlang", {"escript": "erlang-base", "erl": "erlang-base"}),
    "forth": Language("Forth", {"gforth": "gforth"}),
    "gawk": Language("AWK", {"gawk": "gawk"}),
    "guile": Language("Scheme (Guile)", {"guile": "guile-3.0"}),
    "haskell": Language("Haskell", {"ghc": "ghc"}, ("/var/lib/ghc",), large=True),
    "jq": Language("jq", {"jq": "jq"}),
    "lua": Language("Lua", {"lua5.4": "lua5.4"}),
    "nim": Language("Nim", {"nim": "nim"}, ("/etc/nim",)),
    "ocaml": Language("OCaml", {"ocaml": _OCAML, "ocamlc": _OCAML}, large=True),
    "pascal": Language("Pascal", {"fpc": "fp-compiler"}, ("/etc/fpc.cfg", "/etc/fpc-*.cfg")),
    "perl": Language("Perl", {"perl": "perl"}),
    "php": Language("PHP", {"php": "php-cli"}, ("/etc/php/*/cli", "/etc/php/*/mods-available")),
    "prolog": Language("Prolog", {"swipl": "swi-prolog-nox"}),
    "r": Language(
        "R",
        {"Rscript": "r-base-core libblas3 liblapack3", "R": "r-base-core libblas3 liblapack3"},
        ("/etc/R/Renviron", "/etc/R/ldpaths"),
    ),
    "racket": Language("Racket", {"racket": "racket"}, ("/etc/racket",), large=True),
    "ruby": Language("Ruby", {"ruby": "ruby"}, ("/var/lib/gems",)),
    "sml": Language("Standard ML", {"poly": "polyml"}),
    "tcl": Language("Tcl", {"tclsh": "tcl"}),
}
"""By the name that `arena images build` takes, and the folder of its bot in the tests."""


_DEBIAN = "debian:bookworm-slim"


class Kit(Struct, frozen=True):
    """A language in which one can begin: a folder in `protocol/kits/`."""

    title: str
    edit: str
    """The file to edit."""
    test: str
    """The command that runs the bot's own tests, in its folder."""
    part: str = "the function choose"
    """The part of that file to edit."""
    module: str = ""
    """A module of the arena that the bot has a copy of."""
    helper: str = ""
    """A file of another kit that the bot has a copy of."""
    needs: str = ""
    """Its needs beyond its language, and how to get them."""


class Runtime(Struct, frozen=True, kw_only=True):
    """What bots may name as their `runtime`."""

    about: str
    """Its programs in words, for the manual."""
    programs: dict[str, str]
    """Each program, and its packages in Debian and Ubuntu; the first runs or compiles bots."""
    libraries: tuple[str, ...] = ()
    """Packages that the image has besides. A machine needs none of them."""
    scripts: tuple[str, ...] = ()
    """The endings of files that the first program runs."""
    base: str = _DEBIAN
    """The image of a registry that the arena's own image is made from."""
    setup: str | None = None
    """The command that completes `base`, "" for none; None installs the packages."""
    in_debian: bool = True
    """Whether Debian has the packages; Ubuntu has all."""
    compiled: str = ""
    """The ending of the sources that have to be compiled to a program."""
    compiler: str = ""
    """The command that compiles {sources}, or the {source} that names all others, to {program}."""
    flush: str = ""
    """How a program flushes standard output; "" if it is flushed by itself."""
    reads: str = "not to the end of the input"
    """How a program reads a line at a time."""
    config: tuple[str, ...] = ()
    """Patterns of paths below /etc that its programs read."""
    reserves: int = 0
    """Bytes that a program reserves at its start and may never use."""
    debugger: str = "gdb -p {pid}"
    """The command that shows where a running bot is; it needs nothing in the bot."""
    kits: dict[str, Kit] = {}
    """By the language that `arena new --lang` takes."""
    example: str = ""
    """The lines of bot.yaml, in Markdown, where no kit shows them."""

    @property
    def toolchain(self) -> tuple[str, ...]:
        """The packages of all programs, each once."""
        return tuple(dict.fromkeys(" ".join(self.programs.values()).split()))

    @property
    def packages(self) -> tuple[str, ...]:
        """All packages of the image."""
        return (*self.toolchain, *self.libraries)

    @property
    def recipe(self) -> str:
        """The Dockerfile of the image."""
        setup = self.setup
        if setup is None and self.packages:
            setup = (
                "apt-get update \\\n"
                f" && apt-get install -y --no-install-recommends {' '.join(self.packages)} \\\n"
                " && rm -rf /var/lib/apt/lists/*"
            )
        return f"FROM {self.base}\n" + (f"RUN {setup}\n" if setup else "")


RUNTIMES = {
    "python": Runtime(
        about="Python 3, numpy",
        programs={"python3": "python3"},
        libraries=("python3-numpy",),
        scripts=(".py",),
        base="python:3.12-slim",
        setup="pip install --no-cache-dir numpy",
        flush="print(..., flush=True)",
        reads="`for line in sys.stdin`, not sys.stdin.read()",
        debugger="py-spy dump --pid {pid}",
        kits={
            "python": Kit("Python", "bot.py", "python3 test_bot.py"),
            "policy": Kit(
                "Python with numpy (a trained policy)",
                "bot.py",
                "python3 test_bot.py",
                module="lab/env/perudo_policy.py",
                needs="numpy for its own tests: run them in the environment of the arena",
            ),
            "model": Kit(
                "Python (asks a language model)",
                "prompt.txt",
                "python3 test_bot.py",
                part="what the model is told",
                helper="python/perudo.py",
                needs="a league with models (arena help models); arena check needs none",
            ),
        },
    ),
    "node": Runtime(
        about="Node.js",
        programs={"node": "nodejs"},
        scripts=(".js", ".mjs", ".cjs"),
        reserves=512 * 2**20,  # for machine code, from Node.js 24 on
        base="node:22-slim",
        setup="",
        reads="with node:readline, not readFileSync(0)",
        debugger="node inspect -p {pid}",
        kits={"javascript": Kit("JavaScript (Node.js)", "bot.js", "node test.js")},
    ),
    "c": Runtime(
        about="gcc",
        programs={"cc": "gcc libc6-dev", "gcc": "gcc libc6-dev"},
        compiled=".c",
        compiler="cc -O2 -o {program} {sources} -lm",
        flush="fflush(stdout), or setvbuf(stdout, NULL, _IOLBF, 0) at the start",
        reads="with getline, not to EOF",
        kits={
            "c": Kit(
                "C",
                "bot.c",
                "cc -Werror=return-type -std=c11 -o test test.c perudo.c -lm && ./test",
            )
        },
    ),
    "rust": Runtime(
        about="rustc, cargo",
        # libc6-dev is named: debootstrap leaves out what several packages provide.
        programs={"rustc": "rustc", "cargo": "cargo libc6-dev"},
        compiled=".rs",
        compiler="rustc -O --edition 2021 -o {program} {source}",
        flush="io::stdout().flush()",
        reads="with stdin().lines(), not read_to_string",
        kits={
            "rust": Kit("Rust", "bot.rs", "rustc --test --edition 2021 -o test bot.rs && ./test")
        },
    ),
    "java": Runtime(
        about="JDK 17 or later",
        programs={"javac": "default-jdk-headless", "java": "default-jdk-headless"},
        config=("/etc/java-*",),  # Debian's JDK links to it
        flush="System.out.flush()",
        reads="with BufferedReader.readLine(), not readAllBytes()",
        debugger="jstack {pid}",
        kits={
            "java": Kit("Java", "Bot.java", "javac -d classes *.java && java -cp classes BotTest")
        },
    ),
    "go": Runtime(
        about="Go",
        programs={"go": "golang-go"},
        compiled=".go",
        compiler="go build -o {program} .",
        flush="Flush() of a bufio.Writer",
        reads="with bufio.Scanner, not io.ReadAll",
        debugger="dlv attach {pid}",
        kits={"go": Kit("Go", "bot.go", "go test")},
    ),
    "dotnet": Runtime(
        about=".NET SDK 8",
        programs={"dotnet": "dotnet-sdk-8.0"},
        base="ubuntu:24.04",
        in_debian=False,
        flush="Console.Out.Flush()",
        reads="with Console.ReadLine(), not ReadToEnd()",
        debugger="dotnet-stack report --process-id {pid}",
        example="no kit: `build: env DOTNET_EnableWriteXorExecute=0 dotnet publish -o out "
        "-p:UseAppHost=false`, `command: env DOTNET_EnableWriteXorExecute=0 dotnet out/Bot.dll`",
    ),
    "any": Runtime(
        about="a shell and what every Debian has",
        programs={"sh": ""},
        scripts=(".sh",),
        flush="as the language does it, print(..., flush=True) in Python",
        kits={"shell": Kit("POSIX shell", "bot.sh", "sh test.sh")},
    ),
}
"""By the name that bot.yaml gives."""
OWN_IMAGES = "perudo-arena"
"""The repository of the images that the arena builds, one for each runtime."""
IMAGES = {runtime: f"{OWN_IMAGES}/{runtime}" for runtime in RUNTIMES}
"""By runtime; `images` in league.yaml names others."""
OF_SAMPLES = ("python", "node", "c", "any")
"""The runtimes of the sample bots: their images are built and tried if no others are asked for."""
KITS = {name: kit for runtime in RUNTIMES.values() for name, kit in runtime.kits.items()}
"""The kits, by language."""
_SYNONYMS = {
    **dict.fromkeys(("js", "node", "nodejs", "node.js", "ecmascript"), "javascript"),
    **dict.fromkeys(("py", "python3"), "python"),
    **dict.fromkeys(("rs", "cargo"), "rust"),
    **dict.fromkeys(("sh", "bash", "posix"), "shell"),
    **dict.fromkeys(("gcc", "cc"), "c"),
    **dict.fromkeys(("jdk", "jvm"), "java"),
    "golang": "go",
    "llm": "model",
}
"""Other names of kits."""
_NEAREST = {
    **dict.fromkeys(("c++", "cpp", "cxx", "g++"), "c"),
    **dict.fromkeys(("typescript", "ts", "deno", "bun"), "javascript"),
    **dict.fromkeys(("kotlin", "scala", "clojure"), "java"),
}
"""Languages without a kit, and the kit to learn from."""
PACKAGES = dict(
    ChainMap(
        *(runtime.programs for runtime in RUNTIMES.values()),
        *(language.programs for language in LANGUAGES.values()),
    )
)
"""The packages of each interpreter and compiler, in Debian and Ubuntu."""
PROGRAMS = tuple(PACKAGES)
"""The interpreters and compilers of all runtimes and languages."""


def from_debian() -> list[str]:
    """Return the names of the runtimes that Debian's own packages make."""
    return [name for name, runtime in RUNTIMES.items() if runtime.in_debian]


def toolchains() -> dict[str, str]:
    """Return the first program of each runtime that Debian has packages of, with its packages."""
    rows = [RUNTIMES[name] for name in from_debian() if RUNTIMES[name].packages]
    return dict(next(iter(runtime.programs.items())) for runtime in rows)


def runtime_of(program: str) -> str | None:
    """Return the runtime that has a program, None if no runtime has it."""
    return next((name for name, row in RUNTIMES.items() if program in row.programs), None)


def language_of(runtime: str, program: str) -> str:
    """Return the runtime of a bot: the one in its bot.yaml, or that of its command's program."""
    return runtime if runtime != "any" else runtime_of(program) or runtime


def reserved_by(runtime: str, program: str) -> int:
    """Return how many bytes a program may reserve beyond those that it may use."""
    own = (row.reserves for row in LANGUAGES.values() if program in row.programs)
    return RUNTIMES[language_of(runtime, program)].reserves or next(own, 0)


def config_paths() -> list[str]:
    """Return the paths of this machine that programs of bots read beside /usr and /lib."""
    of_runtimes = (pattern for row in RUNTIMES.values() for pattern in row.config)
    of_languages = (pattern for row in LANGUAGES.values() for pattern in row.config)
    patterns = (pattern.lstrip("/") for pattern in (*of_runtimes, *of_languages))
    return sorted(str(path) for pattern in patterns for path in Path("/").glob(pattern))


def runtime_meant(name: str) -> str | None:
    """Return the runtime of a language or a program, as `javascript` or `gcc`; None if unknown."""
    of_kit = (runtime for runtime, row in RUNTIMES.items() if name in row.kits)
    return next(of_kit, None) or runtime_of(name)


def kit_meant(language: str) -> str:
    """Return the kit of a language by any of its names; raises ArenaError if it has none."""
    name = language.lower()
    if name in KITS or name in _SYNONYMS:
        return _SYNONYMS.get(name, name)
    what = f"there is no kit for '{language}'"
    titles = {row.title.lower() for row in LANGUAGES.values()}
    if name in titles or name in LANGUAGES or name in RUNTIMES:
        raise ArenaError(what, hint="two lines of bot.yaml do without one: arena help languages")
    if near := _NEAREST.get(name):
        hint = f"begin with that of {KITS[near].title} (--lang {near}): arena help languages"
        raise ArenaError(what, hint=hint)
    raise ArenaError(what, hint=f"{did_you_mean(name, KITS)} Any other: arena help languages")


def how_to_compile(program: str, files: Iterable[str]) -> str:
    """Return the command that makes a program from files of its folder; "" if none is known."""
    for runtime in filter(lambda row: row.compiled, RUNTIMES.values()):
        ending = runtime.compiled
        names = sorted(name for name in files if name.endswith(ending))
        if sources := [name for name in names if not name.startswith("test")]:
            mains = (f"{program}{ending}", f"main{ending}", sources[0])
            source = next(name for name in mains if name in sources)
            words = {"program": program, "source": source, "sources": " ".join(sources)}
            return runtime.compiler.format(**words)
    return ""


def how_to_install(program: str) -> str:
    """Return the command that installs a program of a language; "" if none is known."""
    runtime = RUNTIMES[runtime_of(program) or "any"]
    where = "" if runtime.in_debian else "on Ubuntu: "
    packages = PACKAGES.get(program)
    return f"{where}sudo apt-get install {packages}" if packages else ""


def interpreter_of(ending: str) -> str:
    """Return the program that runs files with an ending, "" if none is known."""
    rows = (runtime for runtime in RUNTIMES.values() if ending in runtime.scripts)
    return next((program for runtime in rows for program in runtime.programs), "")
