"""The learning environment: the same rules for PettingZoo, Gymnasium, numpy and OpenSpiel.

What is here needs none of these packages but numpy; `arena.lab.env.perudo_v0` needs the extra `rl`.
"""

from arena.lab.env.perudo_policy import Observation, Policy, Table, bot

__all__ = ["Observation", "Policy", "Table", "bot"]
