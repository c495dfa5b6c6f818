"""Patterns in the words of faults, each with the way to mend it."""

from arena.bots.sandboxes.base import ENVIRONMENT, MIB, Quota

MEMORY = f"a bot may use {Quota().memory // MIB} MiB of memory"
_FILE_SIZE = f"a file may have {Quota().file_size // MIB} MiB at most"
_FILES = f"a bot may have {Quota().files} files open at a time"
_PROCESSES = f"a bot may have {Quota().processes} processes and threads"
STDERR_ONLY = "print nothing but answers to standard output; standard error is yours"
ANSWER_ONCE = "answer each turn and calza once, with its `id`; answer nothing else"
_ESM = "in Node.js a .mjs file has `import` and a .cjs file has `require`"
_MIXED_MODULES = (
    r"Cannot use import statement outside|Unexpected token 'export'|ERR_REQUIRE_ESM"
    r"|require\(\) of ES Module|does not provide an export named"
)
RUSTUP = r"rustup could not|no default toolchain|rustup default"
RUSTUP_HINT = (
    "rustup's programs lie in your home folder, which the sandbox does not see:"
    " sudo apt-get install rustc cargo"
)
_SEVERAL_LINES = (
    r"JSONDecodeError: Extra data|Unexpected non-whitespace character after JSON"
    r"|SyntaxError: Unexpected token (?:\{|'\{').* in JSON"
)
_PART_OF_A_LINE = (
    r"JSONDecodeError: Unterminated string|Unterminated string in JSON|Unexpected end of JSON"
)
_NO_MEMORY = (
    r"MemoryError|[Cc]annot allocate memory|bad_alloc|out of memory|OutOfMemoryError"
    r"|[Aa]llocation failed|[Ff]ailed to allocate memory|memory allocation of|\bENOMEM\b"
    r"|cannot allocate vector|[Hh]eap exhausted"
)
_RESERVED = r"[Ff]ailed to reserve|[Cc](?:ould|an) ?not reserve"
_NO_FILES = r"[Tt]oo many open files|EMFILE|number of open files is too low"
_NO_PROCESSES = (
    r"can't (?:start|create) (?:new |a )?thread|Resource temporarily unavailable|EAGAIN"
    r"|unable to create (?:new )?native thread|[Cc]annot fork|fork: retry"
)
_TOO_LARGE = r"File too large|EFBIG|File size limit exceeded"
_FULL = r"No space left on device|ENOSPC"
_NO_NETWORK = (
    r"[Nn]ame resolution|[Nn]etwork is unreachable|[Cc]onnection refused|EAI_AGAIN|ENOTFOUND"
    r"|ENETUNREACH|ECONNREFUSED|[Cc]ould not resolve"
)
Patterns = tuple[tuple[str, str], ...]

