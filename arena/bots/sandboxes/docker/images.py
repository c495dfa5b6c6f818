"""The images of containers, one per runtime, and how they are built."""

import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from arena.bots.runtimes import IMAGES, LANGUAGES, RUNTIMES, Runtime
from arena.bots.sandboxes.docker import engine
from arena.io.errors import ArenaError

_COMPONENTS = {"debian": "main", "ubuntu": "main,universe"}
_EXCLUDED = ("./var/cache/apt/*", "./var/lib/apt/lists/*", "./usr/share/doc/*", "./usr/share/man/*")
_ERROR_LINES = 5

Say = Callable[[str], None]


def available() -> dict[str, bool]:
    """Return by runtime whether its image exists; raises ArenaError without an engine."""
    with engine.api_client() as api:
        return {runtime: engine.has_image(api, image) for runtime, image in IMAGES.items()}


def build(names: Sequence[str], say: Say) -> None:
    """Build images from their recipes, which are based on images of a registry.

    Languages without an image of their own are put into that of the runtime `any`.
    """
    for runtime, row in _rows(names).items():
        recipe = row.recipe
        say(f"building {IMAGES[runtime]}: {recipe.splitlines()[0]}")
        output: list[str] = []
        with engine.api_client() as api:
            for event in api.build(
                fileobj=BytesIO(recipe.encode()), tag=IMAGES[runtime], decode=True, rm=True
            ):
                output.append(str(event.get("stream") or event.get("error") or "").strip())
                if "error" in event:
                    what = f"the build of {IMAGES[runtime]} failed"
                    hint = "without a registry: arena images build --from-host"
                    raise ArenaError(what, _last_lines(output), hint)


def build_from_host(names: Sequence[str], say: Say) -> None:
    """Build one image for all these runtimes and languages from this machine's Debian or Ubuntu.

    It needs root.
    """
    runtimes = _rows(names)
    suite, components = _release()
    if os.geteuid() != 0:
        raise ArenaError("debootstrap needs root", hint="sudo arena images build --from-host")
    if shutil.which("debootstrap") is None:
        raise ArenaError("debootstrap is not installed", hint="sudo apt-get install debootstrap")
    for runtime in runtimes:
        if not RUNTIMES[runtime].in_debian and components == _COMPONENTS["debian"]:
            what = f"Debian has no {RUNTIMES[runtime].about}"
            raise ArenaError(what, hint=f"arena images build {runtime}")
    first, *others = (IMAGES[runtime] for runtime in runtimes)
    packages = [name for row in runtimes.values() for name in row.packages]
    with TemporaryDirectory(prefix="perudo-arena-image-") as scratch:
        root = Path(scratch) / "root"
        content = f"{', '.join(packages)} and " if packages else ""
        say(f"installing {content}a minimal {suite} into an image: this takes minutes")
        include = [f"--include={','.join(packages)}"] if packages else []
        _debootstrap(*include, f"--components={components}", suite, str(root))
        _import(root, first)
    for image in others:
        with engine.api_client() as api:
            api.tag(first, image)
    say(f"built {', '.join(IMAGES[runtime] for runtime in runtimes)}")


def _rows(names: Sequence[str]) -> dict[str, Runtime]:
    """Return the rows of runtimes; languages are libraries of `any`."""
    rows = {name if name in RUNTIMES else "any": None for name in names}
    packages = (LANGUAGES[name].packages for name in names if name not in RUNTIMES)
    more = replace(RUNTIMES["any"], libraries=tuple(dict.fromkeys(chain(*packages))))
    return {name: more if name == "any" else RUNTIMES[name] for name in rows}


def _release() -> tuple[str, str]:
    """Return this machine's release, and its components that have the packages."""
    with suppress(OSError, KeyError):
        release = platform.freedesktop_os_release()
        return release["VERSION_CODENAME"], _COMPONENTS[release["ID"]]
    raise ArenaError("this machine is neither Debian nor Ubuntu", hint="arena images build")


def _import(root: Path, image: str) -> None:
    exclude = [f"--exclude={pattern}" for pattern in _EXCLUDED]
    command = ["tar", "-C", str(root), "--one-file-system", *exclude, "-c", "."]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as tar, engine.api_client() as api:
        api.import_image_from_stream(tar.stdout, repository=image, tag="latest")


def _debootstrap(*arguments: str) -> None:
    # In a mount namespace of its own, so that its mounts end with it.
    command = ["unshare", "--mount", "debootstrap", "--variant=minbase"]
    ran = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if ran.returncode:
        what = f"debootstrap failed with exit code {ran.returncode}"
        raise ArenaError(what, _last_lines((ran.stdout + ran.stderr).splitlines()))


def _last_lines(lines: Sequence[str]) -> str:
    return " | ".join([line for line in lines if line][-_ERROR_LINES:])
