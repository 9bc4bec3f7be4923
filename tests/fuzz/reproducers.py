"""A failure as one Python file that shows it again with nothing but the installed library."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from . import (
    api,
    certificates,
    extremes,
    global_minima,
    options,
    parser_checks,
    paths,
    pwl,
    strengths,
    tall,
)

_MODULES = {
    "pwl": pwl,
    "paths": paths,
    "extremes": extremes,
    "strengths": strengths,
    "options": options,
    "tall": tall,
    "global_minima": global_minima,
    "certificates": certificates,
    "api": api,
}


def write(folder, target, case, complaints):
    """Write the reproducer of one failure; return its path.

    Parameters
    ----------
    folder : str or path
    target : str
        Name of the fuzzer.
    case : int, bytes or dict
        What the module's ``complaints_of`` takes: a seed, the bytes of a file, or a call.
    complaints : list of str
    """
    module = _MODULES.get(target, parser_checks)
    arguments = repr(case) if target in _MODULES else f"{target!r}, {case!r}"
    source = _source(module)
    found = "\n".join(f"#   {line}" for text in complaints for line in text.splitlines())
    text = (
        f"# Found by the {target} fuzzer:\n{found}\n{source}\n\n"
        'if __name__ == "__main__":\n'
        f"    found = complaints_of({arguments})\n"
        '    raise SystemExit("\\n".join(found) or 0)\n'
    )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    number = len(list(folder.glob(f"{target}-*.py")))
    file = folder / f"{target}-{number:04d}.py"
    file.write_text(text, encoding="utf-8")
    return file


def _source(module):
    """Return the source of a module without its main(), after that of what it takes from paths."""
    source = re.split(r"\n\ndef main\(", inspect.getsource(module))[0]
    source = re.sub(r"from tests\.fuzz\.seeds import .*\n", "", source)  # only main() needs it
    alone = re.sub(r"from tests\.fuzz\.paths import .*\n", "", source)
    if alone == source:
        return source
    return _source(paths) + "\n\n" + alone.replace("from __future__ import annotations\n", "")
