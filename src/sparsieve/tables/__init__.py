"""Tables in files and in memory, and what is done to their columns."""
