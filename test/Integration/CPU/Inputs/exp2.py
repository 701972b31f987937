"""Compares the exponentials of exp2.mlir with numpy's in f64.

Outputs are right to 2 units in the last place (1.1e-4 where they may be rough)
wherever the result is a normal number; 0, infinity and NaN are what they are. Below the least
normal number outputs are 0, or as small.
"""

import subprocess
import sys
import tempfile

import numpy as np

NUM_VALUES = 4096
# Results, their sizes, and the boundaries between integers.
SPECIAL = [-np.inf, np.inf, np.nan, 0, -0.0, 1, -1, 126, 127, -126, -1000, -1e30]
SPECIAL += [1e30, -1e-9, 1e-9, -1e-30, 1e-45, 0.99999994, -0.99999994, 0.5, -0.5]


def main():
    command = sys.argv[1:]
    rng = np.random.default_rng(0)
    x = np.concatenate([
        SPECIAL,
        rng.uniform(-126, 127, 2000),
        rng.uniform(-150, -126, 500),
        rng.uniform(-1, 1, 1000),
        rng.uniform(-2e-7, 2e-7, NUM_VALUES - 3500 - len(SPECIAL)),
    ]).astype(np.float32)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/in.npz", arg0=x)
        subprocess.run(
            [*command, "--inputs", f"{folder}/in.npz", "--outputs", f"{folder}/out.npz"],
            check=True,
        )
        outputs = np.load(f"{folder}/out.npz")
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp2(x.astype(np.float64))
        exact = expected.astype(np.float32)
    least = np.finfo(np.float32).tiny
    normal = np.isfinite(exact) & (exact >= least)
    small = (exact > 0) & (exact < least)
    for name, tolerance in (("out0", 2.0**-22), ("out1", 1.1e-4)):
        result = outputs[name].astype(np.float64)
        error = np.abs(result[normal] / expected[normal] - 1).max()
        assert error <= tolerance, f"{name}: relative error {error}, allowed {tolerance}"
        special = ~normal & ~small
        np.testing.assert_array_equal(result[special], exact[special], err_msg=name)
        assert ((result[small] >= 0) & (result[small] < least)).all(), name
    print(f"{normal.sum()} results within their errors, {small.sum()} small")


if __name__ == "__main__":
    main()
