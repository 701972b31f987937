// RUN: xsa-opt %s -xsa-check-buffers -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @operands(
// CHECK-SAME:    %[[A:.*]]: memref<?x4xf32>, %[[B:.*]]: memref<?x4xf32>
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[A]], %c0
// CHECK-DAG:     %[[OTHER:.*]] = memref.dim %[[B]], %c0
// CHECK:         %[[EQUAL:.*]] = arith.cmpi eq, %[[ROWS]], %[[OTHER]]
// CHECK:         cf.assert %[[EQUAL]], "operands disagree on the size of dimension 0 of 'linalg.exp'"
// CHECK-NEXT:    linalg.exp
func.func @operands(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  linalg.exp ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xf32>)
  return
}

// Nothing to compare where sizes are static or the same value.
// CHECK-LABEL: func.func @agree(
// CHECK-NOT:     operands disagree
func.func @agree(%n: index, %s: memref<3x4xf32>, %t: memref<3x4xf32>) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  linalg.exp ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xf32>)
  linalg.exp ins(%s : memref<3x4xf32>) outs(%t : memref<3x4xf32>)
  memref.dealloc %a : memref<?x4xf32>
  memref.dealloc %b : memref<?x4xf32>
  return
}

// CHECK-LABEL: func.func @split(
// CHECK:         cf.assert %{{.*}}, "dimension 0 cannot be split into these sizes"
func.func @split(%a: memref<?xf32>, %n: index) -> memref<?x4xf32> {
  %0 = memref.expand_shape %a [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>
  return %0 : memref<?x4xf32>
}

// Sizes of new buffers are not negative, and their bytes can be counted.
// CHECK-LABEL: func.func @allocation(
// CHECK-SAME:    %[[N:.*]]: index
// CHECK:         %[[SIZE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:         arith.cmpi sge, %[[SIZE]]
// CHECK:         %{{[^,]+}}, %[[HIGH:[^ ]+]] = arith.mului_extended %[[SIZE]], %{{.*}}
// CHECK:         arith.cmpi eq, %[[HIGH]]
// CHECK:         cf.assert %{{.*}}, "a size is negative, or makes more bytes than 64 bits hold"
// CHECK:         memref.alloc
func.func @allocation(%n: index) -> memref<?x3xf32> {
  %a = memref.alloc(%n) : memref<?x3xf32>
  return %a : memref<?x3xf32>
}
