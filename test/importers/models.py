"""Small models with random weights, each with its exclusive form written in its own framework.

A case holds what an importer is given and what the model computes there, plain and with
every self attention exclusive: the two numbers that the compiled import must agree with.
"""

import dataclasses
import pathlib
import sys
import tempfile
from collections.abc import Callable

import numpy as np
import xsa
from xsa import importers


@dataclasses.dataclass
class Case:
    module: xsa.Module
    inputs: list[np.ndarray]
    plain: list[np.ndarray]
    exclusive: list[np.ndarray]
    layers: int = 1
    tolerance: float = 5e-5


# ----------------------------------------------------------------------------------------------
# PyTorch
# ----------------------------------------------------------------------------------------------


def _torch_block():
    """Written by hand, as in many repositories: a buffer of booleans is the causal mask."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, exclusive: bool, channels: int = 32, heads: int = 4, length: int = 16):
            super().__init__()
            torch.manual_seed(0)
            self.exclusive, self.heads = exclusive, heads
            self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
            self.register_buffer("keep", torch.ones(length, length).tril().bool())

        def forward(self, x):
            b, t, c = x.shape
            parts = self.qkv(x).split(c, -1)
            q, k, v = (p.view(b, t, self.heads, -1).transpose(1, 2) for p in parts)
            scores = q @ k.transpose(-1, -2) * (c // self.heads) ** -0.5
            scores = scores.masked_fill(~self.keep[:t, :t], float("-inf"))
            y = scores.softmax(-1) @ v
            if self.exclusive:
                n = nn.functional.normalize(v, dim=-1)
                y = y - (y * n).sum(-1, keepdim=True) * n
            return self.out(y.transpose(1, 2).reshape(b, t, c))

    torch.manual_seed(1)
    return (lambda exclusive: Block(exclusive).eval()), torch.randn(2, 16, 32)


def _hugging_face(name: str):
    """A model built from a configuration; nothing is downloaded."""
    import torch
    import transformers
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    from transformers.masking_utils import sdpa_mask

    def exclusive_attention(module, query, key, value, attention_mask, **kwargs):
        y, weights = sdpa_attention_forward(module, query, key, value, attention_mask, **kwargs)
        group = query.shape[1] // value.shape[1]
        v = value.repeat_interleave(group, 1).transpose(1, 2)
        n = torch.nn.functional.normalize(v, dim=-1)
        return y - (y * n).sum(-1, keepdim=True) * n, weights

    transformers.AttentionInterface.register("exclusive", exclusive_attention)
    transformers.AttentionMaskInterface.register("exclusive", sdpa_mask)
    small = dict(vocab_size=64, use_cache=False)
    config = {
        "gpt2": lambda: transformers.GPT2Config(
            n_embd=32, n_layer=2, n_head=4, n_positions=32, **small
        ),
        "llama": lambda: transformers.LlamaConfig(
            hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=32, **small
        ),
    }[name]()  # fmt: skip

    class Logits(torch.nn.Module):
        def __init__(self, exclusive: bool):
            super().__init__()
            torch.manual_seed(0)
            config._attn_implementation = "exclusive" if exclusive else "sdpa"
            self.model = transformers.AutoModelForCausalLM.from_config(config)

        def forward(self, tokens):
            return self.model(tokens).logits

    torch.manual_seed(1)
    return (lambda exclusive: Logits(exclusive).eval()), torch.randint(0, 64, (2, 12))


def _run_torch(model, x) -> list[np.ndarray]:
    import torch

    with torch.no_grad():
        return [model(x).numpy()]


def _torch_case(make, x, layers: int = 1) -> Case:
    module = importers.from_torch(make(False), x)
    plain, exclusive = (_run_torch(make(e), x) for e in (False, True))
    return Case(module, [x.numpy()], plain, exclusive, layers)


def torch_block() -> Case:
    return _torch_case(*_torch_block())


def torch_gpt2() -> Case:
    return _torch_case(*_hugging_face("gpt2"), layers=2)


def torch_llama() -> Case:
    return _torch_case(*_hugging_face("llama"), layers=2)


# ----------------------------------------------------------------------------------------------
# ONNX
# ----------------------------------------------------------------------------------------------


def _onnx_case(make, x, opset: int, layers: int = 1) -> Case:
    import torch

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.onnx")
        torch.onnx.export(
            make(False), (x,), path, opset_version=opset, dynamo=True, external_data=False
        )
        module = importers.from_onnx(path)
    plain, exclusive = (_run_torch(make(e), x) for e in (False, True))
    return Case(module, [x.numpy()], plain, exclusive, layers)


def onnx_block() -> Case:
    return _onnx_case(*_torch_block(), opset=18)


def onnx_gpt2() -> Case:
    return _onnx_case(*_hugging_face("gpt2"), opset=18, layers=2)


# ----------------------------------------------------------------------------------------------
# JAX
# ----------------------------------------------------------------------------------------------


def _jax_exclusive(y, v):
    import jax.numpy as jnp

    v32, y32 = v.astype(jnp.float32), y.astype(jnp.float32)
    n = v32 / jnp.maximum(jnp.linalg.norm(v32, axis=-1, keepdims=True), 1e-12)
    return (y32 - (y32 * n).sum(-1, keepdims=True) * n).astype(y.dtype)


def _jax_case(attend: Callable, dtype, tolerance: float, form: str = "lowered") -> Case:
    import jax
    import jax.export
    import jax.numpy as jnp

    heads, channels = 4, 32
    generator = np.random.default_rng(0)
    x = generator.standard_normal((2, 16, channels), dtype=np.float32)
    weights = [generator.standard_normal((channels, channels), dtype=np.float32) for _ in range(4)]
    wq, wk, wv, wo = (jnp.asarray(w * channels**-0.5, dtype) for w in weights)

    def model(x, exclusive):
        b, t, c = x.shape
        q, k, v = ((x @ w).reshape(b, t, heads, c // heads) for w in (wq, wk, wv))
        y = attend(q, k, v)
        return (_jax_exclusive(y, v) if exclusive else y).reshape(b, t, c) @ wo

    x = jnp.asarray(x, dtype)
    function = jax.jit(lambda x: model(x, False))
    if form == "lowered":
        source = function.lower(x)
    else:
        source = jax.export.deserialize(jax.export.export(function)(x).serialize())
    outputs = [[np.asarray(model(x, e), np.float32)] for e in (False, True)]
    inputs = [np.asarray(x, np.float32)]
    return Case(importers.from_jax(source), inputs, *outputs, tolerance=tolerance)


def jax_dot_product_attention() -> Case:
    import jax
    import jax.numpy as jnp

    attend = lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
    return _jax_case(attend, jnp.float32, 5e-5, form="exported")


def jax_bfloat16() -> Case:
    """Its dots have the clause ``algorithm``."""
    import jax
    import jax.numpy as jnp

    attend = lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
    return _jax_case(attend, jnp.bfloat16, 3e-2)


def jax_scan() -> Case:
    """Three layers under ``lax.scan``: one attention, in a loop."""
    import jax
    import jax.numpy as jnp

    heads, channels = 4, 32
    generator = np.random.default_rng(0)
    shape = (3, 4, channels, channels)
    weights = jnp.asarray(generator.standard_normal(shape, dtype=np.float32) * channels**-0.5)
    x = jnp.asarray(generator.standard_normal((2, 16, channels), dtype=np.float32))

    def model(x, exclusive):
        def layer(x, w):
            b, t, c = x.shape
            q, k, v = ((x @ w[i]).reshape(b, t, heads, c // heads) for i in range(3))
            y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
            y = _jax_exclusive(y, v) if exclusive else y
            return x + y.reshape(b, t, c) @ w[3], None

        return jax.lax.scan(layer, x, weights)[0]

    lowered = jax.jit(lambda x: model(x, False)).lower(x)
    outputs = [[np.asarray(model(x, e))] for e in (False, True)]
    return Case(importers.from_jax(lowered), [np.asarray(x)], *outputs)


def jax_block() -> Case:
    """A mask that is a constant of the program, not an argument: a long one of booleans."""
    import jax
    import jax.numpy as jnp

    keep = jnp.tril(jnp.ones((16, 16), bool))

    def attend(q, k, v):
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / jnp.sqrt(q.shape[-1])
        scores = jnp.where(keep, scores, -jnp.inf)
        return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, axis=-1), v)

    return _jax_case(attend, jnp.float32, 5e-5)


CASES = [torch_block, torch_gpt2, torch_llama, onnx_block, onnx_gpt2]
CASES += [jax_block, jax_dot_product_attention, jax_bfloat16, jax_scan]


def record(make: Callable[[], Case], folder: pathlib.Path) -> None:
    """Writes what test/Integration/Models reads: the importer's own text, and the arrays."""
    texts = []
    importers.load = lambda text: texts.append(text) or xsa.load(text)
    case, path = make(), folder / make.__name__
    path.with_suffix(".mlir").write_text(texts[-1])
    named = [("arg", case.inputs), ("out", case.plain), ("xsa", case.exclusive)]
    arrays = {f"{name}{i}": array for name, group in named for i, array in enumerate(group)}
    np.savez_compressed(path.with_suffix(".npz"), **arrays)


if __name__ == "__main__":
    # python test/importers/models.py FOLDER CASE...
    folder, *names = sys.argv[1:]
    for function in CASES:
        if function.__name__ in names:
            record(function, pathlib.Path(folder))
