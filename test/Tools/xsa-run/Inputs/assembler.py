"""Stands in for ptxas where the driver is an emulator, which runs bitcode and no machine code.

It is called as ptxas is, by xsa-run --target cuda, with a kernel's PTX. What it gives is the bitcode of the same kernels,
recorded for the chip that it is asked for. The environment names XSA_RUN, the MODEL, and a LOG that each call is noted in.
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile


def main():
    words = sys.argv[1:]
    chip, output = words[words.index("-arch") + 1], words[words.index("-o") + 1]
    (source,) = (word for word in words if word.endswith(".ptx"))
    target = re.search(r"^\.target (\w+)", pathlib.Path(source).read_text(), re.MULTILINE)[1]
    with open(os.environ["LOG"], "a") as log:
        print(f"assembled {target} for {chip}", file=log)
    with tempfile.TemporaryDirectory() as folder:
        record = ["--target", "record", "--record", folder, "--record-format", "bitcode"]
        subprocess.run(
            [os.environ["XSA_RUN"], os.environ["MODEL"], *record, "--chip", chip], check=True
        )
        (bitcode,) = pathlib.Path(folder).glob("*.bc")
        code = bitcode.read_bytes()
    # A header tells the length, which the driver's interface does not.
    pathlib.Path(output).write_bytes(struct.pack("<5I", 0x0B17C0DE, 0, 20, len(code), 0) + code)


if __name__ == "__main__":
    main()
