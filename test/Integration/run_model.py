"""Calls a model with numpy arrays through xsa-run. Shared by the drivers in the folders beside this file, which find it
through PYTHONPATH."""

import os
import subprocess
import tempfile

import numpy as np


def run_tool(*command):
    """Runs a command; a failure is a RuntimeError with what it printed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
    return done.stdout


def run_model(xsa_run, model, arrays, *flags):
    """The outputs of a model, given as the path of a file or as MLIR text."""
    with tempfile.TemporaryDirectory() as folder:
        inputs, outputs = (os.path.join(folder, name) for name in ("in.npz", "out.npz"))
        if "\n" in model:
            text, model = model, os.path.join(folder, "model.mlir")
            with open(model, "w") as file:
                file.write(text)
        np.savez(inputs, **{f"arg{i}": array for i, array in enumerate(arrays)})
        run_tool(xsa_run, model, "--inputs", inputs, "--outputs", outputs, *flags)
        with np.load(outputs) as results:
            return [results[f"out{i}"] for i in range(len(results.files))]
