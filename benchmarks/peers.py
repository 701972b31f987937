"""Other implementations of attention, each with the paper's two lines after it.

One class per package. A package that does not import, or refuses a case, takes no part.
"""

import time

import numpy as np


class Peer:
    """Times a function that computes the case and waits for the result."""

    name = ""

    def turn(self, calls: int) -> list[float]:
        times = []
        for _ in range(calls):
            start = time.perf_counter()
            self.call()
            times.append(time.perf_counter() - start)
        return times


class Torch(Peer):
    name = "torch"

    def __init__(self, case, arrays: list[np.ndarray], threads: int):
        import torch

        self.torch, self.case = torch, case
        torch.set_num_threads(threads)
        dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[case.dtype]
        self.q, self.k, self.v = (torch.from_numpy(x).to(dtype) for x in arrays)
        self.call()

    def call(self):
        functional = self.torch.nn.functional
        with self.torch.no_grad():
            y = functional.scaled_dot_product_attention(
                self.q,
                self.k,
                self.v,
                is_causal=self.case.causal,
                enable_gqa=self.case.heads != self.case.kv_heads,
            )
            if not self.case.exclusive:
                return y
            v = self.v.repeat_interleave(self.case.heads // self.case.kv_heads, 1)
            vn = functional.normalize(v, dim=-1)
            return y - (y * vn).sum(-1, keepdim=True) * vn


class TorchRows(Torch):
    """Decoding with the heads of a group as query rows, which is faster than enable_gqa."""

    name = "torch, group as rows"

    def __init__(self, case, arrays: list[np.ndarray], threads: int):
        if not case.is_decode or case.exclusive or case.heads == case.kv_heads:
            raise ValueError("only for decoding with grouped heads")
        super().__init__(case, arrays, threads)

    def call(self):
        group = self.case.heads // self.case.kv_heads
        q = self.q.view(self.case.batch, self.case.kv_heads, group, self.case.depth)
        with self.torch.no_grad():
            return self.torch.nn.functional.scaled_dot_product_attention(q, self.k, self.v)


class Jax(Peer):
    name = "jax"

    def __init__(self, case, arrays: list[np.ndarray], threads: int):
        import jax
        import jax.numpy as jnp

        if threads != 1 and threads != jax.local_device_count():
            raise ValueError("XLA takes its threads from the process")
        dtype = {"f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16}[case.dtype]
        # Tokens before heads, as the function wants them.
        self.arrays = [jnp.asarray(x.swapaxes(1, 2), dtype) for x in arrays]
        group = case.heads // case.kv_heads

        def attend(q, k, v):
            y = jax.nn.dot_product_attention(q, k, v, is_causal=case.causal)
            if not case.exclusive:
                return y
            v = jnp.repeat(v, group, axis=2)
            vn = v / jnp.maximum(jnp.linalg.norm(v, axis=-1, keepdims=True), 1e-12)
            return y - (y * vn).sum(-1, keepdims=True) * vn

        self.attend = jax.jit(attend)
        self.call()

    def call(self):
        return self.attend(*self.arrays).block_until_ready()


def available(case, arrays: list[np.ndarray], threads: int) -> list[Peer]:
    found = []
    for kind in (Torch, TorchRows, Jax):
        try:
            found.append(kind(case, arrays, threads))
        except (ImportError, ValueError):
            continue
    return found
