"""Commands about sandboxes and images."""
