// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention,xsa-make-exclusive),cse)' 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention,xsa-make-exclusive))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not="remark:"

// What is taken out of the output is the own value's share of one head's row.
// Projections on values along another dimension are other models: they are left
// as they are, and not taken for exclusive ones. Where the own value's share is
// untouched because the projection is on another vector, attention before it is
// a plain one, and becomes exclusive like any other.

#q = affine_map<(h, i, d, j, e) -> (i, h, d)>
#k = affine_map<(h, i, d, j, e) -> (j, h, d)>
#v = affine_map<(h, i, d, j, e) -> (j, h, e)>
#o = affine_map<(h, i, d, j, e) -> (i, h, e)>
#id = affine_map<(i, h, e) -> (i, h, e)>

// CHECK-LABEL: func @along_the_row(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK: return
func.func @along_the_row(%x: tensor<8x2x4xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2x4xf32>
  %sums = tensor.empty() : tensor<8x2xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x2xf32>) -> tensor<8x2xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%empty : tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %square = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>, affine_map<(i, h, e) -> (i, h)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %x, %dot, %square : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2xf32>, tensor<8x2xf32>) outs(%empty : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}

// REMARK: remark: exclusion left alone: the dot product of output and value runs over more than one row of one head, such as over the tokens
// REMARK: remark: attention not made exclusive: the model takes part of the own value out of its output already, in a way that is not recognised
// CHECK-LABEL: func @along_the_tokens(
// CHECK-NOT: exclu
// CHECK: xsa.attention
// CHECK-NOT: exclu
// CHECK: return
func.func @along_the_tokens(%x: tensor<8x2x4xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2x4xf32>
  %sums = tensor.empty() : tensor<2x4xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%empty : tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (h, e)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%y, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %square = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (h, e)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (h, e)>, affine_map<(i, h, e) -> (h, e)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %x, %dot, %square : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%empty : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}

// REMARK: remark: exclusion left alone: the dot product of output and value runs over more than one row of one head, such as over the tokens
// REMARK: remark: attention not made exclusive: the model takes part of the own value out of its output already, in a way that is not recognised
// CHECK-LABEL: func @over_all_heads(
// CHECK-NOT: exclu
// CHECK: xsa.attention
// CHECK-NOT: exclu
// CHECK: return
func.func @over_all_heads(%x: tensor<8x2x4xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%empty : tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%y, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %square = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i)>, affine_map<(i, h, e) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %x, %dot, %square : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}

// REMARK: remark: exclusion left alone: what is taken out of the output is not along its own value but along another vector, such as another head's or token's value
// CHECK-LABEL: func @on_the_other_head(
// CHECK: %[[Y:.*]] = xsa.attention {exclusion = #xsa.exclusion<l2_clamp
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %{{.*}} :
// CHECK: arith.subf
func.func @on_the_other_head(%x: tensor<8x2x4xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2x4xf32>
  %sums = tensor.empty() : tensor<8x2xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x2xf32>) -> tensor<8x2xf32>
  %first = tensor.extract_slice %x[0, 0, 0] [8, 1, 4] [1, 1, 1] : tensor<8x2x4xf32> to tensor<8x1x4xf32>
  %second = tensor.extract_slice %x[0, 1, 0] [8, 1, 4] [1, 1, 1] : tensor<8x2x4xf32> to tensor<8x1x4xf32>
  %w = tensor.concat dim(1) %second, %first : (tensor<8x1x4xf32>, tensor<8x1x4xf32>) -> tensor<8x2x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%empty : tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %w : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %square = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %w : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>, affine_map<(i, h, e) -> (i, h)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %w, %dot, %square : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2xf32>, tensor<8x2xf32>) outs(%empty : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}

// REMARK: remark: exclusion left alone: what is taken out of the output is not along its own value but along another vector, such as another head's or token's value
// CHECK-LABEL: func @on_the_next_token(
// CHECK: %[[Y:.*]] = xsa.attention {exclusion = #xsa.exclusion<l2_clamp
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %{{.*}} :
// CHECK: arith.subf
func.func @on_the_next_token(%x: tensor<8x2x4xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2x4xf32>
  %sums = tensor.empty() : tensor<8x2xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x2xf32>) -> tensor<8x2xf32>
  %first = tensor.extract_slice %x[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<8x2x4xf32> to tensor<1x2x4xf32>
  %rest = tensor.extract_slice %x[1, 0, 0] [7, 2, 4] [1, 1, 1] : tensor<8x2x4xf32> to tensor<7x2x4xf32>
  %w = tensor.concat dim(0) %rest, %first : (tensor<7x2x4xf32>, tensor<1x2x4xf32>) -> tensor<8x2x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%empty : tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %w : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %square = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %w : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>, affine_map<(i, h, e) -> (i, h)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %w, %dot, %square : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2xf32>, tensor<8x2xf32>) outs(%empty : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}

// REMARK: remark: exclusion left alone: what is taken out of the output is not along its own value but along another vector, such as another head's or token's value
// CHECK-LABEL: func @on_the_key(
// CHECK: %[[Y:.*]] = xsa.attention {exclusion = #xsa.exclusion<l2_clamp
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %{{.*}} :
// CHECK: arith.subf
func.func @on_the_key(%x: tensor<8x2x4xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2x4xf32>
  %sums = tensor.empty() : tensor<8x2xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x2xf32>) -> tensor<8x2xf32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<8x2x4xf32>) outs(%empty : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = math.tanh %a : f32
    linalg.yield %t : f32
  } -> tensor<8x2x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %v : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%empty : tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %square = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%sum0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, e) -> (i, h)>, affine_map<(i, h, e) -> (i, h)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %x, %dot, %square : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2xf32>, tensor<8x2xf32>) outs(%empty : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %n: f32, %out: f32):
    %c = arith.divf %d, %n : f32
    %m = arith.mulf %c, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}
