"""Settings shared by all tests."""

import os
import signal

from hypothesis import settings

# No deadline: tests must not depend on how fast or busy the machine is. Derandomised by default, so
# that a failure is the same for everybody; HYPOTHESIS_PROFILE=fuzz draws new problems on every run.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# A shell lets what it starts in the background ignore Ctrl-C; tests that send it need it heeded.
signal.signal(signal.SIGINT, signal.default_int_handler)
