"""Decoding with caches of several lengths: numbers against float64, and how the kernels fill a chip.

decode.py <xsa-run> <model> --blocks <least number of blocks>
"""

import argparse
import json
import os
import tempfile

import numpy as np
from run_model import run_model

B, H, G, D = 2, 4, 8, 64


def reference(q, k, v, own, lengths):
    q, k, v, own = (np.float64(x) for x in (q, k, v, own))
    scores = np.einsum("bmhgd,bkhd->bhgmk", q, k) * 0.125
    seen = np.arange(k.shape[1]) < lengths[:, None]
    scores = np.where(seen[:, None, None, None], scores, -np.inf)
    most = scores.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(most), 0, most))
    total = weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        lse = (np.where(np.isinf(most), 0, most) + np.log(total))[..., 0]
        y = np.where(total == 0, 0, np.einsum("bhgmk,bkhe->bhgme", weights, v) / total)
    own = own.transpose(0, 2, 1, 3)[:, :, None]
    c = (y * own).sum(-1) / np.maximum((own * own).sum(-1), 1e-24)
    return (y - c[..., None] * own).transpose(0, 3, 1, 2, 4), lse, c


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xsa_run")
    parser.add_argument("model")
    parser.add_argument("--blocks", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    for keys, lengths in ((2048, (2048, 700)), (1027, (1, 1027)), (65, (0, 64)), (1, (1, 0))):
        q, k, v, own = (
            rng.standard_normal(shape).astype(np.float16)
            for shape in ((B, 1, H, G, D), (B, keys, H, D), (B, keys, H, D), (B, 1, H, D))
        )
        lengths = np.array(lengths, np.int32)
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            flags = ["--target", "emulator", "--stats", stats]
            z, lse, c = run_model(args.xsa_run, args.model, [q, k, v, own, lengths], *flags)
            with open(stats) as file:
                kernels = json.load(file)["kernels"]
        splits = keys > 1000
        assert len(kernels) == 1 + splits, f"{len(kernels)} kernels"
        # One pass over keys and values serves the eight heads of a group.
        least = 2 * 2 * H * D * int(lengths.sum())
        if splits:
            blocks = kernels[0]["grid"][0]
            assert blocks >= args.blocks, f"{blocks} blocks"
            loaded = kernels[0]["global_load_bytes"]
            assert loaded <= 1.5 * least + 2**20, (
                f"{loaded} bytes loaded, keys and values have {least}"
            )
        want = reference(q, k, v, own, lengths)
        for name, got, exact, limit in zip(
            ("z", "lse", "c"), (z, lse, c), want, (4e-3, 1e-3, 4e-3)
        ):
            same = np.isinf(exact) == np.isinf(np.float64(got))
            assert same.all(), f"{name} with {keys} keys: infinities differ"
            finite = np.isfinite(exact)
            error = np.abs(np.float64(got)[finite] - exact[finite]).max(initial=0)
            assert error <= limit, f"{name} with {keys} keys: error {error:.3g}"


if __name__ == "__main__":
    main()
