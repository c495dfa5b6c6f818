"""Features of the Linux kernel for sandboxes: control groups, seccomp, users, masked files."""