BY_OUTPUT: Patterns = (
    (
        r"\(Pdb\)|^> .*\(\d+\)|^--(?:Return|Call)--",
        "remove breakpoint(): it uses standard input and output; in arena debug, the terminal",
    ),
    (r"\A[\[{]\s*\Z", "write the answer in one line"),
    (r"^[\[{(]'", "this is Python's own notation: write it with json.dumps"),
    (
        r"^\[object Object\]|^undefined$|^\{ ?\w+:",
        "this is JavaScript's own notation: write it with JSON.stringify",
    ),
    (r'^"\\?[{[]', "this is a text with JSON in it: encode the answer once"),
    (r"^b['\"]", "these are bytes in Python's own notation: decode them"),
    (
        r"^\{?:?\"?\w+\"? ?=> ?",
        "this is Ruby's own notation, or Perl's: write it with JSON.generate, or encode_json",
    ),
    (r"^Array\b|^array\(", "this is PHP's own notation: write it with json_encode"),
    (r"^HASH\(0x|^table: 0x", "this is a reference, not what it refers to: write it as JSON"),
    (r"^&?(?:map\[|\{\w+ )", "this is Go's own notation: write it with json.Marshal"),
    (
        r"^\{.*:\s*(nil|<nil>|None|undefined|nan|NaN|-?inf|-?Infinity|True|False)\s*[,}]",
        "{0} is no JSON: look where the answer gets its numbers; as in {example}",
    ),
    (r"^\{.*:\s*[,}]", "a number is missing: its variable is empty; as in {example}"),
    (
        r"^\ufeff",
        "an editor may have put it into the program: write UTF-8, without a byte order mark",
    ),
    (r"^\\xff\\xfe|\x00|\\x00", "write UTF-8, without a byte order mark"),
)
"""Patterns in the line that came."""
_BASH = (
    r"sh: (?:line )?\d+: (?:\[\[|declare|local|source|function|shopt|let|mapfile|readarray):"
    r" not found|Bad substitution|redirection unexpected|\"\(\" unexpected"
)
SHELL: Patterns = (
    (
        r"\r: (?:command )?not found|\$'\\r'|\^M\b|\r: No such file",
        "the script has line ends of Windows (CRLF): save it with LF, as with sed -i 's/\\r$//'",
    ),
    (
        _BASH,
        "this is written for bash, and sh is another shell: `command: bash ...`",
    ),
)
"""What a shell says of a script, after which it goes on."""
BY_STDERR: Patterns = (
    (
        r"TypeError: Object of type (\w+) is not JSON serializable",
        "json.dumps writes no {0}: write int(...) of a number, list(...) of a set or an array",
    ),
    (
        r"TypeError: unhashable type: '(\w+)'",
        "what is cached, in a set or a key of a dict may not be a {0}: make it a tuple",
    ),
    (
        r"panic: assignment to entry in nil map",
        "make the map before it is written to: make(map[...]...)",
    ),
    (r"all goroutines are asleep", "every goroutine waits for another: nobody writes or reads"),
    (
        r"coroutine object|type coroutine is not|coroutine '(?:\w+)' was never awaited",
        "a function with `async` returns no answer: remove `async`, or call it by asyncio.run(...)",
    ),
    (r"choose\(\) returned \{\}; it must", "choose may not be async: it returned a promise"),
    (
        r"choose\(\) returned .*; it must return",
        "look for a path through choose() that ends without `return bid(...)` or `return dudo()`",
    ),
    (r"choose called neither", "look for a path through choose that calls neither of them"),
    (r"Non-UTF-8 code|invalid utf-8|stream did not contain valid UTF-8", "save the file as UTF-8"),
    (r"require is not defined in ES module", f"{_ESM}: replace require, or rename it to .cjs"),
    (
        _MIXED_MODULES,
        f"{_ESM}: rename it to .mjs, and use one of them in all files",
    ),
    (RUSTUP, RUSTUP_HINT),
    (
        _SEVERAL_LINES,
        "what it read holds several lines, or is not whole. Read a line at a time: {reads}",
    ),
    (
        r"JSONDecodeError: Expecting value: line 1 column 1 \(char 0\)",
        "it read an empty text: each line holds a message, and at the end of input it must exit",
    ),
    (
        _PART_OF_A_LINE,
        "it read a part of a line, which may have 64 KiB. Read a line at a time: {reads}",
    ),
    (
        r"\.ts:\d+$|Unknown file extension \"\.ts\"",
        "this Node.js does not run TypeScript: compile it to .js",
    ),
    (r"(?:SyntaxError|IndentationError|TabError):", "correct the line that the traceback names"),
    (_RESERVED, "it reserves more memory than it may: name its `runtime` in bot.yaml"),
    (_NO_FILES, _FILES),
    (_NO_PROCESSES, _PROCESSES),
    (_NO_MEMORY, MEMORY),
    (
        r"Read-only file system|EROFS|Permission denied: '(?!/)",
        "the bot's folder is read-only: write to /tmp, or to standard error",
    ),
    (_TOO_LARGE, _FILE_SIZE),
    (_FULL, f"/tmp is full: {_FILE_SIZE}, and /tmp has no more"),
    (_NO_NETWORK, "a bot has no network: bring what it needs in its folder"),
    (
        r"attempted relative import",
        "it is started as a program: import `helper`, without the dot",
    ),
    (
        r"version [`'](?:GLIBC|GLIBCXX)_\S+ not found",
        "it was built with a newer C library: have `build` make it, or link it statically",
    ),
    (r"Exec format error", "the program is for another machine, or lacks `#!`"),
    (
        r"error while loading shared libraries: (\S+):",
        "the sandbox has no {0}: link it statically",
    ),
    (
        r"os\.environ|KeyError: '[A-Z_]+'$",
        f"a bot's environment has {', '.join(ENVIRONMENT)} and nothing of your shell's",
    ),
    (
        r"stack overflow|RecursionError|Maximum call stack",
        "it calls itself without an end, or once for each message: use a loop",
    ),
)
"""Patterns in standard error; {0} is their first group, {reads} how to read a line."""
BY_DETAIL: Patterns = (
    (r"SIGKILL", f"{MEMORY}: what takes more is killed"),
    (
        r"SIGXFSZ",
        f"{_FILE_SIZE}; .NET before 10: `command: env DOTNET_EnableWriteXorExecute=0 dotnet ...`",
    ),
    (r"SIGFPE", "it divided by zero: run it under a debugger"),
    (r"SIGILL", "it is built for another processor: leave out -march=native"),
    (
        r"SIGSEGV|SIGABRT|SIGBUS|SIGTRAP",
        "a fault of the program itself: run it under a debugger{memory}",
    ),
    (
        r"exit code 0",
        "it ended by itself: read on in a loop, after a game too, until `bye` or the end of input",
    ),
    (r"not open", ANSWER_ONCE),
    (r"not valid UTF-8", "write UTF-8, without a byte order mark, as in {example}"),
    (r"not a JSON object", f"answer `{{asked}}` as with {{example}}; {STDERR_ONLY}"),
    (r"not valid JSON", f"{STDERR_ONLY}; answer `{{asked}}` as with {{example}}"),
    (r"the bid has no|unknown action|missing|Expected", "as in {example}"),
    (r"`type`", "answer hello with {example}"),
)
"""Patterns in the words of a fault; {asked} and {example} are what was asked, and an answer."""
