"""Runs an imported model raised and converted, and compares with its framework.

    models.py XSA_RUN MODEL.mlir MODEL.npz

The archive holds inputs arg0..., the model's own outputs out0... and its outputs
with every self attention exclusive, xsa0....
"""

import sys

import numpy as np
from run_model import run_model

TOLERANCE = 5e-5


def arrays(archive, prefix):
    names = [n for n in archive.files if n.startswith(prefix)]
    return [archive[n] for n in sorted(names, key=lambda n: int(n[len(prefix) :]))]


def compare(name, got, want):
    assert len(got) == len(want), f"{name}: {len(got)} outputs, expected {len(want)}"
    for g, w in zip(got, want):
        error = np.max(np.abs(np.float64(g) - np.float64(w)), initial=0)
        limit = TOLERANCE * max(1.0, float(np.max(np.abs(w), initial=0)))
        assert error <= limit, f"{name}: error {error:.2e}, allowed {limit:.2e}"


def main():
    xsa_run, model, archive = sys.argv[1:]
    data = np.load(archive)
    inputs, outputs = arrays(data, "arg"), arrays(data, "out")
    compare("raised", run_model(xsa_run, model, inputs), outputs)
    converted = run_model(xsa_run, model, inputs, "--convert-attention-to-xsa")
    compare("converted", converted, arrays(data, "xsa"))
    changed = np.max(np.abs(converted[0] - outputs[0]))
    assert changed > TOLERANCE, "converting changed nothing"


if __name__ == "__main__":
    main()
