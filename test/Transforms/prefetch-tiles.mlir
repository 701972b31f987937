// RUN: xsa-opt %s --split-input-file --xsa-prefetch-tiles --mlir-print-local-scope | FileCheck %s
// RUN: xsa-opt %s --split-input-file --xsa-prefetch-tiles --lower-affine --convert-vector-to-scf --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// Eight rows of four lines each, in 16 iterations of the loop that follows: two
// lines in each of them. The last tile asks for itself.

// CHECK-LABEL: func.func @spread
// CHECK-SAME:    %[[BIAS:[^:]*]]: memref<512x2048xf32>
// CHECK:         scf.for %[[KEY:.*]] = %c0 to %[[END:.*]] step %[[STEP:.*]] {
// CHECK:           memref.subview %[[BIAS]][0, %[[KEY]]] [8, 64]
// CHECK:           %[[AHEAD:.*]] = arith.addi %[[KEY]], %[[STEP]]
// CHECK:           %[[EXISTS:.*]] = arith.cmpi slt, %[[AHEAD]], %[[END]]
// CHECK:           %[[POSITION:.*]] = arith.select %[[EXISTS]], %[[AHEAD]], %[[KEY]]
// CHECK:           %[[NEXT:.*]] = memref.subview %[[BIAS]][0, %[[POSITION]]] [8, 64]
// CHECK:           scf.for %[[I:.*]] = %c0 to %c64 step %c4 {
// CHECK:             %[[TWO:.*]] = arith.constant 2 : index
// CHECK:             scf.for %[[J:.*]] = %{{.*}} to %[[TWO]] step
// CHECK:               %[[LINE:.*]] = affine.min affine_map<(d0, d1) -> ((d0 floordiv 4) * 2 + d1)>(%[[I]], %[[J]])
// CHECK:               %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%[[LINE]])
// CHECK:               %[[COLUMN:.*]] = affine.apply affine_map<(d0) -> (d0 * 16 - (d0 floordiv 4) * 64)>(%[[LINE]])
// CHECK:               memref.prefetch %[[NEXT]][%[[ROW]], %[[COLUMN]]], read, locality<2>, data
// CHECK:             vector.transfer_read

// LLVM-LABEL:  llvm.func @spread
// LLVM:          "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
func.func @spread(%bias: memref<512x2048xf32>, %to: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  scf.for %key = %c0 to %c2048 step %c64 {
    %tile = memref.subview %bias[0, %key] [8, 64] [1, 1] : memref<512x2048xf32> to memref<8x64xf32, strided<[2048, 1], offset: ?>>
    scf.for %i = %c0 to %c64 step %c4 {
      %x = vector.transfer_read %tile[%c0, %i], %zero {in_bounds = [true]} : memref<8x64xf32, strided<[2048, 1], offset: ?>>, vector<4xf32>
      vector.transfer_write %x, %to[%c0] {in_bounds = [true]} : vector<4xf32>, memref<16xf32>
    }
  }
  return
}

// -----

// How many blocks there are is not known, but that they are four at most: with
// fewer of them, fewer lines are asked for. Of other loops nothing is known, and
// all lines are asked for at once.

// CHECK-LABEL: func.func @blocks
// CHECK:         scf.for %{{.*}} = %c0 to %c2048 step %c64 {
// CHECK-NOT:       memref.prefetch
// CHECK:           scf.for %[[BLOCK:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK:             %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK:             scf.for %[[J:.*]] = %{{.*}} to %[[EIGHT]] step
// CHECK:               affine.min affine_map<(d0, d1) -> (d0 * 8 + d1)>(%[[BLOCK]], %[[J]])
// CHECK:               memref.prefetch
// CHECK:             vector.transfer_read
// CHECK:         scf.for %{{.*}} = %c0 to %c2048 step %c64 {
// CHECK:           memref.prefetch
// CHECK:           scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK-NOT:         memref.prefetch
// CHECK:             vector.transfer_read
func.func @blocks(%bias: memref<512x2048xf32>, %rows: index, %any: index, %to: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %size = affine.min affine_map<(d0) -> (d0, 128)>(%rows)
  %blocks = affine.apply affine_map<(d0) -> (d0 ceildiv 32)>(%size)
  scf.for %key = %c0 to %c2048 step %c64 {
    %tile = memref.subview %bias[0, %key] [8, 64] [1, 1] : memref<512x2048xf32> to memref<8x64xf32, strided<[2048, 1], offset: ?>>
    scf.for %i = %c0 to %blocks step %c1 {
      %x = vector.transfer_read %tile[%c0, %i], %zero {in_bounds = [true]} : memref<8x64xf32, strided<[2048, 1], offset: ?>>, vector<4xf32>
      vector.transfer_write %x, %to[%c0] {in_bounds = [true]} : vector<4xf32>, memref<16xf32>
    }
  }
  scf.for %key = %c0 to %c2048 step %c64 {
    %tile = memref.subview %bias[0, %key] [8, 64] [1, 1] : memref<512x2048xf32> to memref<8x64xf32, strided<[2048, 1], offset: ?>>
    scf.for %i = %c0 to %any step %c1 {
      %x = vector.transfer_read %tile[%c0, %i], %zero {in_bounds = [true]} : memref<8x64xf32, strided<[2048, 1], offset: ?>>, vector<4xf32>
      vector.transfer_write %x, %to[%c0] {in_bounds = [true]} : vector<4xf32>, memref<16xf32>
    }
  }
  return
}

