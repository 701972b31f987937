// RUN: xsa-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' | FileCheck %s

// Arithmetic that wraps around in the model's own type is not read as
// positions: the mask stays what the model computes.

// i + (2^63 - 5) is negative from row 5 on.
// CHECK-LABEL: func @wraps_in_64_bits(
// CHECK: %[[MASK:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x8xi1>)
// CHECK: arith.constant 9223372036854775803 : i64
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: mask(%[[MASK]] : tensor<8x8xi1>)
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @wraps_in_64_bits(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %ei = tensor.empty() : tensor<8x8xi1>
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %keep = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<8x8xi1>) {
  ^bb0(%o: i1):
    %far = arith.constant 9223372036854775803 : i64
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %limit = arith.addi %i64, %far : i64
    %c = arith.cmpi sle, %j64, %limit : i64
    linalg.yield %c : i1
  } -> tensor<8x8xi1>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%keep, %s : tensor<8x8xi1>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %r = arith.select %c, %a, %ninf : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// The same in 32 bits.
// CHECK-LABEL: func @wraps_in_32_bits(
// CHECK: %[[MASK:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x8xi1>)
// CHECK: arith.constant 2147483644 : i32
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: mask(%[[MASK]] : tensor<8x8xi1>)
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @wraps_in_32_bits(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %ei = tensor.empty() : tensor<8x8xi1>
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %keep = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<8x8xi1>) {
  ^bb0(%o: i1):
    %far = arith.constant 2147483644 : i32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %limit = arith.addi %i32, %far : i32
    %c = arith.cmpi sle, %j32, %limit : i32
    linalg.yield %c : i1
  } -> tensor<8x8xi1>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%keep, %s : tensor<8x8xi1>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %r = arith.select %c, %a, %ninf : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// Compared and not computed with, a limit hides no key.
// CHECK-LABEL: func @limit_of_the_type(
// CHECK: xsa.attention {indexing_maps
// CHECK-NOT: mask(
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @limit_of_the_type(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %ei = tensor.empty() : tensor<8x8xi1>
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %keep = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<8x8xi1>) {
  ^bb0(%o: i1):
    %far = arith.constant 9223372036854775807 : i64
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %distance = arith.subi %j64, %i64 : i64
    %c = arith.cmpi slt, %distance, %far : i64
    linalg.yield %c : i1
  } -> tensor<8x8xi1>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%keep, %s : tensor<8x8xi1>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %r = arith.select %c, %a, %ninf : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
