"""What the tests of the Python package share: small modules and a float64 reference."""

import pathlib

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


@pytest.fixture
def matmul() -> xsa.Module:
    return xsa.load(MATMUL)


@pytest.fixture(scope="session")
def models() -> pathlib.Path:
    """Real models, as an importer wrote them."""
    return ROOT / "examples" / "models"
