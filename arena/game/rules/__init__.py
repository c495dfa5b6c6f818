"""The game, pure: dice, bids, variants, rounds, what a seat may see, odds."""
