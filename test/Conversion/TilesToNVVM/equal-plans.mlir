// RUN: xsa-opt %s -xsa-outline-kernels | FileCheck %s

// Loops that do the same in blocks of another size are other kernels; their
// names alone make no difference.

// CHECK-LABEL: func.func @main
// CHECK:         gpu.launch_func @xsa_kernels::@first
// CHECK:         gpu.launch_func @xsa_kernels::@larger
// CHECK:         gpu.launch_func @xsa_kernels::@first
// CHECK:       gpu.module @xsa_kernels
// CHECK:         gpu.func @first
// CHECK-SAME:      known_block_size = array<i32: 32, 1, 1>
// CHECK:         gpu.func @larger
// CHECK-SAME:      known_block_size = array<i32: 64, 1, 1>
// CHECK-NOT:     gpu.func

func.func @main(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (32) {
    %c0 = arith.constant 0 : index
    %t = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true, true]} : memref<64x16xf32>, vector<32x16xf32>
    vector.transfer_write %t, %y[%i, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<64x16xf32>
  } {xsa.kernel = #xsa.kernel<name = "first", unit = fma, warps = 1, stages = 2, query_in_registers = false>}
  scf.forall (%i) = (0) to (64) step (32) {
    %c0 = arith.constant 0 : index
    %t = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true, true]} : memref<64x16xf32>, vector<32x16xf32>
    vector.transfer_write %t, %y[%i, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<64x16xf32>
  } {xsa.kernel = #xsa.kernel<name = "larger", unit = fma, warps = 2, stages = 2, query_in_registers = false>}
  scf.forall (%i) = (0) to (64) step (32) {
    %c0 = arith.constant 0 : index
    %t = vector.transfer_read %y[%i, %c0], %zero {in_bounds = [true, true]} : memref<64x16xf32>, vector<32x16xf32>
    vector.transfer_write %t, %x[%i, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<64x16xf32>
  } {xsa.kernel = #xsa.kernel<name = "again", unit = fma, warps = 1, stages = 2, query_in_registers = false>}
  return
}
