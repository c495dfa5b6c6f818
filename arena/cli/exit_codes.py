"""The exit codes of all commands."""

OK = 0
FINDINGS = 1
"""A bot faulted, a position was refused, a store does not verify, and the like."""
BAD_INPUT = 2
INTERNAL_ERROR = 3
INTERRUPTED = 130
UNREAD = 141
"""Nobody reads standard output any more, and what was left to do was for it alone; the number is
what shells show of a program that SIGPIPE ended."""
