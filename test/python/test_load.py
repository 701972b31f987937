"""Loading: every form of a module, and every way in which it can be wrong."""

import copy
import os
import pathlib
import pickle

import pytest
import xsa
from conftest import MATMUL


def test_text(matmul):
    assert matmul.name == "<text>"
    assert matmul.functions == ("main",)
    assert "linalg.matmul" in str(matmul)


@pytest.mark.parametrize("kind", [str, pathlib.Path])
def test_path(tmp_path, matmul, kind):
    path = tmp_path / "model.mlir"
    path.write_text(MATMUL)
    module = xsa.load(kind(path))
    assert module.name == str(path)
    assert str(module) == str(matmul)


def test_path_with_a_brace(tmp_path, monkeypatch, matmul):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a{b}.mlir").write_text(MATMUL)
    assert str(xsa.load("a{b}.mlir")) == str(matmul)


def test_bytecode(tmp_path, matmul):
    data = matmul.bytecode()
    assert data.startswith(b"ML\xefR")
    assert str(xsa.load(data)) == str(matmul)
    path = tmp_path / "model.mlirbc"
    path.write_bytes(data)
    assert str(xsa.load(path)) == str(matmul)


def test_bytes_of_text(matmul):
    assert str(xsa.load(MATMUL.encode())) == str(matmul)


def test_printed_text_can_be_loaded(matmul):
    assert str(xsa.load(str(matmul))) == str(matmul)


def test_large_constants_can_be_left_out():
    ones = "0000803F" * 64
    module = xsa.load(f"""
func.func @main() -> tensor<64xf32> {{
  %0 = arith.constant dense_resource<w> : tensor<64xf32>
  return %0 : tensor<64xf32>
}}
{{-# dialect_resources: {{ builtin: {{ w: "0x04000000{ones}" }} }} #-}}
""")
    assert "0000803F" in str(module)
    assert "0000803F" not in module.text(elide_above=8)


def test_clone_is_independent(matmul):
    for other in (matmul.clone(), copy.copy(matmul)):
        assert other is not matmul
        assert str(other) == str(matmul)


def test_repr(matmul):
    assert repr(matmul) == "<xsa.Module '<text>' with functions main>"


def test_missing_file():
    with pytest.raises(FileNotFoundError):
        xsa.load("no-such-file.mlir")
    with pytest.raises(FileNotFoundError):
        xsa.load(pathlib.Path("no-such-file.mlir"))


def test_directory(tmp_path):
    with pytest.raises(IsADirectoryError):
        xsa.load(tmp_path)


def test_wrong_type():
    with pytest.raises(TypeError, match="source: expected a path, MLIR text or bytes, got int"):
        xsa.load(3)


def test_syntax_error_says_where(tmp_path):
    path = tmp_path / "broken.mlir"
    path.write_text("func.func @main() {\n  retrun\n}\n")
    with pytest.raises(xsa.CompileError) as caught:
        xsa.load(path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.severity == "error"
    assert (diagnostic.file, diagnostic.line, diagnostic.column) == (str(path), 2, 3)
    assert str(caught.value).startswith(f"{path}:2:3: error: ")


def test_invalid_operation_has_a_note():
    with pytest.raises(xsa.CompileError) as caught:
        xsa.load("""
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  return %a : tensor<2xf32>
}
""")
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.file == "<text>"
    assert diagnostic.line == 3
    assert [note.severity for note in diagnostic.notes] == ["note"]


def test_unknown_operation_is_named():
    with pytest.raises(
        xsa.CompileError, match="cannot import operation 'stablehlo.custom_call' of dialect"
    ) as caught:
        xsa.load("func.func @main() {\n  stablehlo.custom_call\n  return\n}\n")
    assert caught.value.diagnostics[0].line == 2


def test_unknown_operation_in_generic_form_is_named():
    expected = "cannot import operation 'stablehlo.add' of dialect 'stablehlo': run 'torch-mlir-opt"
    with pytest.raises(xsa.CompileError, match=expected) as caught:
        xsa.load('func.func @main() {\n  "stablehlo.add"() : () -> ()\n  return\n}\n')
    assert caught.value.diagnostics[0].line == 2


def test_truncated_bytecode(matmul):
    data = matmul.bytecode()
    with pytest.raises(xsa.CompileError):
        xsa.load(data[: len(data) // 2])


def test_errors_survive_pickling():
    with pytest.raises(xsa.CompileError) as caught:
        xsa.load("{")
    other = pickle.loads(pickle.dumps(caught.value))
    assert type(other) is xsa.CompileError
    assert other.diagnostics == caught.value.diagnostics
    assert str(other) == str(caught.value)


def test_errors_have_one_base():
    assert issubclass(xsa.CompileError, xsa.Error)
    assert issubclass(xsa.ExecutionError, xsa.Error)


# --- Strings that are not UTF-8 ---------------------------------------------------


def test_surrogates_are_refused():
    with pytest.raises(ValueError, match="source: expected text that UTF-8 can hold"):
        xsa.load("func.func @main() { return } // \udcff")


def test_names_that_are_not_utf8():
    module = xsa.load(MATMUL.replace("@main", r'@"\FFname"'))
    assert module.functions == ("\udcffname",)
    assert "xsa.CompiledModel" in repr(module.compile("\udcffname"))
    with pytest.raises(ValueError, match="entry: expected a function of the module"):
        module.compile("\ud800")


def test_path_that_is_not_utf8(tmp_path, matmul):
    path = os.fsencode(tmp_path) + b"/\xff.mlir"
    with open(path, "w") as file:
        file.write(MATMUL)
    assert str(xsa.load(os.fsdecode(path))) == str(matmul)
