"""Importers: what can be said without them. test/importers runs them."""

import importlib.util

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
