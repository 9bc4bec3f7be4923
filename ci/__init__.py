"""What the pipeline and releases need beside the code."""
