"""What is known about a point: certificates, judges, explanations, refits."""
