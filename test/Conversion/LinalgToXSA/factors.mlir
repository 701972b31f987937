// RUN: xsa-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' | FileCheck %s

// Scores times a tensor of their own shape that differs between rows only: it
// belongs to the query, and is read from where it does not run along the keys.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> ()>

// A broadcast.
// CHECK-LABEL: func @repeated(
// CHECK-SAME: %[[T:[^:]*]]: tensor<8xf32>)
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[T]] : tensor<8x4xf32>, tensor<8xf32>)
// CHECK: xsa.attention {{.*}} ins(%[[Q]],
func.func @repeated(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %temperature: tensor<8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %raw = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %factor = linalg.broadcast ins(%temperature : tensor<8xf32>) outs(%es : tensor<8x8xf32>) dimensions = [1]
  %s = linalg.mul ins(%raw, %factor : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%s : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %mx : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> ()>

// Computed in the shape of the scores from what does not have it.
// CHECK-LABEL: func @computed(
// CHECK-SAME: %[[T:[^:]*]]: tensor<8xf32>, %[[ALL:[^:]*]]: tensor<f32>)
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[T]], %[[ALL]] : tensor<8x4xf32>, tensor<8xf32>, tensor<f32>)
// CHECK: arith.addf
// CHECK: xsa.attention {{.*}} ins(%[[Q]],
func.func @computed(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %temperature: tensor<8xf32>, %all: tensor<f32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %raw = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %everywhere = linalg.broadcast ins(%all : tensor<f32>) outs(%es : tensor<8x8xf32>) dimensions = [0, 1]
  %factor = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%everywhere, %temperature : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s = linalg.mul ins(%raw, %factor : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%s : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %mx : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> ()>

// Two broadcasts, multiplied.
// CHECK-LABEL: func @two_repeated(
// CHECK-SAME: %[[T:[^:]*]]: tensor<8xf32>, %[[U:[^:]*]]: tensor<8xf32>)
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[T]], %[[U]] : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK: xsa.attention {{.*}} ins(%[[Q]],
func.func @two_repeated(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %temperature: tensor<8xf32>, %more: tensor<8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %raw = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %f0 = linalg.broadcast ins(%temperature : tensor<8xf32>) outs(%es : tensor<8x8xf32>) dimensions = [1]
  %f1 = linalg.broadcast ins(%more : tensor<8xf32>) outs(%es : tensor<8x8xf32>) dimensions = [1]
  %factor = linalg.mul ins(%f0, %f1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.mul ins(%raw, %factor : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%s : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %mx : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> ()>

// A sum of what is repeated is the same for all keys: it is read at the first one.
// CHECK-LABEL: func @summed(
// CHECK: %[[SUM:.*]] = linalg.reduce { arith.addf }
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SUM]] : tensor<8x4xf32>, tensor<8x8xf32>)
// CHECK: xsa.attention
func.func @summed(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %temperature: tensor<8x3xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %raw = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %eb = tensor.empty() : tensor<8x8x3xf32>
  %wide = linalg.broadcast ins(%temperature : tensor<8x3xf32>) outs(%eb : tensor<8x8x3xf32>) dimensions = [1]
  %factor = linalg.reduce { arith.addf } ins(%wide : tensor<8x8x3xf32>) outs(%s0 : tensor<8x8xf32>) dimensions = [2]
  %s = linalg.mul ins(%raw, %factor : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%s : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %mx : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// One that differs between keys is part of a score region: in the key it would
// hide whose token that is.
// CHECK-LABEL: func @by_key(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x4xf32>, %[[T:[^:]*]]: tensor<4x8xf32>, %[[F:[^:]*]]: tensor<8xf32>)
// CHECK: xsa.attention {{.*}} ins(%[[X]], %[[T]], %[[X]] {{.*}} score_inputs(%[[F]] :
// CHECK: arith.divf
// CHECK: xsa.yield
func.func @by_key(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %f: tensor<8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %raw = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %factor = linalg.broadcast ins(%f : tensor<8xf32>) outs(%es : tensor<8x8xf32>) dimensions = [0]
  %s = linalg.div ins(%raw, %factor : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// One that differs between rows as well. What is added to all scores of a row
// before it does not cancel.
// CHECK-LABEL: func @by_row_and_key(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x4xf32>, %[[T:[^:]*]]: tensor<4x8xf32>, %[[F:[^:]*]]: tensor<8x8xf32>, %[[B:[^:]*]]: tensor<8xf32>)
// CHECK: xsa.attention {{.*}} ins(%[[X]], %[[T]], %[[X]] {{.*}} score_inputs(%[[B]], %[[F]] :
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: xsa.yield
func.func @by_row_and_key(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %f: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %raw = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%raw, %f, %b : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %o: f32):
    %d = arith.addf %a0, %a2 : f32
    %r = arith.mulf %d, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
