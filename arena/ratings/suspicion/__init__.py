"""Tests for the operator: bots that let another win, bots that change."""
