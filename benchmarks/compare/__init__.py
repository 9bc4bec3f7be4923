"""Two sides of the library timed in turns in one run: two commits, or two starts of one commit."""
