"""Input of the user: checked, with every error message about it."""