// -----

// No loop is there to spread lines over, they are written, and the offset is
// computed. A bool has a byte, so that a row has one line.

// CHECK-LABEL: func.func @alone
// CHECK-SAME:    %[[MASKS:[^:]*]]: memref<?x?x64xi1>
// CHECK:         scf.for %[[BLOCK:.*]] = %c0 to %[[END:.*]] step %c1 {
// CHECK:           %[[BEGIN:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[BLOCK]])
// CHECK:           %[[TILE:.*]] = memref.subview %[[MASKS]][1, %[[BEGIN]], 0] [1, 4, 64]
// CHECK:           %[[POSITION:.*]] = arith.select
// CHECK:           %[[AHEAD:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[POSITION]])
// CHECK:           %[[NEXT:.*]] = memref.subview %[[MASKS]][1, %[[AHEAD]], 0] [1, 4, 64]
// CHECK:           %[[FOUR:.*]] = arith.constant 4 : index
// CHECK:           scf.for %[[LINE:.*]] = %{{.*}} to %[[FOUR]] step
// CHECK:             memref.prefetch %[[NEXT]][%{{.*}}, %{{.*}}], write, locality<2>, data
// CHECK:           vector.transfer_write %{{.*}}, %[[TILE]]

// LLVM-LABEL:  llvm.func @alone
// LLVM:          rw = 1 : i32
func.func @alone(%masks: memref<?x?x64xi1>, %blocks: index, %value: vector<4xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %block = %c0 to %blocks step %c1 {
    %begin = affine.apply affine_map<(d0) -> (d0 * 4)>(%block)
    %tile = memref.subview %masks[1, %begin, 0] [1, 4, 64] [1, 1, 1] : memref<?x?x64xi1> to memref<4x64xi1, strided<[64, 1], offset: ?>>
    vector.transfer_write %value, %tile[%c0, %c0] {in_bounds = [true]} : vector<4xi1>, memref<4x64xi1, strided<[64, 1], offset: ?>>
  }
  return
}

// -----

// Three iterations for eight lines: three lines each, of which the last
// iteration asks for one twice. What moves the tile is the loop around.

// CHECK-LABEL: func.func @uneven
// CHECK:         scf.for %[[KEY:.*]] = %c0 to
// CHECK:           scf.for %[[BLOCK:.*]] = %c0 to
// CHECK:             arith.addi %[[KEY]]
// CHECK:             scf.for %[[I:.*]] = %c2 to %c5 step %c1 {
// CHECK:               scf.for %[[J:.*]] =
// CHECK:                 affine.min affine_map<(d0, d1) -> ((d0 - 2) * 3 + d1, 7)>(%[[I]], %[[J]])
// CHECK:                 memref.prefetch
func.func @uneven(%keys: memref<4096x64xf32>, %to: memref<2x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %key = %c0 to %c4096 step %c2 {
    scf.for %block = %c0 to %c2 step %c1 {
      %tile = memref.subview %keys[%key, 0] [2, 64] [1, 1] : memref<4096x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
      scf.for %i = %c2 to %c5 step %c1 {
        %x = vector.transfer_read %tile[%c0, %i], %zero {in_bounds = [true]} : memref<2x64xf32, strided<[64, 1], offset: ?>>, vector<4xf32>
        vector.transfer_write %x, %to[%block, %c0] {in_bounds = [true]} : vector<4xf32>, memref<2x16xf32>
      }
    }
  }
  return
}

