// RUN: xsa-opt %s -split-input-file -convert-scf-parallel-to-xsa-runtime | FileCheck %s

// The iterations of all dimensions are linearised, the last one fastest. The
// loop's bounds and buffers travel in a struct on the caller's stack.

// CHECK-LABEL: func.func private @two_dims_parallel(
// CHECK-SAME:    %[[BEGIN:.*]]: index, %[[END:.*]]: index, %[[CONTEXT:.*]]: !llvm.ptr)
// CHECK:         llvm.getelementptr %[[CONTEXT]][0, 0]
// CHECK:         scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK:           arith.remui %[[I]], %[[COLUMNS:.*]] : index
// CHECK:           arith.divui %[[I]], %[[COLUMNS]] : index
// CHECK:           memref.store
// CHECK:         return
// CHECK-LABEL: func.func @two_dims(
// CHECK:         llvm.alloca
// CHECK:         llvm.store
// CHECK:         %[[FUNCTION:.*]] = constant @two_dims_parallel
// CHECK:         %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[FUNCTION]]
// CHECK:         call @xsa_parallel_for(%{{.*}}, %[[GRAIN:.*]], %[[POINTER]], %{{.*}})
// CHECK-NOT:     scf.parallel
func.func @two_dims(%buffer: memref<?x?xf32>, %rows: index, %columns: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%rows, %columns) step (%c1, %c1) {
    memref.store %x, %buffer[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func private @forall_parallel(
// CHECK:         arith.constant 5.000000e-01 : f32
// CHECK:         scf.for
// The inner parallel loop is serial.
// CHECK:           scf.for
// CHECK-LABEL: func.func @forall(
// CHECK-DAG:     %[[GRAIN:.*]] = arith.constant 4 : index
// CHECK:         call @xsa_parallel_for(%{{.*}}, %[[GRAIN]],
func.func @forall(%buffer: memref<8x16xf32>) {
  // A constant is repeated, not passed.
  %half = arith.constant 0.5 : f32
  scf.forall (%i) in (8) {
    scf.forall (%j) in (16) {
      memref.store %half, %buffer[%i, %j] : memref<8x16xf32>
    }
  } {xsa.grain = 4 : i64}
  return
}

// -----

// CHECK-LABEL: func.func @too_small(
// CHECK-NOT:     call
// CHECK:         scf.for
// CHECK-NOT:     call
func.func @too_small(%buffer: memref<8xf32>, %x: f32) {
  scf.forall (%i) in (8) {
    memref.store %x, %buffer[%i] : memref<8xf32>
  } {xsa.grain = 8 : i64}
  return
}

// -----

// A loop with a result stays: upstream makes it serial.
// CHECK-LABEL: func.func @reduction(
// CHECK:         scf.parallel
func.func @reduction(%buffer: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {
    %x = memref.load %buffer[%i] : memref<8xf32>
    scf.reduce (%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }
  }
  return %sum : f32
}

// -----

// The context lies at the head of the function, outside the serial loop.
// CHECK-LABEL: func.func @inside_serial_loop(
// CHECK:         llvm.alloca
// CHECK:         scf.for
// CHECK-NOT:     llvm.alloca
// CHECK:         call @xsa_parallel_for
func.func @inside_serial_loop(%buffer: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.forall (%i) in (%n) {
      memref.store %x, %buffer[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Loops that do the same with different buffers share one body.

// CHECK:         func.func private @same_twice_parallel(
// CHECK-NOT:     func.func private @same_twice_parallel_
// CHECK-LABEL:   func.func @same_twice(
// CHECK-COUNT-2:   constant @same_twice_parallel :
// CHECK:         func.func private @another_parallel(
func.func @same_twice(%a: memref<128xf32>, %b: memref<128xf32>, %x: f32) {
  scf.forall (%i) in (128) {
    memref.store %x, %a[%i] : memref<128xf32>
  }
  scf.forall (%i) in (128) {
    memref.store %x, %b[%i] : memref<128xf32>
  }
  return
}

func.func @another(%a: memref<128xf32>, %x: f32) {
  scf.forall (%i) in (128) {
    %y = arith.addf %x, %x : f32
    memref.store %y, %a[%i] : memref<128xf32>
  }
  return
}

// -----

// Stack memory of a body is taken once by each call, not by each iteration. The
// inner loop's is the outer body's.
// CHECK-LABEL: func.func private @stack_parallel(
// CHECK-COUNT-2: memref.alloca() : memref<16xf32>
// CHECK:         scf.for
// CHECK-NOT:     memref.alloca
// CHECK-LABEL: func.func @stack(
func.func @stack(%buffer: memref<?x?xf32>, %rows: index, %columns: index) {
  scf.forall (%i) in (%rows) {
    %tile = memref.alloca() : memref<16xf32>
    scf.forall (%j) in (%columns) {
      %inner = memref.alloca() : memref<16xf32>
      %c0 = arith.constant 0 : index
      %x = memref.load %inner[%c0] : memref<16xf32>
      %y = memref.load %tile[%c0] : memref<16xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %buffer[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
