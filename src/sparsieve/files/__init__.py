"""Files of ours: models, checkpoints."""
