// RUN: xsa-opt %s --split-input-file --convert-attention-to-xsa --verify-diagnostics | FileCheck %s

// A model that is exclusive already stays what it is, whichever layer is seen
// from which, and whether its spelling is recognised or not.

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(i, e) -> (i, e)>
#row = affine_map<(i, e) -> (i)>

// The residual stream leads from the first exclusion to the second.
// CHECK-LABEL: func @two_layers(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @two_layers(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y0 = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot0 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y0, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %square0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z0 = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y0, %x, %dot0, %square0 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %unit = arith.divf %b, %n : f32
    %m = arith.mulf %d, %unit : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %p = linalg.matmul ins(%z0, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  %x1 = linalg.add ins(%x, %p : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y1 = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x1, %x1, %x1 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot1 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y1, %x1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %square1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x1 : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z1 = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y1, %x1, %dot1, %square1 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %unit = arith.divf %b, %n : f32
    %m = arith.mulf %d, %unit : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z1 : tensor<8x4xf32>
}

// -----

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(i, e) -> (i, e)>
#row = affine_map<(i, e) -> (i)>

// A coefficient that is squashed is no exclusion of the dialect.
// CHECK-LABEL: func @squashed(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @squashed(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  // expected-remark @below {{attention not made exclusive: the model takes part of the own value out of its output already, in a way that is not recognised}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %out: f32):
    %t = math.tanh %d : f32
    %m = arith.mulf %t, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// -----

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(h, i, e) -> (h, i, e)>
#row = affine_map<(h, i, e) -> (h, i)>

// Heads one by one, and their exclusion at once.
// CHECK-LABEL: func @concatenated(
// CHECK-COUNT-2: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: tensor.concat dim(0)
// CHECK: return
func.func @concatenated(%x: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %all = tensor.empty() : tensor<2x8x4xf32>
  %sums = tensor.empty() : tensor<2x8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<2x8xf32>) -> tensor<2x8xf32>
  %x0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %x1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %y0 = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x0, %x0, %x0 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y1 = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x1, %x1, %x1 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %e0 = tensor.expand_shape %y0 [[0, 1], [2]] output_shape [1, 8, 4] : tensor<8x4xf32> into tensor<1x8x4xf32>
  %e1 = tensor.expand_shape %y1 [[0, 1], [2]] output_shape [1, 8, 4] : tensor<8x4xf32> into tensor<1x8x4xf32>
  %y = tensor.concat dim(0) %e0, %e1 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<2x8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %x : tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%sum0 : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8xf32>
  %square = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x8x4xf32>) outs(%sum0 : tensor<2x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %x, %dot, %square : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%all : tensor<2x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8x4xf32>
  return %z : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(i, e) -> (i, e)>
#row = affine_map<(i, e) -> (i)>

// The own value is added, and what comes of it is normalised: plain attention.
// CHECK-LABEL: func @normalised(
// CHECK: xsa.attention {exclusion
func.func @normalised(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.add ins(%x, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %square = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %square : tensor<8x4xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a: f32, %n: f32, %out: f32):
    %ne = arith.addf %n, %eps : f32
    %i = math.rsqrt %ne : f32
    %m = arith.mulf %a, %i : f32
    %r = arith.addf %m, %eps : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// -----

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(i, h, e) -> (i, h, e)>
#row = affine_map<(i, h, e) -> (i, h)>

// The same with heads side by side in the channels, which are seen as heads
// for the exclusion only.
// CHECK-LABEL: func @concatenated_channels(
// CHECK-COUNT-2: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @concatenated_channels(%x: tensor<8x8xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %all = tensor.empty() : tensor<8x2x4xf32>
  %sums = tensor.empty() : tensor<8x2xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x2xf32>) -> tensor<8x2xf32>
  %x0 = tensor.extract_slice %x[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %x1 = tensor.extract_slice %x[0, 4] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %y0 = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x0, %x0, %x0 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y1 = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x1, %x1, %x1 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %joined = tensor.concat dim(1) %y0, %y1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %y = tensor.expand_shape %joined [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %own = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %own : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %square = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%own : tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %own, %dot, %square : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2xf32>, tensor<8x2xf32>) outs(%all : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}
