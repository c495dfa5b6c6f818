"""What Debian's languages without a runtime of their own need: one row a language.

Their bots have `runtime: any`. A new language is a row of `LANGUAGES` and a folder in
`tests/bots/languages/`.
"""

from msgspec import Struct


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
_OCAML = "ocaml-nox"
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
