"""Commands that run another one in namespaces of its own."""

import os

FIRST = ("unshare", *(() if os.geteuid() == 0 else ("-r",)), "--pid", "--fork", "--mount-proc")
"""As process 1, as in a container without an init; all ends with it."""
