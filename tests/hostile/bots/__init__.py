"""The hostile bots: one program, `python3 -m bots WAY TARGETS`, standard library alone."""
