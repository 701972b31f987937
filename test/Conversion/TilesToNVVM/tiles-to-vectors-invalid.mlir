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
