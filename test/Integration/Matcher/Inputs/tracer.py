"""Writes linalg on tensors and computes the same with numpy, operation by operation.

Each tensor carries two values in float64: what the model computes, and what it would
compute if every self attention in it were exclusive. Programs that use a Tracer are
therefore models and references at once.
"""

import random
import re
from dataclasses import dataclass

import numpy as np

FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True, eq=False)
class Tensor:
    name: str
    dtype: str
    own: np.ndarray
    """What the model computes."""
    xsa: np.ndarray
    """What it computes with exclusive attention."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.own.shape

    @property
    def type(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.dtype}>"


# MLIR's operation on elements, and numpy's.
UNARY = {
    "neg": ("arith.negf", np.negative),
    "exp": ("math.exp", np.exp),
    "exp2": ("math.exp2", np.exp2),
    "log": ("math.log", np.log),
    "tanh": ("math.tanh", np.tanh),
    "sqrt": ("math.sqrt", np.sqrt),
    "rsqrt": ("math.rsqrt", lambda x: 1 / np.sqrt(x)),
    "abs": ("math.absf", np.abs),
}
BINARY = {
    "add": ("arith.addf", np.add),
    "sub": ("arith.subf", np.subtract),
    "mul": ("arith.mulf", np.multiply),
    "div": ("arith.divf", np.divide),
    "max": ("arith.maximumf", np.maximum),
    "min": ("arith.minimumf", np.minimum),
    "and": ("arith.andi", np.logical_and),
    "or": ("arith.ori", np.logical_or),
}
COMPARE = {
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
}
REDUCE = {
    "add": ("arith.addf", 0.0, np.sum),
    "max": ("arith.maximumf", -np.inf, np.max),
    "and": ("arith.andi", True, np.all),
}


def write_number(x: float, dtype: str) -> str:
    if dtype == "i1":
        return "true" if x else "false"
    if dtype in ("i64", "i32", "index"):
        return str(int(x))
    if np.isfinite(x):
        return f"{float(x):.17e}"
    bits = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}[dtype]
    exponent = {"f64": 11, "f32": 8, "f16": 5, "bf16": 8}[dtype]
    pattern = ((1 << exponent) - 1) << (bits - 1 - exponent)
    return f"0x{pattern | ((1 << (bits - 1)) if x < 0 else 0):0{bits // 4}X}"


def map_of(results, rank: int) -> str:
    return f"affine_map<({', '.join(f'd{i}' for i in range(rank))}) -> ({', '.join(results)})>"


class Tracer:
    def __init__(self, rng: random.Random, bodies: random.Random | None = None):
        """Without `bodies`, which draws what they read, all operands are operands."""
        self.rng, self.bodies = rng, bodies or rng
        self.read_within = bodies.random() * 0.7 if bodies and bodies.random() < 0.35 else 0.0
        """How many operands are no operands, but read within the body."""
        self.values = np.random.default_rng(rng.randrange(2**32))
        self.lines: list[str] = []
        self.arguments: list[Tensor] = []
        self.arrays: list[np.ndarray] = []
        self.count = 0

    # --- Writing ----------------------------------------------------------------------

    def fresh(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append("  " + line)

    def scalar(self, number: float, dtype: str) -> str:
        name = self.fresh()
        literal = write_number(number, dtype)
        if dtype == "i1":
            self.emit(f"{name} = arith.constant {literal}")
        else:
            self.emit(f"{name} = arith.constant {literal} : {dtype}")
        return name

    def init(self, shape, dtype: str, fill: float | None = None) -> tuple[str, str]:
        kind = f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"
        name = self.fresh()
        self.emit(f"{name} = tensor.empty() : {kind}")
        if fill is None:
            return name, kind
        number, filled = self.scalar(fill, dtype), self.fresh()
        self.emit(f"{filled} = linalg.fill ins({number} : {dtype}) outs({name} : {kind}) -> {kind}")
        return filled, kind

    def generic(self, inputs, maps, iterators, init, init_type, body, element="f32") -> str:
        """`body` are lines in terms of %a0, %a1, ... and %out that end in a yield."""
        names = [f"%a{i}" for i in range(len(inputs))]
        if self.read_within:
            inputs, maps, names, body = self.move_within(inputs, maps, names, body)
        name = self.fresh()
        ins = ""
        if inputs:
            ins = f"ins({', '.join(t.name for t in inputs)} : {', '.join(t.type for t in inputs)}) "
        arguments = ", ".join(
            [f"{n}: {t.dtype}" for n, t in zip(names, inputs)] + [f"%out: {element}"]
        )
        iterator_types = ", ".join(f'"{i}"' for i in iterators)
        self.emit(
            f"{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterator_types}]}}"
            f" {ins}outs({init} : {init_type}) {{"
        )
        self.emit(f"^bb0({arguments}):")
        for line in body:
            self.emit("  " + line)
        self.emit(f"}} -> {init_type}")
        return name

    def move_within(self, inputs, maps, names, body):
        """Some inputs are read by the body, as importers do where a size is unknown or numbers
        say what to read. The sizes of loops are those of the operands that are left."""
        kept = list(range(len(inputs)))
        results = [re.findall(r"d\d+|0", text.partition("->")[2]) for text in maps]
        lines = []
        for i, x in enumerate(inputs):
            others = {r for j in [*kept, len(inputs)] if j != i for r in results[j]}
            if not set(results[i]) - {"0"} <= others and self.bodies.random() < 0.7:
                continue
            if self.bodies.random() >= self.read_within:
                continue
            indices = [self.write_index(x, dim, r, lines) for dim, r in enumerate(results[i])]
            if set(results[i]) - {"0"} <= others:
                kept.remove(i)
                read = f"%a{i}"
            else:  # stays, for its sizes
                read, names = f"%e{i}", [f"%unread{i}" if n == f"%a{i}" else n for n in names]
                body = [re.sub(rf"%a{i}\b", read, line) for line in body]
            lines.append(f"{read} = tensor.extract {x.name}[{', '.join(indices)}] : {x.type}")
        pick = lambda of: [of[i] for i in kept]  # noqa: E731
        return pick(inputs), pick(maps) + maps[len(inputs) :], pick(names), lines + body

    def write_index(self, x: Tensor, dim: int, loop: str, lines: list[str]) -> str:
        """Lines that compute an index of `x` from a loop, or the first one; a dimension that may
        have size 1 is repeated, or an index is kept within the size."""
        n = f"%x{len(lines)}"
        if loop == "0":
            lines.append(f"{n} = arith.constant 0 : index")
            return n
        style = self.bodies.choice(["plain", "plain", "repeated", "clamped"])
        lines.append(f"{n} = linalg.index {loop[1:]} : index")
        if style == "plain":
            return n
        size = self.fresh()
        self.emit(f"{size} = tensor.dim {x.name}, {self.scalar(dim, 'index')} : {x.type}")
        lines += [f"{n}z = arith.constant 0 : index", f"{n}o = arith.constant 1 : index"]
        if style == "repeated":
            lines.append(f"{n}c = arith.cmpi eq, {size}, {n}o : index")
            lines.append(f"{n}r = arith.select {n}c, {n}z, {n} : index")
        else:
            lines.append(f"{n}l = arith.subi {size}, {n}o : index")
            lines.append(f"{n}b = arith.minsi {n}, {n}l : index")
            lines.append(f"{n}r = arith.maxsi {n}b, {n}z : index")
        return f"{n}r"

    # --- Leaves -----------------------------------------------------------------------

    def argument(self, shape, dtype="f32", value=None) -> Tensor:
        if value is None:
            value = self.values.standard_normal(shape)
        stored = {"i1": bool, "i64": np.int64, "f64": np.float64, "f16": np.float16}.get(
            dtype, np.float32
        )
        array = np.asarray(value).astype(stored)
        if dtype == "bf16":
            array = (array.view(np.uint32) & 0xFFFF0000).view(np.float32)
        value = array.astype(np.float64) if dtype in FLOATS else array
        tensor = Tensor(f"%arg{len(self.arguments)}", dtype, value, value)
        self.arguments.append(tensor)
        self.arrays.append(array)
        return tensor

    def constant(self, array, dtype="f32") -> Tensor:
        array = np.asarray(array)

        def write(part):
            if part.ndim == 0:
                return write_number(part.item(), dtype)
            return "[" + ", ".join(write(p) for p in part) + "]"

        value = array.astype(np.float32).astype(np.float64) if dtype == "f32" else array
        if dtype == "f64":
            value = array.astype(np.float64)
        tensor = Tensor(self.fresh(), dtype, value, value)
        self.emit(f"{tensor.name} = arith.constant dense<{write(array)}> : {tensor.type}")
        return tensor

    # --- Elementwise ------------------------------------------------------------------

    def broadcast_maps(self, operands, shape) -> list[str]:
        maps, rank = [], len(shape)
        for operand in operands:
            results, missing = [], rank - len(operand.shape)
            for dim, size in enumerate(operand.shape):
                repeated = size == 1 and (shape[missing + dim] != 1 or self.rng.random() < 0.5)
                results.append("0" if repeated else f"d{missing + dim}")
            maps.append(map_of(results, rank))
        return maps

    def elementwise(self, operands, dtype: str, body, compute) -> Tensor:
        """`body(names)` gives lines; the result is %r. Numbers are captured constants."""
        tensors = [t for t in operands if isinstance(t, Tensor)]
        shape = np.broadcast_shapes(*[t.shape for t in tensors])
        prefix, names = [], []
        float_type = next((t.dtype for t in tensors if t.dtype in FLOATS), "f32")
        for operand in operands:
            if isinstance(operand, Tensor):
                names.append(f"%a{tensors.index(operand)}")
                continue
            # A number: captured, or an f64 constant that is truncated inside.
            if float_type == "f32" and np.isfinite(operand) and self.rng.random() < 0.3:
                wide, narrow = self.scalar(operand, "f64"), f"%n{len(names)}"
                prefix.append(f"{narrow} = arith.truncf {wide} : f64 to f32")
                names.append(narrow)
            else:
                names.append(self.scalar(operand, float_type))
        unique = list(dict.fromkeys(tensors))
        if len(unique) != len(tensors):
            names = [
                f"%a{unique.index(o)}" if isinstance(o, Tensor) else n
                for o, n in zip(operands, names)
            ]
        init, kind = self.init(shape, dtype)
        rank = len(shape)
        maps = self.broadcast_maps(unique, shape) + [map_of([f"d{i}" for i in range(rank)], rank)]
        name = self.generic(
            unique, maps, ["parallel"] * rank, init, kind,
            prefix + body(names) + [f"linalg.yield %r : {dtype}"], dtype,
        )  # fmt: skip
        with np.errstate(all="ignore"):
            own = compute(*[o.own if isinstance(o, Tensor) else o for o in operands])
            xsa = compute(*[o.xsa if isinstance(o, Tensor) else o for o in operands])
        return Tensor(name, dtype, np.broadcast_to(own, shape), np.broadcast_to(xsa, shape))

    def unary(self, op: str, x: Tensor) -> Tensor:
        mnemonic, compute = UNARY[op]
        return self.elementwise(
            [x], x.dtype, lambda n: [f"%r = {mnemonic} {n[0]} : {x.dtype}"], compute
        )

    def binary(self, op: str, x, y) -> Tensor:
        mnemonic, compute = BINARY[op]
        dtype = next(t.dtype for t in (x, y) if isinstance(t, Tensor))
        if op in ("add", "mul", "max", "min", "and", "or") and self.rng.random() < 0.5:
            x, y = y, x
        return self.elementwise(
            [x, y], dtype, lambda n: [f"%r = {mnemonic} {n[0]}, {n[1]} : {dtype}"], compute
        )

    def add(self, x, y):
        return self.binary("add", x, y)

    def sub(self, x, y):
        return self.binary("sub", x, y)

    def mul(self, x, y):
        return self.binary("mul", x, y)

    def div(self, x, y):
        return self.binary("div", x, y)

    def compare(self, op: str, x, y) -> Tensor:
        dtype = next(t.dtype for t in (x, y) if isinstance(t, Tensor))
        return self.elementwise(
            [x, y],
            "i1",
            lambda n: [f"%r = arith.cmpf o{op}, {n[0]}, {n[1]} : {dtype}"],
            COMPARE[op],
        )

    def is_nan(self, x: Tensor) -> Tensor:
        return self.elementwise(
            [x], "i1", lambda n: [f"%r = arith.cmpf uno, {n[0]}, {n[0]} : {x.dtype}"], np.isnan
        )

    def logical_not(self, x: Tensor) -> Tensor:
        def body(names):
            return ["%one = arith.constant true", f"%r = arith.xori {names[0]}, %one : i1"]

        return self.elementwise([x], "i1", body, np.logical_not)

    def select(self, condition: Tensor, x, y) -> Tensor:
        dtype = next(t.dtype for t in (x, y) if isinstance(t, Tensor))
        return self.elementwise(
            [condition, x, y], dtype,
            lambda n: [f"%r = arith.select {n[0]}, {n[1]}, {n[2]} : {dtype}"], np.where,
        )  # fmt: skip

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        if x.dtype == dtype:
            return x
        if x.dtype == "i1":
            op = "uitofp"
        else:
            width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
            op = "extf" if width[dtype] > width[x.dtype] else "truncf"
        return self.elementwise(
            [x], dtype, lambda n: [f"%r = arith.{op} {n[0]} : {x.dtype} to {dtype}"],
            lambda a: np.asarray(a, np.float64),
        )  # fmt: skip

    def positions(self, shape, dtype: str, body, compute) -> Tensor:
        """A tensor of its indices: %i0, %i1, ... in `body` are of type index."""
        init, kind = self.init(shape, dtype)
        rank = len(shape)
        lines = [f"%i{dim} = linalg.index {dim} : index" for dim in range(rank)]
        name = self.generic(
            [], [map_of([f"d{i}" for i in range(rank)], rank)], ["parallel"] * rank, init, kind,
            lines + body + [f"linalg.yield %r : {dtype}"], dtype,
        )  # fmt: skip
        value = np.broadcast_to(compute(*np.indices(shape)), shape)
        return Tensor(name, dtype, value, value)

    # --- Layout -----------------------------------------------------------------------

    def rearranged(self, name: str, x: Tensor, change) -> Tensor:
        return Tensor(name, x.dtype, change(x.own), change(x.xsa))

    def transpose(self, x: Tensor, order) -> Tensor:
        order = tuple(order)
        if order == tuple(range(len(order))):
            return x
        init, kind = self.init([x.shape[i] for i in order], x.dtype)
        if self.rng.random() < 0.5:
            name = self.fresh()
            self.emit(
                f"{name} = linalg.transpose ins({x.name} : {x.type}) outs({init} : {kind})"
                f" permutation = [{', '.join(map(str, order))}]"
            )
        else:
            rank = len(order)
            results = [f"d{order.index(i)}" for i in range(rank)]
            name = self.generic(
                [x], [map_of(results, rank), map_of([f"d{i}" for i in range(rank)], rank)],
                ["parallel"] * rank, init, kind, [f"linalg.yield %a0 : {x.dtype}"], x.dtype,
            )  # fmt: skip
        return self.rearranged(name, x, lambda a: a.transpose(order))

    def _reassociation(self, wide, narrow):
        """Groups of dimensions of `wide` whose products are the sizes of `narrow`."""
        groups, position = [], 0
        for i, size in enumerate(narrow):
            group, product = [], 1
            while position < len(wide) and (product < size or not group):
                product *= wide[position]
                group.append(position)
                position += 1
            if product != size or not group:
                return None
            if i + 1 == len(narrow):
                while position < len(wide) and wide[position] == 1:
                    group.append(position)
                    position += 1
            groups.append(group)
        return groups if position == len(wide) else None

    def reshape(self, x: Tensor, shape) -> Tensor:
        shape = tuple(shape)
        if shape == x.shape:
            return x
        kind = f"tensor<{''.join(f'{size}x' for size in shape)}{x.dtype}>"
        write = lambda groups: "[" + ", ".join(str(g) for g in groups) + "]"  # noqa: E731
        if len(shape) < len(x.shape) and (groups := self._reassociation(x.shape, shape)):
            name = self.fresh()
            self.emit(
                f"{name} = tensor.collapse_shape {x.name} {write(groups)} : {x.type} into {kind}"
            )
        elif len(shape) > len(x.shape) and (groups := self._reassociation(shape, x.shape)):
            name = self.fresh()
            self.emit(
                f"{name} = tensor.expand_shape {x.name} {write(groups)} output_shape {list(shape)}"
                f" : {x.type} into {kind}"
            )
        else:
            return self.reshape(self.reshape(x, (x.own.size,)), shape)
        return self.rearranged(name, x, lambda a: a.reshape(shape))

    def slice(self, x: Tensor, axis: int, start: int, size: int) -> Tensor:
        offsets, sizes = [0] * len(x.shape), list(x.shape)
        offsets[axis], sizes[axis] = start, size
        name = self.fresh()
        kind = f"tensor<{''.join(f'{s}x' for s in sizes)}{x.dtype}>"
        self.emit(
            f"{name} = tensor.extract_slice {x.name}{offsets} {sizes} {[1] * len(sizes)} : {x.type} to {kind}"
        )
        return self.rearranged(name, x, lambda a: np.take(a, range(start, start + size), axis))

    def concat(self, parts, axis: int) -> Tensor:
        name = self.fresh()
        own = np.concatenate([p.own for p in parts], axis)
        result = Tensor(name, parts[0].dtype, own, np.concatenate([p.xsa for p in parts], axis))
        self.emit(
            f"{name} = tensor.concat dim({axis}) {', '.join(p.name for p in parts)}"
            f" : ({', '.join(p.type for p in parts)}) -> {result.type}"
        )
        return result

    def flip(self, x: Tensor, axis: int) -> Tensor:
        """Written as a gather at reversed positions."""
        init, kind = self.init(x.shape, x.dtype)
        rank = len(x.shape)
        body = [f"%i{dim} = linalg.index {dim} : index" for dim in range(rank)]
        body += [
            f"%last = arith.constant {x.shape[axis] - 1} : index",
            f"%f = arith.subi %last, %i{axis} : index",
        ]
        at = ", ".join("%f" if dim == axis else f"%i{dim}" for dim in range(rank))
        body += [f"%r = tensor.extract {x.name}[{at}] : {x.type}", f"linalg.yield %r : {x.dtype}"]
        maps = [map_of([f"d{i}" for i in range(rank)], rank)]
        name = self.generic([], maps, ["parallel"] * rank, init, kind, body, x.dtype)
        return self.rearranged(name, x, lambda a: np.flip(a, axis))

    def gather(self, x: Tensor, axis: int, numbers, given=False) -> Tensor:
        """Reads `axis` at a list or table of numbers, which may be written as if some were
        negative. They are a constant, or an argument: `given` says so, or is it."""
        shape = (*x.shape[:axis], *numbers.shape, *x.shape[axis + 1 :])
        at = given if isinstance(given, Tensor) else None
        if at is None:
            at = (
                self.argument(numbers.shape, "i64", numbers)
                if given
                else self.constant(numbers, "i64")
            )
        (init, kind), rank = self.init(shape, x.dtype), len(shape)
        body = [f"%i{dim} = linalg.index {dim} : index" for dim in range(rank)]
        number = "%a0"
        if self.rng.random() < 0.5:
            body += [
                "%zero = arith.constant 0 : i64",
                f"%size = arith.constant {x.shape[axis]} : i64",
                "%negative = arith.cmpi slt, %a0, %zero : i64",
                "%wrapped = arith.addi %a0, %size : i64",
                "%number = arith.select %negative, %wrapped, %a0 : i64",
            ]
            number = "%number"
        body += [f"%f = arith.index_cast {number} : i64 to index"]
        count = len(numbers.shape)
        places = [*range(axis), None, *range(axis + count, rank)]
        indices = ", ".join("%f" if dim is None else f"%i{dim}" for dim in places)
        body += [
            f"%r = tensor.extract {x.name}[{indices}] : {x.type}",
            f"linalg.yield %r : {x.dtype}",
        ]
        maps = [
            map_of([f"d{axis + i}" for i in range(count)], rank),
            map_of([f"d{i}" for i in range(rank)], rank),
        ]
        name = self.generic([at], maps, ["parallel"] * rank, init, kind, body, x.dtype)
        return self.rearranged(name, x, lambda a: np.take(a, numbers, axis))

    def broadcast(self, x: Tensor, shape) -> Tensor:
        """Repeats dimensions of size 1."""
        shape = tuple(shape)
        init, kind = self.init(shape, x.dtype)
        rank = len(shape)
        name = self.generic(
            [x], self.broadcast_maps([x], shape) + [map_of([f"d{i}" for i in range(rank)], rank)],
            ["parallel"] * rank, init, kind, [f"linalg.yield %a0 : {x.dtype}"], x.dtype,
        )  # fmt: skip
        return self.rearranged(name, x, lambda a: np.broadcast_to(a, shape))

    # --- Reductions and products ------------------------------------------------------

    def reduce(self, op: str, x: Tensor, axis: int, keep: bool) -> Tensor:
        mnemonic, start, compute = REDUCE[op]
        axis %= len(x.shape)
        shape = [1 if i == axis else s for i, s in enumerate(x.shape) if keep or i != axis]
        init, kind = self.init(shape, x.dtype, start)
        rank = len(x.shape)
        results = ["0" if i == axis else f"d{i}" for i in range(rank) if keep or i != axis]
        iterators = ["reduction" if i == axis else "parallel" for i in range(rank)]
        order = ("%a0", "%out") if self.rng.random() < 0.5 else ("%out", "%a0")
        name = self.generic(
            [x], [map_of([f"d{i}" for i in range(rank)], rank), map_of(results, rank)], iterators, init, kind,
            [f"%r = {mnemonic} {order[0]}, {order[1]} : {x.dtype}", f"linalg.yield %r : {x.dtype}"], x.dtype,
        )  # fmt: skip
        return self.rearranged(name, x, lambda a: compute(a, axis=axis, keepdims=keep))

    def einsum(self, equation: str, x: Tensor, y: Tensor, dtype: str | None = None) -> Tensor:
        """A contraction, with the operands in either order and the sum in `dtype`."""
        inputs, output = equation.replace(" ", "").split("->")
        first, second = inputs.split(",")
        dtype = dtype or x.dtype
        if self.rng.random() < 0.5:
            x, y, first, second = y, x, second, first
        sizes = dict(zip(first + second, x.shape + y.shape))
        summed = [c for c in dict.fromkeys(first + second) if c not in output]
        loops = list(output) + summed
        write = lambda letters: map_of([f"d{loops.index(c)}" for c in letters], len(loops))  # noqa: E731
        init, kind = self.init([sizes[c] for c in output], dtype, 0.0)
        body, names = [], []
        for i, operand in enumerate((x, y)):
            names.append(f"%a{i}" if operand.dtype == dtype else f"%w{i}")
            if operand.dtype != dtype:
                body.append(f"%w{i} = arith.extf %a{i} : {operand.dtype} to {dtype}")
        body += [f"%p = arith.mulf {names[0]}, {names[1]} : {dtype}"]
        body += [f"%r = arith.addf %out, %p : {dtype}", f"linalg.yield %r : {dtype}"]
        name = self.generic(
            [x, y], [write(first), write(second), write(output)],
            ["parallel"] * len(output) + ["reduction"] * len(summed), init, kind, body, dtype,
        )  # fmt: skip
        form = f"{first},{second}->{output}"
        return Tensor(name, dtype, np.einsum(form, x.own, y.own), np.einsum(form, x.xsa, y.xsa))

    def batch_matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """[N, I, J] x [N, J, K] as the named operation."""
        init, kind = self.init((x.shape[0], x.shape[1], y.shape[2]), x.dtype, 0.0)
        name = self.fresh()
        self.emit(
            f"{name} = linalg.batch_matmul ins({x.name}, {y.name} : {x.type}, {y.type})"
            f" outs({init} : {kind}) -> {kind}"
        )
        return Tensor(name, x.dtype, x.own @ y.own, x.xsa @ y.xsa)

    def softmax(self, x: Tensor, axis: int) -> Tensor:
        """The named operation."""
        init, kind = self.init(x.shape, x.dtype)
        name, axis = self.fresh(), axis % len(x.shape)
        self.emit(
            f"{name} = linalg.softmax dimension({axis}) ins({x.name} : {x.type}) outs({init} : {kind}) -> {kind}"
        )

        def compute(a):
            with np.errstate(all="ignore"):
                e = np.exp(a - a.max(axis, keepdims=True))
                return e / e.sum(axis, keepdims=True)

        return self.rearranged(name, x, compute)

    def loop(self, x: Tensor, body):
        """`body(x)` in a loop of one round, which the model does not know: its first result, and
        the further ones, which come with something that is kept with them."""
        rounds = self.argument((), "i64", 1)
        number, last, result = (self.fresh() for _ in range(3))
        first, step = self.scalar(0, "index"), self.scalar(1, "index")
        self.emit(f"{number} = tensor.extract {rounds.name}[] : {rounds.type}")
        self.emit(f"{last} = arith.index_cast {number} : i64 to index")
        isFor = self.rng.random() >= 0.4
        outside, self.lines, carried = self.lines, [], self.fresh()
        y, further = body(Tensor(carried, x.dtype, x.own, x.xsa))
        results = [y, *(tensor for tensor, _ in further)]
        inside, self.lines = self.lines, outside
        starts = [x.name, *(self.init(t.shape, t.dtype, 0.0)[0] for t in results[1:])]
        names = [carried, *(self.fresh() for _ in further)]
        write = self.write_for if isFor else self.write_while
        write(result, names, starts, results, inside, first, last, step)
        count = len(results) + (not isFor)
        whole = [result if count == 1 else f"{result}#{i}" for i in range(count)][not isFor :]
        y, *rest = (Tensor(n, t.dtype, t.own, t.xsa) for n, t in zip(whole, results))
        return y, [(tensor, kept) for tensor, (_, kept) in zip(rest, further)]

    def write_for(self, result, names, starts, results, inside, first, last, step) -> None:
        types = ", ".join(t.type for t in results)
        count = f":{len(results)}" if len(results) > 1 else ""
        self.emit(
            f"{result}{count} = scf.for %round = {first} to {last} step {step} iter_args("
            f"{', '.join(f'{n} = {s}' for n, s in zip(names, starts))}) -> ({types}) {{"
        )
        self.lines += inside
        self.emit(f"scf.yield {', '.join(t.name for t in results)} : {types}")
        self.emit("}")

    def write_while(self, result, names, starts, results, inside, first, last, step) -> None:
        count, goes, following = (self.fresh() for _ in range(3))
        types = ", ".join(["index", *(t.type for t in results)])
        passed = ", ".join([count, *names])
        self.emit(
            f"{result}:{len(results) + 1} = scf.while ({count} = {first}, "
            f"{', '.join(f'{n} = {s}' for n, s in zip(names, starts))}) : ({types}) -> ({types}) {{"
        )
        self.emit(f"{goes} = arith.cmpi slt, {count}, {last} : index")
        self.emit(f"scf.condition({goes}) {passed} : {types}")
        self.emit("} do {")
        arguments = [f"{n}: {t.type}" for n, t in zip(names, results)]
        self.emit(f"^bb0({', '.join([f'{count}: index', *arguments])}):")
        self.lines += inside
        self.emit(f"{following} = arith.addi {count}, {step} : index")
        self.emit(f"scf.yield {following}, {', '.join(t.name for t in results)} : {types}")
        self.emit("}")

    # --- The whole --------------------------------------------------------------------

    def module(self, results) -> str:
        arguments = ", ".join(f"{t.name}: {t.type}" for t in self.arguments)
        types = ", ".join(t.type for t in results)
        return "\n".join(
            [f"func.func @main({arguments}) -> ({types}) {{"]
            + self.lines
            + [f"  return {', '.join(t.name for t in results)} : {types}", "}", ""]
        )
