// RUN: xsa-opt %s -split-input-file -convert-linalg-to-cpu-loops=bf16-dot=amx -canonicalize -cse | FileCheck %s
// RUN: xsa-opt %s -split-input-file -convert-linalg-to-cpu-loops -canonicalize -cse | FileCheck %s --check-prefix=NONE

// Without an instruction, every contraction is loops.
// NONE-NOT: amx

#lhs = affine_map<(i, j, k, r) -> (i, k, r)>
#rhs = affine_map<(i, j, k, r) -> (k, j, r)>
#out = affine_map<(i, j, k, r) -> (i, j)>

// What happens in between is to other memory.
// CHECK-LABEL: func.func @other_memory(
// CHECK:         memref.store
// CHECK:         amx.tile_zero
// CHECK-NOT:     amx.tile_load {{.*}}xf32>
func.func @other_memory(%a: memref<16x16x2xbf16>, %b: memref<16x16x2xbf16>, %one: f32) -> (memref<16x16xf32>, memref<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %c = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<16x16xf32>)
  %d = memref.alloc() : memref<1xf32>
  memref.store %one, %d[%i] : memref<1xf32>
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<16x16x2xbf16>, memref<16x16x2xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return %c, %d : memref<16x16xf32>, memref<1xf32>
}

// -----

#lhs = affine_map<(i, j, k, r) -> (i, k, r)>
#rhs = affine_map<(i, j, k, r) -> (k, j, r)>
#out = affine_map<(i, j, k, r) -> (i, j)>

// CHECK-LABEL: func.func @written_between(
// CHECK-NOT:     amx.tile_zero
// CHECK:         amx.tile_load {{.*}} : memref<16x16xf32> into
func.func @written_between(%a: memref<16x16x2xbf16>, %b: memref<16x16x2xbf16>, %c: memref<16x16xf32>, %one: f32) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<16x16xf32>)
  memref.store %one, %c[%i, %i] : memref<16x16xf32>
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<16x16x2xbf16>, memref<16x16x2xbf16>) outs(%c : memref<16x16xf32>) {
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

// CHECK-LABEL: func.func @another_value(
// CHECK-NOT:     amx.tile_zero
// CHECK:         amx.tile_load {{.*}} : memref<16x16xf32> into
func.func @another_value(%a: memref<16x16x2xbf16>, %b: memref<16x16x2xbf16>, %c: memref<16x16xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<16x16xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<16x16x2xbf16>, memref<16x16x2xbf16>) outs(%c : memref<16x16xf32>) {
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

// A fill of only a part is left alone.
// CHECK-LABEL: func.func @part(
// CHECK-NOT:     amx.tile_zero
// CHECK:         amx.tile_load {{.*}} : memref<16x16xf32> into
func.func @part(%a: memref<16x16x2xbf16>, %b: memref<16x16x2xbf16>, %c: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %d = memref.subview %c[0, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1]>>
  linalg.fill ins(%zero : f32) outs(%d : memref<4x16xf32, strided<[16, 1]>>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<16x16x2xbf16>, memref<16x16x2xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
