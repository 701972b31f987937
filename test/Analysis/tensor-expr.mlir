// RUN: xsa-opt %s --test-tensor-expr -o /dev/null | FileCheck %s

// Layout is arithmetic on indices and disappears; equal computations are equal
// expressions.

// CHECK-LABEL: @layout
// CHECK-NEXT: [i0, i1] -> arg0[i1, i0]
// CHECK-NEXT: [4*i[[HI:[0-9]+]] + i[[LO:[0-9]+]]] -> arg0[i[[HI]], i[[LO]]]
// CHECK-NEXT: [i[[I:[0-9]+]], i[[J:[0-9]+]]] -> arg0[2 + i[[I]], 2*i[[J]]]
func.func @layout(%x: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<3x2xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
  %s = tensor.extract_slice %x[2, 0] [3, 2] [1, 2] : tensor<8x4xf32> to tensor<3x2xf32>
  return %t, %c, %s : tensor<4x8xf32>, tensor<32xf32>, tensor<3x2xf32>
}

// A reshape of a dynamic product is exact.
// CHECK-LABEL: @dynamic
// CHECK-NEXT: [dim(arg0, 1)*i[[B:[0-9]+]] + i[[T:[0-9]+]], i[[D:[0-9]+]]] -> arg0[i[[B]], i[[T]], i[[D]]]
func.func @dynamic(%x: tensor<?x?x4xf32>) -> tensor<?x4xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}

// A comparison of positions is one predicate, whichever way it is written.
// CHECK-LABEL: @positions
// CHECK-NEXT: [i[[I:[0-9]+]], i[[J:[0-9]+]]] -> nonneg(i[[I]] + -1*i[[J]])
// CHECK-NEXT: [i[[I:[0-9]+]], i[[J:[0-9]+]]] -> nonneg(i[[I]] + -1*i[[J]])
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @positions() -> (tensor<4x4xi1>, tensor<4x4xi1>) {
  %e = tensor.empty() : tensor<4x4xi1>
  %a = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %r = arith.cmpi sle, %j, %i : index
    linalg.yield %r : i1
  } -> tensor<4x4xi1>
  %b = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xi1>) {
  ^bb0(%o: i1):
    %one = arith.constant 1 : i64
    %true = arith.constant true
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %next = arith.addi %i64, %one : i64
    %c = arith.cmpi sge, %j64, %next : i64
    %r = arith.xori %c, %true : i1
    linalg.yield %r : i1
  } -> tensor<4x4xi1>
  return %a, %b : tensor<4x4xi1>, tensor<4x4xi1>
}

// What may wrap in the model's type is not read.
// CHECK-LABEL: @wraps
// CHECK-NEXT: [i[[I:[0-9]+]]] -> linalg.generic[i[[I]]]
#vec = affine_map<(d0) -> (d0)>
func.func @wraps() -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %a = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e : tensor<4xi32>) {
  ^bb0(%o: i32):
    %far = arith.constant 2147483646 : i32
    %i = linalg.index 0 : index
    %i32 = arith.index_cast %i : index to i32
    %r = arith.addi %i32, %far : i32
    linalg.yield %r : i32
  } -> tensor<4xi32>
  return %a : tensor<4xi32>
}
