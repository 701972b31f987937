"""Calling: results against numpy, and every argument that does not fit."""

import numpy as np
import pytest
import xsa
from conftest import MATMUL, elementwise


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    """float32 values rounded to the nearest bfloat16, ties to even, by float64 arithmetic."""
    mantissa, exponent = np.frexp(x.astype(np.float64))
    return np.ldexp(np.rint(mantissa * 256) / 256, exponent).astype(np.float32)


def test_result(matmul):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((4, 3), dtype=np.float32)
    b = rng.standard_normal((3, 5), dtype=np.float32)
    result = matmul.compile()(a, b)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, a.astype(np.float64) @ b, rtol=0, atol=1e-5)


def test_dynamic_sizes_change_between_calls(matmul):
    model = matmul.compile()
    b = np.ones((3, 5), np.float32)
    for rows in (1, 7, 0, 64):
        a = np.full((rows, 3), 2, np.float32)
        np.testing.assert_array_equal(model(a, b), np.full((rows, 5), 6, np.float32))


@pytest.mark.parametrize("threads", [1, 2, None])
def test_threads(threads):
    model = xsa.load(elementwise("arith.addf", "f32")).compile(threads=threads)
    a = np.arange(3_000_000, dtype=np.float32).reshape(-1, 3)
    np.testing.assert_array_equal(model(a, a), 2 * a)


@pytest.mark.parametrize(
    "operation, type_, dtype",
    [
        ("arith.addf", "f64", np.float64),
        ("arith.addf", "f32", np.float32),
        ("arith.addf", "f16", np.float16),
        ("arith.addi", "i64", np.int64),
        ("arith.addi", "i64", np.uint64),
        ("arith.addi", "i32", np.int32),
        ("arith.addi", "i16", np.int16),
        ("arith.addi", "i8", np.int8),
        ("arith.addi", "index", np.int64),
    ],
)
def test_element_types(operation, type_, dtype):
    model = xsa.load(elementwise(operation, type_)).compile()
    a = np.arange(6).reshape(2, 3).astype(dtype)
    result = model(a, a)
    assert result.dtype == np.dtype(dtype) or dtype is np.uint64
    np.testing.assert_array_equal(result, a + a)


def test_bool():
    model = xsa.load(elementwise("arith.xori", "i1")).compile()
    a = np.array([[True, False, True]])
    b = np.array([[True, True, False]])
    result = model(a, b)
    assert result.dtype == np.bool_
    np.testing.assert_array_equal(result, a ^ b)


def test_bfloat16_travels_as_float32():
    model = xsa.load(elementwise("arith.addf", "bf16")).compile()
    assert str(model.arguments[0]) == "bfloat16[?,3]"
    rng = np.random.default_rng(1)
    a = rng.standard_normal((50, 3), dtype=np.float32)
    b = np.zeros_like(a)
    result = model(a, b)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, to_bfloat16(a))


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    model = xsa.load(elementwise("arith.addf", "bf16")).compile()
    a = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(model(a, a), 2 * a.astype(np.float32))
    with pytest.raises(TypeError, match=r"expected tensor<\?x3xf32>, got bfloat16\[2,3\]"):
        xsa.load(elementwise("arith.addf", "f32")).compile()(a, a)


def test_bits_of_bfloat16_are_not_guessed():
    model = xsa.load(elementwise("arith.addf", "bf16")).compile()
    a = np.zeros((2, 3), np.uint16)
    with pytest.raises(TypeError, match=r"expected tensor<\?x3xbf16>, got uint16\[2,3\]"):
        model(a, a)


def test_rank_zero():
    model = xsa.load(elementwise("arith.addf", "f32", "")).compile()
    for two in (np.float32(2), np.array(2, np.float32)):
        result = model(two, two)
        assert result.shape == ()
        assert result == 4


