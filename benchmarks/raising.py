"""Times how long finding attention in a deep model takes.

    .venv/bin/python benchmarks/raising.py [--bin build/bin] [--layers N ...]

Each row is a decoder of that many layers (normalisation, causal attention, MLP,
residuals), written as torch-mlir writes one. Times are those of the passes alone, as
--mlir-timing gives them, without parsing and printing, and the processor's time for the
whole of raising, with both, which does not depend on what else the machine does. Needs numpy.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
from options import add_bin

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/Integration/Matcher/Inputs"))

from tracer import Tensor, Tracer  # noqa: E402

BATCH, TOKENS, HEADS, DEPTH = 1, 16, 4, 4
CHANNELS = HEADS * DEPTH


def normalize(m: Tracer, x: Tensor) -> Tensor:
    mean = m.div(m.reduce("add", x, -1, True), float(CHANNELS))
    centred = m.sub(x, mean)
    variance = m.div(m.reduce("add", m.mul(centred, centred), -1, True), float(CHANNELS))
    scaled = m.mul(centred, m.unary("rsqrt", m.add(variance, 1e-5)))
    return m.add(m.mul(scaled, m.argument((CHANNELS,))), m.argument((CHANNELS,)))


def linear(m: Tracer, x: Tensor, columns: int) -> Tensor:
    flat = m.reshape(x, (BATCH * TOKENS, x.shape[-1]))
    weight = m.argument((x.shape[-1], columns), value=np.zeros((x.shape[-1], columns)))
    product = m.add(m.einsum("tc,cn->tn", flat, weight), m.argument((columns,)))
    return m.reshape(product, (BATCH, TOKENS, columns))


def attend(m: Tracer, x: Tensor) -> Tensor:
    fused, parts = linear(m, x, 3 * CHANNELS), []
    for start in range(0, 3 * CHANNELS, CHANNELS):
        heads = m.reshape(m.slice(fused, 2, start, CHANNELS), (BATCH, TOKENS, HEADS, DEPTH))
        heads = m.transpose(heads, (0, 2, 1, 3))
        parts.append(m.reshape(heads, (BATCH * HEADS, TOKENS, DEPTH)))
    q, k, v = parts
    scores = m.mul(m.batch_matmul(q, m.transpose(k, (0, 2, 1))), DEPTH**-0.5)
    keep = m.positions(
        (TOKENS, TOKENS), "i1", ["%r = arith.cmpi sle, %i1, %i0 : index"], lambda i, j: j <= i
    )
    scores = m.add(scores, m.select(keep, m.constant(np.zeros((1, 1))), -np.inf))
    exponentials = m.unary("exp", m.sub(scores, m.reduce("max", scores, -1, True)))
    probabilities = m.div(exponentials, m.reduce("add", exponentials, -1, True))
    y = m.reshape(m.batch_matmul(probabilities, v), (BATCH, HEADS, TOKENS, DEPTH))
    return linear(m, m.reshape(m.transpose(y, (0, 2, 1, 3)), x.shape), CHANNELS)


def decoder(layers: int) -> str:
    m = Tracer(random.Random(0))
    x = m.argument((BATCH, TOKENS, CHANNELS))
    for _ in range(layers):
        x = m.add(x, attend(m, normalize(m, x)))
        hidden = m.unary("tanh", linear(m, normalize(m, x), 4 * CHANNELS))
        x = m.add(x, linear(m, hidden, CHANNELS))
    return m.module([x])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin(parser)
    parser.add_argument(
        "--layers",
        type=int,
        nargs="+",
        default=[12, 24, 48, 96],
        help="depths of the models (default: 12 24 48 96)",
    )
    args = parser.parse_args()
    print("layers  operations  find attention  all of raising  all of converting  processor time")
    for layers in args.layers:
        text = decoder(layers)
        seconds, processor = {}, {}
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            for pipeline in ("raise-attention-to-xsa", "convert-attention-to-xsa"):
                process = subprocess.Popen(
                    [args.bin / "xsa-opt", file.name, f"--{pipeline}=report=true", "--mlir-timing", "-o", "/dev/null"],
                    stderr=subprocess.PIPE, text=True,
                )  # fmt: skip
                said = process.stderr.read()
                _, _, usage = os.wait4(process.pid, 0)
                assert f"{layers} raised" in said, said[-400:]
                rows = re.findall(r"^ +([\d.]+) \( *[\d.]+%\) +(\S.*)$", said, re.MULTILINE)
                processor[pipeline] = usage.ru_utime + usage.ru_stime
                taken = {name.strip(): float(time) for time, name in rows}
                inside = taken["Total"] - taken.get("Parser", 0) - taken.get("Output", 0)
                seconds[pipeline] = inside, taken.get("RaiseAttention", 0.0)
        raising, finding = seconds["raise-attention-to-xsa"]
        converting, _ = seconds["convert-attention-to-xsa"]
        print(
            f"{layers:6}  {text.count(' = '):10}  {finding:12.2f} s  {raising:12.2f} s  {converting:15.2f} s"
            f"  {processor['raise-attention-to-xsa']:12.2f} s"
        )


if __name__ == "__main__":
    main()
