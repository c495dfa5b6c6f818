"""The champion's network at play, with numpy alone: from a view to the chances of its answers.

The same file lies beside the bot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Layer = tuple[Floats, Floats]
"""Weights and offsets: inputs and outputs have a column per position."""
RARE = 0.02
"""Answers that would be given less often than this are never given."""
BLOCK = 256
"""Positions that are evaluated at a time: what is computed for them stays in the cache."""
NEVER = 1e9
"""Taken from the scores of answers that may not be given."""


class Policy:
    """A network of layers with weights `w0`, `b0`, `w1`, ...; the last has a number per answer.

    `against_w0` has as many for each kind of rivals, which are added; the network of layers
    `tells_w0`, `tells_w1`, ... tells kinds apart.
    """

    def __init__(self, weights: Mapping[str, Any]) -> None:
        """Take the weights, of any kind of float."""
        self._layers = _layers(weights, "")
        [self._against] = _layers(weights, "against_")
        self._tells = _layers(weights, "tells_")

    def chances(self, numbers: Floats, legal: npt.NDArray[np.bool_]) -> Floats:
        """Return how likely each answer is to be given; illegal ones and rare ones are not."""
        scores = _in_blocks(self._scores, numbers)
        scores -= np.float32(NEVER) * ~legal
        chances = softmax(scores)
        chances *= chances >= np.minimum(RARE, chances.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        return chances

    def _scores(self, numbers: Floats) -> Floats:
        """Return a score for each answer: the last layer is adjusted to the kinds of rivals."""
        hidden = _hidden(self._layers[:-1], numbers)
        scores = _outputs(self._layers[-1], hidden)
        each = _outputs(self._against, hidden).reshape(-1, *scores.shape)
        scores += np.einsum("kan,kn->an", each, numbers[-len(each) :])
        return scores

    def kinds(self, tells: Floats) -> Floats:
        """Return from rows of `tells` how likely each kind of player is."""
        return softmax(_in_blocks(self._told, tells))

    def _told(self, tells: Floats) -> Floats:
        return _outputs(self._tells[-1], _hidden(self._tells[:-1], tells))


def _layers(weights: Mapping[str, Any], network: str) -> list[Layer]:
    return [
        (weights[name].T.astype(np.float32), weights[f"{network}b{n}"][:, None].astype(np.float32))
        for n in range(len(weights))
        if (name := f"{network}w{n}") in weights
    ]


def _in_blocks(network: Callable[[Floats], Floats], rows: Floats) -> Floats:
    """Return the outputs for rows of a network that takes columns."""
    firsts = range(0, max(len(rows), 1), BLOCK)
    return np.concatenate([network(rows[first : first + BLOCK].T) for first in firsts], 1).T


def _hidden(layers: Sequence[Layer], numbers: Floats) -> Floats:
    for layer in layers:
        numbers = _outputs(layer, numbers)
        np.maximum(numbers, 0, out=numbers)
    return numbers


def _outputs(layer: Layer, numbers: Floats) -> Floats:
    weights, offset = layer
    outputs: Floats = weights @ numbers
    outputs += offset
    return outputs


def softmax(scores: Floats) -> Floats:
    """Return chances that grow with the scores, along the last axis."""
    grown: Floats = scores - scores.max(-1, keepdims=True)
    np.exp(grown, out=grown)
    grown /= grown.sum(-1, keepdims=True)
    return grown


def draw(chances: Floats, lots: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.int64]:
    """Return an answer for each row, by a lot from 0 to 1."""
    ends = np.ascontiguousarray(chances).cumsum(1).T
    answers: npt.NDArray[np.int64] = (ends <= lots * ends[-1]).sum(0)
    return answers
