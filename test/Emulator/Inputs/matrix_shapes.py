"""Calls each mma.sync shape that the emulator has and compares with numpy.

    matrix_shapes.py <xsa-emulate> <folder>

Fragments are laid out here after the figures of the PTX ISA, one lane at a time.
"""

import subprocess
import sys

import numpy as np

KERNEL = """
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {result} @llvm.nvvm.mma.{name}({types})
define ptx_kernel void @multiply(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
{loads}
  %r = call {result} @llvm.nvvm.mma.{name}({arguments})
{stores}
  ret void
}}
"""

# name, m, n, k, types of a register of a, b, c, d; numpy types of their elements
SHAPES = [
    ("m16n8k8.row.col.f32.f32", 16, 8, 8, "<2 x half>", "<2 x half>", "float", "float", "f2", "f4"),
    (
        "m16n8k16.row.col.f32.f32",
        16,
        8,
        16,
        "<2 x half>",
        "<2 x half>",
        "float",
        "float",
        "f2",
        "f4",
    ),
    (
        "m16n8k16.row.col.f16.f16",
        16,
        8,
        16,
        "<2 x half>",
        "<2 x half>",
        "<2 x half>",
        "<2 x half>",
        "f2",
        "f2",
    ),
    ("m16n8k8.row.col.bf16", 16, 8, 8, "i32", "i32", "float", "float", "bf16", "f4"),
    ("m16n8k16.row.col.bf16", 16, 8, 16, "i32", "i32", "float", "float", "bf16", "f4"),
    ("m16n8k4.row.col.tf32", 16, 8, 4, "i32", "i32", "float", "float", "tf32", "f4"),
    ("m16n8k8.row.col.tf32", 16, 8, 8, "i32", "i32", "float", "float", "tf32", "f4"),
    ("m16n8k16.row.col.s8", 16, 8, 16, "i32", "i32", "i32", "i32", "i1", "i4"),
    ("m16n8k32.row.col.s8", 16, 8, 32, "i32", "i32", "i32", "i32", "i1", "i4"),
    ("m16n8k32.row.col.u8", 16, 8, 32, "i32", "i32", "i32", "i32", "u1", "i4"),
    ("m8n8k4.row.col.f64", 8, 8, 4, "double", "double", "double", "double", "f8", "f8"),
]


def round_to(values, kind):
    """Values that the type has."""
    if kind in ("bf16", "tf32"):
        keep = np.uint32(0xFFFF0000 if kind == "bf16" else 0xFFFFE000)
        return (values.astype("f4").view("u4") & keep).view("f4")
    return values.astype(kind)


def to_bytes(values, kind):
    if kind == "bf16":
        return (values.view("u4") >> 16).astype("u2").tobytes()
    return values.tobytes()


def a_places(lane, m, k, per_register):
    """(row, column) of each element of a lane's fragment of a, in order."""
    group, thread = divmod(lane, 4)
    for k0 in range(0, k, 4 * per_register):
        for row in range(group, m, 8):
            for e in range(per_register):
                yield row, k0 + thread * per_register + e


def b_places(lane, k, per_register):
    group, thread = divmod(lane, 4)
    for k0 in range(0, k, 4 * per_register):
        for e in range(per_register):
            yield k0 + thread * per_register + e, group


def c_places(lane, m):
    group, thread = divmod(lane, 4)
    for row in range(group, m, 8):
        for column in (2 * thread, 2 * thread + 1):
            yield row, column


def count(m, n, kind, register_bytes):
    """Registers per lane."""
    size = {"bf16": 2, "tf32": 4}.get(kind) or np.dtype(kind).itemsize
    return m * n * size // register_bytes // 32


