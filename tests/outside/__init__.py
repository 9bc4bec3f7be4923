"""What others wrote to test their own lasso, run on ours.

``modules.py`` loads a test module of an installed package with our estimators (``stand_ins.py``) in
the place of theirs; ``table.toml`` names every test that cannot pass then, with the reason;
``conftest.py`` holds the table to what happens. ``python -m tests.outside`` runs those of
scikit-learn and counts, ``python -m tests.outside.peers`` those of celer and skglm.
"""
