"""Mistakes in Rust."""

from tests.author.check.bots import HASTY
from tests.author.check.mistakes.mistake import Make, Mistake, Table, folder_of

_FRAME = """
use std::io::BufRead;
fn number(line: &str, name: &str) -> Option<i32> {
    let rest = &line[line.find(name)? + name.len()..];
    rest[..rest.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}
fn answer(line: &str) {
    let id = number(line, "\\"id\\":").unwrap();
    match (number(line, "\\"min\\":"), number(line, "\\"raises\\":[{\\"face\\":")) {
        (Some(min), Some(face)) => {
            println!("{{\\"id\\":{id},\\"action\\":\\"bid\\",\\"quantity\\":{min},\\"face\\":{face}}}")
        }
        _ => println!("{{\\"id\\":{id},\\"action\\":\\"dudo\\"}}"),
    }
}
fn act(line: &str) {
    {act}
}
fn main() {
    {main}
    for line in std::io::stdin().lock().lines().map(|line| line.unwrap()) {
        if line.contains("\\"hello\\"") {
            println!("{{\\"type\\":\\"ready\\"}}");
        } else if line.contains("\\"turn\\"") {
            act(&line);
        }
    }
}
"""


def _rust(act: str = "answer(line);", main: str = "", build: str = "") -> Make:
    """Return a good bot with a part replaced."""
    command = build or "rustc --edition 2021 bot.rs"
    program = _FRAME.replace("{act}", act).replace("{main}", main)
    return folder_of({"bot.rs": program}, f"build: {command}\ncommand: ./bot\nruntime: rust\n")


IN_RUST: Table = {
    "no build": Mistake(
        folder_of({"bot.rs": "fn main() {}\n", "perudo.rs": "", "test.rs": ""}, "command: ./bot\n"),
        "program",
        "needs './bot', which was not found",
        "have it made: `build: rustc -O --edition 2021 -o bot bot.rs` in bot.yaml",
    ),
    "no build of a project": Mistake(
        folder_of(
            {"src/main.rs": "fn main() {}\n", "Cargo.toml": "[package]\nname = 'bot'\n"},
            "command: target/release/bot\n",
        ),
        "program",
        "needs 'target/release/bot', which was not found",
        "have it made: `build: cargo build --release --offline` in bot.yaml",
    ),
    "a name that is not defined": Mistake(
        _rust("anwser(line);"),
        "build",
        "failed (exit code 1)",
        "cannot find function `anwser` in this scope",
    ),
    "a value that was moved": Mistake(
        _rust("let a = String::new(); drop(a); drop(a); answer(line);"),
        "build",
        "failed (exit code 1)",
        "error[E0382]: use of moved value: `a`",
    ),
    "a module that is not there": Mistake(
        _rust(build="rustc --edition 2021 main.rs"),
        "build",
        "failed (exit code 1)",
        "couldn't read main.rs: No such file",
    ),
    "no edition": Mistake(
        _rust(main="async fn later() {}", build="rustc bot.rs"),
        "build",
        "failed (exit code 1)",
        "error[E0670]: `async fn` is not permitted in Rust 2015",
    ),
    "nothing unwrapped": Mistake(
        _rust('number(line, "\\"quantity\\":").unwrap(); answer(line);'),
        "first turn",
        "exit code 101",
        "note that here `bids` is empty: it opens the round",
    ),
    "the end of a list": Mistake(
        _rust("let bids: Vec<i32> = Vec::new(); bids[line.len() - line.len()]; answer(line);"),
        "first turn",
        "exit code 101",
        "note that here `bids` is empty: it opens the round",
    ),
    "less than nothing": Mistake(
        _rust('println!("{}", line.len() - 9 * line.len());'),
        "first turn",
        "exit code 101",
        "its standard error says why",
    ),
    "a recursion without an end": Mistake(
        _rust("act(line); answer(line);"),
        "first turn",
        "killed by SIGABRT",
        "it calls itself without an end",
    ),
    "talk on standard output": Mistake(
        _rust('println!("my turn"); answer(line);'),
        "first turn",
        "not valid JSON",
        "print nothing but answers to standard output",
    ),
    "an end after an answer": Mistake(
        _rust("answer(line); std::process::exit(0)"),
        "first turn",
        "exit code 0",
        "read on in a loop",
    ),
    "reading to the end of input": Mistake(
        _rust(
            main="let mut all = String::new();"
            " std::io::Read::read_to_string(&mut std::io::stdin(), &mut all).unwrap();"
            ' println!("{{\\"type\\":\\"ready\\"}}");'
        ),
        "start",
        "blocked reading; after its input was closed it wrote",
        "Read a line at a time: with stdin().lines(), not read_to_string",
        HASTY,
    ),
}
