// RUN: xsa-opt %s --raise-attention-to-xsa | FileCheck %s

// An exponential to the base 2 is a power of two to torch-mlir. Powers of any
// number above 0 are exponentials of multiples.

#rows = affine_map<(b, i, j) -> (b, i, j)>
#sums = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func @powers_of_two
// CHECK: xsa.attention {{{.*}}scale = 0.69314{{.*}}
// CHECK-LABEL: func @powers_of_three
// CHECK: xsa.attention {{{.*}}scale = 1.09861{{.*}}
// CHECK-LABEL: func @powers_of_e
// CHECK: xsa.attention
// CHECK-NOT: scale
// CHECK-LABEL: func @powers_of_minus_two
// CHECK-NOT: xsa.attention
func.func @powers_of_two(%x: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %two = arith.constant 2.0 : f32
  %0 = call @attention(%x, %two) : (tensor<1x3x8xf32>, f32) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

func.func @powers_of_three(%x: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %three = arith.constant 3.0 : f32
  %0 = call @attention(%x, %three) : (tensor<1x3x8xf32>, f32) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

func.func @powers_of_e(%x: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %e = arith.constant 2.718281828459045 : f32
  %0 = call @attention(%x, %e) : (tensor<1x3x8xf32>, f32) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

func.func @powers_of_minus_two(%x: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %two = arith.constant -2.0 : f32
  %0 = call @attention(%x, %two) : (tensor<1x3x8xf32>, f32) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

func.func private @attention(%x: tensor<1x3x8xf32>, %base: f32) -> tensor<1x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<1x3x3xf32>
  %scores_init = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  %sums_empty = tensor.empty() : tensor<1x3xf32>
  %sums_init = linalg.fill ins(%zero : f32) outs(%sums_empty : tensor<1x3xf32>) -> tensor<1x3xf32>
  %out_empty = tensor.empty() : tensor<1x3x8xf32>
  %out_init = linalg.fill ins(%zero : f32) outs(%out_empty : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  %t_empty = tensor.empty() : tensor<1x8x3xf32>
  %xt = linalg.transpose ins(%x : tensor<1x3x8xf32>) outs(%t_empty : tensor<1x8x3xf32>) permutation = [0, 2, 1]
  %scores = linalg.batch_matmul ins(%x, %xt : tensor<1x3x8xf32>, tensor<1x8x3xf32>) outs(%scores_init : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  %powers = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<1x3x3xf32>) outs(%scores_empty : tensor<1x3x3xf32>) {
  ^bb0(%s: f32, %out: f32):
    %p = math.powf %base, %s : f32
    linalg.yield %p : f32
  } -> tensor<1x3x3xf32>
  %sums = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<1x3x3xf32>) outs(%sums_init : tensor<1x3xf32>) {
  ^bb0(%p: f32, %sum: f32):
    %a = arith.addf %sum, %p : f32
    linalg.yield %a : f32
  } -> tensor<1x3xf32>
  %probabilities = linalg.generic {indexing_maps = [#rows, #sums, #rows], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%powers, %sums : tensor<1x3x3xf32>, tensor<1x3xf32>) outs(%scores_empty : tensor<1x3x3xf32>) {
  ^bb0(%p: f32, %sum: f32, %out: f32):
    %d = arith.divf %p, %sum : f32
    linalg.yield %d : f32
  } -> tensor<1x3x3xf32>
  %y = linalg.batch_matmul ins(%probabilities, %x : tensor<1x3x3xf32>, tensor<1x3x8xf32>) outs(%out_init : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  return %y : tensor<1x3x8xf32>
}
