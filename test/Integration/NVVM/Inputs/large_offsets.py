"""Keys and values of more than 2^31 elements, of which a kernel reads the first of each batch.

large_offsets.py <xsa-opt> <mlir-translate> <xsa-emulate> <model.mlir> <folder>

The model is attention with `key_lengths` and a dynamic number of keys. Its kernel is called by one that first puts keys
and values in their place, in memory of which nothing else is touched, so that it takes none.
"""

import re
import subprocess
import sys

import numpy as np

XSA_OPT, TRANSLATE, EMULATE, MODEL, FOLDER = sys.argv[1:]
BATCHES, ROWS, READ, DEPTH = 2, 40, 64, 64
KEYS = 2**25 + 37

HEADER = """target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
"""
CALLER = """
define internal void @place(ptr %from, ptr %to, i64 %batch, i64 %thread) {
entry:
  %first = mul i64 %batch, READ_ELEMENTS
  %place = mul i64 %batch, BATCH_ELEMENTS
  br label %loop
loop:
  %i = phi i64 [ %thread, %entry ], [ %next, %loop ]
  %a = add i64 %first, %i
  %b = add i64 %place, %i
  %p = getelementptr half, ptr %from, i64 %a
  %q = getelementptr half, ptr %to, i64 %b
  %x = load half, ptr %p
  store half %x, ptr %q
  %next = add i64 %i, THREADS
  %more = icmp ult i64 %next, READ_ELEMENTS
  br i1 %more, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @caller(ptr %k, ptr %v, PARAMETERS) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread = zext i32 %t to i64
  call void @place(ptr %k, ptr LARGE_K, i64 0, i64 %thread)
  call void @place(ptr %k, ptr LARGE_K, i64 1, i64 %thread)
  call void @place(ptr %v, ptr LARGE_V, i64 0, i64 %thread)
  call void @place(ptr %v, ptr LARGE_V, i64 1, i64 %thread)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @KERNEL(ARGUMENTS)
  ret void
}
"""


def run(*command, text=None):
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def add_caller(code, name, operands, threads):
    """The kernel as a function that `caller` calls. `operands` tell where its parameters are."""
    parameters = re.search(rf"define ptx_kernel void @{name}\((.*)\) #", code)[1].split(", ")
    types = [parameter.split()[0] for parameter in parameters]
    named = ", ".join(f"{type_} %p{i}" for i, type_ in enumerate(types))
    caller = CALLER
    for word, text in {
        "READ_ELEMENTS": READ * DEPTH,
        "BATCH_ELEMENTS": KEYS * DEPTH,
        "THREADS": threads,
        "PARAMETERS": named,
        "ARGUMENTS": named,
        "LARGE_K": f"%p{operands['k'] + 1}",
        "LARGE_V": f"%p{operands['v'] + 1}",
        "KERNEL": name,
    }.items():
        caller = caller.replace(word, str(text))
    return HEADER + code.replace("define ptx_kernel void", "define internal void") + caller


def reference(q, k, v, own):
    q, k, v, own = (np.float64(x) for x in (q, k, v, own))
    scores = q @ k.swapaxes(1, 2) * 0.125
    p = np.exp(scores - scores.max(-1, keepdims=True))
    y = p / p.sum(-1, keepdims=True) @ v
    return y - (y * own).sum(-1, keepdims=True) / (own * own).sum(-1, keepdims=True) * own


def main():
    lowered = run(XSA_OPT, MODEL, "--xsa-lower-to-nvvm-pipeline=format=mlir key-splits=1")
    (launch,) = re.findall(r"gpu\.launch_func .*", lowered)
    constants = dict(re.findall(r"(%\S+) = arith.constant (-?\d+) :", lowered))
    sizes = [constants[word] for word in re.findall(r"%\w+", launch.split("args(")[0])]
    name = re.search(r"::@(\w+)", launch)[1]
    body = lowered[lowered.index("gpu.module @") :].split("\n", 1)[1]
    body = body[: re.search(r"^  }$", body, re.M).start()]
    code = run(TRANSLATE, "--mlir-to-llvmir", text=f"module {{\n{body}}}\n")

    rng = np.random.default_rng(0)
    arrays = {
        "q": rng.standard_normal((BATCHES, ROWS, DEPTH)),
        "k": rng.standard_normal((BATCHES, READ, DEPTH)),
        "v": rng.standard_normal((BATCHES, READ, DEPTH)),
        "own": rng.standard_normal((BATCHES, ROWS, DEPTH)),
    }
    arrays = {name: array.astype(np.float16) for name, array in arrays.items()}
    np.savez(f"{FOLDER}/in.npz", **arrays, lengths=np.full(BATCHES, READ, np.int32))

    large = f"scratch:{BATCHES * KEYS * DEPTH * 2}"
    output = f"out:z:float16[{BATCHES},{ROWS},{DEPTH}]"
    buffers = ["in:q", large, large, "in:own", "in:lengths", output]
    names = ["q", "k", "v", "own", "lengths", "z"]
    arguments, operands = ["in:k", "in:v"], {}
    for type_ in re.findall(r"%\w+ : ([^,)]+)", launch.split("args(")[1]):
        if type_ == "index":
            arguments.append(f"i64:{KEYS}")
            continue
        operands[names[len(operands)]] = len(arguments) - 2
        shape = [KEYS if n == "?" else int(n) for n in re.findall(r"(\d+|\?)x", type_)]
        strides = [int(np.prod(shape[d + 1 :], dtype=np.int64)) for d in range(len(shape))]
        arguments += ["null", buffers.pop(0), "i64:0", *(f"i64:{n}" for n in shape + strides)]
    with open(f"{FOLDER}/kernel.ll", "w") as file:
        file.write(add_caller(code, name, operands, sizes[3]))
    run(
        EMULATE, f"{FOLDER}/kernel.ll", "--kernel", "caller", "--grid", ",".join(sizes[0:3]), "--block",
        ",".join(sizes[3:6]), "--shared", sizes[6], f"--inputs={FOLDER}/in.npz",
        f"--outputs={FOLDER}/out.npz", *(f"--arg={argument}" for argument in arguments),
    )  # fmt: skip
    error = np.abs(np.load(f"{FOLDER}/out.npz")["z"] - reference(*arrays.values())).max()
    assert error <= 2e-3, f"error {error:.3g}"


if __name__ == "__main__":
    main()
