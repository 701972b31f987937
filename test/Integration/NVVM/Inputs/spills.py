"""What NVIDIA's assembler says of kernels: a line of registers and spilled bytes per case of benchmarks/kernels.py.

spills.py XSA_OPT BENCHMARKS CASE...
"""

import re
import subprocess
import sys


def main():
    xsa_opt, benchmarks, *names = sys.argv[1:]
    sys.path.insert(0, benchmarks)
    import kernels

    cases = {case.name: case for case in kernels.all_cases()}
    for name in names:
        module = subprocess.run(
            [xsa_opt, "--xsa-lower-to-nvvm-pipeline=chip=sm_80 format=isa strict=true"],
            input=cases[name].mlir(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        escaped = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', module)[1]
        ptx = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), escaped)
        log = subprocess.run(
            ["ptxas", "-O3", "-arch=sm_80", "-v", "-", "-o", "/dev/null"],
            input=ptx,
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        registers = re.search(r"Used (\d+) registers", log)[1]
        spilled = sum(map(int, re.findall(r"(\d+) bytes spill", log)))
        print(f"{name}: {registers} registers, {spilled} bytes spilled")


if __name__ == "__main__":
    main()
