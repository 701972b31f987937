// RUN: xsa-opt %s --raise-attention-to-xsa=report -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISE
// RUN: xsa-opt %s --convert-attention-to-xsa='report=true layers=1 strength=0.5' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONVERT
// RUN: xsa-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(func.func(xsa-raise-attention{report=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: xsa-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(func.func(xsa-raise-attention,xsa-make-exclusive{report=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: xsa-opt %s --raise-attention-to-xsa -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT

// One account of what was found, whoever asks for it.

// RAISE-DAG: remark: attention left alone: scores are not a product of queries and keys
// RAISE: attention in @layers
// RAISE-NEXT: layer  where query key value features decision
// RAISE-NEXT: - attention-report.mlir:[[#@LINE+46]]:8 8x4xf32 8x4xf32 8x4xf32 - raised
// RAISE-NEXT: - attention-report.mlir:{{.*}} 8x4xf32 8x4xf32 8x4xf32 causal, window 3 back, soft cap 30, bias raised
// RAISE-NEXT: - attention-report.mlir:{{.*}} groups of 2 heads exclusive in the model (sq_add, eps 0.001)
// RAISE-NEXT: - attention-report.mlir:{{.*}} - - - - left alone: scores are not a product of queries and keys
// RAISE-NEXT: attention in @cross
// RAISE-NEXT: layer
// RAISE-NEXT: groups of 2 heads raised
// RAISE-NEXT: total: 5 found, 4 raised, 1 exclusive in the model, 0 made exclusive, 0 not exclusive, 1 left alone

// CONVERT: attention in @layers
// CONVERT-NEXT: layer
// CONVERT-NEXT: 0 {{.*}} not exclusive: it is not among the layers that were chosen
// CONVERT-NEXT: 1 {{.*}} made exclusive (l2_clamp, eps 1e-12, strength 0.5)
// CONVERT-NEXT: 2 {{.*}} exclusive in the model (sq_add, eps 0.001)
// CONVERT-NEXT: - {{.*}} left alone: scores are not a product of queries and keys
// CONVERT-NEXT: attention in @cross
// CONVERT-NEXT: layer
// CONVERT-NEXT: - {{.*}} not exclusive: query comes from argument 0, value from argument 1
// CONVERT-NEXT: total: 5 found, 4 raised, 1 exclusive in the model, 1 made exclusive, 2 not exclusive, 1 left alone

// A pass alone speaks of one function.
// BARE: total: 4 found, 3 raised
// BARE: total: 1 found, 1 raised
// ALONE: total: 3 found, 3 raised, 1 exclusive in the model, 2 made exclusive, 0 not exclusive, 0 left alone
// ALONE: total: 1 found, 1 raised, 0 exclusive in the model, 0 made exclusive, 1 not exclusive, 0 left alone

// SILENT-NOT: total:

#q = affine_map<(g, m, k1, k2, n) -> (g, m, k1)>
#k = affine_map<(g, m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(g, m, k1, k2, n) -> (k2, n)>
#b = affine_map<(g, m, k1, k2, n) -> (m, k2)>
#s = affine_map<(g, m, k1, k2, n) -> (m, n)>
#o = affine_map<(g, m, k1, k2, n) -> (g, m, n)>

func.func @layers(%x: tensor<8x4xf32>, %bias: tensor<8x8xf32>) -> (tensor<8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %eg = tensor.empty() : tensor<2x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %xt = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %xt : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %xs = linalg.broadcast ins(%y : tensor<8x4xf32>) outs(%eg : tensor<2x8x4xf32>) dimensions = [0]
  %z = xsa.attention {causal, window_left = 3 : i64, softcap = 30.0 : f64, indexing_maps = [#q, #k, #v, #b, #o]}
      ins(%xs, %y, %y : tensor<2x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      bias(%bias : tensor<8x8xf32>)
      outs(%eg : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %w = xsa.attention {exclusion = #xsa.exclusion<sq_add, eps = 1.0e-3>, indexing_maps = [#q, #k, #v, #s, #o]}
      ins(%z, %y, %y : tensor<2x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      self_value(%y : tensor<8x4xf32>)
      outs(%eg : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %r = linalg.softmax dimension(1) ins(%bias : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = linalg.matmul ins(%r, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y, %z, %w, %u : tensor<8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<8x4xf32>
}

func.func @cross(%x: tensor<2x8x4xf32>, %m: tensor<8x4xf32>) -> tensor<2x8x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %n = math.tanh %m : tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %n, %n : tensor<2x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}
