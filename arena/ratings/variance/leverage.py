"""Scores of blocks, without the pull of the ratings towards each block's own games.

With M the block's part of the information, its score lost a share M of its variance: so it is
multiplied by (1 - M) to the power of -1/2. Lanczos's method finds the product from some products of
M with vectors, each a step (Higham, "Functions of Matrices", 2008, section 13.2). M's eigenvalues,
which take the cube of the number of bots for each block, are only needed where a block holds most
of what is known.
"""

from collections.abc import Iterable
from itertools import islice
from math import sqrt
from typing import Any

import numpy as np

from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.maths.sparse import SparseInverse, SparseMatrix
from arena.ratings.model.games import Games
from arena.ratings.model.posterior import Joint, Posterior

_MIN_RESIDUAL = 0.05
"""At least this share of a block's variance counts as not absorbed by the ratings."""
_MANY_BLOCKS = 200
_MOST_STEPS, _LOOK = 64, 4
"""Every so many steps it is asked whether they suffice."""
_TOLERANCE = 1e-12
"""The product stands when it changes by no more, relative to a score's length."""
_CELLS = 1 << 21
"""The cells of all matrices that are in memory at a time."""
_TINY = 1e-13
"""A part that is shorter, relative to the length of the score, is a rounding error."""


def without_leverage(games: Games, skills: Posterior, scores: Floats) -> Floats:
    """Return scores [block, kind, bot] as if the ratings had not followed the block.

    Among many blocks all parts of the information are small and alike.
    """
    blocks = len(scores)
    if blocks > _MANY_BLOCKS:
        return as_floats(scores * sqrt(blocks / (blocks - 1.0)))
    if isinstance(skills.covariance, SparseInverse):
        return _of_large_field(games, skills, skills.covariance, scores)
    information, corrected = skills.information(games.block), np.empty_like(scores)
    at_once = max(1, _CELLS // games.size**2)
    for first in range(0, blocks, at_once):
        some = scores[first : first + at_once]
        parts = np.empty((len(some), games.size, games.size))
        for part, found in zip(parts, information, strict=False):  # as many as fit
            part[:] = found
        by_steps = in_steps(parts, skills.covariance, some)
        corrected[first : first + at_once] = (
            by_eigenvalues(parts, skills.covariance, some) if by_steps is None else by_steps
        )
    return corrected


class _Parts:
    """The parts of some blocks in the information, which are mostly zero."""

    __array_ufunc__ = None

    def __init__(self, matrices: Iterable[SparseMatrix]) -> None:
        self._matrices = list(matrices)

    def __rmatmul__(self, vectors: Floats) -> Floats:
        return np.stack([v @ part for v, part in zip(vectors, self._matrices, strict=True)])


def _of_large_field(
    games: Games, skills: Posterior, covariance: SparseInverse, scores: Floats
) -> Floats:
    """Return the scores, corrected in so many steps at most: there are no eigenvalues."""
    information, corrected = skills.information(games.block), np.empty_like(scores)
    at_once = max(1, _CELLS // (_MOST_STEPS * games.size))
    for first in range(0, len(scores), at_once):
        some = scores[first : first + at_once]
        parts = _Parts(islice(information, len(some)))
        corrected[first : first + at_once] = in_steps(parts, covariance, some, settle=True)
    return corrected


def by_eigenvalues(parts: Floats, covariance: Floats, scores: Floats) -> Floats:
    """Return the scores [block, kind, bot], corrected by the eigenvalues of each block's part."""
    root = np.linalg.cholesky(np.linalg.inv(covariance))
    inverse_root = np.linalg.inv(root)
    corrected = np.empty_like(scores)
    for block, information in enumerate(parts):
        leverage, vectors = np.linalg.eigh(inverse_root @ information @ inverse_root.T)
        turned = vectors.T @ (inverse_root @ scores[block].T)
        corrected[block] = (root @ (vectors @ (_factors(leverage)[:, None] * turned))).T
    return corrected


def in_steps(
    parts: Any, covariance: Joint, scores: Floats, *, settle: bool = False
) -> Floats | None:
    """Return the scores [block, kind, bot], corrected by Lanczos's method; None if it is slow.

    If it is to settle for that, it returns what the most steps found.
    Lengths and angles are those of the covariance: for these M is symmetric. `images` are the
    vectors of the basis times the covariance.
    """
    length, vector, image = _normed(scores, covariance)
    most = min(_MOST_STEPS, scores.shape[2])
    basis, images = np.zeros((2, most, *scores.shape))
    diagonal, beside = list[Floats](), list[Floats]()
    weights = np.zeros((*length.shape, 0))
    for step in range(1, most + 1):
        basis[step - 1], images[step - 1] = vector, image
        vector, along = _beyond(image @ parts, basis[:step], images[:step])
        diagonal.append(along)
        last = step == scores.shape[2] or (settle and step == most)
        if step % _LOOK == 0 or last:
            before = np.pad(weights, ((0, 0), (0, 0), (0, step - weights.shape[2])))
            weights = _weights(np.stack(diagonal, 2), beside)
            if last or float(np.abs(weights - before).max()) <= _TOLERANCE:
                sums = np.einsum("sbkn,bks->bkn", basis[:step], weights)
                return as_floats(length[..., None] * sums)
        width, vector, image = _normed(vector, covariance)
        beside.append(width)
    return None


def _normed(vectors: Floats, covariance: Any) -> tuple[Floats, Floats, Floats]:
    """Return lengths, the vectors with length 1, and these times the covariance."""
    images = vectors @ covariance
    length = np.sqrt(np.maximum((vectors * images).sum(2), 0.0))
    length[length < _TINY] = 0.0
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0.0)[..., None]
    return as_floats(length), as_floats(vectors * scale), as_floats(images * scale)


def _beyond(vectors: Floats, basis: Floats, images: Floats) -> tuple[Floats, Floats]:
    """Return the parts of vectors beyond a basis, and their components along its last vector."""
    along = np.einsum("sbkn,bkn->sbk", images, vectors)
    rest = vectors - np.einsum("sbkn,sbk->bkn", basis, along)
    # Once more, for what rounding left.
    again = np.einsum("sbkn,bkn->sbk", images, rest)
    return as_floats(rest - np.einsum("sbkn,sbk->bkn", basis, again)), as_floats(along[-1])


def _weights(diagonal: Floats, beside: list[Floats]) -> Floats:
    """Return how much of each vector of the basis the product has, for a score of length 1.

    In the basis M is tridiagonal.
    """
    steps = diagonal.shape[2]
    matrix = np.zeros((*diagonal.shape, steps))
    at = np.arange(steps)
    matrix[..., at, at] = diagonal
    if steps > 1:
        # NumPy reads the lower half.
        matrix[..., at[1:], at[:-1]] = np.stack(beside, 2)
    leverage, vectors = np.linalg.eigh(matrix)
    return as_floats(np.einsum("bkij,bkj->bki", vectors, _factors(leverage) * vectors[..., 0, :]))


def _factors(leverage: Floats) -> Floats:
    return as_floats(1.0 / np.sqrt(np.maximum(1.0 - leverage, _MIN_RESIDUAL)))
