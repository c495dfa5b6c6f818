"""The Docker engine: finding it, talking to it, and saying in one line what is wrong with it."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from arena.errors import ArenaError
from arena.sandboxes.base import Unavailable
from arena.sandboxes.run_folder import is_in_use

if TYPE_CHECKING:
    from docker import APIClient

_Made = TypeVar("_Made")

LABEL = "perudo-arena.run"
"""Every container carries it; its value is the folder of the run that it belongs to."""
_GET = "sudo apt-get install docker.io && sudo systemctl start docker"
_JOIN = "sudo usermod -aG docker $USER, then log in anew"
_MIN_API = (1, 40)
_SECONDS = 60
_TRIES = 3
"""So often a container is created and started where the engine fails at it."""
_FIXED_RUNC: dict[tuple[int, ...], tuple[int, ...]] = {(1, 2): (1, 2, 8), (1, 3): (1, 3, 3)}
"""The first releases of runc that let no container write through /proc (CVE-2025-31133)."""


@contextmanager
def api_client() -> Iterator["APIClient"]:
    """Yield a connection to the engine for a few calls; what the SDK raises becomes one line.

    Each caller has its own: the SDK's are not to be shared by threads, and keep a socket open for
    each URL that they ever called.
    """
    import docker
    from docker.utils import kwargs_from_env

    with _translate_errors():
        api = docker.APIClient(version=_version(), timeout=_SECONDS, **kwargs_from_env())
        try:
            yield api
        finally:
            api.close()


@cache
def _version() -> str:
    """Return the version of the API that the engine speaks; raises ArenaError for an old one."""
    import docker
    from docker.utils import kwargs_from_env

    with _translate_errors():
        asked = docker.APIClient(version="auto", timeout=_SECONDS, **kwargs_from_env())
        found = asked.api_version
        asked.close()
    if _numbers(found) < _MIN_API:
        least = ".".join(map(str, _MIN_API))
        what = f"Docker's API is {found}, the arena needs {least} or later"
        raise ArenaError(what, hint="install a newer Docker engine")
    return found


@contextmanager
def _translate_errors() -> Iterator[None]:
    from docker.errors import APIError, DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except APIError as error:
        raise _refused(str(error.explanation or error)) from None
    except (DockerException, RequestException, OSError) as error:
        raise _unreachable(str(error)) from None


def _unreachable(text: str) -> ArenaError:
    if "PermissionError" in text or "Permission denied" in text:
        return ArenaError("no permission on Docker's socket", hint=_JOIN)
    if "FileNotFoundError" in text or "ConnectionRefused" in text or "refused" in text:
        return ArenaError("no Docker daemon answers", hint=_GET)
    if "version" in text.lower() and "old" in text.lower():
        return ArenaError("Docker's API is too old", hint="install a newer Docker engine")
    return ArenaError(f"Docker does not answer: {_line(text)}", hint=_GET)


def _refused(text: str) -> ArenaError:
    if "no space left" in text.lower():
        what = "no space is left for Docker's containers"
        return ArenaError(what, hint="free some: docker system prune")
    if image := re.search(r"[Nn]o such image: (\S+)", text):
        return missing_image(image[1])
    if "too old" in text:
        return ArenaError("Docker's API is too old", hint="install a newer Docker engine")
    return ArenaError(f"Docker refuses: {_line(text)}")


def missing_image(image: str) -> ArenaError:
    """Return the error for an image that is not here."""
    hint = "arena images build, or without a registry: arena images build --from-host"
    return ArenaError(f"the image '{image}' is not here", hint=hint)


def unavailable_reason(images: Sequence[str]) -> Unavailable | None:
    """Return why containers of these images cannot run here; None when they can."""
    try:
        with api_client() as api:
            for image in images:
                if not has_image(api, image):
                    raise missing_image(image)
    except ArenaError as error:
        return Unavailable(error.what, error.hint)
    return None


def has_image(api: "APIClient", image: str) -> bool:
    """Tell whether an image is here."""
    from docker.errors import ImageNotFound

    try:
        # The SDK's stubs give this method no types.
        api.inspect_image(image)  # type: ignore[no-untyped-call]
    except ImageNotFound:
        return False
    return True


def runc_warning() -> str:
    """Return what is to be said about a runc older than the fixed releases; "" when it is fine."""
    with suppress(ArenaError), api_client() as api:
        for part in api.version().get("Components", []):
            if part["Name"] == "runc" and _is_old(_numbers(part["Version"])):
                return (
                    f"runc {part['Version']} is older than the releases that fix CVE-2025-31133"
                    " (1.2.8, 1.3.3): see whether your distribution mended it, or upgrade"
                )
    return ""


def _is_old(version: tuple[int, ...]) -> bool:
    return version < _FIXED_RUNC.get(version[:2], (1, 2, 8))


def remove_abandoned() -> int:
    """Remove the containers of runs that ended without removing them; returns how many."""
    gone = 0
    with api_client() as api:
        for container in api.containers(all=True, filters={"label": LABEL}):
            if not is_in_use(Path(container["Labels"][LABEL])):
                remove(container["Id"])
                gone += 1
    return gone


def wait(container: str) -> int:
    """Return the exit code of a container, once it has ended."""
    with api_client() as api:
        return int(api.wait(container)["StatusCode"])


def retry_server_errors(start: Callable[[], _Made]) -> _Made:
    """Call what starts a container, again where the engine fails: a busy one does now and then.

    What it refuses for a reason is not tried again. Raises the SDK's errors.
    """
    from docker.errors import APIError

    for _ in range(_TRIES - 1):
        try:
            return start()
        except APIError as error:
            if not error.is_server_error():
                raise
    return start()


def is_running(container: str) -> bool:
    """Tell whether a container is there and has not ended; True where the engine does not say."""
    from docker.errors import NotFound

    with suppress(ArenaError), api_client() as api:
        try:
            return bool(api.inspect_container(container)["State"]["Running"])
        except NotFound:
            return False
    return True


def remove(container: str) -> None:
    """Kill and remove a container, unless it goes by itself."""
    from docker.errors import APIError

    with api_client() as api, suppress(APIError):
        api.remove_container(container, force=True, v=True)


def _numbers(version: str) -> tuple[int, ...]:
    release = version.split("+", maxsplit=1)[0]
    return tuple(int(number) for number in re.findall(r"\d+", release)[:3])


def _line(text: str) -> str:
    return " ".join(text.split())[:300]
