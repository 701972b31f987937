"""Threads: the interpreter keeps running, and calls do not disturb each other."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import xsa
from conftest import MATMUL, elementwise

SLOW = """
func.func @main(%a: tensor<1200x1200xf32>) -> tensor<1200x1200xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1200x1200xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1200x1200xf32>) -> tensor<1200x1200xf32>
  %r = linalg.matmul ins(%a, %a : tensor<1200x1200xf32>, tensor<1200x1200xf32>)
      outs(%init : tensor<1200x1200xf32>) -> tensor<1200x1200xf32>
  return %r : tensor<1200x1200xf32>
}
"""


def longest_pause_while(work) -> float:
    """The longest time Python stood still in this thread, as a part of the work's time.

    The best of three, since the machine may be busy: with the interpreter's lock
    held it is nearly all of the time, always.
    """
    return min(measure_longest_pause(work) for _ in range(3))


def measure_longest_pause(work) -> float:
    span = []

    def timed():
        start = time.perf_counter()
        work()
        span.extend((start, time.perf_counter()))

    thread = threading.Thread(target=timed)
    ticks = [time.perf_counter()]
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
    start, end = span
    inside = [start, *(t for t in ticks if start < t < end), end]
    return max(b - a for a, b in zip(inside, inside[1:])) / (end - start)


def test_python_runs_during_a_call():
    model = xsa.load(SLOW).compile(threads=1)
    a = np.ones((1200, 1200), np.float32)
    assert longest_pause_while(lambda: model(a)) < 0.7


def test_python_runs_during_compilation():
    module = xsa.load(MATMUL)
    assert longest_pause_while(module.compile) < 0.7


def test_calls_from_several_threads():
    model = xsa.load(elementwise("arith.mulf", "f32")).compile()

    def square(seed: int) -> None:
        a = np.random.default_rng(seed).standard_normal((100_000, 3), dtype=np.float32)
        for _ in range(5):
            np.testing.assert_array_equal(model(a, a), a * a)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(square, range(8)))


def test_one_module_used_by_several_threads():
    module = xsa.load(MATMUL)
    a, b = np.ones((2, 3), np.float32), np.ones((3, 5), np.float32)

    def use(number: int) -> None:
        mine = module if number % 2 else module.clone()
        assert "linalg.matmul" in str(mine)
        np.testing.assert_array_equal(mine.compile(opt_level=1)(a, b), np.full((2, 5), 3))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(8)))


def test_modules_are_loaded_in_parallel():
    with ThreadPoolExecutor(4) as pool:
        texts = set(map(str, pool.map(xsa.load, [MATMUL] * 8)))
    assert len(texts) == 1
