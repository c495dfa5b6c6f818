"""The Docker engine: connections to it, errors in one line, and its containers by id."""

import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from arena.bots.runtimes import OWN_IMAGES
from arena.bots.sandboxes.base import Unavailable
from arena.bots.sandboxes.run_folder import is_in_use
from arena.io.errors import ArenaError, ShortageError, shortage_behind, shortage_in

if TYPE_CHECKING:
    from docker import APIClient

T = TypeVar("T")

LABEL = "perudo-arena.run"
"""On every container; its value is the folder of the run that it belongs to."""
_INSTALL = "sudo apt-get install docker.io && sudo systemctl start docker"
_JOIN_GROUP = "sudo usermod -aG docker $USER, then log in again"
_UPGRADE = "install a newer Docker engine"
_MIN_API = "1.40"
_TIMEOUT_SECONDS = 60
_ATTEMPTS = 3
"""Attempts to create and start a container, at most, if the engine fails."""
_FIXED_RUNC: dict[tuple[int, ...], tuple[int, ...]] = {(1, 2): (1, 2, 8), (1, 3): (1, 3, 3)}
"""First releases of runc in which containers cannot write through /proc (CVE-2025-31133)."""


@contextmanager
def api_client() -> Iterator["APIClient"]:
    """Yield a connection to the engine for a few calls; the SDK's errors become ArenaErrors.

    ShortageError if the machine lacks something: this one, or by its words that of the engine.
    Each caller has its own: the SDK's are not thread-safe and keep a socket open for each URL.
    """
    from docker.errors import APIError, DockerException
    from requests.exceptions import RequestException

    try:
        with closing(_connect(_api_version(os.environ.get("DOCKER_HOST")))) as api:
            yield api
    except APIError as error:
        raise _refused(str(error.explanation or error)) from None
    except (DockerException, RequestException, OSError) as error:
        raise shortage_behind(error) or _unreachable(str(error)) from None


@cache
def _api_version(host: str | None) -> str:
    """Return the version of the engine's API; raises ArenaError if it is too old."""
    _check_answers(host or "unix:///var/run/docker.sock")
    with closing(_connect("auto")) as api:
        version = api.api_version
    if _version_numbers(version) < _version_numbers(_MIN_API):
        what = f"Docker's API is {version}, the arena needs {_MIN_API} or later"
        raise ArenaError(what, hint=_UPGRADE)
    return version


def _check_answers(host: str) -> None:
    """Raise ArenaError if nobody listens at a socket: the SDK would leave its own open."""
    if host.startswith("unix://"):
        try:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(host.removeprefix("unix://"))
        except OSError as error:
            raise shortage_behind(error) or _unreachable(type(error).__name__) from None


def _connect(version: str) -> "APIClient":
    import docker
    from docker.utils import kwargs_from_env

    return docker.APIClient(version=version, timeout=_TIMEOUT_SECONDS, **kwargs_from_env())


def _unreachable(text: str) -> ArenaError:
    if "PermissionError" in text or "Permission denied" in text:
        return ArenaError("no permission on Docker's socket", hint=_JOIN_GROUP)
    if "FileNotFoundError" in text or "ConnectionRefused" in text or "refused" in text:
        return ArenaError("no Docker daemon answers", hint=_INSTALL)
    if "version" in text.lower() and "old" in text.lower():
        return ArenaError("Docker's API is too old", hint=_UPGRADE)
    return ArenaError(f"Docker does not answer: {_one_line(text)}", hint=_INSTALL)


def _refused(text: str) -> ArenaError:
    if "no space left" in text.lower():
        hint = "docker system prune frees some"
        return ShortageError("no space left for Docker's containers", hint=hint)
    if image := re.search(r"[Nn]o such image: (\S+)", text):
        return missing_image(image[1])
    if "too old" in text:
        return ArenaError("Docker's API is too old", hint=_UPGRADE)
    return shortage_in(text) or ArenaError(f"Docker refuses: {_one_line(text)}")


def missing_image(image: str) -> ArenaError:
    """Return the error for an image that the engine does not have."""
    own, _, runtime = image.removesuffix(":latest").rpartition("/")
    hint = f"docker pull {image}"
    if own == OWN_IMAGES:
        hint = f"arena images build {runtime}, or without a registry: --from-host {runtime}"
    return ArenaError(f"image '{image}' not found", hint=hint)


def unavailable_reason(images: Sequence[str]) -> Unavailable | None:
    """Return why containers of these images cannot run here, or None if they can.

    Raises ShortageError if the machine lacks something for now.
    """
    try:
        with api_client() as api:
            for image in images:
                if not has_image(api, image):
                    raise missing_image(image)
    except ShortageError:
        raise
    except ArenaError as error:
        return Unavailable(error.what, error.hint)
    return None


def has_image(api: "APIClient", image: str) -> bool:
    """Return whether the engine has an image."""
    return _inspect(api, image) is not None


def image_id(api: "APIClient", image: str) -> str:
    """Return the digest of an image; "" if the engine does not have it."""
    info = _inspect(api, image)
    return str(info["Id"]) if info else ""


def _inspect(api: "APIClient", image: str) -> dict[str, Any] | None:
    from docker.errors import ImageNotFound

    try:
        # The SDK's stubs give this method no types.
        return cast("dict[str, Any]", api.inspect_image(image))  # type: ignore[no-untyped-call]
    except ImageNotFound:
        return None


def runc_warning() -> str:
    """Return a warning if runc is older than the fixed releases, else ""."""
    with suppress(ArenaError), api_client() as api:
        for part in api.version().get("Components", []):
            version = _version_numbers(part["Version"])
            if part["Name"] == "runc" and version < _FIXED_RUNC.get(version[:2], (1, 2, 8)):
                return (
                    f"runc {part['Version']} is older than the releases that fix CVE-2025-31133"
                    " (1.2.8, 1.3.3): check whether your distribution patched it, or upgrade"
                )
    return ""


def remove_abandoned() -> None:
    """Remove the containers of runs that ended without removing them."""
    with api_client() as api:
        for container in api.containers(all=True, filters={"label": LABEL}):
            if not is_in_use(Path(container["Labels"][LABEL])):
                remove(container["Id"])


def wait(container: str) -> int:
    """Wait for a container to end; return its exit code."""
    with api_client() as api:
        return int(api.wait(container)["StatusCode"])


def retry_server_errors(start: Callable[[], T]) -> T:
    """Call `start`, again if the engine fails, as a busy one may; raises the SDK's errors."""
    from docker.errors import APIError

    for _ in range(_ATTEMPTS - 1):
        try:
            return start()
        except APIError as error:
            if not error.is_server_error():
                raise
    return start()


def is_running(container: str) -> bool:
    """Return whether a container exists and runs; True if the engine does not answer."""
    from docker.errors import NotFound

    with suppress(ArenaError), api_client() as api:
        try:
            return bool(api.inspect_container(container)["State"]["Running"])
        except NotFound:
            return False
    return True


def remove(container: str) -> None:
    """Kill and remove a container, if it still exists."""
    from docker.errors import APIError

    with api_client() as api, suppress(APIError):
        api.remove_container(container, force=True, v=True)


def _version_numbers(version: str) -> tuple[int, ...]:
    release = version.split("+", maxsplit=1)[0]
    return tuple(int(number) for number in re.findall(r"\d+", release)[:3])


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