def test_no_and_several_results():
    module = xsa.load("""
func.func @none() {
  return
}
func.func @two(%a: tensor<2xf32>, %b: tensor<3xi1>) -> (tensor<2xf32>, tensor<1xi64>) {
  %c = arith.constant dense<7> : tensor<1xi64>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.exp ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r, %c : tensor<2xf32>, tensor<1xi64>
}
""")
    assert module.functions == ("none", "two")
    assert module.compile("none")() == ()
    model = module.compile("two")
    exp, seven = model(np.zeros(2, np.float32), np.zeros(3, np.bool_))
    np.testing.assert_array_equal(exp, [1, 1])
    np.testing.assert_array_equal(seven, [7])
    assert seven.dtype == np.int64


def test_results_that_are_arguments_or_constants_are_copies():
    module = xsa.load("""
func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>) {
  %c = arith.constant dense<[7, 8]> : tensor<2xi32>
  return %a, %a, %c : tensor<3xf32>, tensor<3xf32>, tensor<2xi32>
}
""")
    model = module.compile()
    a = np.arange(3, dtype=np.float32)
    for _ in range(2):
        first, second, constant = model(a)
        np.testing.assert_array_equal(constant, [7, 8])
        first += 1
        constant += 1
        np.testing.assert_array_equal(second, [0, 1, 2])
        np.testing.assert_array_equal(a, [0, 1, 2])


def test_run_always_gives_a_tuple(matmul):
    (result,) = matmul.compile().run(np.ones((2, 3), np.float32), np.ones((3, 5), np.float32))
    np.testing.assert_array_equal(result, np.full((2, 5), 3))


def test_strides_and_read_only_arrays(matmul):
    model = matmul.compile()
    rng = np.random.default_rng(2)
    wide = rng.standard_normal((6, 8), dtype=np.float32)
    b = np.asfortranarray(rng.standard_normal((3, 5), dtype=np.float32))
    b.flags.writeable = False
    a = wide[::-2, 1:7:2]
    np.testing.assert_allclose(model(a, b), a.astype(np.float64) @ b, rtol=0, atol=1e-5)


def test_unaligned_arrays(matmul):
    raw = np.zeros(1 + 6 * 4, np.uint8)
    a = raw[1:].view(np.float32).reshape(2, 3)
    a[:] = 1
    assert not a.flags.aligned
    result = matmul.compile()(a, np.ones((3, 5), np.float32))
    np.testing.assert_array_equal(result, np.full((2, 5), 3))


