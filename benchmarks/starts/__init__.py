"""Where should a solve start? The study behind the default of ``start=``."""
