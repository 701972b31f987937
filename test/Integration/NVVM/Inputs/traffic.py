"""Compares the bytes that kernels loaded with those of the tiles they visited.

traffic.py <tokens> <depth> <own values loaded, 0 or 1> <plain.json> <exclusive.json>
"""

import json
import sys

tokens, depth, own = map(int, sys.argv[1:4])
plain, exclusive = (json.load(open(path))["kernels"] for path in sys.argv[4:6])
assert len(plain) == len(exclusive) == 1, "expected one kernel per attention"
plain, exclusive = plain[0], exclusive[0]

# A key tile costs a block query_tile * key_tile * depth / 1024 products of 16 x 8 x 16 in two matrix products, and a column
# of 8 for the sums of weights, which says how many keys all blocks together have visited.
query_tile = tokens / plain["grid"][0]
keys = plain["mma"] * 1024 / (query_tile * (depth + 4))
ideal = 2 * depth * (2 * keys + tokens)
assert keys >= tokens * (tokens + query_tile) / (2 * query_tile), "keys were left out"
loaded, added = (
    plain["global_load_bytes"],
    exclusive["global_load_bytes"] - plain["global_load_bytes"],
)
assert loaded <= 1.05 * ideal, f"{loaded} bytes were loaded, {ideal:.0f} are ideal"
assert added == own * 2 * depth * tokens, f"exclusion adds {added} bytes to {loaded}"
assert plain["mma"] == exclusive["mma"], "exclusion adds matrix products"
for kernel in (plain, exclusive):
    assert kernel["shared_bank_conflicts"] == 0, f"{kernel['shared_bank_conflicts']} bank conflicts"
    assert kernel["global_load_sectors"] * 32 == kernel["global_load_bytes"], (
        "parts of sectors were loaded"
    )
    assert kernel["global_store_bytes"] == 2 * depth * tokens, "the result was not stored once"
