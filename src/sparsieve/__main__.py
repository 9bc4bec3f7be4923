"""``python -m sparsieve`` is the command ``sparsieve``."""

from .cli import main

if __name__ == "__main__":
    main()
