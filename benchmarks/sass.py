"""Instructions of a kernel and of its main loop, from PTX or from a cubin's machine code."""

import collections
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess

# What an instruction keeps busy, by its name in machine code and in PTX; the first match counts.
KINDS = [
    ("mma", r"[HIQD]G?MMA|mma\.|wgmma\.mma"),
    ("ldmatrix", r"LDSM|ldmatrix"),
    ("copy", r"LDGSTS|UBLKCP|UTMA|cp\.async\.c[ag]|cp\.async\.bulk"),
    ("sync", r"BAR|DEPBAR|LDGDEPBAR|WARPSYNC|SYNCS|MEMBAR|FENCE|bar\.|barrier|cp\.async"),
    ("local", r"LDL|STL|ld\.local|st\.local"),
    ("shared", r"LDS|STS|(ld|st)\.shared"),
    ("global", r"LDG|STG|LD\b|ST\b|(ld|st)\.global"),
    ("special", r"MUFU|ex2|lg2|rcp|rsqrt|sqrt|tanh"),
    ("shuffle", r"SHFL|VOTE|REDUX|shfl|vote|redux"),
    (
        "float",
        r"F(FMA|MUL|ADD|MNMX|SEL|SETP|SET|CHK|2F)|H(FMA|ADD|MUL|MNMX|SET)|F2FP"
        r"|(fma|mul|add|sub|max|min|neg|setp\.\w+|selp|div\.rn)\.(rn\.|ftz\.|NaN\.)*f(16|32)|cvt\.rn\.",
    ),
    ("control", r"BRA|BSSY|BSYNC|EXIT|NOP|CALL|RET|BREAK|YIELD|bra|ret|call"),
]


def find_tool(name: str) -> str | None:
    """The tool, on the path or as a Python package has it; None without one."""
    if found := os.environ.get(name.upper()) or shutil.which(name):
        return found
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations if spec else []:
        for path in sorted(pathlib.Path(root).glob(f"*/bin/{name}")):
            return str(path)
    return None


def kind_of(instruction: str) -> str:
    return next((kind for kind, name in KINDS if re.match(name, instruction)), "integer")


def count(instructions) -> collections.Counter:
    return collections.Counter(kind_of(text) for _, text in instructions)


class Kernel:
    """Instructions with their addresses, and its loops as lists of them."""

    def __init__(self, instructions, loops):
        self.instructions = instructions
        self.loops = loops

    def main_loop(self):
        """The innermost loop with most matrix instructions; without any of them, with most
        arithmetic."""
        best = []
        unit = "mma" if count(self.instructions)["mma"] else "float"
        for body in self.loops:
            work, most = count(body)[unit], count(best)[unit]
            if work and (work > most or (work == most and len(body) < len(best))):
                best = body
        return best


def back_edges(successors):
    """The edges to a block on the way to their start from the first block."""
    edges, path, done, pending = [], [], set(), [(0, False)]
    while pending:
        block, leaves = pending.pop()
        if leaves:
            path.pop()
            done.add(block)
            continue
        if block in done or block in path:
            continue
        path.append(block)
        pending.append((block, True))
        for target in successors[block]:
            if target in path:
                edges.append((block, target))
            else:
                pending.append((target, False))
    return edges


def natural_loop(blocks, successors, latch, header):
    """The instructions of the blocks that come to the latch without passing the header."""
    predecessors = collections.defaultdict(list)
    for block, targets in successors.items():
        for target in targets:
            predecessors[target].append(block)
    inside, pending = {header, latch}, [latch] if latch != header else []
    while pending:
        for block in predecessors[pending.pop()]:
            if block not in inside:
                inside.add(block)
                pending.append(block)
    return [entry for block in sorted(inside) for entry in blocks[block]]


def from_ptx(text: str) -> Kernel:
    """Virtual instructions: what is asked of the assembler, before it has its say. Blocks of one
    loop need not stand together."""
    blocks, labels, statement = [[]], {}, ""
    for number, line in enumerate(text.splitlines()):
        line = line.strip()
        if label := re.match(r"(\$\w+):", line):
            labels[label[1]] = len(blocks)
            blocks.append([])
            continue
        if line.startswith((".", "//")):
            continue
        # Operands may stand on lines of their own.
        statement = f"{statement} {line}".strip()
        if line.endswith(";"):
            blocks[-1].append((number, statement.lstrip("{() \t")))
            if re.match(r"(@\S+\s+)?(bra|ret)\b", blocks[-1][-1][1]):
                blocks.append([])
            statement = ""
    successors = collections.defaultdict(list)
    for number, block in enumerate(blocks):
        last = block[-1][1] if block else ""
        if jump := re.search(r"\bbra(?:\.uni)?\s+(\$\w+);", last):
            successors[number].append(labels[jump[1]])
        if not re.match(r"(bra|ret)\b", last) and number + 1 < len(blocks):
            successors[number].append(number + 1)
    blocks = [[(at, re.sub(r"^@\S+\s+", "", body)) for at, body in block] for block in blocks]
    edges = back_edges(successors)
    loops = [natural_loop(blocks, successors, latch, header) for latch, header in edges]
    return Kernel([entry for block in blocks for entry in block], loops)


def from_cubin(path: str) -> dict[str, Kernel]:
    """The kernels of a cubin by name."""
    listing = subprocess.run(
        [find_tool("cuobjdump"), "-sass", path], capture_output=True, text=True, check=True
    ).stdout
    kernels = {}
    for part in re.split(r"Function : ", listing)[1:]:
        instructions, loops = [], []
        for address, text in re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?);", part):
            body = re.sub(r"^@!?U?P\w+\s+", "", text.strip())
            instructions.append((int(address, 16), body))
            jump = re.match(r"BRA\S*\s.*?0x([0-9a-f]+)", body)
            if jump and int(jump[1], 16) <= int(address, 16):
                loops.append([entry for entry in instructions if entry[0] >= int(jump[1], 16)])
        kernels[part.split(None, 1)[0]] = Kernel(instructions, loops)
    return kernels