def make_kernel(name, m, n, k, a, b, c, d, kind, sum_kind):
    wide = 8 if a == "double" else 4
    numbers = {
        "a": count(m, k, kind, wide),
        "b": count(k, n, kind, wide),
        "c": count(m, n, sum_kind, wide),
    }
    loads, arguments, types = [], [], []
    for operand, register in zip("abc", (a, b, c)):
        for r in range(numbers[operand]):
            v = f"%{operand}{r}"
            loads += [
                f"  {v}.i = mul i32 %t, {numbers[operand]}",
                f"  {v}.j = add i32 {v}.i, {r}",
                f"  {v}.p = getelementptr [{wide} x i8], ptr addrspace(1) %{operand}, i32 {v}.j",
                f"  {v} = load {register}, ptr addrspace(1) {v}.p, align {wide}",
            ]
            arguments.append(f"{register} {v}")
            types.append(register)
    stores = []
    for r in range(numbers["c"]):
        v = f"%d{r}"
        stores += [
            f"  {v}.i = mul i32 %t, {numbers['c']}",
            f"  {v}.j = add i32 {v}.i, {r}",
            f"  {v}.p = getelementptr [{wide} x i8], ptr addrspace(1) %d, i32 {v}.j",
            f"  {v} = extractvalue {{{', '.join([d] * numbers['c'])}}} %r, {r}",
            f"  store {d} {v}, ptr addrspace(1) {v}.p, align {wide}",
        ]
    return KERNEL.format(
        name=name,
        types=", ".join(types),
        arguments=", ".join(arguments),
        result="{" + ", ".join([d] * numbers["c"]) + "}",
        loads="\n".join(loads),
        stores="\n".join(stores),
    )


def check(emulate, folder, shape):
    name, m, n, k, *_, kind, sum_kind = shape
    rng = np.random.default_rng(0)
    values = [
        rng.integers(-100, 100, s) if kind[0] in "iu" else rng.standard_normal(s)
        for s in ((m, k), (k, n), (m, n))
    ]
    if kind == "u1":
        values[:2] = [abs(v) for v in values[:2]]
    a, b, c = round_to(values[0], kind), round_to(values[1], kind), values[2].astype(sum_kind)
    per_register = {"f2": 2, "bf16": 2, "i1": 4, "u1": 4}.get(kind, 1)
    lanes = range(32)

    def pack(matrix, places, kind):
        parts = [to_bytes(np.array([matrix[p] for p in places(lane)]), kind) for lane in lanes]
        return np.frombuffer(b"".join(parts), "u4")

    np.savez(
        f"{folder}/in.npz",
        a=pack(
            a, lambda lane: a_places(lane, m, k, per_register), "f4" if kind == "tf32" else kind
        ),
        b=pack(b, lambda lane: b_places(lane, k, per_register), "f4" if kind == "tf32" else kind),
        c=pack(c, lambda lane: c_places(lane, m), sum_kind),
    )
    with open(f"{folder}/kernel.ll", "w") as file:
        file.write(make_kernel(*shape))
    words = m * n * np.dtype(sum_kind).itemsize // 4
    subprocess.run(
        [
            emulate,
            f"{folder}/kernel.ll",
            "--arg=in:a",
            "--arg=in:b",
            "--arg=in:c",
            f"--arg=out:d:uint32[{words}]",
        ]
        + [f"--inputs={folder}/in.npz", f"--outputs={folder}/out.npz"],
        check=True,
    )
    got = np.zeros((m, n), sum_kind)
    flat = np.load(f"{folder}/out.npz")["d"].view(sum_kind).reshape(32, -1)
    for lane in lanes:
        for value, place in zip(flat[lane], c_places(lane, m)):
            got[place] = value
    want = a.astype("f8") @ b.astype("f8") + c.astype("f8")
    tolerance = {"f2": 2e-2, "f4": 1e-5, "f8": 1e-13, "i4": 0}[sum_kind]
    error = abs(got.astype("f8") - want).max()
    print(f"{name}: {'ok' if error <= tolerance else f'largest error {error}'}")


for shape in SHAPES:
    check(sys.argv[1], sys.argv[2], shape)
