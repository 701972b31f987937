"""Compares what a kernel of `xsa.exclude` moved with the least it can.

exclude_traffic.py <stats.json> <bytes of an element> <heads that share own values> <rows of own values> <depth>
"""

import json
import sys

path = sys.argv[1]
element, group, rows, depth = (int(n) for n in sys.argv[2:])
with open(path) as file:
    kernels = json.load(file)["kernels"]
assert len(kernels) == 1, f"{len(kernels)} kernels for one exclusion"
kernel = kernels[0]
own, heads = element * rows * depth, element * rows * depth * group
for name, moved, least in (
    ("bytes loaded", kernel["global_load_bytes"], heads + own),
    ("bytes stored", kernel["global_store_bytes"], heads),
    ("sectors loaded", kernel["global_load_sectors"], (heads + own) / 32),
    ("sectors stored", kernel["global_store_sectors"], heads / 32),
):
    assert moved == least, f"{moved} {name}, {least:.0f} are ideal"
assert kernel["mma"] == 0 and kernel["shared_bank_conflicts"] == 0
