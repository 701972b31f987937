// RUN: xsa-opt %s -split-input-file -convert-linalg-to-cpu-loops=bf16-dot=amx -canonicalize -cse | FileCheck %s

#lhs = affine_map<(i, j, k, r) -> (i, k, r)>
#rhs = affine_map<(i, j, k, r) -> (k, j, r)>
#out = affine_map<(i, j, k, r) -> (i, j)>

// The right operand's four tiles stay where they are for all rows, which pass by
// sixteen at a time. The left operand's rows are as far apart as its buffer says.
// No fill is left.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[LHS:.*]]: memref<64x32x2xbf16, strided<[?, 2, 1], offset: ?>>, %[[RHS:.*]]: memref<32x32x2xbf16>, %[[OUT:.*]]: memref<64x32xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[A:.*]] = memref.collapse_shape %[[LHS]] {{\[\[}}0], [1, 2]]
// CHECK-DAG:     %[[B:.*]] = memref.collapse_shape %[[RHS]] {{\[\[}}0], [1, 2]]
// CHECK-NOT:     memref.alloca
// CHECK-NOT:     linalg.fill
// CHECK:         %[[B00:.*]] = amx.tile_load %[[B]][%[[C0]], %[[C0]]], %[[C64]]
// CHECK:         %[[B01:.*]] = amx.tile_load %[[B]][%[[C0]], %[[C32]]], %[[C64]]
// CHECK:         %[[B10:.*]] = amx.tile_load %[[B]][%[[C16]], %[[C0]]], %[[C64]]
// CHECK:         %[[B11:.*]] = amx.tile_load %[[B]][%[[C16]], %[[C32]]], %[[C64]]
// CHECK:         scf.for %[[I:.*]] = %[[C0]] to %[[C64]] step %[[C16]] {
// CHECK-COUNT-2:   amx.tile_zero : !amx.tile<16x16xf32>
// CHECK:           %{{.*}}, %{{.*}}, %{{.*}}, %[[STRIDE:.*]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK:           %[[A0:.*]] = amx.tile_load %[[A]][%[[I]], %[[C0]]], %[[STRIDE]]#0
// CHECK-SAME:        into !amx.tile<16x32xbf16>
// CHECK:           %[[S0:.*]] = amx.tile_mulf %[[A0]], %[[B00]]
// CHECK:           %[[S1:.*]] = amx.tile_mulf %[[A0]], %[[B01]]
// CHECK:           %[[A1:.*]] = amx.tile_load %[[A]][%[[I]], %[[C32]]]
// CHECK:           %[[T0:.*]] = amx.tile_mulf %[[A1]], %[[B10]], %[[S0]]
// CHECK:           %[[T1:.*]] = amx.tile_mulf %[[A1]], %[[B11]], %[[S1]]
// CHECK:           amx.tile_store %[[OUT]][%[[I]], %[[C0]]], %[[T0]]
// CHECK:           amx.tile_store %[[OUT]][%[[I]], %[[C16]]], %[[T1]]
// CHECK-NOT:     amx.tile_
func.func @whole(%a: memref<64x32x2xbf16, strided<[?, 2, 1], offset: ?>>, %b: memref<32x32x2xbf16>, %c: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x32xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<64x32x2xbf16, strided<[?, 2, 1], offset: ?>>, memref<32x32x2xbf16>) outs(%c : memref<64x32xf32>) {
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

// More pairs than that: blocks of 2 x 2 tiles, whose sums stay in them over 16
// pairs at a time. Operands come in where they are first multiplied.
// CHECK-LABEL: func.func @long(
// CHECK-SAME:    %[[LHS:.*]]: memref<64x48x2xbf16>, %[[RHS:.*]]: memref<48x32x2xbf16>, %[[OUT:.*]]: memref<64x32xf32>
// CHECK-DAG:     %[[A:.*]] = memref.collapse_shape %[[LHS]] {{\[\[}}0], [1, 2]]
// CHECK-DAG:     %[[B:.*]] = memref.collapse_shape %[[RHS]] {{\[\[}}0], [1, 2]]
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %c64 step %{{.*}} {
// CHECK-COUNT-4:   amx.tile_zero : !amx.tile<16x16xf32>
// CHECK:           %[[SUMS:.*]]:4 = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK:             %[[K2:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK:             amx.tile_load %[[A]][%[[I]], %[[K2]]], %c96
// CHECK:             amx.tile_load %[[B]][%[[K]], %{{.*}}], %c64
// CHECK:             amx.tile_mulf
// CHECK:             amx.tile_load %[[B]]
// CHECK:             amx.tile_mulf
// CHECK:             amx.tile_load %[[A]]
// CHECK-COUNT-2:     amx.tile_mulf
// CHECK:           amx.tile_store %[[OUT]][%[[I]], %{{.*}}], %[[SUMS]]#0
// CHECK-COUNT-3:   amx.tile_store %[[OUT]]
// CHECK-NOT:     amx.tile_
func.func @long(%a: memref<64x48x2xbf16>, %b: memref<48x32x2xbf16>, %c: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x32xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<64x48x2xbf16>, memref<48x32x2xbf16>) outs(%c : memref<64x32xf32>) {
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

// Another order of operands and loops, an outer dimension, and sums that are
// added to what the result holds.
// CHECK-LABEL: func.func @accumulates(
// CHECK-SAME:    %{{.*}}: memref<16x32x2xbf16>, %{{.*}}: memref<32x3x16x2xbf16>, %[[OUT:.*]]: memref<3x32x32xf32>
// CHECK:         scf.for
// CHECK-COUNT-2:   amx.tile_load {{.*}} into !amx.tile<16x32xbf16>
// CHECK:           scf.for
// CHECK-COUNT-2:     amx.tile_load %[[OUT]]
// CHECK:             amx.tile_load
// CHECK-COUNT-2:     amx.tile_mulf
// CHECK-COUNT-2:     amx.tile_store %[[OUT]]
func.func @accumulates(%b: memref<16x32x2xbf16>, %a: memref<32x3x16x2xbf16>, %c: memref<3x32x32xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(r, k, h, j, i) -> (k, j, r)>, affine_map<(r, k, h, j, i) -> (i, h, k, r)>, affine_map<(r, k, h, j, i) -> (h, i, j)>],
    iterator_types = ["reduction", "reduction", "parallel", "parallel", "parallel"]}
    ins(%b, %a : memref<16x32x2xbf16>, memref<32x3x16x2xbf16>) outs(%c : memref<3x32x32xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %yf, %xf : f32
    %t = arith.addf %p, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#lhs = affine_map<(i, j, k, r) -> (i, k, r)>
#rhs = affine_map<(i, j, k, r) -> (k, j, r)>
#out = affine_map<(i, j, k, r) -> (i, j)>

// Five rows of 20 pairs: tiles that are zero where nothing is. Every tile has
// the one shape.
// CHECK-LABEL: func.func @edges(
// CHECK-DAG:     memref.alloca() {alignment = 64 : i64} : memref<16x32xbf16>
// CHECK-DAG:     memref.alloca() {alignment = 64 : i64} : memref<16x16xf32>
// CHECK-NOT:     memref.alloca
// CHECK:         %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %c5
// CHECK:         %[[COUNT:.*]] = arith.select %[[EXISTS]], %c16, %c0
// CHECK:         vector.create_mask %[[COUNT]] : vector<16xi1>
// CHECK:         amx.tile_load
// CHECK-NOT:     !amx.tile<{{[^1]|1[^6]}}
// CHECK:         vector.maskedload
// CHECK-NOT:     !amx.tile<{{[^1]|1[^6]}}
// CHECK:         return
func.func @edges(%a: memref<5x20x2xbf16>, %b: memref<20x16x2xbf16>, %c: memref<5x16xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<5x20x2xbf16>, memref<20x16x2xbf16>) outs(%c : memref<5x16xf32>) {
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

// Inside a parallel loop everything is serial; memory for edges is taken outside
// of the serial loops. Rows come by 16, and the rest.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         scf.forall
// CHECK-COUNT-2: memref.alloca
// CHECK-NOT:     scf.parallel
// CHECK:         scf.for
// CHECK-NOT:     memref.alloca
// CHECK-COUNT-4: amx.tile_mulf
// CHECK-NOT:     memref.alloca
// CHECK-COUNT-4: amx.tile_mulf
// CHECK-NOT:     amx.tile_mulf
// CHECK-NOT:     memref.alloca
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @dynamic(%a: memref<?x32x2xbf16>, %b: memref<32x32x2xbf16>, %c: memref<4x?x32xf32>) {
  %c1 = arith.constant 1 : index
  %size = memref.dim %c, %c1 : memref<4x?x32xf32>
  scf.forall (%h) in (4) {
    %d = memref.subview %c[%h, 0, 0] [1, %size, 32] [1, 1, 1] : memref<4x?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<?x32x2xbf16>, memref<32x32x2xbf16>) outs(%d : memref<?x32xf32, strided<[32, 1], offset: ?>>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %xf = arith.extf %x : bf16 to f32
      %yf = arith.extf %y : bf16 to f32
      %p = arith.mulf %xf, %yf : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
  }
  return
}
