"""Data sets: the paper's toy problem and its two real data sets."""
