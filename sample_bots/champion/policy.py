"""The champion's network at play, with numpy alone: from a view to the chances of its answers.

The same file lies beside the bot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
RARE = 0.02
"""Answers that would be given less often than this are never given."""


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
        chances = softmax(np.where(legal, self._scores(numbers), -np.inf))
        chances[chances < np.minimum(RARE, chances.max(1, keepdims=True))] = 0
        result: Floats = chances / chances.sum(1, keepdims=True)
        return result

    def _scores(self, numbers: Floats) -> Floats:
        """Return a score for each answer: the last layer is adjusted to the kinds of rivals."""
        hidden = numbers
        for weights, offset in self._layers[:-1]:
            hidden = np.maximum(hidden @ weights + offset, 0)
        (weights, offset), (against, turn) = self._layers[-1], self._against
        each = (hidden @ against + turn).reshape(len(hidden), -1, len(offset))
        kinds = numbers[:, -each.shape[1] :, None]
        scores: Floats = hidden @ weights + offset + (kinds * each).sum(1)
        return scores

    def kinds(self, tells: Floats) -> Floats:
        """Return from rows of `tells` how likely each kind of player is."""
        return softmax(_outputs(self._tells, tells))


def _layers(weights: Mapping[str, Any], network: str) -> list[tuple[Floats, Floats]]:
    return [
        (weights[name].astype(np.float32), weights[f"{network}b{n}"].astype(np.float32))
        for n in range(len(weights))
        if (name := f"{network}w{n}") in weights
    ]


def _outputs(layers: Sequence[tuple[Floats, Floats]], numbers: Floats) -> Floats:
    for weights, offset in layers[:-1]:
        numbers = np.maximum(numbers @ weights + offset, 0)
    weights, offset = layers[-1]
    outputs: Floats = numbers @ weights + offset
    return outputs


def softmax(scores: Floats) -> Floats:
    """Return chances that grow with the scores."""
    grown = np.exp(scores - scores.max(1, keepdims=True))
    result: Floats = grown / grown.sum(1, keepdims=True)
    return result


def draw(chances: Floats, lots: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.int64]:
    """Return an answer for each row, by a lot from 0 to 1."""
    ends = chances.cumsum(1)
    answers: npt.NDArray[np.int64] = (ends <= (lots * ends[:, -1])[:, None]).sum(1)
    return answers