class OnlyDLPack:
    """An array of some other library."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_dlpack(matmul):
    a = OnlyDLPack(np.ones((2, 3), np.float32))
    model = matmul.compile()
    np.testing.assert_array_equal(model(a, np.ones((3, 5), np.float32)), np.full((2, 5), 3))
    with pytest.raises(TypeError, match=r"argument 0 \('arg0'\): expected a contiguous array"):
        model(OnlyDLPack(np.ones((3, 2), np.float32).T), np.ones((3, 5), np.float32))


def test_arguments_are_not_written():
    model = xsa.load(elementwise("arith.addf", "f32")).compile()
    a = np.ones((2, 3), np.float32)
    model(a, a)
    np.testing.assert_array_equal(a, np.ones((2, 3)))


def test_signature(matmul):
    model = matmul.compile()
    assert model.entry == "main"
    assert model.arguments == (
        xsa.TensorType("float32", (None, 3)),
        xsa.TensorType("float32", (3, 5)),
    )
    assert [str(t) for t in model.results] == ["float32[?,5]"]
    assert repr(model) == ("<xsa.CompiledModel main(float32[?,3], float32[3,5]) -> (float32[?,5])>")


A = np.ones((2, 3), np.float32)
B = np.ones((3, 5), np.float32)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((A,), TypeError, "expected 2 arguments, got 1"),
        ((A, B, B), TypeError, "expected 2 arguments, got 3"),
        (
            (A.astype(np.float64), B),
            TypeError,
            "argument 0 ('arg0'): expected tensor<?x3xf32>, got float64[2,3]",
        ),
        (
            (A, B.astype(np.int32)),
            TypeError,
            "argument 1 ('arg1'): expected tensor<3x5xf32>, got int32[3,5]",
        ),
        (
            (A, B.T),
            ValueError,
            "argument 1 ('arg1'): expected tensor<3x5xf32>, got float32[5,3]",
        ),
        (
            (A[0], B),
            ValueError,
            "argument 0 ('arg0'): expected tensor<?x3xf32>, got float32[3]",
        ),
        (
            (A, [1.0]),
            TypeError,
            "argument 1 ('arg1'): expected a numpy array or one with __dlpack__, got list",
        ),
        (
            (A.astype(">f4"), B),
            TypeError,
            "argument 0 ('arg0'): expected the byte order of this machine, got dtype '>f4'",
        ),
        (
            (A, B.astype(np.complex64)),
            TypeError,
            "argument 1 ('arg1'): expected bools, integers or floats of 16, 32 or 64 bits, got dtype 'complex64'",
        ),
        (
            (A, np.array([None])),
            TypeError,
            "argument 1 ('arg1'): expected bools, integers or floats of 16, 32 or 64 bits, got dtype 'object'",
        ),
        (
            (A, B.astype(np.longdouble)),
            TypeError,
            "argument 1 ('arg1'): expected bools, integers or floats of 16, 32 or 64 bits, got dtype '",
        ),
        (
            (A, np.ma.masked_array(B, True)),
            TypeError,
            "argument 1 ('arg1'): expected an array without a mask, got a masked array",
        ),
    ],
)
def test_wrong_arguments(matmul, arguments, error, message):
    with pytest.raises(error) as caught:
        matmul.compile()(*arguments)
    assert str(caught.value).startswith(message)


def test_failed_check_in_the_model():
    module = xsa.load("""
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %c2 = arith.constant 2 : index
  %fits = arith.cmpi eq, %n, %c2 : index
  cf.assert %fits, "expected two elements"
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
""")
    model = module.compile()
    for _ in range(3):
        with pytest.raises(xsa.ExecutionError, match="expected two elements"):
            model(np.zeros(3, np.float32))
        np.testing.assert_array_equal(model(np.zeros(2, np.float32)), [1, 1])


# --- Compilation ------------------------------------------------------------------


def test_missing_entry(matmul):
    with pytest.raises(ValueError) as caught:
        matmul.compile("forward")
    assert str(caught.value) == ("entry: expected a function of the module ('main'), got 'forward'")


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"entry": 3}, TypeError, "entry: expected a str, got int"),
        ({"threads": 0}, ValueError, "threads: expected 1 to 1024, got 0"),
        ({"threads": 1025}, ValueError, "threads: expected 1 to 1024, got 1025"),
        ({"threads": 1.5}, TypeError, "threads: expected an int, got float"),
        ({"opt_level": 4}, ValueError, "opt_level: expected 0 to 3, got 4"),
    ],
)
def test_wrong_options(matmul, arguments, error, message):
    with pytest.raises(error) as caught:
        matmul.compile(**arguments)
    assert str(caught.value) == message


def test_entry_that_cannot_be_called():
    module = xsa.load("func.func @main(%a: tensor<*xf32>) {\n  return\n}\n")
    with pytest.raises(xsa.CompileError, match=r"argument 0 of 'main' is of type tensor<\*xf32>"):
        module.compile()


def test_operation_without_a_lowering_is_named():
    module = xsa.load("""
func.func @main(%a: tensor<?xf32>) -> tensor<1xindex> {
  %r = shape.shape_of %a : tensor<?xf32> -> tensor<1xindex>
  return %r : tensor<1xindex>
}
""")
    before = str(module)
    with pytest.raises(xsa.CompileError, match="'shape.shape_of' of the dialect 'shape'") as caught:
        module.compile()
    assert caught.value.diagnostics[0].line == 3
    assert str(module) == before


def test_compiling_does_not_change_the_module(matmul):
    before = str(matmul)
    matmul.compile()
    assert str(matmul) == before


def test_opt_levels():
    module = xsa.load(MATMUL)
    for level in range(4):
        result = module.compile(opt_level=level)(A, B)
        np.testing.assert_array_equal(result, np.full((2, 5), 3))
