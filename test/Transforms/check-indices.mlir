// RUN: xsa-opt %s -xsa-check-indices | FileCheck %s

#id = affine_map<(i) -> (i)>

// Tokens are looked up: the index is an element of a tensor.

// CHECK-LABEL: func.func @lookup(
// CHECK-SAME:    %[[TABLE:.*]]: tensor<10x4xf32>
// CHECK:         linalg.generic
// CHECK:           %[[AT:.*]] = arith.index_cast
// CHECK:           %[[SIZE:.*]] = arith.constant 10 : index
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ult, %[[AT]], %[[SIZE]]
// CHECK:           cf.assert %[[INSIDE]], "index out of range in dimension 0 of size 10"
// CHECK-NOT:       cf.assert
// CHECK:           tensor.extract
func.func @lookup(%table: tensor<10x4xf32>, %tokens: tensor<?xi64>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %c3 = arith.constant 3 : index
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%tokens : tensor<?xi64>) outs(%out : tensor<?xf32>) {
  ^bb0(%token: i64, %o: f32):
    %at = arith.index_cast %token : i64 to index
    %v = tensor.extract %table[%at, %c3] : tensor<10x4xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A table of a dynamic size, an index that is an argument.

// CHECK-LABEL: func.func @argument(
// CHECK-SAME:    %[[TABLE:.*]]: tensor<?xf32>, %[[AT:.*]]: index
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[TABLE]]
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[AT]], %[[SIZE]]
// CHECK:         cf.assert %[[INSIDE]], "index out of range in dimension 0"
func.func @argument(%table: tensor<?xf32>, %at: index) -> f32 {
  %v = tensor.extract %table[%at] : tensor<?xf32>
  return %v : f32
}

// Reversed rows: only loops, sizes and constants.

// CHECK-LABEL: func.func @reversed(
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @reversed(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%out : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %last = arith.subi %n, %c1 : index
    %at = arith.subi %last, %i : index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @loop(
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @loop(%x: tensor<?xf32>, %sum: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %next = arith.addf %s, %v : f32
    scf.yield %next : f32
  }
  return %r : f32
}
