"""User namespaces, which a kernel may forbid to users."""

from contextlib import suppress
from pathlib import Path

_SETTINGS = {
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "15000"),
}
"""Files below /proc/sys with the value that forbids namespaces, and one that allows them: of
AppArmor on Ubuntu, of Debian's kernels, and of all."""


def how_to_allow(settings: Path = Path("/proc/sys")) -> str:
    """Return the command that lets users have namespaces; "" if no setting forbids them."""
    commands = []
    for name, (forbids, allows) in _SETTINGS.items():
        with suppress(OSError):
            if (settings / name).read_text(encoding="ascii").strip() == forbids:
                commands.append(f"sudo sysctl {name.replace('/', '.')}={allows}")
    return " && ".join(commands)
