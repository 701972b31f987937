// RUN: xsa-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(xsa-make-exclusive))' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

// Tensors that rows are read from are called what a model author calls them.

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// CHECK: remark: attention not made exclusive: query comes from a pooling of argument 0, value from argument 1
func.func @pooling(%x: tensor<16x4xf32>, %other: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %w = tensor.empty() : tensor<3xf32>
  %low = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%low : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %padded = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %low : f32
  } : tensor<16x4xf32> to tensor<18x4xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 2 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%padded, %w : tensor<18x4xf32>, tensor<3xf32>) outs(%least : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %out: f32):
    %m = arith.maximumf %t, %out : f32
    linalg.yield %m : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%p, %other, %other : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Sums of two rows.
// CHECK: remark: attention not made exclusive: query comes from a lookup in a table, value from argument 0
func.func @lookup(%ids: tensor<16xi64>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %all = tensor.empty() : tensor<16x4xf32>
  %table = arith.constant dense_resource<table> : tensor<100x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<16xi64>) outs(%all : tensor<16x4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %i = arith.index_cast %a : i64 to index
    %j = linalg.index 1 : index
    %size = arith.constant 100 : index
    %isRow = arith.cmpi slt, %i, %size : index
    cf.assert %isRow, "index must be smaller than dim size"
    %t = tensor.extract %table[%i, %j] : tensor<100x4xf32>
    linalg.yield %t : f32
  } -> tensor<16x4xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %pairs = tensor.expand_shape %r [[0, 1], [2]] output_shape [8, 2, 4] : tensor<16x4xf32> into tensor<8x2x4xf32>
  %half = linalg.reduce { arith.addf } ins(%pairs : tensor<8x2x4xf32>) outs(%zeros : tensor<8x4xf32>) dimensions = [1]
  %first = tensor.extract_slice %r[0, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%half, %first, %first : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// As jnp.roll is written for linalg, there and back.
// CHECK: remark: attention not made exclusive: value rows are not at their own position in a rearranged tensor
func.func @rearranged(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %isFront = arith.cmpi ult, %i, %c3 : index
    %v = scf.if %isFront -> (f32) {
      %at = arith.addi %i, %c5 : index
      %t = tensor.extract %x[%at, %j] : tensor<8x4xf32>
      scf.yield %t : f32
    } else {
      %at = arith.subi %i, %c3 : index
      %t = tensor.extract %x[%at, %j] : tensor<8x4xf32>
      scf.yield %t : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  %back = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 5 : index
    %c5 = arith.constant 3 : index
    %isFront = arith.cmpi ult, %i, %c3 : index
    %v = scf.if %isFront -> (f32) {
      %at = arith.addi %i, %c5 : index
      %t = tensor.extract %r[%at, %j] : tensor<8x4xf32>
      scf.yield %t : f32
    } else {
      %at = arith.subi %i, %c3 : index
      %t = tensor.extract %r[%at, %j] : tensor<8x4xf32>
      scf.yield %t : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %back, %back : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK: remark: attention not made exclusive: query comes from argument 0, value from a running sum of argument 0
func.func @running_sum(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %l = tensor.empty() : tensor<4xf32>
  %s, %all = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<8x4xf32>) outs(%e, %l : tensor<8x4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tm_tensor.yield %sum : f32
  } -> tensor<8x4xf32>, tensor<4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %s, %s : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK: remark: attention not made exclusive: query comes from argument 0, value from the result of 'test.unknown'
func.func @unknown(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %s = "test.unknown"(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %s, %s : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
