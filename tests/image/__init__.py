"""The image of containers, built by a real engine and run as people do."""
