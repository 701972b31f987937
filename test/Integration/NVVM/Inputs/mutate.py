"""Breaks a generated kernel in one place at a time: the emulator or the numbers have to notice each.

    mutate.py <xsa-opt> <mlir-translate> <xsa-emulate> <model.mlir> <folder> [synchronization]

With the last argument, only barriers and waits are broken.

The model is an exclusive attention on q, k and v of float16[T, D], causal, lowered to one kernel.
A mutant is caught when the emulator reports an error, or when its result is further from the
float64 reference than the unchanged kernel's by more than rounding explains.
"""

import re
import subprocess
import sys

import numpy as np

XSA_OPT, TRANSLATE, EMULATE, MODEL, FOLDER = sys.argv[1:6]
ONLY_SYNCHRONIZATION = "synchronization" in sys.argv[6:]

HEADER = """target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
"""


class Kernel:
    """The device code of a lowered model, and how it is launched."""

    def __init__(self):
        lowered = subprocess.run(
            [XSA_OPT, MODEL, "--xsa-lower-to-nvvm-pipeline=format=mlir query-tile=64 key-tile=32"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        start = lowered.index("gpu.module @")
        body = lowered[lowered.index("\n", start) + 1 :]
        body = body[: re.search(r"^  }$", body, re.M).start()]
        self.code = (
            HEADER
            + subprocess.run(
                [TRANSLATE, "--mlir-to-llvmir"],
                input=f"module {{\n{body}}}\n",
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        launch = lowered[lowered.index("gpu.launch_func") : start]
        launch = launch[: launch.index("\n", launch.index("args("))]
        constants = {
            name: int(value)
            for name, value in re.findall(r"(%\S+) = arith.constant (-?\d+) :", lowered)
        }
        sizes = [constants[name] for name in re.findall(r"%\w+", launch.split("args(")[0])]
        self.grid, self.block, self.shared = (
            sizes[0:3],
            sizes[3:6],
            sizes[6] if len(sizes) > 6 else 0,
        )
        self.shapes = [
            [int(size) for size in shape.split("x")]
            for shape in re.findall(r"memref<([0-9x]+)xf16", launch)
        ]
        self.name = re.search(r"::@(\w+)", launch).group(1)

    def run(self, code, shared=None, coverage=()):
        """The output, or the emulator's error."""
        path = f"{FOLDER}/kernel.ll"
        with open(path, "w") as file:
            file.write(code)
        arguments = []
        for number, shape in enumerate(self.shapes):
            strides = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
            last = number == len(self.shapes) - 1
            buffer = (
                f"out:z:float16[{','.join(map(str, shape))}]"
                if last
                else f"in:{'qkv'[min(number, 2)]}"
            )
            arguments += ["null", buffer, "i64:0"] + [f"i64:{n}" for n in shape + strides]
        join = lambda numbers: ",".join(map(str, numbers))  # noqa: E731
        done = subprocess.run(
            [
                EMULATE,
                path,
                "--kernel",
                self.name,
                "--grid",
                join(self.grid),
                "--block",
                join(self.block),
            ]
            + ["--shared", str(self.shared if shared is None else shared)]
            + [f"--inputs={FOLDER}/in.npz", f"--outputs={FOLDER}/out.npz"]
            + [f"--arg={argument}" for argument in [*arguments, *coverage]],
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode:
            return None, (done.stderr.strip().splitlines() or ["no message"])[0]
        return np.load(f"{FOLDER}/out.npz")["z"].astype(np.float64), None

    def covered(self):
        """The lines of code that a thread comes to: the kernel's blocks each leave a mark."""
        lines = self.code.splitlines()
        start = next(
            n for n, line in enumerate(lines) if re.match(rf"define .*@{self.name}\(", line)
        )
        end = lines.index("}", start)
        marked = lines[: start + 1]
        marked[start] = re.sub(r"\) (#\d+ )?{$", r", ptr addrspace(1) %coverage) \1{", lines[start])
        block_of, block, pending = {}, 0, True
        for number in range(start + 1, end):
            line = lines[number]
            if re.match(r"\d+:", line):
                block, pending = block + 1, True
            elif pending and line.strip() and " = phi " not in line:
                marked.append(
                    f"  %coverage.{block} = getelementptr i8, ptr addrspace(1) %coverage, i32 {block}"
                )
                marked.append(f"  store i8 1, ptr addrspace(1) %coverage.{block}, align 1")
                pending = False
            block_of[number] = block
            marked.append(line)
        arrays = dict(np.load(f"{FOLDER}/in.npz"))
        np.savez(f"{FOLDER}/in.npz", **arrays, coverage=np.zeros(block + 1, np.int8))
        _, error = self.run("\n".join(marked + lines[end:]), coverage=["inout:coverage"])
        assert error is None, error
        reached = np.load(f"{FOLDER}/out.npz")["coverage"]
        return {number for number, block in block_of.items() if reached[block]}


def reference(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores[np.triu_indices(len(q), 1)] = -np.inf
    p = np.exp(scores - scores.max(1, keepdims=True))
    y = p / p.sum(1, keepdims=True) @ v
    return y - (y * v).sum(1, keepdims=True) / (v * v).sum(1, keepdims=True) * v


def mutants(text, covered):
    """(what is broken, code) for one place after another, of those that threads come to."""
    code = text.splitlines()

    def lines_with(pattern):
        return [n for n, line in enumerate(code) if n in covered and re.search(pattern, line)]

    def change(numbers, pattern, replacement, what):
        for which, number in numbers:
            changed = re.sub(pattern, replacement, code[number], count=1)
            assert changed != code[number], (what, code[number])
            yield f"{what} {which}", "\n".join(code[:number] + [changed] + code[number + 1 :])

    # The last of a kind belong to keys beyond the last one, whose probability is 0.
    def some_of(pattern):
        found = lines_with(pattern)
        assert found, pattern
        return [(str(i + 1), found[i]) for i in sorted({0, len(found) // 2})]

    def all_of(pattern):
        return [(str(i + 1), n) for i, n in enumerate(lines_with(pattern))]

    def guards_of(pattern):
        """Branches to the blocks that have a line of this kind."""
        blocks = set()
        for number in lines_with(pattern):
            while not re.match(r"\d+:", code[number]):
                number -= 1
            blocks.add(code[number].split(":")[0])
        return [
            (label, n)
            for n in lines_with(r"br i1 ")
            for label in blocks
            if f"label %{label}," in code[n] + ","
        ]

    barriers = all_of(r"call void @llvm\.nvvm\.barrier")
    wait = r"call void @llvm\.nvvm\.cp\.async\.wait\.group\(i32 \d+\)"
    waits = all_of(wait)
    if not ONLY_SYNCHRONIZATION:
        # Where own values are copied, three places of mutation.mlir change nothing. The wait after
        # the loops and the barrier behind it: those of the first tile came after the copies of own
        # values had begun and so covered them too, and each block has a tile (the diagonal). The
        # barrier before the result is written to shared memory: it covers the own values with the
        # same rows, and rows are those of the warp that wrote and read them. The kernel of
        # mutation-own-in-stages.mlir has no such places: there, all are broken.
        barriers, waits = barriers[:-3] + barriers[-1:], waits[:-1]
    yield from change(barriers, r"^.*$", "", "barrier removed")
    yield from change(
        waits,
        r"group\(i32 (\d+)\)",
        lambda m: f"group(i32 {int(m[1]) + 1})",
        "wait one group less",
    )
    yield from change(some_of(wait), r"^.*$", "", "wait removed")
    commit = r"call void @llvm\.nvvm\.cp\.async\.commit\.group"
    yield from change(some_of(commit), r"^.*$", "", "commit removed")
    if ONLY_SYNCHRONIZATION:
        return
    own = lines_with(r"load <2 x half>, ptr addrspace\(3\)")
    address = re.search(r"addrspace\(3\) (%\d+)", code[own[0]])[1]
    yield from change(
        [("", own[1])],
        r"addrspace\(3\) %\d+",
        f"addrspace(3) {address}",
        "own value of another row",
    )
    shuffle = r"call \S+ @llvm\.nvvm\.shfl\.sync\.bfly"
    yield from change(
        some_of(shuffle),
        r"i32 (1|2), i32 31",
        lambda m: f"i32 {4 * int(m[1])}, i32 31",
        "shuffle with the wrong lane",
    )
    yield from change(some_of(shuffle), r"i32 -1", "i32 65535", "shuffle with half the mask")
    # The numbers of thread and block after the loops; that of the block is the same in all lanes.
    again = lines_with(shuffle + r"\S*\(i32 -1, i32 %\d+, i32 0, i32 31\)")
    assert len(again) == 2, again
    mixed = {n: code[n].replace("i32 0, i32 31", "i32 1, i32 31") for n in again}
    yield (
        "number of another thread",
        "\n".join(mixed.get(n, line) for n, line in enumerate(code)),
    )
    transposed = r"call .*ldmatrix.*\.trans\.b16"
    yield from change(some_of(transposed), r"\.trans\.b16", ".b16", "load not transposed")
    plain = r"call .*ldmatrix\.sync\.aligned\.m8n8\.x4\.b16"
    yield from change(some_of(plain), r"\.x4\.b16", ".x4.trans.b16", "load transposed")
    swizzle = r"= xor i32 %"
    # In between are chunks that are 0 in every thread: there both give the same.
    swizzles = all_of(swizzle)
    yield from change([swizzles[0], swizzles[-1]], r"= xor ", "= or ", "swizzle mismatch")
    copy = r"call void @llvm\.nvvm\.cp\.async\.c.\.shared\.global\.16\.s"
    yield from change(some_of(copy), r"i32 %\S+\)", "i32 0)", "prefetch fills with zeros")
    store = r"store .*, ptr addrspace\(1\)"
    # The first rows of a tile are always there.
    yield from change(
        guards_of(store)[-1:], r"br i1 %\S+,", "br i1 true,", "edge of the result not masked"
    )
    compare = r"= icmp (sle|slt|sgt|sge|ule|ult|ugt|uge) i(32|64) %\S+, %"
    flip = {
        "sle": "slt",
        "slt": "sle",
        "sgt": "sge",
        "sge": "sgt",
        "ule": "ult",
        "ult": "ule",
        "ugt": "uge",
        "uge": "ugt",
    }
    # The mask's comparisons are the most. All that stand together: in some of them no thread has an
    # element on the diagonal.
    compares = all_of(compare)
    middle = compares[len(compares) // 2][1]
    labels = [n for n, line in enumerate(code) if re.match(r"\d+:", line)]
    start = max(n for n in labels if n < middle)
    end = min(n for n in labels if n > middle)
    flipped = [
        re.sub(r"icmp (\w+)", lambda m: f"icmp {flip[m[1]]}", line)
        if re.search(compare, line)
        else line
        for line in code[start:end]
    ]
    yield "mask off by one", "\n".join(code[:start] + flipped + code[end:])
    multiply = r"call .*llvm\.nvvm\.mma\."
    yield from change(
        some_of(multiply), r"(<2 x half> \S+), (<2 x half> \S+),", r"\2, \1,", "fragments swapped"
    )
    yield from change(
        some_of(r"call .*@llvm\.nvvm\.ex2"), r"\(float (%\S+)\)", r"(float 0.0)", "exponential lost"
    )
    normalize = r"fdiv|llvm\.nvvm\.rcp"
    yield from change(
        some_of(normalize),
        r"%\d+ = .*$",
        lambda m: m[0].split("=")[0] + "= fadd float 1.0, 0.0",
        "normalization lost",
    )


def main():
    rng = np.random.default_rng(0)
    kernel = Kernel()
    q, k, v = (rng.standard_normal(shape[-2:]).astype(np.float16) for shape in kernel.shapes[:3])
    np.savez(f"{FOLDER}/in.npz", q=q, k=k, v=v)
    want = reference(*(x.astype(np.float64) for x in (q, k, v)))
    got, error = kernel.run(kernel.code)
    assert error is None, error
    distance = abs(got.reshape(want.shape) - want).max()
    assert distance < 4e-3, f"the kernel itself is wrong by {distance}"
    missed = caught = 0

    def judge(what, got, error):
        nonlocal missed, caught
        if error is None:
            far = abs(got.reshape(want.shape) - want).max()
            error = f"the result is wrong by {far:.3}" if not far <= 2 * distance else None
        missed += error is None
        caught += error is not None
        print(f"{'caught' if error else 'MISSED'}: {what}: {error}", flush=True)

    for what, code in mutants(kernel.code, kernel.covered()):
        judge(what, *kernel.run(code))
    if kernel.shared:
        judge("too little shared memory", *kernel.run(kernel.code, kernel.shared - 16))
    print(f"{caught} caught, {missed} missed")
    sys.exit(missed > 0)


main()
