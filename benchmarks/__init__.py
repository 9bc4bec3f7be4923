"""Benchmarks of sparsieve against its peers, at equal and independently judged accuracy."""
