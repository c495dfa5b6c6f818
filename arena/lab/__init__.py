"""The lab: environments for policies that learn, equilibria, and how far a bot is from them."""
