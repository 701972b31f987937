// RUN: xsa-opt %s -xsa-check-runtime-values --mlir-print-local-scope | FileCheck %s

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

// Writing, and arrays in memory, are no different.

// CHECK-LABEL: func.func @insert(
// CHECK-SAME:    %[[X:.*]]: tensor<4x3xf32>, %{{.*}}: f32, %[[AT:.*]]: index
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[AT]], %c4
// CHECK:         cf.assert %[[INSIDE]], "index out of range in dimension 0 of size 4"
// CHECK-NEXT:    tensor.insert
func.func @insert(%x: tensor<4x3xf32>, %v: f32, %at: index) -> tensor<4x3xf32> {
  %c0 = arith.constant 0 : index
  %r = tensor.insert %v into %x[%at, %c0] : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @memory(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[AT:.*]]: index, %[[TO:.*]]: index
// CHECK:         %[[SIZE:.*]] = memref.dim %[[X]]
// CHECK:         arith.cmpi ult, %[[AT]], %[[SIZE]]
// CHECK:         cf.assert %{{.*}}, "index out of range in dimension 0"
// CHECK-NEXT:    memref.load
// CHECK:         arith.cmpi ult, %[[TO]]
// CHECK:         cf.assert %{{.*}}, "index out of range in dimension 0"
// CHECK-NEXT:    memref.store
// CHECK:         cf.assert %{{.*}}, "slice out of range in dimension 0"
// CHECK-NEXT:    memref.subview
func.func @memory(%x: memref<?xf32>, %at: index, %to: index) -> memref<4xf32, strided<[1], offset: ?>> {
  %v = memref.load %x[%at] : memref<?xf32>
  memref.store %v, %x[%to] : memref<?xf32>
  %s = memref.subview %x[%at] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
  return %s : memref<4xf32, strided<[1], offset: ?>>
}

// A slice begins inside, and what is left is enough for it. Dimension 1 is known.

// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[X:.*]]: tensor<8x3xf32>, %[[AT:.*]]: index
// CHECK:         %[[BEGINS:.*]] = arith.cmpi ule, %[[AT]], %c8
// CHECK:         %[[REST:.*]] = arith.subi %c8{{.*}}, %[[AT]]
// CHECK:         %[[FITS:.*]] = arith.cmpi ule, %c2, %[[REST]]
// CHECK:         %[[BOTH:.*]] = arith.andi %[[BEGINS]], %[[FITS]]
// CHECK:         cf.assert %[[BOTH]], "slice out of range in dimension 0 of size 8"
// CHECK-NOT:     cf.assert
// CHECK:         tensor.extract_slice
// CHECK:         cf.assert %{{.*}}, "slice out of range in dimension 0 of size 8"
// CHECK-NOT:     cf.assert
// CHECK:         tensor.insert_slice
func.func @slice(%x: tensor<8x3xf32>, %at: index) -> tensor<8x3xf32> {
  %s = tensor.extract_slice %x[%at, 0] [2, 3] [1, 1] : tensor<8x3xf32> to tensor<2x3xf32>
  %r = tensor.insert_slice %s into %x[%at, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// With a stride, the last element is inside too, unless there is none.

// CHECK-LABEL: func.func @stride(
// CHECK-SAME:    %[[STRIDE:[^ ,:]*]]: index, %[[COUNT:[^ ,:]*]]: index
// CHECK:         %[[STEPS:.*]] = arith.subi %[[COUNT]], %c1
// CHECK:         %[[LENGTH:.*]] = arith.muli %[[STEPS]], %[[STRIDE]]
// CHECK:         %[[LAST:.*]] = arith.addi %c5, %[[LENGTH]]
// CHECK:         arith.cmpi ult, %[[LAST]], %c8
// CHECK:         arith.cmpi eq, %[[COUNT]], %c0
// CHECK:         cf.assert %{{.*}}, "slice out of range in dimension 0 of size 8"
func.func @stride(%x: tensor<8xf32>, %stride: index, %count: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %x[5] [%count] [%stride] : tensor<8xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// What is known of a slice says nothing where the array's size is not.

// CHECK-LABEL: func.func @short_array(
// CHECK:         cf.assert %{{.*}}, "slice out of range in dimension 0"
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @short_array(%x: tensor<?x3xf32>, %y: tensor<8x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %s = tensor.extract_slice %x[40, 0] [2, 3] [1, 1] : tensor<?x3xf32> to tensor<2x3xf32>
  %t = tensor.extract_slice %y[4, 0] [2, 3] [1, 1] : tensor<8x3xf32> to tensor<2x3xf32>
  return %s, %t : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @dim(
// CHECK-SAME:    %[[AT:[^ ,:]*]]: index)
// CHECK:         arith.cmpi ult, %[[AT]], %c2
// CHECK:         cf.assert %{{.*}}, "dimension out of range in a tensor of rank 2"
func.func @dim(%x: tensor<?x?xf32>, %at: index) -> index {
  %r = tensor.dim %x, %at : tensor<?x?xf32>
  return %r : index
}

// CHECK-LABEL: func.func @cast(
// CHECK:         cf.assert %{{.*}}, "dimension 1 is not of size 1 as its type says"
// CHECK-NOT:     cf.assert
// CHECK:         tensor.cast
// CHECK:         cf.assert %{{.*}}, "dimension 0 is not of size 4 as its type says"
// CHECK-NOT:     cf.assert
// CHECK:         memref.cast
func.func @cast(%x: tensor<?x?xf32>, %y: memref<?xf32>) -> (tensor<?x1xf32>, memref<4xf32>) {
  %0 = tensor.cast %x : tensor<?x?xf32> to tensor<?x1xf32>
  %1 = memref.cast %y : memref<?xf32> to memref<4xf32>
  return %0, %1 : tensor<?x1xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME:    %[[X:.*]]: tensor<12xf32>, %[[SHAPE:.*]]: tensor<2xi64>
// CHECK:         %[[FIRST:.*]] = tensor.extract %[[SHAPE]][%c0{{.*}}]
// CHECK:         arith.cmpi sge
// CHECK:         %[[SECOND:.*]] = tensor.extract %[[SHAPE]][%c1{{.*}}]
// CHECK:         arith.cmpi sge
// CHECK:         arith.cmpi eq
// CHECK:         cf.assert %{{.*}}, "the shape has another number of elements"
func.func @reshape(%x: tensor<12xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<12xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Divisors that are elements; not constants and sizes.

// CHECK-LABEL: func.func @division(
// CHECK:         ^bb0(%[[A:[^ ,:]*]]: i32, %[[B:[^ ,:]*]]: i32, %{{.*}}: i32):
// CHECK:           %[[NONZERO:.*]] = arith.cmpi ne, %[[B]], %c0_i32
// CHECK:           cf.assert %[[NONZERO]], "integer division by zero"
// CHECK:           %[[LARGER:.*]] = arith.cmpi ne, %[[A]], %c-2147483648_i32
// CHECK:           %[[OTHER:.*]] = arith.cmpi ne, %[[B]], %c-1_i32
// CHECK:           %[[DEFINED:.*]] = arith.ori %[[LARGER]], %[[OTHER]]
// CHECK:           cf.assert %[[DEFINED]], "integer division of the least number by -1"
// CHECK-NEXT:      arith.divsi
// CHECK:           cf.assert %{{.*}}, "integer division by zero"
// CHECK-NEXT:      arith.remui
// CHECK-NOT:       cf.assert
// CHECK:           arith.floordivsi
func.func @division(%x: tensor<?xi32>, %y: tensor<?xi32>, %out: tensor<?xi32>) -> tensor<?xi32> {
  %c3 = arith.constant 3 : i32
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xi32>, tensor<?xi32>) outs(%out : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %0 = arith.divsi %a, %b : i32
    %1 = arith.remui %0, %b : i32
    %2 = arith.floordivsi %1, %c3 : i32
    linalg.yield %2 : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
