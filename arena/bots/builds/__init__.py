"""From a submitted folder to a bot that is ready to run: packages, builds, staging, bundles."""
