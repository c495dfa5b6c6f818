"""The `docker` sandbox: containers that talk over FIFOs, and what makes and ends them."""
