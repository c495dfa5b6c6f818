"""How sure ratings are: clustered variance, leverage, luck of the dice."""
