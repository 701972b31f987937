"""What the tests of the Python package share: small modules and a float64 reference."""

import pathlib

import numpy as np
import pytest
import xsa

ROOT = pathlib.Path(__file__).resolve().parents[2]

MATMUL = """
func.func @main(%a: tensor<?x3xf32>, %b: tensor<3x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %a, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%rows) : tensor<?x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x5xf32>)
      outs(%init : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}
"""


def elementwise(operation: str, type_: str, shape: str = "?x3") -> str:
    """A module whose main applies an operation to two tensors, element by element."""
    tensor = f"tensor<{shape}x{type_}>" if shape else f"tensor<{type_}>"
    rank = shape.count("x") + 1 if shape else 0
    dims = ", ".join(f"d{d}" for d in range(rank))
    iterators = ", ".join(['"parallel"'] * rank)
    dynamic = "(%rows)" if "?" in shape else "()"
    dim = f"%c0 = arith.constant 0 : index\n  %rows = tensor.dim %a, %c0 : {tensor}"
    return f"""
#id = affine_map<({dims}) -> ({dims})>
func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{
  {dim if "?" in shape else ""}
  %init = tensor.empty{dynamic} : {tensor}
  %r = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = [{iterators}]}}
      ins(%a, %b : {tensor}, {tensor}) outs(%init : {tensor}) {{
  ^bb0(%x: {type_}, %y: {type_}, %o: {type_}):
    %z = {operation} %x, %y : {type_}
    linalg.yield %z : {type_}
  }} -> {tensor}
  return %r : {tensor}
}}
"""


ATTENTION = """
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// softmax(q k^T / 2) v, as an importer writes it.
func.func private @attend(%q: tensor<2x6x4xf32>, %k: tensor<2x6x4xf32>, %v: tensor<2x6x4xf32>)
    -> tensor<2x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %half = arith.constant 0.5 : f32
  %kt_init = tensor.empty() : tensor<2x4x6xf32>
  %kt = linalg.transpose ins(%k : tensor<2x6x4xf32>) outs(%kt_init : tensor<2x4x6xf32>)
      permutation = [0, 2, 1]
  %square = tensor.empty() : tensor<2x6x6xf32>
  %rows = tensor.empty() : tensor<2x6xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%square : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x6x4xf32>, tensor<2x4x6xf32>)
      outs(%s_init : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x6x6xf32>) outs(%square : tensor<2x6x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %half : f32
    linalg.yield %y : f32
  } -> tensor<2x6x6xf32>
  %max_init = linalg.fill ins(%lowest : f32) outs(%rows : tensor<2x6xf32>) -> tensor<2x6xf32>
  %max = linalg.reduce ins(%scaled : tensor<2x6x6xf32>) outs(%max_init : tensor<2x6xf32>)
      dimensions = [2] (%x: f32, %m: f32) {
    %y = arith.maximumf %x, %m : f32
    linalg.yield %y : f32
  }
  %e = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<2x6x6xf32>, tensor<2x6xf32>) outs(%square : tensor<2x6x6xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<2x6x6xf32>
  %sum_init = linalg.fill ins(%zero : f32) outs(%rows : tensor<2x6xf32>) -> tensor<2x6xf32>
  %sum = linalg.reduce ins(%e : tensor<2x6x6xf32>) outs(%sum_init : tensor<2x6xf32>)
      dimensions = [2] (%x: f32, %t: f32) {
    %y = arith.addf %x, %t : f32
    linalg.yield %y : f32
  }
  %p = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<2x6x6xf32>, tensor<2x6xf32>) outs(%square : tensor<2x6x6xf32>) {
  ^bb0(%x: f32, %t: f32, %o: f32):
    %y = arith.divf %x, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x6x6xf32>
  %narrow = tensor.empty() : tensor<2x6x4xf32>
  %y_init = linalg.fill ins(%zero : f32) outs(%narrow : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x6xf32>, tensor<2x6x4xf32>)
      outs(%y_init : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

func.func private @project(%x: tensor<2x6x4xf32>, %w: tensor<2x4x4xf32>) -> tensor<2x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x6x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %r = linalg.batch_matmul ins(%x, %w : tensor<2x6x4xf32>, tensor<2x4x4xf32>)
      outs(%init : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %r : tensor<2x6x4xf32>
}

// Nothing says that the three belong to one sequence.
func.func @main(%q: tensor<2x6x4xf32>, %k: tensor<2x6x4xf32>, %v: tensor<2x6x4xf32>)
    -> tensor<2x6x4xf32> {
  %y = call @attend(%q, %k, %v)
      : (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Two layers of self attention, the values of which are projected.
func.func @layers(%x: tensor<2x6x4xf32>, %w: tensor<2x4x4xf32>) -> tensor<2x6x4xf32> {
  %v0 = call @project(%x, %w) : (tensor<2x6x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %y0 = call @attend(%x, %x, %v0)
      : (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %v1 = call @project(%y0, %w) : (tensor<2x6x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %y1 = call @attend(%y0, %y0, %v1)
      : (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %y1 : tensor<2x6x4xf32>
}
"""


@pytest.fixture
def attention() -> xsa.Module:
    return xsa.load(ATTENTION)


def attend(q, k, v) -> np.ndarray:
    """softmax(q k^T / 2) v in float64."""
    scores = np.float64(q) @ np.float64(k).swapaxes(-1, -2) / 2
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ np.float64(v)


def exclude(y, v, denominator="l2_clamp", eps=1e-12, strength=1.0) -> np.ndarray:
    """y without its component along v, row by row, in float64."""
    y, v = np.float64(y), np.float64(v)
    norm2 = (v * v).sum(-1, keepdims=True)
    divisor = {
        "l2_clamp": np.maximum(np.sqrt(norm2), eps) ** 2,
        "sq_clamp": np.maximum(norm2, eps),
        "sq_add": norm2 + eps,
        "raw": np.where(norm2 == 0, 1, norm2),
    }[denominator]
    return y - strength * (y * v).sum(-1, keepdims=True) / divisor * v


@pytest.fixture
def matmul() -> xsa.Module:
    return xsa.load(MATMUL)


@pytest.fixture(scope="session")
def models() -> pathlib.Path:
    """Real models, as an importer wrote them."""
    return ROOT / "examples" / "models"
