"""Mistakes in C."""

from tests.author.check.bots import HASTY
from tests.author.check.mistakes.in_python import ONE_START, SLOW_TO_ANSWER
from tests.author.check.mistakes.mistake import Make, Mistake, Table, folder_of

# A macro of the body stands for one of the frame's.
_FRAME = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int id, quantity, face;
static int answer(void)
{
    if (face)
        return printf("{\\"id\\":%d,\\"action\\":\\"bid\\",\\"quantity\\":%d,\\"face\\":%d}\\n", id,
                      quantity, face);
    return printf("{\\"id\\":%d,\\"action\\":\\"dudo\\"}\\n", id);
}
{body}
#ifndef READY
#define READY puts("{\\"type\\":\\"ready\\"}")
#endif
#ifndef ACT
#define ACT answer()
#endif
#ifndef BUFFER
#define BUFFER _IOLBF
#endif
static char line[65537];
static int number(const char *name)
{
    const char *at = strstr(line, name);
    return at ? atoi(at + strlen(name)) : 0;
}
int main(void)
{
    setvbuf(stdout, NULL, BUFFER, 4096);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\\"type\\":\\"hello\\"")) {
            READY;
        } else if (strstr(line, "\\"type\\":\\"turn\\"")) {
            id = number("\\"id\\":"), quantity = number("\\"min\\":");
            face = number("\\"raises\\":[{\\"face\\":");
            ACT;
        }
    }
    return 0;
}
"""
_BUILD = "cc -o bot bot.c"


def _c(body: str, build: str = _BUILD) -> Make:
    """Return a good bot with a part replaced."""
    manifest = f"build: {build}\ncommand: ./bot\nruntime: c\n"
    return folder_of({"bot.c": _FRAME.replace("{body}", body)}, manifest)


def _turn(statement: str, above: str = "") -> Make:
    return _c(f"{above}\n#define ACT {statement}\n")


IN_C: Table = {
    "no build": Mistake(
        folder_of({"bot.c": "int main(void) { return 0; }\n"}, "command: ./bot\n"),
        "program",
        "needs './bot', which was not found",
        "have it made: `build: cc -O2 -o bot bot.c -lm` in bot.yaml",
    ),
    "a syntax error": Mistake(_c("int x = 1"), "build", "failed (exit code 1)", "error: expected"),
    "a header that is not there": Mistake(
        _c('#include "perudo.h"'),
        "build",
        "failed (exit code 1)",
        "fatal error: perudo.h: No such file",
    ),
    "a source that is not named": Mistake(
        _c("int choose(void);\n#define ACT choose()"),
        "build",
        "failed (exit code 1)",
        "undefined reference to `choose': `build` must name every .c file and library",
    ),
    "no library of mathematics": Mistake(
        _c("double pow(double, double);\n#define ACT return (int)pow(id, quantity)"),
        "build",
        "failed (exit code 1)",
        "undefined reference to `pow': `build` must name -lm at its end",
    ),
    "a program with another name": Mistake(
        _c("", "cc -o bott bot.c"), "build", "./bot is not there", "make it in `build`"
    ),
    "a program with another name, and a warning": Mistake(
        _c("static int unused;", "cc -Wall -o bott bot.c"),
        "build",
        "./bot is not there",
        "make it in `build`",
    ),
    "a source with another name": Mistake(
        _c("", "cc -o bot main.c"), "build", "failed (exit code 1)", "main.c: No such file"
    ),
    "a compiler that is misspelt": Mistake(
        _c("", "ccc -o bot bot.c"), "program", "needs 'ccc'", "did you mean 'cc'?"
    ),
    "a pointer to nothing": Mistake(
        _turn("*(volatile int *)0 = 1"),
        "first turn",
        "killed by SIGSEGV",
        "a fault of the program itself: run it under a debugger",
    ),
    "a division by zero": Mistake(
        _turn('exit(id / atoi("0"))'),
        "first turn",
        "killed by SIGFPE",
        "it divided by zero",
    ),
    "memory that is freed twice": Mistake(
        _turn(
            "free(text), free(text)",
            "static char *text;\n#define BUFFER (text = malloc(9), _IOLBF)",
        ),
        "first turn",
        "killed by SIGABRT",
        "a fault of the program itself: run it under a debugger",
    ),
    "an end after an answer": Mistake(
        _turn("answer(); return 0"), "first turn", "exit code 0", "read on in a loop"
    ),
    "an exit code": Mistake(
        _turn("return 4"),
        "first turn",
        "exit code 4",
        "it wrote nothing to standard error: repeat it without the arena",
    ),
    "talk on standard output": Mistake(
        _turn('printf("face %d\\n", face); answer()'),
        "first turn",
        "not valid JSON",
        "print nothing but answers to standard output",
    ),
    "another id": Mistake(
        _turn("id++; answer()"), "first turn", "id 2 is not open; open: 1 (turn)", "with its `id`"
    ),
    "a remainder below 0": Mistake(
        _turn("face = (face - 9) % 6; answer()"),
        "first turn",
        "Expected `int` >= 0 - at `$.face`",
        "`face` is below 0: in C",
    ),
    "a short buffer": Mistake(
        _turn("if (strlen(line) < 380) answer()"),
        "first game",
        "no answer within",
        "this is the longest request so far",
        SLOW_TO_ANSWER,
    ),
    "a bid too high": Mistake(
        _turn("quantity = 99; answer()"),
        "first turn",
        "the game started with 10 dice",
        "every legal bid in `raises`",
    ),
    "no flush": Mistake(
        _c("#define BUFFER _IOFBF"),
        "start",
        "blocked reading; after its input was closed it wrote",
        "Flush standard output after every line: fflush(stdout), or setvbuf(stdout, NULL, _IOLBF",
        HASTY,
    ),
    "no newline": Mistake(
        _turn('printf("{\\"id\\":%d,\\"action\\":\\"dudo\\"}", id), fflush(stdout)'),
        "first turn",
        "with no newline at its end",
        "end every line with a newline",
        SLOW_TO_ANSWER,
    ),
    "a loop": Mistake(
        _turn("for (;;) id = id"),
        "first turn",
        "it is still busy",
        "look for a loop that takes long or never ends",
        SLOW_TO_ANSWER,
    ),
    "messages taken apart by their spacing": Mistake(
        _c(""),
        "unknown fields",
        "not ready within 3 s",
        "this step writes messages with other spacing",
        ONE_START,
    ),
}
