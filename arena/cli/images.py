"""`arena images`: the images of containers."""

import click

from arena.bots.runtimes import IMAGES, LANGUAGES, OF_SAMPLES
from arena.bots.sandboxes.docker import engine, images
from arena.cli.groups import WholeHelpGroup
from arena.cli.options import json_option
from arena.cli.output import print_columns, print_json, say
from arena.io.errors import check_known


@click.group(cls=WholeHelpGroup, invoke_without_command=True)
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """List or build the images of the docker sandbox, one for each runtime."""
    if context.invoked_subcommand:
        return
    available = images.available()
    if warning := engine.runc_warning():
        say(f"warning: {warning}")
    if as_json:
        print_json({key: {"image": IMAGES[key], "available": ok} for key, ok in available.items()})
        return
    rows = [
        [runtime, IMAGES[runtime], "available" if ok else "missing"]
        for runtime, ok in available.items()
    ]
    print_columns(["runtime", "image", ""], rows)
    if not all(available.values()):
        say("to build one: arena images build RUNTIME, or without a registry: --from-host")


@command.command()
@click.argument("names", metavar="[RUNTIME|LANGUAGE...]", nargs=-1)
@click.option(
    "--from-host",
    is_flag=True,
    help="Build from this machine's Debian or Ubuntu packages (debootstrap, as root).",
)
def build(names: tuple[str, ...], *, from_host: bool) -> None:
    """Build the images of RUNTIMEs [default: python, node, c and any].

    `arena images` lists them all. LANGUAGEs are put into the image of `any`: see `arena help
    languages`.
    """
    for name in names:
        check_known(name, (*IMAGES, *LANGUAGES), f"unknown runtime '{name}'")
    make = images.build_from_host if from_host else images.build
    make(names or OF_SAMPLES, say)
