// RUN: xsa-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' | FileCheck %s

// Models that already take out of the output its component along the own value.

// CHECK-LABEL: func @own_value_removed(
// CHECK: xsa.attention {causal, exclusion = #xsa.exclusion<sq_add, eps = {{[^>]*}}>
// CHECK-SAME: self_value(
// CHECK-NOT: arith.divf
func.func @own_value_removed(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i0 = linalg.index 2 : index
    %j = linalg.index 3 : index
    %off = arith.constant 0 : index
    %i = arith.addi %i0, %off : index
    %cc = arith.cmpi sle, %j, %i : index
    %m = arith.select %cc, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s5 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s5, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  %n20 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %n2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v : tensor<1x2x16x8xf32>) outs(%n20 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %x : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16xf32>
  %dt0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %dt = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v, %y1 : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%dt0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16xf32>
  %eps = arith.constant 1.0e-06 : f32
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v, %dt, %n2, %y1 : tensor<1x2x16x8xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16x8xf32>) outs(%ey : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %d: f32, %n: f32, %w: f32, %o: f32):
    %ne = arith.addf %n, %eps : f32
    %c = arith.divf %d, %ne : f32
    %m = arith.mulf %c, %x : f32
    %r = arith.subf %w, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %z : tensor<1x2x16x8xf32>
}
// -----

// Query heads of a group share the own value.
// CHECK-LABEL: func @own_value_of_a_group(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<sq_add, eps = {{[^>]*}}>
// CHECK-SAME: self_value(
// CHECK-NOT: arith.divf
func.func @own_value_of_a_group(%q: tensor<1x4x16x8xf16>, %k: tensor<1x2x16x8xf16>, %v: tensor<1x2x16x8xf16>) -> tensor<1x4x16x8xf16> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x4x16x16xf32>
  %er = tensor.empty() : tensor<1x4x16xf32>
  %ey = tensor.empty() : tensor<1x4x16x8xf32>
  %ke = tensor.empty() : tensor<1x2x2x16x8xf16>
  %kb = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<1x2x16x8xf16>) outs(%ke : tensor<1x2x2x16x8xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<1x2x2x16x8xf16>
  %kr = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<1x2x2x16x8xf16> into tensor<1x4x16x8xf16>
  %ve = tensor.empty() : tensor<1x2x2x16x8xf16>
  %vb = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v : tensor<1x2x16x8xf16>) outs(%ve : tensor<1x2x2x16x8xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<1x2x2x16x8xf16>
  %vr = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<1x2x2x16x8xf16> into tensor<1x4x16x8xf16>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %kr : tensor<1x4x16x8xf16>, tensor<1x4x16x8xf16>) outs(%s0 : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %xx = arith.extf %x : f16 to f32
    %yx = arith.extf %y : f16 to f32
    %m = arith.mulf %xx, %yx : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x4x16x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x4x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s2 : tensor<1x4x16x16xf32>) outs(%m0 : tensor<1x4x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x4x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %mx : tensor<1x4x16x16xf32>, tensor<1x4x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x4x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x4x16x16xf32>) outs(%l0 : tensor<1x4x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x4x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x4x16x16xf32>, tensor<1x4x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x4x16x16xf32>
  %ep = tensor.empty() : tensor<1x4x16x16xf16>
  %pe = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : tensor<1x4x16x16xf32>) outs(%ep : tensor<1x4x16x16xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x4x16x16xf16>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x4x16x8xf32>) -> tensor<1x4x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%pe, %vr : tensor<1x4x16x16xf16>, tensor<1x4x16x8xf16>) outs(%y0 : tensor<1x4x16x8xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %xx = arith.extf %x : f16 to f32
    %yx = arith.extf %y : f16 to f32
    %m = arith.mulf %xx, %yx : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16x8xf32>
  %n20 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %n2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%vr : tensor<1x4x16x8xf16>) outs(%n20 : tensor<1x4x16xf32>) {
  ^bb0(%x: f16, %o: f32):
    %xx = arith.extf %x : f16 to f32
    %m = arith.mulf %xx, %xx : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16xf32>
  %dt0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %dt = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%vr, %y1 : tensor<1x4x16x8xf16>, tensor<1x4x16x8xf32>) outs(%dt0 : tensor<1x4x16xf32>) {
  ^bb0(%x: f16, %w: f32, %o: f32):
    %xx = arith.extf %x : f16 to f32
    %m = arith.mulf %xx, %w : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16xf32>
  %eps = arith.constant 1.0e-06 : f32
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%vr, %dt, %n2, %y1 : tensor<1x4x16x8xf16>, tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16x8xf32>) outs(%ey : tensor<1x4x16x8xf32>) {
  ^bb0(%x: f16, %d: f32, %n: f32, %w: f32, %o: f32):
    %xx = arith.extf %x : f16 to f32
    %ne = arith.addf %n, %eps : f32
    %c = arith.divf %d, %ne : f32
    %m = arith.mulf %c, %xx : f32
    %r = arith.subf %w, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16x8xf32>
  %eo = tensor.empty() : tensor<1x4x16x8xf16>
  %out = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%z : tensor<1x4x16x8xf32>) outs(%eo : tensor<1x4x16x8xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x4x16x8xf16>
  return %out : tensor<1x4x16x8xf16>
}
