"""Run one misbehaviour."""

import json
import sys

from . import bombs, endings, lines, odd, reach, shared, silence
from .frame import MISBEHAVIOURS, play

__all__ = ["MISBEHAVIOURS", "bombs", "endings", "lines", "odd", "reach", "shared", "silence"]

if __name__ == "__main__":
    play(sys.argv[1], json.loads(sys.argv[2]))
