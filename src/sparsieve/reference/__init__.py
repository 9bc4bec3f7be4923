"""NumPy twins of the paper's algorithms, in the paper's scale."""
