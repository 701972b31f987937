"""Packs kernels, cases and xsa-replay into a folder for a machine with a GPU. scripts/gpu_bundle.sh is the command.

    gpu_bundle.py FOLDER [--bin build/bin] [--chips sm_80,sm_90,...] [--only TEXT] [--jobs N] [--images ptx|bitcode]

Each case is compiled and recorded by xsa-run once per chip, since tile sizes depend on it; ptxas makes machine code of
the recorded PTX, and a kernel that spills registers ends the job. With --images bitcode kernels stay LLVM bitcode, for a
driver that is an emulator.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import gpu_cases
from options import add_bin

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_BYTES = 50 * 1000 * 1000
README = """Kernels of XSA for MLIR, with what they should compute. On a machine with an NVIDIA driver:

    ./run > results.json

checks numbers and takes times; ./run --help lists options. Nothing else is needed.
"""


class Failure(Exception):
    pass


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip() or f"failed with exit status {done.returncode}"
        raise Failure(f"{command[0]}: {reason}")
    return done.stdout + done.stderr


class Kernels:
    """Files of kernels, each once, named by what is in them."""

    def __init__(self, folder, ptxas):
        self.folder, self.ptxas = folder, ptxas
        folder.mkdir()

    def add(self, data, suffix):
        path = self.folder / (hashlib.sha256(data).hexdigest()[:16] + suffix)
        path.write_bytes(data)
        return f"{self.folder.name}/{path.name}"

    def assemble(self, ptx, chip, scratch):
        """The machine code of recorded PTX, and what it takes."""
        cubin = scratch / "kernels.cubin"
        log = call(self.ptxas, "-O3", "-v", f"-arch={chip}", ptx, "-o", cubin)
        spills = [int(n) for n in re.findall(r"(\d+) bytes spill", log)]
        if not spills or any(spills):
            raise Failure(f"a kernel for {chip} spills {sum(spills)} bytes of registers")
        return cubin.read_bytes()


def wrap(bitcode):
    """Bitcode with a header that tells its length, which the driver's interface does not."""
    return struct.pack("<5I", 0x0B17C0DE, 0, 20, len(bitcode), 0) + bitcode


def record(case, chip, kernels, args):
    """What xsa-run launches for the case on a chip."""
    # The oldest chip's PTX runs everywhere; the newest's is made for what comes after.
    with_ptx = chip in (args.chips[0], args.chips[-1])
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        model = scratch / "model.mlir"
        model.write_text(case.module())
        call(
            args.bin / "xsa-run", model, "--target", "record", "--record", scratch,
            "--record-format", args.images, "--chip", chip,
        )  # fmt: skip
        recording = json.loads((scratch / "launches.json").read_text())
        del recording["chip"]
        for launch in recording["launches"]:
            image = scratch / launch.pop("image")
            if args.images == "bitcode":
                launch["cubin"] = launch["ptx"] = kernels.add(wrap(image.read_bytes()), ".bc")
            else:
                code = kernels.assemble(image, chip, scratch)
                launch["cubin"] = kernels.add(code, ".cubin")
                if with_ptx:
                    launch["ptx"] = kernels.add(image.read_bytes(), ".ptx")
        return recording


def describe(number, case, folder):
    """The case as the manifest has it, without its recordings; writes the expected rows."""
    seeds = [3 * number + i + 1 for i in range(len(case.input_shapes))]
    rows = gpu_cases.choose_rows(case)
    exact, plain = case.reference(rows, seeds)
    expected = folder / "expected" / f"{number}.f32"
    expected.write_bytes(exact.astype("<f4").tobytes())
    return {
        "name": case.name,
        "inputs": [
            {"dtype": case.dtype, "shape": shape, "seed": seed}
            for shape, seed in zip(case.input_shapes, seeds)
        ],
        "output": {
            "dtype": case.dtype,
            "rows": rows.tolist(),
            "row_length": exact.shape[-1],
            "expected": f"expected/{expected.name}",
            "plain_error": gpu_cases.plain_error(exact, plain),
        },
        "flops": case.flops,
        "bytes": case.bytes,
        "timed": case.timed,
        "recordings": {},
    }


def pack(folder, cases, args):
    (folder / "expected").mkdir()
    kernels = Kernels(folder / "kernels", args.ptxas)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        described = [
            pool.submit(describe, number, case, folder) for number, case in enumerate(cases)
        ]
        recorded = [
            {chip: pool.submit(record, case, chip, kernels, args) for chip in args.chips}
            for case in cases
        ]
        entries = []
        for case, entry, recordings in zip(cases, described, recorded):
            print(case.name, flush=True)
            entries.append(entry.result())
            for chip, recording in recordings.items():
                try:
                    entries[-1]["recordings"][chip] = recording.result()
                except Failure as failure:
                    pool.shutdown(cancel_futures=True)
                    raise Failure(f"{case.name}: {failure}") from failure
    ptxas = (
        re.search(r"V([\d.]+)", call(args.ptxas, "--version"))[1] if args.images == "ptx" else ""
    )
    version = re.search(
        r"VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1]
    )
    manifest = {"format": 1, "version": version[1], "ptxas": ptxas, "cases": entries}
    (folder / "manifest.json").write_text(json.dumps(manifest, separators=(",", ":")))
    (folder / "README.txt").write_text(README)
    shutil.copy(args.bin / "xsa-replay", folder / "run")


def parse_chips(text):
    """A list of chips, oldest first."""
    chips = text.split(",")
    for chip in chips:
        if not re.fullmatch(r"sm_[0-9]+", chip):
            raise argparse.ArgumentTypeError(f"expected chips such as sm_80,sm_90, got '{chip}'")
    return sorted(chips, key=lambda chip: int(chip.removeprefix("sm_")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="folder to make; must not exist")
    add_bin(parser)
    parser.add_argument(
        "--chips",
        type=parse_chips,
        default="sm_80,sm_90,sm_100,sm_120",
        help="chips to pack machine code for, with commas (default: %(default)s)",
    )
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--jobs", type=int, default=2, help="cases made at once (default: 2)")
    parser.add_argument(
        "--images",
        choices=["ptx", "bitcode"],
        default="ptx",
        help="form of the kernels: ptx (default) with machine code, or bitcode for the emulator",
    )
    parser.add_argument(
        "--ptxas",
        default="ptxas",
        help="the assembler of the CUDA toolkit (default: the one in PATH)",
    )
    args = parser.parse_args()
    cases = [case for case in gpu_cases.cases() if args.only in case.name]
    try:
        if not cases:
            raise Failure(f"no case has '{args.only}' in its name")
        if args.folder.exists():
            raise Failure(f"'{args.folder}' exists already")
        args.folder.parent.mkdir(parents=True, exist_ok=True)
        # The folder has its name when all is in it.
        with tempfile.TemporaryDirectory(dir=args.folder.parent) as aside:
            partial = pathlib.Path(aside) / args.folder.name
            partial.mkdir()
            pack(partial, cases, args)
            size = sum(path.stat().st_size for path in partial.rglob("*") if path.is_file())
            if size > MAX_BYTES:
                raise Failure(f"the bundle has {size} bytes, more than {MAX_BYTES}")
            partial.rename(args.folder)
    except (Failure, OSError) as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    print(f"{len(cases)} cases for {', '.join(args.chips)}, {size / 1e6:.1f} MB in {args.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
