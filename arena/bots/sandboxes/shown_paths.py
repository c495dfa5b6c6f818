"""Paths of the machine that an operator has sandboxes show, and those that no bot may see."""

import os
from pathlib import Path

from arena.io.errors import ArenaError

MAX_PATHS = 20
_SECRET = (
    *("/boot", "/dev", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/bot"),
    *("/etc/group", "/etc/gshadow", "/etc/hostname", "/etc/hosts", "/etc/machine-id"),
    *("/etc/passwd", "/etc/resolv.conf", "/etc/shadow", "/etc/ssh", "/etc/ssl/private"),
    *("/etc/sudoers", "/etc/sudoers.d", "/etc/fstab", "/etc/cron.d", "/etc/NetworkManager"),
    *("/var/backups", "/var/cache", "/var/log", "/var/mail", "/var/run", "/var/spool", "/var/tmp"),
    *("/var/lib/docker", "/var/lib/containerd", "/var/lib/systemd", "/var/lib/private"),
    *("/var/lib/mysql", "/var/lib/postgresql", "/var/lib/redis", "/var/lib/mongodb"),
)
"""What holds accounts, names of hosts, keys or data of services, or is a sandbox's own."""
_SHOWN = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_READABLE = 0o004
_HINT = "name the folder of a language or a library that all bots may read, as /opt/julia"


def check_shown(path: str, where: str, league: Path | None = None) -> None:
    """Raise ArenaError if bots may not be shown a path: nothing of the folder `league` either."""
    if reason := _malformed(path) or _hidden(path, league):
        raise ArenaError(f"sandbox_paths: '{path}' {reason}", where, _HINT)


def _malformed(path: str) -> str:
    """Return what is wrong with the text of a path; "" if nothing."""
    if not path.startswith("/") or os.path.normpath(path) != path:
        return "is not an absolute path, or has '..', '//' or a '/' at its end"
    if path in _SHOWN:
        return "is there in every sandbox"
    return "" if path.isprintable() and ":" not in path else "has a ':' or an invisible character"


def _hidden(path: str, league: Path | None) -> str:
    """Return why bots may not see what lies at a path; "" if they may."""
    try:
        real = Path(path).resolve(strict=True)
        readable = real.stat().st_mode & _READABLE
    except OSError as error:
        return f"cannot be shown: {error.strerror}"
    own = [league.resolve()] if league else []
    secrets = sorted({*map(Path, _SECRET), Path.home(), *own})
    for secret in secrets:
        if any(
            secret.is_relative_to(name) or name.is_relative_to(secret)
            for name in (Path(path), real)
        ):
            return f"cannot be shown: no bot may see {secret}"
    return "" if readable else "cannot be shown: other users of this machine may not read it"
