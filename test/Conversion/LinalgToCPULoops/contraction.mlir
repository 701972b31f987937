// RUN: xsa-opt %s -split-input-file -convert-linalg-to-cpu-loops=vector-bits=256 -canonicalize -cse | FileCheck %s

// A tile of 4 rows and 2 vectors stays in registers over the reduction.
// CHECK-LABEL: func.func @rows_and_vectors(
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-COUNT-8:   vector.load %{{.*}} : memref<8x16xf32>, vector<8xf32>
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-4:     memref.load %{{.*}} : memref<8x32xf32>
// CHECK-COUNT-2:     vector.load %{{.*}} : memref<32x16xf32>, vector<8xf32>
// CHECK-COUNT-8:     vector.fma
// CHECK-COUNT-8:   vector.store
// CHECK-NOT:     vector.maskedload
func.func @rows_and_vectors(%a: memref<8x32xf32>, %b: memref<32x16xf32>, %c: memref<8x16xf32>) {
  linalg.matmul ins(%a, %b : memref<8x32xf32>, memref<32x16xf32>) outs(%c : memref<8x16xf32>)
  return
}

// -----

// 19 columns: two vectors, then one of which 3 lanes count.
// CHECK-LABEL: func.func @masked_edge(
// CHECK:         vector.load
// CHECK:         vector.constant_mask [3] : vector<8xi1>
// CHECK:         vector.maskedload
// CHECK:         vector.maskedstore
func.func @masked_edge(%a: memref<2x32xf32>, %b: memref<32x19xf32>, %c: memref<2x19xf32>) {
  linalg.matmul ins(%a, %b : memref<2x32xf32>, memref<32x19xf32>) outs(%c : memref<2x19xf32>)
  return
}

// -----

// Dynamic sizes may be large: parallel, with an edge in both dimensions.
// CHECK-LABEL: func.func @dynamic(
// CHECK-COUNT-4: scf.parallel
// CHECK-NOT:     scf.parallel
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// The right operand is contiguous along the reduction: partial sums.
// CHECK-LABEL: func.func @transposed(
// CHECK:         scf.for
// CHECK:           vector.load
// CHECK:           vector.fma
// CHECK:         vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
func.func @transposed(%a: memref<4x32xf32>, %b: memref<6x32xf32>, %c: memref<4x6xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<4x32xf32>, memref<6x32xf32>) outs(%c : memref<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Products of halves are summed in f32, also where the result is a half.
// CHECK-LABEL: func.func @halves(
// CHECK:         arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:         vector.fma %{{.*}} : vector<8xf32>
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
func.func @halves(%a: memref<4x32xf16>, %b: memref<32x8xf16>, %c: memref<4x8xf16>) {
  linalg.matmul ins(%a, %b : memref<4x32xf16>, memref<32x8xf16>) outs(%c : memref<4x8xf16>)
  return
}

// -----

// No operand is contiguous along a vector: plain loops.
// CHECK-LABEL: func.func @strided(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @strided(%a: memref<4x32xf32, strided<[64, 2]>>, %b: memref<32x8xf32, strided<[16, 2]>>, %c: memref<4x8xf32>) {
  linalg.matmul ins(%a, %b : memref<4x32xf32, strided<[64, 2]>>, memref<32x8xf32, strided<[16, 2]>>) outs(%c : memref<4x8xf32>)
  return
}

// -----

// Not a sum of products: plain loops.
// CHECK-LABEL: func.func @other_body(
// CHECK-NOT:     vector.
// CHECK:         arith.maximumf
func.func @other_body(%a: memref<4x32xf32>, %b: memref<32x8xf32>, %c: memref<4x8xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<4x32xf32>, memref<32x8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %max: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.maximumf %max, %p : f32
    linalg.yield %s : f32
  }
  return
}
