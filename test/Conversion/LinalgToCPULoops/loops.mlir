// RUN: xsa-opt %s -split-input-file -convert-linalg-to-cpu-loops -canonicalize -cse | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

// A row's sum is carried in a scalar, and LLVM may reorder it.
// CHECK-LABEL: func.func @row_sum(
// CHECK:         scf.for
// CHECK:           %[[START:.*]] = memref.load %{{.*}} : memref<4xf32>
// CHECK:           %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]]) -> (f32)
// CHECK:             arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32
// CHECK:           memref.store %[[SUM]]
func.func @row_sum(%x: memref<4x8xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>

// A column's sum: the loop over contiguous memory is innermost.
// CHECK-LABEL: func.func @column_sum(
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK:             memref.store %{{.*}}[%[[J]]]
func.func @column_sum(%x: memref<4x8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Large enough for threads: rows in parallel, each row serial.
// CHECK-LABEL: func.func @parallel(
// CHECK:         scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%{{.*}})
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             memref.store %{{.*}}[%[[I]], %[[J]]]
// CHECK:         } {xsa.grain = {{[0-9]+}} : i64}
func.func @parallel(%x: memref<1024x1024xf32>, %y: memref<1024x1024xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<1024x1024xf32>) outs(%y : memref<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Inside a parallel loop everything is serial.
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.forall
// CHECK-NOT:       scf.parallel
func.func @nested(%x: memref<8x1024x1024xf32>) {
  scf.forall (%b) in (8) {
    %s = memref.subview %x[%b, 0, 0] [1, 1024, 1024] [1, 1, 1] : memref<8x1024x1024xf32> to memref<1024x1024xf32, strided<[1024, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
        outs(%s : memref<1024x1024xf32, strided<[1024, 1], offset: ?>>) {
    ^bb0(%a: f32):
      %t = arith.addf %a, %a : f32
      linalg.yield %t : f32
    }
  }
  return
}

// -----

// The value and the index of a maximum, both carried; indices are loop
// variables.
// CHECK-LABEL: func.func @argmax(
// CHECK:         scf.for {{.*}} -> (f32, i64)
// CHECK:           arith.maximumf
// CHECK:           arith.select
func.func @argmax(%x: memref<4x8xf32>, %value: memref<4xf32>, %where: memref<4xi64>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<4x8xf32>) outs(%value, %where : memref<4xf32>, memref<4xi64>) {
  ^bb0(%a: f32, %m: f32, %w: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %max = arith.maximumf %a, %m : f32
    %more = arith.cmpf ogt, %a, %m : f32
    %at = arith.select %more, %k, %w : i64
    linalg.yield %max, %at : f32, i64
  }
  return
}

// -----

// A copy that is not contiguous becomes loops, a contiguous one stays.
// CHECK-LABEL: func.func @copies(
// CHECK:         scf.for
// CHECK:         memref.copy
// CHECK-NOT:     memref.copy
func.func @copies(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  memref.copy %y, %z : memref<4x8xf32> to memref<4x8xf32>
  return
}
