"""What the machine can do at most, measured with the compiler's own code.

Multiply-adds: as many sums as registers hold, nothing loaded. Memory: the sum of an array that fits
in no cache.
"""

import json
import pathlib
import subprocess
import tempfile

import numpy as np

STEPS = 4_000_000
ELEMENTS = 64 * 1024 * 1024


def run_model(args, folder: pathlib.Path, calls: int) -> dict:
    """xsa-run on folder/model.mlir and folder/in.npz; what it writes to --stats."""
    command = [args.bin / "xsa-run", folder / "model.mlir", "--target", "cpu"]
    command += ["--inputs", folder / "in.npz", "--outputs", folder / "out.npz"]
    command += ["--threads", args.threads, "--repeat", calls, "--stats", folder / "stats.json"]
    subprocess.run([str(part) for part in command], check=True)
    return json.loads((folder / "stats.json").read_text())


def peak_module(lanes: int, sums: int) -> str:
    names = [f"%s{i}" for i in range(sums)]
    vector = f"vector<{lanes}xf32>"
    carried = ", ".join(f"{name} = %start" for name in names)
    body = "\n".join(f"    %n{i} = vector.fma %a, %a, %s{i} : {vector}" for i in range(sums))
    total = "\n".join(
        f"  %t{i + 1} = arith.addf %t{i}, %r#{i} : {vector}" for i in range(sums)
    ).replace("%t0", "%start")
    return f"""
func.func @main(%x: tensor<{lanes}xf32>) -> tensor<{lanes}xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant {STEPS} : index
  %zero = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %zero {{in_bounds = [true]}} : tensor<{lanes}xf32>, {vector}
  %start = arith.constant dense<1.0> : {vector}
  %r:{sums} = scf.for %i = %c0 to %steps step %c1 iter_args({carried}) -> ({", ".join([vector] * sums)}) {{
{body}
    scf.yield {", ".join(f"%n{i}" for i in range(sums))} : {", ".join([vector] * sums)}
  }}
{total}
  %e = tensor.empty() : tensor<{lanes}xf32>
  %o = vector.transfer_write %t{sums}, %e[%c0] {{in_bounds = [true]}} : {vector}, tensor<{lanes}xf32>
  return %o : tensor<{lanes}xf32>
}}
"""


STREAM = f"""
func.func @main(%x: tensor<64x{ELEMENTS // 64}xf32>) -> tensor<64xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce ins(%x : tensor<64x{ELEMENTS // 64}xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
      (%a: f32, %s: f32) {{
        %t = arith.addf %a, %s : f32
        linalg.yield %t : f32
      }}
  return %r : tensor<64xf32>
}}
"""


def measure(args) -> dict:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        best = 0.0
        # The widths of AVX2 and AVX-512.
        for lanes in (8, 16):
            np.savez(folder / "in.npz", arg0=np.full(lanes, 1e-3, dtype=np.float32))
            (folder / "model.mlir").write_text(peak_module(lanes, 12))
            seconds = min(run_model(args, folder, 10)["times_s"])
            best = max(best, STEPS * 12 * lanes * 2 / seconds * 1e-9)
        array = np.ones((64, ELEMENTS // 64), dtype=np.float32)
        np.savez(folder / "in.npz", arg0=array)
        (folder / "model.mlir").write_text(STREAM)
        seconds = min(run_model(args, folder, 5)["times_s"])
        # One thread runs the first; the second uses all that it is given.
        return {"gflops": best * args.threads, "gbytes": array.nbytes / seconds * 1e-9}
