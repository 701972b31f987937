"""Memory: what is copied, who owns it, and how long it lives."""

import gc
import pathlib
import sys
import weakref

import numpy as np
import pytest
import xsa
from conftest import elementwise

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="memory is measured as Linux tells it"
)

# Reads two rows of an argument that is far larger.
SLICE = """
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<?x1024xf32>) -> tensor<2x1024xf32> {
  %s = tensor.extract_slice %a[3, 0] [2, 1024] [1, 1]
      : tensor<?x1024xf32> to tensor<2x1024xf32>
  %e = tensor.empty() : tensor<2x1024xf32>
  %r = linalg.exp ins(%s : tensor<2x1024xf32>) outs(%e : tensor<2x1024xf32>) -> tensor<2x1024xf32>
  return %r : tensor<2x1024xf32>
}
"""


def memory(field: str) -> int:
    """What Linux says about this process, in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"no {field} in /proc/self/status")


def growth_during(work) -> int:
    """By how much memory in use grew at most."""
    gc.collect()
    # Forgets the peak so far.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    work()
    return memory("VmHWM") - before


def test_arguments_are_not_copied(tmp_path):
    # A sparse file of 1 GiB: memory is only used for the pages that are read.
    path = tmp_path / "large"
    with open(path, "wb") as file:
        file.truncate(2**30)
    large = np.memmap(path, np.float32, mode="r", shape=(2**18, 1024))
    model = xsa.load(SLICE).compile(threads=1)
    results = []
    assert growth_during(lambda: results.append(model(large))) < 2**26
    np.testing.assert_array_equal(results[0], np.ones((2, 1024)))


def test_arguments_are_released():
    model = xsa.load(elementwise("arith.addf", "f32")).compile()
    a = np.ones((2, 3), np.float32)
    alive = weakref.ref(a)
    result = model(a, a)
    del a
    gc.collect()
    assert alive() is None
    np.testing.assert_array_equal(result, np.full((2, 3), 2))


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_results_are_the_memory_the_model_wrote():
    model = xsa.load(elementwise("arith.addf", "f32")).compile()
    a = np.ones((1000, 3), np.float32)
    first, second = model(a, a), model(a, a)
    assert not first.flags.owndata and first.base is not None
    assert first.flags.writeable and first.flags.c_contiguous
    assert address(first) not in (address(second), address(a))
    first[:] = 5
    np.testing.assert_array_equal(second, np.full((1000, 3), 2))


def test_results_are_not_copied():
    # 256 MiB of results; a copy of them would be as large again.
    model = xsa.load(elementwise("arith.addf", "f32")).compile(threads=1)
    a = np.broadcast_to(np.float32(1), (1, 3)).repeat(2**28 // 12, axis=0)
    results = []
    growth = growth_during(lambda: results.append(model(a, a)))
    assert 0.9 * results[0].nbytes < growth < 1.5 * results[0].nbytes


def test_memory_of_results_is_given_back():
    model = xsa.load(elementwise("arith.addf", "f32")).compile(threads=1)
    a = np.ones((2**23 // 3, 3), np.float32)

    def call_often():
        for _ in range(40):
            model(a, a)

    assert growth_during(call_often) < 3 * a.nbytes


WEIGHTS = """
#row = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %w = arith.constant dense_resource<w> : tensor<64xf32>
  %init = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      ins(%a, %w : tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
{-# dialect_resources: { builtin: { w: "0x04000000VALUES" } } #-}
"""


def test_models_outlive_modules_and_results_outlive_models():
    values = np.arange(64, dtype=np.float32)
    module = xsa.load(WEIGHTS.replace("VALUES", values.tobytes().hex()))
    clone = module.clone()
    model = module.compile()
    del module
    gc.collect()
    a = np.ones(64, np.float32)
    np.testing.assert_array_equal(model(a), values + 1)
    result = model(a)
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None
    np.testing.assert_array_equal(result, values + 1)
    view = result[3:5]
    del result
    gc.collect()
    np.testing.assert_array_equal(view, [4, 5])
    # The clone lives in the same context, whose owner is gone.
    np.testing.assert_array_equal(clone.compile()(a), values + 1)


def test_modules_do_not_leak():
    text = elementwise("arith.addf", "f32")

    def load(count):
        for _ in range(count):
            xsa.load(text)

    load(5)
    assert growth_during(lambda: load(100)) < 2**25
