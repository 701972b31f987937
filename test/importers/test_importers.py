"""The importers that PyPI has today, end to end: what they write is found, runs, and converts."""

import os
import pathlib
import subprocess
import sys

import models
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(name: str, got, want: list[np.ndarray], tolerance: float) -> None:
    assert len(got) == len(want)
    for g, w in zip(got, want):
        limit = tolerance * max(1.0, float(np.abs(w).max()))
        assert np.abs(g - w).max() <= limit, name


@pytest.mark.parametrize("make", models.CASES, ids=lambda make: make.__name__)
def test_import(make):
    case = make()
    raised = case.module.clone().raise_attention()
    assert len(raised.explain().attentions) == case.layers
    check("raised", raised.compile().run(*case.inputs), case.plain, case.tolerance)

    converted = case.module.clone().convert_attention()
    assert len(converted.explain().converted) == case.layers
    check("converted", converted.compile().run(*case.inputs), case.exclusive, case.tolerance)
    assert np.abs(case.plain[0] - case.exclusive[0]).max() > 2 * case.tolerance


def test_documentation():
    """docs/importing.md, command by command."""
    bin_folder = os.environ.get("XSA_BIN", str(ROOT / "build/bin"))
    page = ROOT / "docs/importing.md"
    script = [sys.executable, ROOT / "scripts/check_readme.py", page]
    done = subprocess.run(
        [*script, "--root", ROOT, "--bin", bin_folder], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
