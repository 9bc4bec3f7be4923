"""What model selection achieves and costs: recovery of the support, price of cross-validation."""
