"""What sandboxes ask of the Linux kernel: control groups, seccomp, users, masked files."""
