// RUN: xsa-opt %s --verify-roundtrip | FileCheck %s
// RUN: xsa-opt %s --emit-bytecode | xsa-opt | FileCheck %s
// RUN: xsa-opt %s --mlir-print-op-generic | xsa-opt | FileCheck %s

// CHECK-LABEL: func.func @scan
// CHECK: tm_tensor.scan dimension(1) inclusive(true) ins(%{{.*}} : tensor<2x8xi64>) outs(%{{.*}}, %{{.*}} : tensor<2x8xi64>, tensor<2xi64>) {
// CHECK-NEXT: ^bb0(%[[P:.*]]: i64, %[[N:.*]]: i64):
// CHECK-NEXT:   %[[S:.*]] = arith.addi %[[P]], %[[N]] : i64
// CHECK-NEXT:   tm_tensor.yield %[[S]] : i64
// CHECK-NEXT: } -> tensor<2x8xi64>, tensor<2xi64>
func.func @scan(%x: tensor<2x8xi64>, %init: tensor<2x8xi64>, %acc: tensor<2xi64>)
    -> (tensor<2x8xi64>, tensor<2xi64>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%init, %acc : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%previous: i64, %next: i64):
    %s = arith.addi %previous, %next : i64
    tm_tensor.yield %s : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return %r#0, %r#1 : tensor<2x8xi64>, tensor<2xi64>
}

// CHECK-LABEL: func.func @scan_exclusive_dynamic
// CHECK: tm_tensor.scan dimension(0) inclusive(false) ins(%{{.*}} : tensor<?x?xf32>)
func.func @scan_exclusive_dynamic(%x: tensor<?x?xf32>, %init: tensor<?x?xf32>, %acc: tensor<?xf32>)
    -> tensor<?x?xf32> {
  %r:2 = tm_tensor.scan dimension(0) inclusive(false)
      ins(%x : tensor<?x?xf32>) outs(%init, %acc : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%previous: f32, %next: f32):
    %s = arith.mulf %previous, %next : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %r#0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @scan_memref
// CHECK: tm_tensor.scan dimension(0) inclusive(true) ins(%{{.*}} : memref<128xi32>) outs(%{{.*}}, %{{.*}} : memref<128xi32>, memref<i32>)
// CHECK-NOT: ->
// CHECK: return
func.func @scan_memref(%x: memref<128xi32>, %out: memref<128xi32>, %acc: memref<i32>) {
  tm_tensor.scan dimension(0) inclusive(true)
      ins(%x : memref<128xi32>) outs(%out, %acc : memref<128xi32>, memref<i32>) {
  ^bb0(%previous: i32, %next: i32):
    %s = arith.addi %previous, %next : i32
    tm_tensor.yield %s : i32
  }
  return
}

// CHECK-LABEL: func.func @scatter
// CHECK: tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x1xi32>) outs(%{{.*}} : tensor<4x3xf32>) {
func.func @scatter(%updates: tensor<2x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>)
    -> tensor<4x3xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @scatter_repeated_indices
// CHECK: tm_tensor.scatter {dimension_map = array<i64: 1, 0>} unique_indices(false)
func.func @scatter_repeated_indices(%updates: tensor<?xf32>, %indices: tensor<?x2xi64>, %original: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 1, 0>} unique_indices(false)
      ins(%updates, %indices : tensor<?xf32>, tensor<?x2xi64>) outs(%original : tensor<?x?xf32>) {
  ^bb0(%update: f32, %current: f32):
    %s = arith.addf %update, %current : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @attention
// CHECK: tm_tensor.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>) outs(%{{.*}} : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
// CHECK: tm_tensor.attention {scale = 2.500000e-01 : f64} ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>, tensor<4x12x10xi1>)
func.func @attention(%q: tensor<4x12x8xf32>, %k: tensor<4x10x8xf32>, %v: tensor<4x10x6xf32>,
                     %mask: tensor<4x12x10xi1>, %init: tensor<4x12x6xf32>)
    -> (tensor<4x12x6xf32>, tensor<4x12x6xf32>) {
  %0 = tm_tensor.attention
      ins(%q, %k, %v : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>)
      outs(%init : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  %1 = tm_tensor.attention {scale = 0.25 : f64}
      ins(%q, %k, %v, %mask : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>, tensor<4x12x10xi1>)
      outs(%init : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return %0, %1 : tensor<4x12x6xf32>, tensor<4x12x6xf32>
}

// CHECK-LABEL: func.func @sort
// CHECK: tm_tensor.sort dimension(1) outs(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xi64>) {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: i64, %{{.*}}: i64):
// CHECK: } -> tensor<2x8xf32>, tensor<2x8xi64>
func.func @sort(%x: tensor<2x8xf32>, %positions: tensor<2x8xi64>) -> (tensor<2x8xf32>, tensor<2x8xi64>) {
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %positions : tensor<2x8xf32>, tensor<2x8xi64>) {
  ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i64):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<2x8xf32>, tensor<2x8xi64>
  return %r#0, %r#1 : tensor<2x8xf32>, tensor<2x8xi64>
}

// CHECK-LABEL: func.func @topk
// CHECK: tm_tensor.topk dimension(1) ins(%{{.*}} : tensor<2x8xf32>) outs(%{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xi32>) {
// CHECK: tm_tensor.topk dimension(1) ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xi32>) outs(%{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xi32>) {
func.func @topk(%x: tensor<2x8xf32>, %positions: tensor<2x8xi32>, %values: tensor<2x3xf32>, %places: tensor<2x3xi32>)
    -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = tm_tensor.topk dimension(1) ins(%x : tensor<2x8xf32>)
      outs(%values, %places : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%element: f32, %entry: f32):
    %c = arith.cmpf ogt, %element, %entry : f32
    tm_tensor.yield %c : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  %1:2 = tm_tensor.topk dimension(1) ins(%x, %positions : tensor<2x8xf32>, tensor<2x8xi32>)
      outs(%0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%element: f32, %entry: f32):
    %c = arith.cmpf ogt, %element, %entry : f32
    tm_tensor.yield %c : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return %1#0, %1#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
