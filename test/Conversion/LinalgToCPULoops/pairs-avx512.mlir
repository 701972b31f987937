// RUN: xsa-opt %s -split-input-file -convert-linalg-to-cpu-loops=bf16-dot=avx512 -canonicalize -cse | FileCheck %s

#lhs = affine_map<(i, j, k, r) -> (i, k, r)>
#rhs = affine_map<(i, j, k, r) -> (k, j, r)>
#out = affine_map<(i, j, k, r) -> (i, j)>

// Eight rows by two vectors stay in registers; a pair of the left operand is one
// number of 32 bits in all lanes. No fill is left.
// CHECK-LABEL: func.func @whole(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for
// CHECK:           %[[SUMS:.*]]:16 = scf.for {{.*}} iter_args(%[[S:[^ ]*]] = %[[ZERO]],
// CHECK-COUNT-2:     vector.load %{{.*}} : memref<40x64xbf16>, vector<32xbf16>
// CHECK:             %[[PAIR:.*]] = vector.load %{{.*}} : memref<16x80xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
// CHECK:             %[[BITS:.*]] = vector.bitcast %[[PAIR]] : vector<2xbf16> to vector<1xi32>
// CHECK:             %[[ALL:.*]] = vector.broadcast %[[BITS]] : vector<1xi32> to vector<16xi32>
// CHECK:             %[[A:.*]] = vector.bitcast %[[ALL]] : vector<16xi32> to vector<32xbf16>
// CHECK:             x86vector.avx512.dot %[[S]], %[[A]], %{{.*}} : vector<32xbf16> -> vector<16xf32>
// CHECK-COUNT-15:    x86vector.avx512.dot
// CHECK-COUNT-16:  vector.store
// CHECK-NOT:     x86vector
func.func @whole(%a: memref<16x40x2xbf16, strided<[?, 2, 1], offset: ?>>, %b: memref<40x32x2xbf16>, %c: memref<16x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<16x32xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<16x40x2xbf16, strided<[?, 2, 1], offset: ?>>, memref<40x32x2xbf16>) outs(%c : memref<16x32xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#lhs = affine_map<(i, j, k, r) -> (i, k, r)>
#rhs = affine_map<(i, j, k, r) -> (k, j, r)>
#out = affine_map<(i, j, k, r) -> (i, j)>

// Rows that are left over come one by one, columns under a mask; sums are added
// to what the result holds.
// CHECK-LABEL: func.func @edges(
// CHECK-DAG:     vector.constant_mask [3] : vector<16xi1>
// CHECK-DAG:     vector.constant_mask [6] : vector<32xi1>
// CHECK-COUNT-8: vector.maskedload %{{.*}} : memref<9x3xf32>
// CHECK:         vector.maskedload %{{.*}} : memref<4x6xbf16>
// CHECK-COUNT-8: x86vector.avx512.dot
// CHECK-COUNT-8: vector.maskedstore
// CHECK:         vector.maskedload %{{.*}} : memref<9x3xf32>
// CHECK:         x86vector.avx512.dot
// CHECK:         vector.maskedstore
// CHECK-NOT:     x86vector
func.func @edges(%a: memref<9x4x2xbf16>, %b: memref<4x3x2xbf16>, %c: memref<9x3xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<9x4x2xbf16>, memref<4x3x2xbf16>) outs(%c : memref<9x3xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
