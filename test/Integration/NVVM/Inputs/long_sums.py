"""The error of products of 256 numbers, beside that of one sum through all of them.

long_sums.py <xsa-run> <model>
"""

import sys

import numpy as np
from run_model import run_model


def chain(x, y):
    """One rounding for each product that is added."""
    total = np.zeros(len(x), np.float32)
    for position in range(x.shape[1]):
        product = np.float64(x[:, position]) * np.float64(y[position])
        total = np.float32(product + np.float64(total))
    return total


def main():
    xsa_run, model = sys.argv[1:]
    rng = np.random.default_rng(0)
    # Without changes of sign a sum is as long as it can get, and so is what it loses.
    q, k = (rng.uniform(0, 1, (rows, 256)).astype(np.float32) for rows in (192, 1))
    v = np.ones((1, 16), np.float32)
    (got,) = run_model(xsa_run, model, [q, k, v], "--target", "emulator")
    exact = np.float64(q) @ np.float64(k[0])

    def error(x):
        return np.sqrt(np.mean((np.float64(x) - exact) ** 2))

    ours, limit = error(got), 0.7 * error(chain(q, k[0]))
    assert ours <= limit, f"root mean square of errors {ours:.3g}, expected at most {limit:.3g}"


if __name__ == "__main__":
    main()
