"""Exact bounds on a game's value: what each seat gets at most against a plan in fractions."""

from fractions import Fraction
from typing import NamedTuple

from tests.exact.game import ROOT, START, Edge, Game, Plan, legal_lies_lose, winners