// -----

// An operand of a product, through a reshape.

// CHECK-LABEL: func.func @pairs
// CHECK:         memref.prefetch
func.func @pairs(%keys: memref<4096x64xbf16>, %to: memref<64x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  scf.for %key = %c0 to %c4096 step %c64 {
    %tile = memref.subview %keys[%key, 0] [64, 64] [1, 1] : memref<4096x64xbf16> to memref<64x64xbf16, strided<[64, 1], offset: ?>>
    %pairs = memref.expand_shape %tile [[0], [1, 2]] output_shape [64, 32, 2] : memref<64x64xbf16, strided<[64, 1], offset: ?>> into memref<64x32x2xbf16, strided<[64, 2, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%pairs : memref<64x32x2xbf16, strided<[64, 2, 1], offset: ?>>) outs(%to : memref<64x32xbf16>) {
    ^bb0(%x: bf16, %sum: bf16):
      %s = arith.addf %x, %sum : bf16
      linalg.yield %s : bf16
    }
  }
  return
}

// -----

// Nothing is asked for: of an array that caches hold, of tiles that no loop
// moves, that are large, whose size is not known, that do not have whole lines,
// or that nothing but tiles of them is read of.

// CHECK-LABEL: func.func @left
// CHECK-NOT:     memref.prefetch
func.func @left(%small: memref<256x256xf32>, %large: memref<4096x4096xf32>, %columns: memref<4096x4096xf32, strided<[1, 4096]>>, %size: index, %to: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c256 step %c64 {
    %a = memref.subview %small[0, %i] [8, 64] [1, 1] : memref<256x256xf32> to memref<8x64xf32, strided<[256, 1], offset: ?>>
    %x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true]} : memref<8x64xf32, strided<[256, 1], offset: ?>>, vector<4xf32>
    %b = memref.subview %large[0, 64] [8, 64] [1, 1] : memref<4096x4096xf32> to memref<8x64xf32, strided<[4096, 1], offset: 64>>
    %y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true]} : memref<8x64xf32, strided<[4096, 1], offset: 64>>, vector<4xf32>
    %c = memref.subview %large[0, %i] [65, 64] [1, 1] : memref<4096x4096xf32> to memref<65x64xf32, strided<[4096, 1], offset: ?>>
    %z = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true]} : memref<65x64xf32, strided<[4096, 1], offset: ?>>, vector<4xf32>
    %d = memref.subview %large[0, %i] [%size, 64] [1, 1] : memref<4096x4096xf32> to memref<?x64xf32, strided<[4096, 1], offset: ?>>
    %u = vector.transfer_read %d[%c0, %c0], %zero {in_bounds = [true]} : memref<?x64xf32, strided<[4096, 1], offset: ?>>, vector<4xf32>
    %e = memref.subview %columns[0, %i] [8, 64] [1, 1] : memref<4096x4096xf32, strided<[1, 4096]>> to memref<8x64xf32, strided<[1, 4096], offset: ?>>
    %v = memref.load %e[%c0, %c0] : memref<8x64xf32, strided<[1, 4096], offset: ?>>
    %f = memref.subview %large[0, %i] [8, 64] [1, 1] : memref<4096x4096xf32> to memref<8x64xf32, strided<[4096, 1], offset: ?>>
    %g = memref.subview %f[0, 0] [1, 64] [1, 1] : memref<8x64xf32, strided<[4096, 1], offset: ?>> to memref<1x64xf32, strided<[4096, 1], offset: ?>>
    %w = vector.transfer_read %g[%c0, %c0], %zero {in_bounds = [true]} : memref<1x64xf32, strided<[4096, 1], offset: ?>>, vector<4xf32>
    %s0 = arith.addf %x, %y : vector<4xf32>
    %s1 = arith.addf %s0, %z : vector<4xf32>
    %s2 = arith.addf %s1, %u : vector<4xf32>
    %s3 = arith.addf %s2, %w : vector<4xf32>
    vector.transfer_write %s3, %to[%c0] {in_bounds = [true]} : vector<4xf32>, memref<16xf32>
    memref.store %v, %to[%c0] : memref<16xf32>
  }
  return
}
