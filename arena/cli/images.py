"""`arena images`: what containers are made of."""

import click

from arena.cli.options import json_option
from arena.cli.output import print_json, print_table, say
from arena.errors import ArenaError, did_you_mean
from arena.sandboxes.docker import engine, images


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Show the images that the docker sandbox uses, one for each runtime; or build them."""
    if context.invoked_subcommand:
        return
    found = images.available()
    if old := engine.runc_warning():
        say(f"warning: {old}")
    if as_json:
        print_json({runtime: {"image": images.IMAGES[runtime], "here": found[runtime]}
                    for runtime in found})  # fmt: skip
        return
    rows = [[name, images.IMAGES[name], "here" if ok else "missing"] for name, ok in found.items()]
    print_table(["runtime", "image", ""], rows)
    if not all(found.values()):
        say("to build them: arena images build, or without a registry: --from-host")


@command.command()
@click.argument("runtimes", metavar="[RUNTIME...]", nargs=-1)
@click.option(
    "--from-host",
    is_flag=True,
    help="Make them from this Debian's own packages (debootstrap, as root), not from a registry.",
)
def build(runtimes: tuple[str, ...], *, from_host: bool) -> None:
    """Build the images of RUNTIMEs (python, node, c, any) [default: all]."""
    for runtime in runtimes:
        if runtime not in images.IMAGES:
            hint = did_you_mean(runtime, images.IMAGES)
            raise ArenaError(f"unknown runtime '{runtime}'", hint=hint)
    make = images.build_from_host if from_host else images.build
    make(runtimes or tuple(images.IMAGES), say)
