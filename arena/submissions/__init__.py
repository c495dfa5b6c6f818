"""What authors submit: bot.yaml, folders, archives; staged copies ready to run."""
