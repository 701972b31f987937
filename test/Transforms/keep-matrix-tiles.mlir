// RUN: xsa-opt %s -xsa-keep-matrix-tiles | FileCheck %s
// RUN: xsa-opt %s -xsa-lower-to-cpu-pipeline | FileCheck %s --check-prefix=LLVM

// CHECK:      func.func @tiles
// CHECK-SAME:   attributes {passthrough = ["no-builtin-memset", "no-builtin-memcpy"]}
// LLVM:       llvm.func @tiles
// LLVM-SAME:    attributes {{.*}}passthrough = ["no-builtin-memset", "no-builtin-memcpy"]
func.func @tiles(%m: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %t = amx.tile_zero : !amx.tile<16x16xf32>
  amx.tile_store %m[%c0, %c0], %t : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}

// CHECK:      func.func @given
// CHECK-SAME:   attributes {passthrough = ["noinline", "no-builtin-memset", "no-builtin-memcpy"]}
func.func @given(%m: memref<16x16xf32>) attributes {passthrough = ["noinline"]} {
  %c0 = arith.constant 0 : index
  %t = amx.tile_zero : !amx.tile<16x16xf32>
  amx.tile_store %m[%c0, %c0], %t : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}

// CHECK:      func.func @none
// CHECK-NOT:    passthrough
// CHECK:        return
func.func @none(%m: memref<16x16xf32>) {
  return
}
