"""The wire protocol: messages to and from bots, as JSON lines."""
