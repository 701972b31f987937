// RUN: xsa-opt %s --convert-attention-to-xsa=assume-self=true --split-input-file | FileCheck %s

#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
#red = affine_map<(b, h, i, j) -> (b, h, i)>
#q = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#k = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#src = affine_map<(b, h, g, t, d) -> (b, h, t, d)>
#rep = affine_map<(b, h, g, t, d) -> (b, h, g, t, d)>

// One query row, four heads on two key/value heads: the heads of a group are
// not taken for rows, so the own value is the last key, not the last two.
// CHECK-LABEL: func.func @group_is_not_rows
// CHECK:         %[[OWN:.*]] = tensor.extract_slice %{{.*}}[0, 15, 0] [2, 1, 8] [1, 1, 1]
// CHECK:         xsa.attention {exclusion =
// CHECK-SAME:      self_value(%[[OWN]] : tensor<2x1x8xf32>)
func.func @group_is_not_rows(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<1x2x2x16x8xf32>
  %kb = linalg.generic {indexing_maps = [#src, #rep], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<1x2x16x8xf32>) outs(%ek : tensor<1x2x2x16x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<1x2x2x16x8xf32>
  %kr = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<1x2x2x16x8xf32> into tensor<1x4x16x8xf32>
  %vb = linalg.generic {indexing_maps = [#src, #rep], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<1x2x16x8xf32>) outs(%ek : tensor<1x2x2x16x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<1x2x2x16x8xf32>
  %vr = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<1x2x2x16x8xf32> into tensor<1x4x16x8xf32>
  %es = tensor.empty() : tensor<1x4x1x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x4x1x16xf32>) -> tensor<1x4x1x16xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %kr : tensor<1x4x1x8xf32>, tensor<1x4x16x8xf32>) outs(%s0 : tensor<1x4x1x16xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x1x16xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<1x4x1x16xf32>) outs(%es : tensor<1x4x1x16xf32>) -> tensor<1x4x1x16xf32>
  %ey = tensor.empty() : tensor<1x4x1x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
  %y = linalg.generic {indexing_maps = [#q, affine_map<(b, h, i, j, d) -> (b, h, d, j)>, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %vr : tensor<1x4x1x16xf32>, tensor<1x4x16x8xf32>) outs(%y0 : tensor<1x4x1x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x1x8xf32>
  return %y : tensor<1x4x1x8xf32>
}

// -----

#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
#q = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#k = affine_map<(b, h, i, j, d) -> (b, j, d)>
#v = affine_map<(b, h, i, j, d) -> (b, d, j)>
#s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>

// The same with one key/value head, where the query's layout is the same as the
// key's and tells that it has one row.
// CHECK-LABEL: func.func @heads_are_not_rows
// CHECK:         %[[OWN:.*]] = tensor.extract_slice %{{.*}}[15, 0] [1, 8] [1, 1]
// CHECK:         xsa.attention {exclusion =
// CHECK-SAME:      self_value(%[[OWN]] : tensor<1x8xf32>)
func.func @heads_are_not_rows(%q: tensor<1x4x1x8xf32>, %k4: tensor<1x1x16x8xf32>, %v4: tensor<1x1x16x8xf32>) -> tensor<1x4x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.collapse_shape %k4 [[0, 1], [2], [3]] : tensor<1x1x16x8xf32> into tensor<1x16x8xf32>
  %v = tensor.collapse_shape %v4 [[0, 1], [2], [3]] : tensor<1x1x16x8xf32> into tensor<1x16x8xf32>
  %es = tensor.empty() : tensor<1x4x1x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x4x1x16xf32>) -> tensor<1x4x1x16xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x4x1x8xf32>, tensor<1x16x8xf32>) outs(%s0 : tensor<1x4x1x16xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x1x16xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<1x4x1x16xf32>) outs(%es : tensor<1x4x1x16xf32>) -> tensor<1x4x1x16xf32>
  %ey = tensor.empty() : tensor<1x4x1x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
  %y = linalg.generic {indexing_maps = [#q, #v, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<1x4x1x16xf32>, tensor<1x16x8xf32>) outs(%y0 : tensor<1x4x1x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x1x8xf32>
  return %y : tensor<1x4x1x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, j, d) -> (b, d, j)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>

// A sequence of one token: softmax over a single key.
// CHECK-LABEL: func.func @single_key
// CHECK:         xsa.attention {exclusion =
// CHECK-NOT:     math.exp
// CHECK:         return
func.func @single_key(%q: tensor<4x1x8xf32>, %k: tensor<4x1x8xf32>, %v: tensor<4x1x8xf32>) -> tensor<4x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x1x1xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x1x8xf32>, tensor<4x1x8xf32>) outs(%s0 : tensor<4x1x1xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x1x1xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x1x1xf32>) outs(%es : tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  %ey = tensor.empty() : tensor<4x1x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  %y = linalg.generic {indexing_maps = [#q, #v, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x1x1xf32>, tensor<4x1x8xf32>) outs(%y0 : tensor<4x1x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x1x8xf32>
  return %y : tensor<4x1x8xf32>
}
