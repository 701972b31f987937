"""What collectives.ll has to compute."""

import sys

import numpy as np

lane = np.arange(32)
t = np.arange(70)
EXPECTED = {
    "lanes": [
        np.where(lane % 8 >= 3, lane - 3, lane),
        np.where(lane + 5 < 32, lane + 5, lane),
        lane * 3 % 32,
        lane ^ 10,
        np.full(32, 0xAAAAAAAA),
        np.zeros(32),
        np.array([sum(1 << j for j in range(32) if j % 5 == i % 5) for i in lane]),
        np.where(lane < 16, sum(range(16)), sum(range(16, 32))),
        np.full(32, 31),
        lane == 0,
        # Bytes 5, 0, 4 and 7 of (low, lane), below.
        None,
    ],
    "threads": [np.full(70, 24), np.ones(70), np.full(70, 31), np.where(t % 2, t, 0)],
    "producer": [lane ^ 63],
}

got = np.load(sys.argv[2])["r"].view(np.uint32).astype(np.int64)
if sys.argv[1] == "producer":
    got = got[None]
low, selector = -2130640639 & 0xFFFFFFFF, 29701
for row, want in enumerate(EXPECTED[sys.argv[1]]):
    if want is None:
        parts = [(low >> 8 * i) & 255 for i in range(4)]
        want = []
        for own in lane:
            both = parts + [own & 255, 0, 0, 0]
            want.append(sum(both[selector >> 4 * i & 7] << 8 * i for i in range(4)))
    want = np.asarray(want, np.int64) & 0xFFFFFFFF
    assert np.array_equal(got[row], want), (row, got[row], want)
