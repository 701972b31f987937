// RUN: xsa-opt %s -xsa-lower-to-cpu-pipeline | FileCheck %s

// Only the LLVM dialect remains, behind a C interface.
// CHECK-NOT: {{(arith|memref|scf|linalg|func|tensor|vector|math)\.}}
// CHECK: llvm.func @main
// CHECK: llvm.func @_mlir_ciface_main

func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xbf16>, %i: tensor<4xi64>) -> (tensor<4x16xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4 : i64
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : tensor<4x8xf32>, tensor<8x16xbf16>) outs(%f : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: bf16, %sum: f32):
    %c = arith.extf %b : bf16 to f32
    %p = arith.mulf %a, %c : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  %g = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%i : tensor<4xi64>) outs(%g : tensor<4x8xf32>) {
  ^bb0(%row: i64, %o: f32):
    %ok = arith.cmpi slt, %row, %n : i64
    cf.assert %ok, "index out of range"
    %r = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%r, %j] : tensor<4x8xf32>
    %t = math.tanh %v : f32
    %u = math.erf %t : f32
    %c3 = arith.constant 3 : i64
    %q = math.fpowi %u, %c3 : f32, i64
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x8xf32>
}
