// RUN: xsa-opt %s --raise-attention-to-xsa | FileCheck %s

// Masks reach a model as bytes (torch-mlir writes boolean buffers so), and bits
// of integers as masks. All integers are one type to the matcher; what it writes
// has the model's types.

#rows = affine_map<(b, i, j) -> (b, i, j)>
#table = affine_map<(b, i, j) -> (i, j)>

// A byte that is not zero keeps the key: here, causal.
// CHECK-LABEL: func @bytes
// CHECK-NOT: linalg.generic
// CHECK: xsa.attention {{{.*}}causal
func.func @bytes(%x: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %table = arith.constant dense<[[1, 0, 0], [1, 1, 0], [1, 1, 1]]> : tensor<3x3xi8>
  %0 = call @masked_bytes(%x, %table) : (tensor<1x3x8xf32>, tensor<3x3xi8>) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

// As an argument the bytes are only known when it runs.
// CHECK-LABEL: func @byte_argument
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<3x3xi8>)
// CHECK: arith.index_cast %{{.*}} : i8 to index
// CHECK: xsa.attention
func.func @byte_argument(%x: tensor<1x3x8xf32>, %table: tensor<3x3xi8>) -> tensor<1x3x8xf32> {
  %0 = call @masked_bytes(%x, %table) : (tensor<1x3x8xf32>, tensor<3x3xi8>) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

// Widened as unsigned: 200 is not -56.
// CHECK-LABEL: func @unsigned_bytes
// CHECK: %[[BYTE:.*]] = arith.index_cast %{{.*}} : index to i8
// CHECK: %[[WIDE:.*]] = arith.extui %[[BYTE]] : i8 to i64
// CHECK: arith.index_cast %[[WIDE]] : i64 to index
// CHECK: xsa.attention
func.func @unsigned_bytes(%x: tensor<1x3x8xf32>, %table: tensor<3x3xi8>) -> tensor<1x3x8xf32> {
  %c100 = arith.constant 100 : i64
  %empty = tensor.empty() : tensor<3x3xi1>
  %keep = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%table : tensor<3x3xi8>) outs(%empty : tensor<3x3xi1>) {
  ^bb0(%byte: i8, %out: i1):
    %wide = arith.extui %byte : i8 to i64
    %large = arith.cmpi sgt, %wide, %c100 : i64
    linalg.yield %large : i1
  } -> tensor<3x3xi1>
  %0 = call @masked(%x, %keep) : (tensor<1x3x8xf32>, tensor<3x3xi1>) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

// One bit of a word: the shift is done in the word's type.
// CHECK-LABEL: func @bits
// CHECK: %[[SHIFTED:.*]] = arith.shrui %{{.*}}, %{{.*}} : i32
// CHECK: xsa.attention
func.func @bits(%x: tensor<1x3x8xf32>, %words: tensor<3x3xi32>) -> tensor<1x3x8xf32> {
  %c31 = arith.constant 31 : i32
  %c0 = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<3x3xi1>
  %keep = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%words : tensor<3x3xi32>) outs(%empty : tensor<3x3xi1>) {
  ^bb0(%word: i32, %out: i1):
    %bit = arith.shrui %word, %c31 : i32
    %set = arith.cmpi ne, %bit, %c0 : i32
    linalg.yield %set : i1
  } -> tensor<3x3xi1>
  %0 = call @masked(%x, %keep) : (tensor<1x3x8xf32>, tensor<3x3xi1>) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

func.func private @masked_bytes(%x: tensor<1x3x8xf32>, %table: tensor<3x3xi8>) -> tensor<1x3x8xf32> {
  %c0 = arith.constant 0 : i8
  %empty = tensor.empty() : tensor<3x3xi1>
  %keep = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%table : tensor<3x3xi8>) outs(%empty : tensor<3x3xi1>) {
  ^bb0(%byte: i8, %out: i1):
    %set = arith.cmpi ne, %byte, %c0 : i8
    linalg.yield %set : i1
  } -> tensor<3x3xi1>
  %0 = call @masked(%x, %keep) : (tensor<1x3x8xf32>, tensor<3x3xi1>) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

func.func private @masked(%x: tensor<1x3x8xf32>, %keep: tensor<3x3xi1>) -> tensor<1x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %minus_inf = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1x3x3xf32>
  %scores_init = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  %out_empty = tensor.empty() : tensor<1x3x8xf32>
  %out_init = linalg.fill ins(%zero : f32) outs(%out_empty : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  %t_empty = tensor.empty() : tensor<1x8x3xf32>
  %xt = linalg.transpose ins(%x : tensor<1x3x8xf32>) outs(%t_empty : tensor<1x8x3xf32>) permutation = [0, 2, 1]
  %scores = linalg.batch_matmul ins(%x, %xt : tensor<1x3x8xf32>, tensor<1x8x3xf32>) outs(%scores_init : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  %masked = linalg.generic {indexing_maps = [#table, #rows, #rows], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%keep, %scores : tensor<3x3xi1>, tensor<1x3x3xf32>) outs(%scores_empty : tensor<1x3x3xf32>) {
  ^bb0(%k: i1, %s: f32, %out: f32):
    %r = arith.select %k, %s, %minus_inf : f32
    linalg.yield %r : f32
  } -> tensor<1x3x3xf32>
  %p = linalg.softmax dimension(2) ins(%masked : tensor<1x3x3xf32>) outs(%scores_empty : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  %y = linalg.batch_matmul ins(%p, %x : tensor<1x3x3xf32>, tensor<1x3x8xf32>) outs(%out_init : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  return %y : tensor<1x3x8xf32>
}
