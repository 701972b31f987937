// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --raise-attention-to-xsa -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Softmax by the logarithm of the sum.

#query = affine_map<(b, i, j, d) -> (b, i, d)>
#key = affine_map<(b, i, j, d) -> (b, j, d)>
#score = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i, 0)>

// As jax.nn.logsumexp has it: shifted by the maximum if that is finite, and by the
// logarithm of the magnitude of the sum.
// CHECK-LABEL: func.func @subtracted(
// CHECK-NOT:     math.exp
// CHECK:         xsa.attention
// CHECK-NOT:     math.log
// CHECK:         return
func.func @subtracted(%q: tensor<2x6x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<2x6x5xf32>
  %re = tensor.empty() : tensor<2x6x1xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %s = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x6x8xf32>, tensor<2x5x8xf32>) outs(%s0 : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x6x5xf32>) outs(%m0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.maximumf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %mf = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m : tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = arith.cmpf one, %0, %inf : f32
    %2 = arith.select %1, %a, %z : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mf : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %l0 = linalg.fill ins(%z : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x6x5xf32>) outs(%l0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %lse = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%l, %mf : tensor<2x6x1xf32>, tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = math.log %0 : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %lse : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %ye = tensor.empty() : tensor<2x6x8xf32>
  %y0 = linalg.fill ins(%z : f32) outs(%ye : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x5xf32>, tensor<2x5x8xf32>) outs(%y0 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}

// A quotient of two exponentials.
// CHECK-LABEL: func.func @divided(
// CHECK-NOT:     math.exp
// CHECK:         xsa.attention
// CHECK-NOT:     math.log
// CHECK:         return
func.func @divided(%q: tensor<2x6x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<2x6x5xf32>
  %re = tensor.empty() : tensor<2x6x1xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %s = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x6x8xf32>, tensor<2x5x8xf32>) outs(%s0 : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x6x5xf32>) outs(%m0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.maximumf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %mf = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m : tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = arith.cmpf one, %0, %inf : f32
    %2 = arith.select %1, %a, %z : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mf : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %l0 = linalg.fill ins(%z : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x6x5xf32>) outs(%l0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %lse = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%l, %mf : tensor<2x6x1xf32>, tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = math.log %0 : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %lse : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.exp %a : f32
    %1 = math.exp %b : f32
    %2 = arith.divf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x5xf32>
  %ye = tensor.empty() : tensor<2x6x8xf32>
  %y0 = linalg.fill ins(%z : f32) outs(%ye : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x5xf32>, tensor<2x5x8xf32>) outs(%y0 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}

// The exponential of the negative logarithm as a factor.
// CHECK-LABEL: func.func @multiplied(
// CHECK-NOT:     math.exp
// CHECK:         xsa.attention
// CHECK-NOT:     math.log
// CHECK:         return
func.func @multiplied(%q: tensor<2x6x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<2x6x5xf32>
  %re = tensor.empty() : tensor<2x6x1xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %s = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x6x8xf32>, tensor<2x5x8xf32>) outs(%s0 : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x6x5xf32>) outs(%m0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.maximumf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %mf = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m : tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = arith.cmpf one, %0, %inf : f32
    %2 = arith.select %1, %a, %z : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mf : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %l0 = linalg.fill ins(%z : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x6x5xf32>) outs(%l0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %lse = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%l, %mf : tensor<2x6x1xf32>, tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = math.log %0 : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %lse : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.exp %a : f32
    %1 = arith.negf %b : f32
    %2 = math.exp %1 : f32
    %3 = arith.mulf %0, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x6x5xf32>
  %ye = tensor.empty() : tensor<2x6x8xf32>
  %y0 = linalg.fill ins(%z : f32) outs(%ye : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x5xf32>, tensor<2x5x8xf32>) outs(%y0 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}

// The logarithm is added, which is no softmax.
// REMARK: remark: attention left alone: exponentials of scores are not seen to be divided by their sum over the same keys
// CHECK-LABEL: func.func @added(
// CHECK-NOT:     xsa.attention
func.func @added(%q: tensor<2x6x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<2x6x5xf32>
  %re = tensor.empty() : tensor<2x6x1xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %s = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x6x8xf32>, tensor<2x5x8xf32>) outs(%s0 : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x6x5xf32>) outs(%m0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.maximumf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %mf = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m : tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = arith.cmpf one, %0, %inf : f32
    %2 = arith.select %1, %a, %z : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mf : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %l0 = linalg.fill ins(%z : f32) outs(%re : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x6x5xf32>) outs(%l0 : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x1xf32>
  %lse = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%l, %mf : tensor<2x6x1xf32>, tensor<2x6x1xf32>) outs(%re : tensor<2x6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.absf %a : f32
    %1 = math.log %0 : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<2x6x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %lse : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %ye = tensor.empty() : tensor<2x6x8xf32>
  %y0 = linalg.fill ins(%z : f32) outs(%ye : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x5xf32>, tensor<2x5x8xf32>) outs(%y0 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}
