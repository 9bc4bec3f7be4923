"""Tables as offices export them: the first command says all that is needed, the second one fits."""

import re
import shlex

import numpy as np
import pytest
from messy_tables import MESSY

import sparsieve as sv


def told(error):
    """Return the options that a message proposes, all at once."""
    several = re.search(r"All at once: (.*)\.$", error, re.MULTILINE)
    return shlex.split(several[1]) if several else []


@pytest.mark.parametrize("kind", MESSY)
def test_messy_tables_fit_at_the_second_command(in_this_process, tmp_path, kind):
    make, target, expected = MESSY[kind]
    file = make(tmp_path)
    command = ["fit", file, "-t", target, "--no-report", "--alphas", "20"]
    first = in_this_process(*command)
    assert first.code == 3, first
    assert told(first.error), first.error
    done = in_this_process(*command, *told(first.error))
    assert done.code == 0, done
    model = sv.load_model(next(tmp_path.glob("*.model.json")))
    found = set(model.feature_names_in_[np.flatnonzero(model.coef_)])
    assert expected <= found
    # The model reads the next file of this kind without being told anything.
    predicted = in_this_process("predict", next(tmp_path.glob("*.model.json")), file)
    assert predicted.code == 0, predicted
    assert len(predicted.out.splitlines()) > 59
