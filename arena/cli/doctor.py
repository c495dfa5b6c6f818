"""`arena doctor`: try what each sandbox keeps on this machine."""

from collections.abc import Sequence

import click

from arena.cli.options import json_option
from arena.cli.output import harmless, print_json, print_table, say
from arena.sandboxes.doctor import GUARANTEES, SandboxReport, examine
from arena.sandboxes.registry import AUTO, SANDBOXES, make_sandbox

_SHOWN = {True: "yes", False: "NO", None: "?"}


@click.command()
@json_option
def command(*, as_json: bool) -> int:
    """Run probes in every sandbox and say what each keeps a bot from on this machine.

    Exit code 0 if the sandbox that `auto` takes is fit for bots that nobody vetted, else 1.
    """
    examined = []
    for name, make in SANDBOXES.items():
        say(f"trying {name} ...")
        examined.append(examine(name, make))
    taken = make_sandbox(AUTO).name
    fit = any(one.fit_for_strangers for one in examined if one.sandbox == taken)
    if as_json:
        print_json({"auto": taken, "fit_for_strangers": fit, "sandboxes": examined})
    else:
        _print(examined, taken, fit=fit)
    return 0 if fit else 1


def _print(examined: Sequence[SandboxReport], taken: str, *, fit: bool) -> None:
    kept = [{one.promise: _SHOWN[one.kept] for one in each.findings} for each in examined]
    rows = [[words, *(each.get(key, "-") for each in kept)] for key, words in GUARANTEES.items()]
    print_table(["", *(each.sandbox for each in examined)], rows)
    verdict = "fit" if fit else "NOT fit"
    click.echo(f"\nauto takes {taken}, which is {verdict} for bots that nobody vetted")
    for each in examined:
        for line in _lacks(each, taken):
            click.echo(harmless(line))


def _lacks(each: SandboxReport, taken: str) -> list[str]:
    """Say what is missing, and how to get it, for a sandbox that does not work or that is taken."""
    if each.unavailable_reason:
        return [f"{each.sandbox} does not work here: {each.unavailable_reason}"]
    if each.sandbox != taken:
        return []
    return [
        f"{each.sandbox}, {GUARANTEES[one.promise]}: {'no' if one.kept is False else 'not told'}"
        f" ({one.seen}); {one.hint}"
        for one in each.findings
        if not one.kept
    ]
