"""Self attention in the ways in which people write it, in plain PyTorch, by family.

Read it as a list of spellings: each function computes the same kind of layer, and
`raise_rate.py` asks compilers which of them they recognise. Nothing here is chosen for
one of the compilers: the families are what public models and tutorials contain, Hugging
Face's models are built from their own configurations, and look-alikes, which are no
attention, are there to be refused.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, HEADS, DEPTH = 2, 16, 4, 8
CHANNELS = HEADS * DEPTH


@dataclasses.dataclass
class Spelling:
    family: str
    name: str
    make: Callable[[], tuple[nn.Module, tuple[torch.Tensor, ...]]]
    attentions: int = 1
    """How many attentions it has; 0 for a look-alike."""


SPELLINGS: list[Spelling] = []


class Layer(nn.Module):
    """Projections around a function that does the rest."""

    def __init__(self, compute: Callable, kv_heads: int = HEADS):
        super().__init__()
        self.compute = compute
        self.q = nn.Linear(CHANNELS, CHANNELS)
        self.k, self.v = (nn.Linear(CHANNELS, kv_heads * DEPTH) for _ in range(2))
        self.qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.out = nn.Linear(CHANNELS, CHANNELS)
        self.table = nn.Parameter(torch.randn(32, HEADS))
        self.scale = nn.Parameter(torch.rand(HEADS, 1, 1) + 0.5)
        causal = torch.ones(TOKENS, TOKENS).tril().bool()
        self.register_buffer("causal", causal)
        self.register_buffer(
            "additive", torch.zeros(TOKENS, TOKENS).masked_fill(~causal, -math.inf)
        )

    def forward(self, x, *others):
        return self.compute(self, x, *others)


def whole(family: str, *, kv_heads: int = HEADS, attentions: int = 1, others: tuple = ()):
    """A layer from its input to its output."""

    def add(compute):
        name = compute.__name__.replace("_", " ")

        def make():
            return Layer(compute, kv_heads).eval(), (torch.randn(BATCH, TOKENS, CHANNELS), *others)

        SPELLINGS.append(Spelling(family, name, make, attentions))
        return compute

    return add


def heads(family: str, *, attentions: int = 1, others: tuple = ()):
    """A function of query, key and value, each batch x head x token x depth."""

    def add(attend):
        def compute(m, x, *more):
            q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
            return m.out(merge(attend(m, q, k, v, *more)))

        compute.__name__ = attend.__name__
        whole(family, attentions=attentions, others=others)(compute)
        return attend

    return add


def split(x: torch.Tensor) -> torch.Tensor:
    b, t, c = x.shape
    return x.view(b, t, c // DEPTH, DEPTH).transpose(1, 2)


def merge(x: torch.Tensor) -> torch.Tensor:
    b, h, t, d = x.shape
    return x.transpose(1, 2).reshape(b, t, h * d)


def scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return q @ k.transpose(-2, -1) / math.sqrt(DEPTH)


# --------------------------------------------------------------------------------------
# The library's function
# --------------------------------------------------------------------------------------


@heads("library call")
def sdpa(m, q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


@heads("library call")
def sdpa_causal(m, q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@heads("library call")
def sdpa_with_a_mask(m, q, k, v):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=m.causal)


@whole("library call", kv_heads=2)
def sdpa_with_grouped_heads(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    return m.out(merge(F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)))


def _multihead_attention():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(CHANNELS, HEADS, batch_first=True)

        def forward(self, x):
            return self.attention(x, x, x, need_weights=False)[0]

    return Model().eval(), (torch.randn(BATCH, TOKENS, CHANNELS),)


SPELLINGS.append(Spelling("library call", "nn.MultiheadAttention", _multihead_attention))


# --------------------------------------------------------------------------------------
# Scale
# --------------------------------------------------------------------------------------


@heads("scale")
def scores_divided(m, q, k, v):
    return (q @ k.transpose(-2, -1) / math.sqrt(DEPTH)).softmax(-1) @ v


@heads("scale")
def scores_multiplied(m, q, k, v):
    return ((q @ k.transpose(-2, -1)) * DEPTH**-0.5).softmax(-1) @ v


@heads("scale")
def query_multiplied(m, q, k, v):
    return ((q * DEPTH**-0.5) @ k.transpose(-2, -1)).softmax(-1) @ v


@heads("scale")
def query_divided(m, q, k, v):
    return ((q / math.sqrt(DEPTH)) @ k.transpose(-2, -1)).softmax(-1) @ v


@heads("scale")
def key_multiplied(m, q, k, v):
    return (q @ (k * DEPTH**-0.5).transpose(-2, -1)).softmax(-1) @ v


@heads("scale")
def both_by_the_fourth_root(m, q, k, v):
    return ((q * DEPTH**-0.25) @ (k * DEPTH**-0.25).transpose(-2, -1)).softmax(-1) @ v


@heads("scale")
def none(m, q, k, v):
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


@heads("scale")
def by_a_tensor(m, q, k, v):
    return (q @ k.transpose(-2, -1) / torch.tensor(DEPTH**0.5)).softmax(-1) @ v


@heads("scale")
def learned_for_each_head(m, q, k, v):
    return ((q @ k.transpose(-2, -1)) * m.scale).softmax(-1) @ v


@heads("scale")
def cosine(m, q, k, v):
    q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
    return ((q @ k.transpose(-2, -1)) * 10.0).softmax(-1) @ v


# --------------------------------------------------------------------------------------
# Softmax
# --------------------------------------------------------------------------------------


@heads("softmax")
def exponentials_over_their_sum(m, q, k, v):
    e = scores(q, k).exp()
    return (e / e.sum(-1, keepdim=True)) @ v


@heads("softmax")
def shifted_by_the_maximum(m, q, k, v):
    s = scores(q, k)
    e = (s - s.amax(-1, keepdim=True)).exp()
    return (e / e.sum(-1, keepdim=True)) @ v


@heads("softmax")
def divided_after_the_product(m, q, k, v):
    s = scores(q, k)
    e = (s - s.amax(-1, keepdim=True)).exp()
    return (e @ v) / e.sum(-1, keepdim=True)


@heads("softmax")
def exponential_of_log_softmax(m, q, k, v):
    return F.log_softmax(scores(q, k), -1).exp() @ v


@heads("softmax")
def log_sum_exp(m, q, k, v):
    s = scores(q, k)
    return (s - s.logsumexp(-1, keepdim=True)).exp() @ v


@heads("softmax")
def powers_of_two(m, q, k, v):
    s = scores(q, k) * math.log2(math.e)
    e = torch.exp2(s - s.amax(-1, keepdim=True))
    return (e / e.sum(-1, keepdim=True)) @ v


@heads("softmax")
def in_float32_of_half(m, q, k, v):
    q, k, v = q.half(), k.half(), v.half()
    return (scores(q, k).float().softmax(-1).half() @ v).float()


@heads("softmax")
def in_float64(m, q, k, v):
    return scores(q, k).double().softmax(-1).float() @ v


@heads("softmax")
def off_by_one(m, q, k, v):
    s = scores(q, k)
    top = s.amax(-1, keepdim=True).clamp(min=0)
    e = (s - top).exp()
    return (e / (e.sum(-1, keepdim=True) + (-top).exp())) @ v


@heads("softmax")
def with_a_dropout_of_evaluation(m, q, k, v):
    return F.dropout(scores(q, k).softmax(-1), 0.1, training=m.training) @ v


# --------------------------------------------------------------------------------------
# Masks and biases
# --------------------------------------------------------------------------------------

PADDING = (torch.arange(TOKENS)[None] < torch.tensor([[TOKENS], [11]]),)
LEFT_PADDING = (torch.arange(TOKENS)[None] >= torch.tensor([[0], [5]]),)


@heads("mask")
def masked_fill_by_a_buffer(m, q, k, v):
    return scores(q, k).masked_fill(~m.causal, -math.inf).softmax(-1) @ v


@heads("mask")
def where_with_the_least_number(m, q, k, v):
    s = scores(q, k)
    return torch.where(m.causal, s, torch.finfo(s.dtype).min).softmax(-1) @ v


@heads("mask")
def minus_1e9(m, q, k, v):
    return scores(q, k).masked_fill(m.causal == 0, -1e9).softmax(-1) @ v


@heads("mask")
def additive_buffer(m, q, k, v):
    return (scores(q, k) + m.additive).softmax(-1) @ v


@heads("mask")
def triangle_in_the_model(m, q, k, v):
    mask = torch.triu(torch.full((TOKENS, TOKENS), -math.inf), diagonal=1)
    return (scores(q, k) + mask).softmax(-1) @ v


@heads("mask")
def positions_compared(m, q, k, v):
    i = torch.arange(TOKENS)
    return scores(q, k).masked_fill(i[None] > i[:, None], -math.inf).softmax(-1) @ v


@heads("mask")
def one_minus_mask_times_1e4(m, q, k, v):
    return (scores(q, k) + (1.0 - m.causal.float()) * -10000.0).softmax(-1) @ v


@heads("mask", others=PADDING)
def padding_of_the_batch(m, q, k, v, keep):
    return scores(q, k).masked_fill(~keep[:, None, None], -math.inf).softmax(-1) @ v


@heads("mask", others=LEFT_PADDING)
def causal_and_left_padding(m, q, k, v, keep):
    keep = keep[:, None, None] & m.causal
    return scores(q, k).masked_fill(~keep, torch.finfo(q.dtype).min).softmax(-1) @ v


@heads("mask")
def sliding_window(m, q, k, v):
    i = torch.arange(TOKENS)
    distance = i[:, None] - i[None]
    return scores(q, k).masked_fill((distance < 0) | (distance >= 4), -math.inf).softmax(-1) @ v


@heads("mask")
def prefix(m, q, k, v):
    i = torch.arange(TOKENS)
    keep = (i[None] <= i[:, None]) | (i[None] < 5)
    return scores(q, k).masked_fill(~keep, -math.inf).softmax(-1) @ v


@heads("mask", others=(torch.arange(TOKENS).expand(BATCH, -1) // 5,))
def packed_documents(m, q, k, v, document):
    same = document[:, :, None] == document[:, None]
    return scores(q, k).masked_fill(~(same & m.causal)[:, None], -math.inf).softmax(-1) @ v


@heads("bias")
def alibi(m, q, k, v):
    slopes = 2.0 ** -torch.arange(1, HEADS + 1, dtype=torch.float32)
    i = torch.arange(TOKENS)
    bias = slopes[:, None, None] * (i[None] - i[:, None])
    return (scores(q, k) + bias).masked_fill(~m.causal, -math.inf).softmax(-1) @ v


@heads("bias")
def t5_buckets(m, q, k, v):
    i = torch.arange(TOKENS)
    bucket = (i[None] - i[:, None]).clamp(-15, 15) + 15
    return (q @ k.transpose(-2, -1) + m.table[bucket].permute(2, 0, 1)).softmax(-1) @ v


@heads("bias")
def relative_positions_and_mask(m, q, k, v):
    i = torch.arange(TOKENS)
    bias = m.table[(i[None] - i[:, None]) + 15].permute(2, 0, 1)
    return (scores(q, k) + bias + m.additive).softmax(-1) @ v


@heads("bias")
def soft_cap_and_mask(m, q, k, v):
    s = torch.tanh(scores(q, k) / 50.0) * 50.0
    return s.masked_fill(~m.causal, -math.inf).softmax(-1) @ v


@heads("bias", others=(torch.randn(BATCH, HEADS, TOKENS, TOKENS),))
def pair_bias_of_the_input(m, q, k, v, bias):
    return (scores(q, k) + bias).softmax(-1) @ v


# --------------------------------------------------------------------------------------
# Layouts
# --------------------------------------------------------------------------------------


@whole("layout")
def fused_projection_split(m, x):
    q, k, v = (split(p) for p in m.qkv(x).split(CHANNELS, -1))
    return m.out(merge(scores(q, k).softmax(-1) @ v))


@whole("layout")
def fused_projection_unbound(m, x):
    q, k, v = m.qkv(x).view(BATCH, TOKENS, 3, HEADS, DEPTH).permute(2, 0, 3, 1, 4).unbind(0)
    return m.out(merge(scores(q, k).softmax(-1) @ v))


@whole("layout")
def einsum_tokens_first(m, x):
    q, k, v = (p(x).view(BATCH, TOKENS, HEADS, DEPTH) for p in (m.q, m.k, m.v))
    p = (torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(DEPTH)).softmax(-1)
    return m.out(torch.einsum("bhqk,bkhd->bqhd", p, v).reshape(BATCH, TOKENS, CHANNELS))


@whole("layout")
def scores_transposed(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    p = scores(k, q).softmax(-2)
    return m.out(merge(p.transpose(-2, -1) @ v))


@whole("layout")
def heads_in_the_batch(m, x):
    q, k, v = (split(p(x)).reshape(BATCH * HEADS, TOKENS, DEPTH) for p in (m.q, m.k, m.v))
    y = torch.bmm(torch.bmm(q, k.transpose(1, 2)).mul(DEPTH**-0.5).softmax(-1), v)
    return m.out(merge(y.view(BATCH, HEADS, TOKENS, DEPTH)))


@whole("layout")
def tokens_outermost(m, x):
    x = x.transpose(0, 1)
    q, k, v = (p(x).reshape(TOKENS, BATCH * HEADS, DEPTH).transpose(0, 1) for p in (m.q, m.k, m.v))
    y = torch.bmm(torch.bmm(q * DEPTH**-0.5, k.transpose(1, 2)).softmax(-1), v)
    return m.out(y.transpose(0, 1).reshape(TOKENS, BATCH, CHANNELS)).transpose(0, 1)


@whole("layout")
def channels_first(m, x):
    q, k, v = (p(x).transpose(1, 2).reshape(BATCH * HEADS, DEPTH, TOKENS) for p in (m.q, m.k, m.v))
    p = (torch.einsum("bct,bcs->bts", q, k) * DEPTH**-0.5).softmax(-1)
    y = torch.einsum("bts,bcs->bct", p, v)
    return m.out(y.reshape(BATCH, CHANNELS, TOKENS).transpose(1, 2))


@whole("layout", attentions=HEADS)
def a_loop_over_heads(m, x):
    outputs = []
    for q, k, v in zip(*(p(x).chunk(HEADS, -1) for p in (m.q, m.k, m.v))):
        outputs.append(scores(q, k).softmax(-1) @ v)
    return m.out(torch.cat(outputs, -1))


@whole("layout")
def one_head(m, x):
    q, k, v = m.q(x), m.k(x), m.v(x)
    return m.out((q @ k.transpose(1, 2) / math.sqrt(CHANNELS)).softmax(-1) @ v)


@whole("layout")
def windows(m, x):
    x = x.view(BATCH, TOKENS // 4, 4, CHANNELS).reshape(-1, 4, CHANNELS)
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    return m.out(merge(scores(q, k).softmax(-1) @ v)).reshape(BATCH, TOKENS, CHANNELS)


@whole("layout")
def rotary_embedding(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    angles = torch.outer(torch.arange(TOKENS), 100.0 ** -torch.linspace(0, 1, DEPTH // 2))
    cos, sin = (f(torch.cat((angles, angles), -1)) for f in (torch.cos, torch.sin))

    def rotate(x):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    s = scores(rotate(q), rotate(k)).masked_fill(~m.causal, -math.inf)
    return m.out(merge(s.softmax(-1) @ v))


# --------------------------------------------------------------------------------------
# Grouped heads
# --------------------------------------------------------------------------------------


@whole("grouped heads", kv_heads=2)
def repeat_interleave(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    k, v = (y.repeat_interleave(2, 1) for y in (k, v))
    return m.out(merge(scores(q, k).softmax(-1) @ v))


@whole("grouped heads", kv_heads=2)
def expanded_and_reshaped(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    shape = (BATCH, 2, 2, TOKENS, DEPTH)
    k, v = (y[:, :, None].expand(shape).reshape(BATCH, HEADS, TOKENS, DEPTH) for y in (k, v))
    return m.out(merge(scores(q, k).softmax(-1) @ v))


@whole("grouped heads", kv_heads=2)
def tiled_the_other_order(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    k, v = (y.repeat(1, 2, 1, 1) for y in (k, v))
    return m.out(merge(scores(q, k).softmax(-1) @ v))


@whole("grouped heads", kv_heads=2)
def a_group_dimension(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    q = q.view(BATCH, 2, 2, TOKENS, DEPTH)
    p = (torch.einsum("bngqd,bnkd->bngqk", q, k) * DEPTH**-0.5).softmax(-1)
    y = torch.einsum("bngqk,bnkd->bngqd", p, v)
    return m.out(merge(y.reshape(BATCH, HEADS, TOKENS, DEPTH)))


@whole("grouped heads", kv_heads=1)
def one_key_head_broadcast(m, x):
    q, k, v = (split(p(x)) for p in (m.q, m.k, m.v))
    return m.out(merge(scores(q, k).softmax(-1) @ v))


@whole("grouped heads", kv_heads=1)
def one_key_head_with_heads_as_rows(m, x):
    q = m.q(x).view(BATCH, TOKENS * HEADS, DEPTH)
    k, v = m.k(x), m.v(x)
    y = scores(q, k).softmax(-1) @ v
    return m.out(y.view(BATCH, TOKENS, CHANNELS))


# --------------------------------------------------------------------------------------
# Look-alikes: no attention
# --------------------------------------------------------------------------------------


@heads("look-alike", attentions=0)
def softmax_over_queries(m, q, k, v):
    return scores(q, k).softmax(-2) @ v


@heads("look-alike", attentions=0)
def softmax_over_heads(m, q, k, v):
    return scores(q, k).softmax(1) @ v


@heads("look-alike", attentions=0)
def sigmoid(m, q, k, v):
    return scores(q, k).sigmoid() @ v


@heads("look-alike", attentions=0)
def linear_attention(m, q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    return q @ (k.transpose(-2, -1) @ v) / (q @ k.sum(-2)[..., None])


@heads("look-alike", attentions=0)
def probabilities_masked_afterwards(m, q, k, v):
    return (scores(q, k).softmax(-1) * m.causal) @ v


@heads("look-alike", attentions=0)
def two_softmaxes_subtracted(m, q, k, v):
    p = scores(q, k).softmax(-1) - 0.5 * scores(k, q).softmax(-1)
    return p @ v


# --------------------------------------------------------------------------------------
# Hugging Face
# --------------------------------------------------------------------------------------


def _text(kind: str, **more):
    sizes = dict(
        vocab_size=64, hidden_size=CHANNELS, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=HEADS, max_position_embeddings=32, use_cache=False,
        bos_token_id=None, eos_token_id=None, pad_token_id=None,
    )  # fmt: skip
    return kind, {**sizes, **more}, "tokens"


def _gpt(kind: str, **more):
    sizes = dict(
        vocab_size=64, n_embd=CHANNELS, n_layer=2, n_head=HEADS, n_positions=32, use_cache=False
    )
    return kind, {**sizes, "bos_token_id": None, "eos_token_id": None, **more}, "tokens"


def _image(kind: str, **more):
    sizes = dict(
        hidden_size=CHANNELS, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=HEADS, image_size=16, patch_size=4,
    )  # fmt: skip
    return kind, {**sizes, **more}, "image"


HUGGING_FACE = {
    "BERT": _text("bert"),
    "DistilBERT": (
        "distilbert",
        dict(vocab_size=64, dim=CHANNELS, hidden_dim=64, n_layers=2, n_heads=HEADS),
        "tokens",
    ),
    "ELECTRA": _text("electra", embedding_size=CHANNELS),
    "GPT-2": _gpt("gpt2"),
    "GPT-J": _gpt("gptj", rotary_dim=4),
    "GPT-NeoX": _text("gpt_neox"),
    "OPT": _text("opt", ffn_dim=64, word_embed_proj_dim=CHANNELS),
    "BLOOM": (
        "bloom",
        dict(vocab_size=64, hidden_size=CHANNELS, n_layer=2, n_head=HEADS, use_cache=False),
        "tokens",
    ),  # fmt: skip  # noqa: E501
    "Llama": _text("llama", num_key_value_heads=2),
    "Mistral": _text("mistral", num_key_value_heads=2, sliding_window=8),
    "Qwen3": _text("qwen3", num_key_value_heads=2, head_dim=DEPTH),
    "Gemma 2": _text("gemma2", num_key_value_heads=2, head_dim=DEPTH, sliding_window=8),
    "Phi-3": _text("phi3", num_key_value_heads=2),
    "T5 encoder": (
        "t5",
        dict(vocab_size=64, d_model=CHANNELS, d_kv=DEPTH, d_ff=64, num_layers=2, num_heads=HEADS),
        "encoder",
    ),
    "ViT": _image("vit"),
    "CLIP vision": _image("clip_vision_model"),
}


class HuggingFace(nn.Module):
    def __init__(self, kind: str, sizes: dict, of: str):
        super().__init__()
        import transformers

        config = transformers.AutoConfig.for_model(kind, **sizes)
        config._attn_implementation = "eager"
        if of == "encoder":
            self.model = transformers.T5EncoderModel(config)
        elif kind == "clip_vision_model":
            self.model = transformers.CLIPVisionModel(config)
        else:
            self.model = transformers.AutoModel.from_config(config)

    def forward(self, x):
        return self.model(x).last_hidden_state


def _hugging_face(name: str):
    kind, sizes, of = HUGGING_FACE[name]
    model = HuggingFace(kind, sizes, of).eval()
    if of == "image":
        return model, (torch.randn(BATCH, 3, 16, 16),)
    return model, (torch.randint(0, 64, (BATCH, TOKENS)),)


# Their own code for attention; with the library's function they would be one family more
# in which everybody does well.
for _name in HUGGING_FACE:
    SPELLINGS.append(
        Spelling("Hugging Face", _name, lambda name=_name: _hugging_face(name), attentions=2)
    )
