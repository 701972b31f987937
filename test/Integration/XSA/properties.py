"""Properties of exclusive self attention at strength 1 without a clamp, checked on compiled code.

    properties.py XSA_RUN

No reference is needed: z is orthogonal to the own value, a component along the own value added to y changes
nothing, later keys do not change earlier rows, and a token that sees only itself gives 0.
"""

import sys

import numpy as np
from run_model import run_model

B, H, G, T, D, E = 2, 2, 3, 45, 16, 24

ATTENTION = f"""
#q = affine_map<(b, h, g, m, k1, k2, n) -> (b, m, h, g, k1)>
#k = affine_map<(b, h, g, m, k1, k2, n) -> (b, k2, h, k1)>
#v = affine_map<(b, h, g, m, k1, k2, n) -> (b, k2, h, n)>
#s = affine_map<(b, h, g, m, k1, k2, n) -> (b, m, h, n)>
#o = affine_map<(b, h, g, m, k1, k2, n) -> (b, m, h, g, n)>
func.func @main(%q: tensor<{B}x{T}x{H}x{G}x{D}xf64>, %k: tensor<{B}x{T}x{H}x{D}xf64>,
                %v: tensor<{B}x{T}x{H}x{E}xf64>) -> tensor<{B}x{T}x{H}x{G}x{E}xf64> {{
  %init = tensor.empty() : tensor<{B}x{T}x{H}x{G}x{E}xf64>
  %z = xsa.attention {{causal, exclusion = #xsa.exclusion<raw>, indexing_maps = [#q, #k, #v, #s, #o], scale = 0.25 : f64}}
      ins(%q, %k, %v : tensor<{B}x{T}x{H}x{G}x{D}xf64>, tensor<{B}x{T}x{H}x{D}xf64>, tensor<{B}x{T}x{H}x{E}xf64>)
      self_value(%v : tensor<{B}x{T}x{H}x{E}xf64>)
      outs(%init : tensor<{B}x{T}x{H}x{G}x{E}xf64>) -> tensor<{B}x{T}x{H}x{G}x{E}xf64>
  return %z : tensor<{B}x{T}x{H}x{G}x{E}xf64>
}}
"""

EXCLUDE = f"""
#y = affine_map<(t, n) -> (t, n)>
func.func @main(%y: tensor<{T}x{E}xf64>, %v: tensor<{T}x{E}xf64>) -> tensor<{T}x{E}xf64> {{
  %init = tensor.empty() : tensor<{T}x{E}xf64>
  %z = xsa.exclude {{exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}}
      ins(%y, %v : tensor<{T}x{E}xf64>, tensor<{T}x{E}xf64>) outs(%init : tensor<{T}x{E}xf64>) -> tensor<{T}x{E}xf64>
  return %z : tensor<{T}x{E}xf64>
}}
"""


def main():
    xsa_run = sys.argv[1]
    rng = np.random.default_rng(0)
    q, k, v = (
        rng.standard_normal(shape) for shape in ((B, T, H, G, D), (B, T, H, D), (B, T, H, E))
    )
    z = run_model(xsa_run, ATTENTION, [q, k, v])[0]

    along = np.einsum("bthgn,bthn->bthg", z, v)
    assert np.abs(along).max() < 1e-13, (
        f"z is not orthogonal to the own value: {np.abs(along).max()}"
    )
    assert np.abs(z[:, 1:]).max() > 0.1, "z vanishes"
    assert np.abs(z[:, 0]).max() < 1e-14, (
        f"the first token sees only itself, but gives {np.abs(z[:, 0]).max()}"
    )

    cut = 20
    k2, v2 = k.copy(), v.copy()
    k2[:, cut:] = rng.standard_normal(k2[:, cut:].shape)
    v2[:, cut:] = rng.standard_normal(v2[:, cut:].shape)
    later = run_model(xsa_run, ATTENTION, [q, k2, v2])[0]
    assert np.array_equal(later[:, :cut], z[:, :cut]), "later keys change earlier rows"
    assert not np.allclose(later[:, cut:], z[:, cut:]), "later keys change nothing"

    y, w = rng.standard_normal((2, T, E))
    excluded = run_model(xsa_run, EXCLUDE, [y, w])[0]
    shifted = run_model(xsa_run, EXCLUDE, [y + rng.standard_normal((T, 1)) * w, w])[0]
    assert np.abs(excluded - shifted).max() < 1e-13, (
        "a component along the own value is not removed"
    )
    print("all properties hold")


if __name__ == "__main__":
    main()
