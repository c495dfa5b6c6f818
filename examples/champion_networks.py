"""The networks of `train_champion.py`, and how they are written for the bot."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from arena.lab.training.view import ACTIONS, KINDS, View


class PolicyNetwork(nn.Module):
    """Scores answers; there is an adjustment of the last layer for each kind of rivals."""

    def __init__(self, *widths: int) -> None:
        super().__init__()
        self.body = layers(*widths).append(nn.ReLU())
        self.base = nn.Linear(widths[-1], ACTIONS)
        self.against = nn.Linear(widths[-1], KINDS * ACTIONS)
        nn.init.zeros_(self.against.weight)
        nn.init.zeros_(self.against.bias)

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return a score for each answer."""
        hidden = self.body(numbers)
        each = self.against(hidden).view(-1, KINDS, ACTIONS)
        return self.base(hidden) + (numbers[:, -KINDS:, None] * each).sum(1)


def layers(*widths: int) -> nn.Sequential:
    """Return a network of layers of these widths."""
    found: list[nn.Module] = []
    for before, after in pairwise(widths):
        found += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*found[:-1])


def chance(network: nn.Module, numbers: torch.Tensor) -> torch.Tensor:
    """Return a network's number for each row, from 0 to 1."""
    return torch.sigmoid(network(numbers)).squeeze(1)


def logs_of(policy: nn.Module, numbers: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of the chances of answers; very low for illegal ones."""
    return torch.log_softmax(policy(numbers).masked_fill(~legal, -1e9), 1).clamp(min=-30)


def drawn(policy: nn.Module, seen: View, device: str) -> tuple[np.ndarray, np.ndarray]:
    """Draw answers by a policy; returns the logarithms of their chances, too."""
    with torch.no_grad():
        numbers, legal = (torch.from_numpy(part).to(device) for part in seen[:2])
        logs = logs_of(policy, numbers, legal)
        # With noise of Gumbel's distribution each answer is the largest by its chance.
        noise = -torch.log(-torch.log(torch.rand_like(logs).clamp(1e-9, 1 - 1e-7)))
        answers = (logs + noise).masked_fill(~legal, -1e9).argmax(1)
        return answers.cpu().numpy(), logs.gather(1, answers[:, None]).squeeze(1).cpu().numpy()


def parameters(policy: PolicyNetwork, tells: nn.Sequential) -> Iterator[tuple[str, nn.Parameter]]:
    """Yield what the bot plays by, under the names in its weights file."""
    parts: dict[str, Sequence[nn.Module]] = {
        "": [*policy.body, policy.base],
        "against_": [policy.against],
        "tells_": [*tells],
    }
    for name, modules in parts.items():
        for n, layer in enumerate(part for part in modules if isinstance(part, nn.Linear)):
            yield f"{name}w{n}", layer.weight
            yield f"{name}b{n}", layer.bias
