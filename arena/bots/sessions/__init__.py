"""Conversations with live bots: one session per bot, timed and multiplexed."""
