"""The error of products of as many numbers as a row has, beside that of one sum through all of them.

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


def compare(xsa_run, model, depth, most):
    """The root mean square of errors is at most this part of that of one sum."""
    rng = np.random.default_rng(0)
    # Without changes of sign a sum is as long as it can get, and so is what it loses.
    q, k = (rng.uniform(0, 1, (rows, depth)).astype(np.float32) for rows in (192, 1))
    v = np.ones((1, 16), np.float32)
    entry = f"depth{depth}"
    (got,) = run_model(xsa_run, model, [q, k, v], "--target", "emulator", "--entry", entry)
    exact = np.float64(q) @ np.float64(k[0])

    def error(x):
        return np.sqrt(np.mean((np.float64(x) - exact) ** 2))

    ours, limit = error(got), most * error(chain(q, k[0]))
    message = f"root mean square of errors {ours:.3g}, expected at most {limit:.3g}"
    assert ours <= limit, f"depth {depth}: {message}"


def main():
    xsa_run, model = sys.argv[1:]
    for depth, most in ((64, 0.7), (128, 0.5), (256, 0.4)):
        compare(xsa_run, model, depth, most)


if __name__ == "__main__":
    main()
