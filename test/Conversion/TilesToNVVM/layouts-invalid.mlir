// RUN: xsa-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(xsa-stage-tiles)'
// RUN: xsa-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(gpu.func(xsa-distribute-tiles)))'

// Tiles have no layouts before xsa-assign-layouts.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{'gpu.func' op has a tile without a layout: expected xsa-assign-layouts to have run before}}
    gpu.func @copy(%from: memref<32x16xf16>, %to: memref<32x16xf16>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>,
                    xsa.kernel = #xsa.kernel<name = "copy", unit = mma_sync, warps = 1, stages = 2, query_in_registers = true>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f16
      // expected-note @+1 {{'vector.transfer_read' makes it}}
      %tile = vector.transfer_read %from[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x16xf16>, vector<32x16xf16>
      vector.transfer_write %tile, %to[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf16>, memref<32x16xf16>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{'gpu.func' op has a tile without a layout: expected xsa-assign-layouts to have run before}}
    gpu.func @store(%to: memref<32xf32>, %x: f32) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>,
                    xsa.kernel = #xsa.kernel<name = "store", unit = none, warps = 1, stages = 1, query_in_registers = false, row_threads = 4, chunk = 4>} {
      %c0 = arith.constant 0 : index
      // expected-note @+1 {{'vector.broadcast' makes it}}
      %tile = vector.broadcast %x : f32 to vector<32xf32>
      vector.transfer_write %tile, %to[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      gpu.return
    }
  }
}
