"""Computes linalg on tensors with numpy, from MLIR's generic form.

A second opinion on what a rewritten model computes that needs no compiler: functions of
structured operations, element by element in float64 and int64. Loops over parallel
dimensions are numpy's, those over reductions are Python's, so a body may be anything.
"""

import json
import math
import re
import struct

import numpy as np

HEAD = re.compile(r'\s*(?:(%\w+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)(.*)$')
BLOCK = re.compile(r"\s*\^\w+(?:\((.*)\))?:$")
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
FORMATS = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i64": "<i8", "i32": "<i4", "i16": "<i2", "i8": "i1"}  # fmt: skip

# --- Text -------------------------------------------------------------------------------


def find_end(text: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`."""
    stack, i = [], start
    while i < len(text):
        c = text[i]
        if c == '"':
            i = text.index('"', i + 1)
        elif c in CLOSING:
            stack.append(CLOSING[c])
        elif stack and c == stack[-1] and text[i - 1 : i + 1] != "->":
            stack.pop()
            if not stack:
                return i + 1
        i += 1
    raise ValueError(f"unbalanced: {text[start : start + 40]}")


def split_top(text: str) -> list[str]:
    """Splits at commas outside of brackets."""
    parts, begin, i = [], 0, 0
    while i < len(text):
        if text[i] in CLOSING:
            i = find_end(text, i)
            continue
        if text[i] == '"':
            i = text.index('"', i + 1)
        elif text[i] == ",":
            parts.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    last = text[begin:].strip()
    return parts + [last] if last else parts


def parse_dictionary(text: str) -> dict[str, str]:
    pairs = (part.partition(" = ") for part in split_top(text))
    return {name.strip('" '): value for name, _, value in pairs}


def parse_integers(text: str | None) -> list[int]:
    """`array<i64: 1, 2>` or `[1, 2]`."""
    return [int(n) for n in re.findall(r"-?\d+", (text or "").partition(":")[2] or text or "")]


def parse_shape(kind: str):
    """Sizes (None where unknown) and element type of a ranked tensor."""
    *sizes, element = kind[kind.index("<") + 1 : kind.rindex(">")].split(",")[0].split("x")
    return [None if s == "?" else int(s) for s in sizes], element


def to_array(values, element: str) -> np.ndarray:
    if element == "i1":
        return np.asarray(values).astype(bool)
    return np.asarray(values).astype(np.float64 if "f" in element else np.int64)


def decode_bits(bits: int, element: str) -> float:
    if element == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    size = int(element[1:]) // 8
    return struct.unpack({8: "<d", 4: "<f", 2: "<e"}[size], bits.to_bytes(size, "little"))[0]


def parse_number(text: str, element: str):
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("0x") and "f" in element:
        return decode_bits(int(text, 16), element)
    if element == "f32":  # written in as few digits as tell it from its neighbours
        return float(np.float32(text))
    return float(text) if "f" in element else int(text, 0)


def parse_bytes(text: str, element: str) -> np.ndarray:
    raw = bytes.fromhex(text)
    if element == "i1":
        return np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
    if element == "bf16":
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, FORMATS[element])


def parse_constant(text: str, resources):
    """`1.0 : f32`, `true`, `dense<...> : tensor<...>`."""
    if text.startswith("dense_resource"):
        end = find_end(text, text.index("<"))
        shape, element = parse_shape(text[end + 3 :])
        # Behind the alignment of the data, in four bytes.
        return to_array(
            parse_bytes(resources[text[15 : end - 1]][8:], element).reshape(shape), element
        )
    if not text.startswith("dense"):
        number, _, element = text.partition(" : ")
        return to_array(parse_number(number, element or "i1"), element or "i1")[()]
    end = find_end(text, text.index("<"))
    body, (shape, element) = text[6 : end - 1], parse_shape(text[end + 3 :])
    if not body:
        return to_array(np.zeros(shape), element)
    if body.startswith('"'):
        flat = parse_bytes(body[3:-1], element)[: math.prod(shape)]
        return to_array(flat.reshape(shape) if flat.size > 1 else np.full(shape, flat), element)
    if not body.startswith("["):
        return to_array(np.full(shape, parse_number(body, element)), element)
    body = re.sub("0x[0-9A-F]+", lambda m: repr(parse_number(m[0], element)), body)
    body = body.replace("inf", "Infinity").replace("nan", "NaN")
    return to_array(json.loads(body), element)


class Map:
    """An affine map; its results are Python expressions of `d`."""

    def __init__(self, text: str):
        dims, results = re.match(r"affine_map<\((.*?)\)(?:\[\])? -> \((.*)\)>", text).groups()
        self.rank = len(split_top(dims))
        self.results = split_top(results)
        self.dims = [int(r[1:]) if re.fullmatch(r"d\d+", r) else None for r in self.results]
        self.codes = [
            re.sub(r"d(\d+)", r"d[\1]", r.replace("floordiv", "//").replace("mod", "%"))
            for r in self.results
        ]

    def apply(self, d):
        return tuple(eval(code, {"d": d}) for code in self.codes)


class Op:
    def __init__(self, name, results, operands, regions, props, types):
        self.name, self.results, self.operands = name, results, operands
        self.regions, self.props, self.types = regions, props, types


class Parser:
    """Reads MLIR's generic form, which has an operation or a block's head per line."""

    def __init__(self, text: str):
        self.lines = [line for line in text.splitlines() if line]
        self.position = 0
        self.aliases = {}
        while self.lines[self.position].startswith("#"):
            name, _, value = self.lines[self.position].partition(" = ")
            self.aliases[name] = Map(value) if value.startswith("affine_map") else value
            self.position += 1

    def map(self, text: str) -> Map:
        return self.aliases[text] if text in self.aliases else Map(text)

    def maps(self, text: str) -> list[Map]:
        return [self.map(part) for part in split_top(text[1:-1])]

    def parse_op(self) -> Op:
        result, count, name, operands, rest = HEAD.match(self.lines[self.position]).groups()
        self.position += 1
        results = []
        if result:
            results = [f"{result}#{i}" for i in range(int(count))] if count else [result]
        props, regions = {}, []
        rest = rest.strip()
        if rest.startswith("<{"):
            end = find_end(rest, 0)
            props, rest = parse_dictionary(rest[2 : end - 2]), rest[end:].strip()
        while rest in ("({", "}, {"):
            regions.append(self.parse_region())
            rest = self.lines[self.position].strip()
            self.position += 1
        rest = rest.removeprefix("})").strip()
        if rest.startswith("{"):
            end = find_end(rest, 0)
            props, rest = props | parse_dictionary(rest[1 : end - 1]), rest[end:].strip()
        types = rest[rest.index("(", rest.index(":")) :]
        end = find_end(types, 0)
        produced = types[end:].partition("-> ")[2]
        if produced.startswith("("):
            produced = produced[1:-1]
        types = split_top(types[1 : end - 1]), split_top(produced)
        if "indexing_maps" in props:
            props["indexing_maps"] = self.maps(props["indexing_maps"])
        return Op(name, results, split_top(operands), regions, props, types)

    def parse_region(self):
        """Arguments and operations of a single block."""
        arguments, ops = [], []
        while not (line := self.lines[self.position]).lstrip().startswith("}"):
            if block := BLOCK.match(line):
                arguments = [a.partition(":")[0] for a in split_top(block[1] or "")]
                self.position += 1
            else:
                ops.append(self.parse_op())
        return arguments, ops


# --- Elements ---------------------------------------------------------------------------

COMPARE = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
COMPARE += COMPARE[2:]  # unsigned: positions are not negative


def compare_floats(predicate: int, a, b):
    """Bit 0: equal, 1: greater, 2: less, 3: unordered, from the order of arith's cases."""
    cases = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15]
    case, nan = cases[predicate], np.isnan(a) | np.isnan(b)
    result = (a == b) & bool(case & 1) | (a > b) & bool(case & 2) | (a < b) & bool(case & 4)
    return result & ~nan | nan & bool(case & 8)


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def divide(a, b):
    return np.floor_divide(a, np.where(b == 0, 1, b))


def truncating_divide(a, b):
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.maximum(np.abs(b), 1))


ELEMENTWISE = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide,
    "arith.negf": np.negative, "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin, "arith.remf": np.fmod,
    "arith.addi": np.add, "arith.subi": np.subtract, "arith.muli": np.multiply,
    "arith.maxsi": np.maximum, "arith.minsi": np.minimum, "arith.maxui": np.maximum, "arith.minui": np.minimum,
    "arith.floordivsi": divide, "arith.divsi": truncating_divide, "arith.divui": divide,
    "arith.ceildivsi": lambda a, b: -divide(-a, b), "arith.shrsi": np.right_shift,
    "arith.remsi": lambda a, b: a - truncating_divide(a, b) * b, "arith.remui": lambda a, b: a - divide(a, b) * b,
    "arith.select": np.where,
    "arith.sitofp": lambda x: np.float64(x), "arith.uitofp": lambda x: np.float64(x),
    "arith.fptosi": lambda x: np.trunc(x).astype(np.int64), "arith.fptoui": lambda x: np.trunc(x).astype(np.int64),
    "arith.extui": lambda x: np.asarray(x).astype(np.int64)[()],
    "math.exp": np.exp, "math.exp2": np.exp2, "math.log": np.log, "math.log1p": np.log1p, "math.expm1": np.expm1,
    "math.log2": np.log2, "math.tanh": np.tanh, "math.sqrt": np.sqrt, "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.absf": np.abs, "math.absi": np.abs, "math.erf": erf, "math.sin": np.sin, "math.cos": np.cos,
    "math.floor": np.floor, "math.ceil": np.ceil, "math.roundeven": np.rint,
    "math.powf": np.power, "math.fpowi": lambda x, n: np.power(x, np.float64(n)),
    "math.fma": lambda a, b, c: a * b + c,
    "math.isnan": np.isnan,
}  # fmt: skip
UNCHANGED = ("arith.extf", "arith.truncf", "arith.index_cast", "arith.index_castui", "tensor.cast", "arith.bitcast")  # fmt: skip
BITWISE = {"arith.andi": np.bitwise_and, "arith.ori": np.bitwise_or, "arith.xori": np.bitwise_xor}


def truncate(x, kind: str):
    bits = int(kind[1:])
    if bits == 1:
        return (np.asarray(x) & 1).astype(bool)[()]
    half = 1 << (bits - 1)
    return (np.asarray(x) + half) % (2 * half) - half


# --- Functions --------------------------------------------------------------------------


class Interpreter:
    def __init__(self, text: str):
        text, _, resources = text.partition("{-#")
        self.resources = dict(re.findall(r'(\S+): "0x([0-9A-F]+)"', resources))
        parser = Parser(text)
        module = parser.parse_op()
        self.functions = {}
        for op in module.regions[0][1]:
            if op.name == "func.func" and op.regions[0][1]:
                self.functions[op.props["sym_name"].strip('"')] = op

    def call(self, name: str, arrays) -> list[np.ndarray]:
        function = self.functions[name]
        signature = function.props["function_type"]
        kinds = split_top(signature[1 : find_end(signature, 0) - 1])
        values = [to_array(a, parse_shape(kind)[1]) for a, kind in zip(arrays, kinds)]
        with np.errstate(all="ignore"):
            return self.run_region(function.regions[0], values, {}, [])

    def run_region(self, region, arguments, outer: dict, loops):
        """What the terminator yields. `loops` are the indices of the operation's loops."""
        names, ops = region
        env = dict(outer)
        env.update(zip(names, arguments))
        for op in ops:
            operands = [env[name] for name in op.operands]
            if op.name in ("func.return", "linalg.yield", "scf.yield", "tensor.yield"):
                return operands
            if op.name == "scf.condition":
                return operands
            results = self.run(op, operands, env, loops)
            env.update(zip(op.results, results))
        return []

    def run(self, op: Op, x, env, loops):
        name = op.name
        if name in ELEMENTWISE:
            return [ELEMENTWISE[name](*x)]
        if name in UNCHANGED:
            return x
        if name in BITWISE:
            return [BITWISE[name](*x)]
        method = getattr(self, "run_" + name.replace(".", "_"), None)
        if method is None:
            raise NotImplementedError(name)
        return method(op, x, env, loops)

    # --- Scalars ------------------------------------------------------------------------

    def run_arith_constant(self, op, x, env, loops):
        if "cached" not in op.props:
            op.props["cached"] = parse_constant(op.props["value"], self.resources)
        return [op.props["cached"]]

    def run_arith_cmpi(self, op, x, env, loops):
        return [COMPARE[int(op.props["predicate"].split()[0])](*x)]

    def run_arith_cmpf(self, op, x, env, loops):
        return [compare_floats(int(op.props["predicate"].split()[0]), *x)]

    def run_arith_trunci(self, op, x, env, loops):
        return [truncate(x[0], parse_element(op.types[1][0]))]

    def run_arith_extsi(self, op, x, env, loops):
        wide = np.asarray(x[0]).astype(np.int64)[()]
        return [-wide if parse_element(op.types[0][0]) == "i1" else wide]

    def run_linalg_index(self, op, x, env, loops):
        return [loops[int(op.props["dim"].split()[0])]]

    def run_cf_assert(self, op, x, env, loops):
        return []

    def run_affine_apply(self, op, x, env, loops):
        return list(Map(op.props["map"]).apply(x))

    # --- Control ------------------------------------------------------------------------

    def run_scf_for(self, op, x, env, loops):
        carried = x[3:]
        for i in range(int(x[0]), int(x[1]), int(x[2])):
            carried = self.run_region(op.regions[0], [np.int64(i), *carried], env, loops)
        return carried

    def run_scf_while(self, op, x, env, loops):
        carried = x
        while True:
            going, *passed = self.run_region(op.regions[0], carried, env, loops)
            if not going:
                return passed
            carried = self.run_region(op.regions[1], passed, env, loops)

    def run_scf_if(self, op, x, env, loops):
        return self.run_region(op.regions[0 if x[0] else 1], [], env, loops)

    # --- Tensors ------------------------------------------------------------------------

    def sizes_of(self, op, x) -> list[int]:
        """The result's shape; unknown sizes are operands in order."""
        unknown = iter(x)
        shape, _ = parse_shape(op.types[1][0])
        return [int(next(unknown)) if s is None else s for s in shape]

    def run_tensor_empty(self, op, x, env, loops):
        # NaN shows where something is read that was never written.
        element = parse_shape(op.types[1][0])[1]
        fill = np.nan if "f" in element else 0
        return [to_array(np.full(self.sizes_of(op, x), fill), element)]

    def run_tensor_dim(self, op, x, env, loops):
        return [np.int64(x[0].shape[int(x[1])])]

    def run_tensor_extract(self, op, x, env, loops):
        tensor, *indices = x
        # Lanes of a vectorised body that are not selected may point anywhere.
        inside = [np.clip(i, 0, size - 1) for i, size in zip(indices, tensor.shape)]
        return [tensor[tuple(inside)]]

    def run_tensor_from_elements(self, op, x, env, loops):
        shape, element = parse_shape(op.types[1][0])
        return [to_array(np.reshape(np.stack(x), shape), element)]

    def run_tensor_splat(self, op, x, env, loops):
        return [np.full(self.sizes_of(op, x[1:]), x[0])]

    def run_tensor_collapse_shape(self, op, x, env, loops):
        groups = json.loads(op.props["reassociation"].replace(" : i64", ""))
        return [x[0].reshape([math.prod(x[0].shape[i] for i in group) for group in groups])]

    def run_tensor_expand_shape(self, op, x, env, loops):
        unknown = iter(x[1:])
        static = parse_integers(op.props["static_output_shape"])
        return [x[0].reshape([int(next(unknown)) if s < 0 else s for s in static])]

    def run_tensor_reshape(self, op, x, env, loops):
        return [x[0].reshape([int(s) for s in x[1]])]

    def mixed(self, op, x, names):
        """The static lists with operands in place of what is dynamic."""
        unknown = iter(x)
        return [
            [int(next(unknown)) if n == -(2**63) else n for n in parse_integers(op.props.get(name))]
            for name in names
        ]

    def slices(self, op, x):
        names = ("static_offsets", "static_sizes", "static_strides")
        offsets, sizes, strides = self.mixed(op, x, names)
        return tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(offsets, sizes, strides))

    def run_tensor_extract_slice(self, op, x, env, loops):
        part = x[0][self.slices(op, x[1:])]
        shape, _ = parse_shape(op.types[1][0])
        if len(shape) == part.ndim:
            return [part]
        # Dimensions of size 1 that are not in the result.
        kept, rest = [], list(shape)
        for size in part.shape:
            if rest and (rest[0] == size or (rest[0] is None and size != 1)):
                kept.append(size)
                rest = rest[1:]
            elif size != 1:
                kept.append(size)
        return [part.reshape([s if s is not None else k for s, k in zip(shape, kept)])]

    def run_tensor_insert_slice(self, op, x, env, loops):
        result = x[1].copy()
        target = self.slices(op, x[2:])
        result[target] = x[0].reshape(result[target].shape)
        return [result]

    def run_tensor_concat(self, op, x, env, loops):
        return [np.concatenate(x, int(op.props["dim"].split()[0]))]

    def run_tensor_pad(self, op, x, env, loops):
        low, high = self.mixed(op, x[1:], ("static_low", "static_high"))
        value = self.run_region(op.regions[0], [], env, [])[0]
        return [np.pad(x[0], list(zip(low, high)), constant_values=value)]

    def run_tensor_generate(self, op, x, env, loops):
        shape = self.sizes_of(op, x)
        grid = list(np.indices(shape))
        names, ops = op.regions[0]
        return [np.broadcast_to(self.run_region((names, ops), grid, env, grid)[0], shape)]

    # --- Structured operations ----------------------------------------------------------

    def run_linalg_generic(self, op, x, env, loops):
        maps = op.props["indexing_maps"]
        reduced = ["reduction" in i for i in split_top(op.props["iterator_types"][1:-1])]
        extents: list[int | None] = [None] * len(reduced)
        for operand, map_ in zip(x, maps):
            for size, dim in zip(np.shape(operand), map_.dims):
                if dim is not None:
                    extents[dim] = size
        numInputs = parse_integers(op.props["operandSegmentSizes"])[0]
        grid = [
            np.arange(extent).reshape([-1 if i == dim else 1 for i in range(len(extents))])
            for dim, extent in enumerate(extents)
        ]
        results = list(x[numInputs:])
        inputs = [at(operand, map_, grid) for operand, map_ in zip(x[:numInputs], maps)]
        outputs = [at(out, map_, grid) for out, map_ in zip(results, maps[numInputs:])]
        outputs = [first_of(out, reduced) for out in outputs]
        for point in np.ndindex(*[e for e, r in zip(extents, reduced) if r]):
            index = iter(point)
            where = [next(index) if r else None for r in reduced]
            now = [part(i, where) for i in inputs]
            at_loops = [np.int64(w) if w is not None else g for w, g in zip(where, grid)]
            outputs = self.run_region(op.regions[0], now + outputs, env, at_loops)
        shape = [1 if r else e for e, r in zip(extents, reduced)]
        return [
            store(np.broadcast_to(out, shape), map_, like)
            for out, map_, like in zip(outputs, maps[numInputs:], results)
        ]

    def run_linalg_softmax(self, op, x, env, loops):
        axis = int(op.props["dimension"].split()[0])
        e = np.exp(x[0] - x[0].max(axis, keepdims=True))
        return [e / e.sum(axis, keepdims=True)]


def parse_element(kind: str) -> str:
    return parse_shape(kind)[1] if kind.startswith("tensor") else kind


def at(operand, map_: Map, grid):
    """`operand` at each point of the loops, as an array that broadcasts over them."""
    operand = np.asarray(operand)
    used = [d for d in map_.dims if d is not None]
    constants = [c for c, d in zip(map_.results, map_.dims) if d is None]
    if all(c == "0" for c in constants) and len(set(used)) == len(used):
        operand = operand[tuple(0 if d is None else slice(None) for d in map_.dims)]
        operand = operand.transpose(np.argsort(used)) if used else operand
        sizes = dict(zip(sorted(used), operand.shape))
        return operand.reshape([sizes.get(d, 1) for d in range(map_.rank)])
    return operand[map_.apply(grid)] if map_.results else operand.reshape([1] * map_.rank)


def part(operand, where):
    """At one point of the reductions, which keep a dimension of size 1."""
    index = tuple(
        slice(None) if w is None or size == 1 else slice(w, w + 1)
        for w, size in zip(where, operand.shape)
    )
    return operand[index]


def first_of(operand, reduced):
    return operand[tuple(slice(0, 1) if r else slice(None) for r in reduced)]


def store(value, map_: Map, like):
    """From loops to the dimensions of the result."""
    used = [d for d in map_.dims if d is not None]
    rest = [d for d in range(map_.rank) if d not in used]
    value = value.transpose(used + rest).reshape([value.shape[d] for d in used])
    return value.reshape(np.shape(like))
