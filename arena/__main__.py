"""Run the arena as `python -m arena`."""

from arena.cli.quick import main

if __name__ == "__main__":
    main()
