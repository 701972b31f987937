"""Importers: what can be said without them. test/importers runs them."""

import importlib.util
import pathlib

import numpy as np
import pytest
import xsa
from xsa import importers

without_torch_mlir = pytest.mark.skipif(
    importlib.util.find_spec("torch_mlir") is not None, reason="torch-mlir is installed"
)


def test_import_of_the_package_needs_no_framework():
    assert not hasattr(xsa, "torch") and not hasattr(xsa, "jax")
    assert importers.from_jax.__module__ == "xsa.importers"


@without_torch_mlir
def test_missing_package_is_named():
    with pytest.raises(
        ImportError, match=r"torch-mlir is not installed \(pip install torch-mlir\)"
    ):
        importers.from_jax("module {}")


def test_what_jax_has_not_made():
    with pytest.raises(TypeError, match=r"expected jax.jit\(...\).lower\(...\), .* got int"):
        importers.from_jax(3)


def test_command_line_reports_a_missing_file(tmp_path, capsys):
    output = tmp_path / "model.mlir"
    assert importers.main([str(tmp_path / "none.mlir"), "-o", str(output)]) == 1
    assert "none.mlir" in capsys.readouterr().err
    assert not output.exists()


@without_torch_mlir
def test_command_line_reports_a_missing_package(tmp_path, capsys):
    model = tmp_path / "model.mlir"
    model.write_text("module {}")
    assert importers.main([str(model), "-o", str(tmp_path / "out.mlir")]) == 1
    assert capsys.readouterr().err.startswith("error: torch-mlir is not installed")


# A loop in a loop, as torch-mlir prints what it does not convert: i doublings of i + 1.
_NESTED_LOOPS = """
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant dense<0> : tensor<i32>
  %c1 = arith.constant dense<1> : tensor<i32>
  %c3 = arith.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %c0, %iterArg_0 = %arg0) : tensor<i32>, tensor<2xf32>
  cond {
    %1 = arith.cmpi slt, %iterArg, %c3 : tensor<i32>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%iterArg_1 = %c0, %iterArg_2 = %iterArg_0) : tensor<i32>, tensor<2xf32>
    cond {
      %3 = arith.cmpi slt, %iterArg_1, %iterArg : tensor<i32>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = arith.addf %iterArg_2, %iterArg_2 : tensor<2xf32>
      %4 = arith.addi %iterArg_1, %c1 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<2xf32>
    }
    %2 = arith.addi %iterArg, %c1 : tensor<i32>
    stablehlo.return %2, %1#1 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
"""


def test_loops_of_stablehlo():
    text = importers._write_loops(_NESTED_LOOPS)
    assert "stablehlo" not in text and text.count("scf.while") == 2
    x = np.array([1.0, -2.0], np.float32)
    assert np.array_equal(xsa.load(text).compile()(x), 8 * x)


def test_bytecode_of_a_newer_version():
    root = pathlib.Path(__file__).resolve().parents[2]
    file = root / "test/Conversion/ImportToLinalg/Inputs/newer.mlirbc"
    with pytest.raises(xsa.CompileError, match="bytecode of 'MLIR24.0.0git' with MLIR 22"):
        xsa.load(file.read_bytes())
