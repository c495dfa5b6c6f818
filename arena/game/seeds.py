"""Seeds derived from the master seed, which decides every die of a league."""

from hashlib import sha256


def commitment(master: str) -> str:
    """Return the SHA-256 of the master seed in hex, which is published before the first game."""
    return sha256(master.encode()).hexdigest()


def fixture_seed(master: str, fixture: str) -> str:
    """Return the seed of a fixture: 32 hex digits of SHA-256("master/dice/fixture")."""
    return sha256(f"{master}/dice/{fixture}".encode()).hexdigest()[:32]


def block_seed(master: str, block: str) -> str:
    """Return the seed of a block's dice: 32 hex digits of SHA-256("master/block/block")."""
    return sha256(f"{master}/block/{block}".encode()).hexdigest()[:32]


def bot_seed(fixture: str, seat: int) -> int:
    """Return a number, 0 to 2^31 - 1, for a bot's own randomness; it tells nothing of the dice."""
    return int(sha256(f"{fixture}/bot/{seat}".encode()).hexdigest()[:8], 16) >> 1
