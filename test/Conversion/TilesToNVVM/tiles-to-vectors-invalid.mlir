// RUN: xsa-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -xsa-tiles-to-vectors

// What makes a tile becomes a vector, so what uses it must too.

func.func @unknown_use(%o: tensor<32x16xf16>) -> tensor<32x16xf16> {
  %zero = arith.constant 0.0 : f16
  %r = scf.forall (%i) = (0) to (32) step (16) shared_outs(%out = %o) -> tensor<32x16xf16> {
    %empty = tensor.empty() : tensor<16x16xf16>
    %tile = linalg.fill ins(%zero : f16) outs(%empty : tensor<16x16xf16>) -> tensor<16x16xf16>
    // expected-error @below {{'foo.bar' op uses a tile, but has no form on vectors}}
    %changed = "foo.bar"(%tile) : (tensor<16x16xf16>) -> tensor<16x16xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %changed into %out[%i, 0] [16, 16] [1, 1] : tensor<16x16xf16> into tensor<32x16xf16>
    }
  } {xsa.kernel = #xsa.kernel<name = "fill", unit = mma_sync, warps = 1, stages = 2, query_in_registers = true>}
  return %r : tensor<32x16xf16>
}

// -----

// As fusion of element-wise operations would make of tiles.

#row = affine_map<(m, n) -> (m)>
#all = affine_map<(m, n) -> (m, n)>

func.func @several_results(%o: tensor<32x16xf32>, %row: tensor<16xf32>) -> tensor<32x16xf32> {
  %r = scf.forall (%i) = (0) to (32) step (16) shared_outs(%out = %o) -> tensor<32x16xf32> {
    %rows = tensor.empty() : tensor<16xf32>
    %tile = tensor.empty() : tensor<16x16xf32>
    // expected-error @below {{'linalg.generic' op expected one tile as result, got 2}}
    %both:2 = linalg.generic {indexing_maps = [#row, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%row : tensor<16xf32>) outs(%rows, %tile : tensor<16xf32>, tensor<16x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      linalg.yield %a, %a : f32, f32
    } -> (tensor<16xf32>, tensor<16x16xf32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %both#1 into %out[%i, 0] [16, 16] [1, 1] : tensor<16x16xf32> into tensor<32x16xf32>
    }
  } {xsa.kernel = #xsa.kernel<name = "fill", unit = mma_sync, warps = 1, stages = 2, query_in_registers = true>}
  return %r : tensor<32x16xf32>
}
