// RUN: xsa-opt %s --convert-tm-tensor-to-linalg=attention-only=true --split-input-file | FileCheck %s

// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// CHECK-LABEL: func.func @plain
// CHECK-SAME: %[[QUERY:[a-z0-9_]+]]: tensor<4x12x16xf32>, %[[KEY:[a-z0-9_]+]]: tensor<4x10x16xf32>, %[[VALUE:[a-z0-9_]+]]: tensor<4x10x6xf32>
// CHECK: %[[S:[a-z0-9_]+]] = linalg.generic {indexing_maps = [#[[Q]], #[[K]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[QUERY]], %[[KEY]]
// The default scale is 1 / sqrt(16).
// CHECK: %[[SCALE:[a-z0-9_]+]] = arith.constant 2.500000e-01 : f32
// CHECK: %[[SCALED:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[S]]
// CHECK:   arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: %[[MAX:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[SCALED]]
// CHECK:   arith.maximumf
// CHECK: %[[EXP:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[SCALED]], %[[MAX]]
// CHECK:   arith.subf
// CHECK:   math.exp
// CHECK: %[[SUM:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[EXP]]
// CHECK:   arith.addf
// CHECK: %[[P:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]]
// CHECK:   arith.divf
// CHECK: %[[Y:[a-z0-9_]+]] = linalg.generic {indexing_maps = [#[[Q]], #[[V]], #[[OUT]]], {{.*}}} ins(%[[P]], %[[VALUE]]
// CHECK: return %[[Y]] : tensor<4x12x6xf32>
func.func @plain(%q: tensor<4x12x16xf32>, %k: tensor<4x10x16xf32>, %v: tensor<4x10x6xf32>, %init: tensor<4x12x6xf32>)
    -> tensor<4x12x6xf32> {
  %0 = tm_tensor.attention
      ins(%q, %k, %v : tensor<4x12x16xf32>, tensor<4x10x16xf32>, tensor<4x10x6xf32>)
      outs(%init : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return %0 : tensor<4x12x6xf32>
}

// -----

// The boolean mask keeps scores where it is true; rows that keep none give 0.
// CHECK-LABEL: func.func @boolean_mask
// CHECK: %[[SCALE:[a-z0-9_]+]] = arith.constant 3.000000e-01 : f32
// CHECK: arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: %[[INF:[a-z0-9_]+]] = arith.constant 0xFF800000 : f32
// CHECK: %[[MASKED:[a-z0-9_]+]] = linalg.generic
// CHECK: ^bb0(%[[SCORE:[a-z0-9_]+]]: f32, %[[KEEP:[a-z0-9_]+]]: i1, %{{.*}}: f32):
// CHECK:   arith.select %[[KEEP]], %[[SCORE]], %[[INF]]
// CHECK: linalg.generic
// CHECK:   math.exp
// CHECK: linalg.generic
// CHECK:   arith.addf
// CHECK: %[[P:[a-z0-9_]+]] = linalg.generic
// CHECK:   arith.divf
// CHECK: %[[DROPPED:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[MASKED]]
// CHECK:   arith.cmpf oeq
// CHECK: %[[EMPTY:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[DROPPED]]
// CHECK:   arith.andi
// CHECK: linalg.generic {{.*}} ins(%[[EMPTY]], %[[P]]
// CHECK:   arith.select
func.func @boolean_mask(%q: tensor<4x12x8xf32>, %k: tensor<4x10x8xf32>, %v: tensor<4x10x6xf32>,
                        %mask: tensor<4x12x10xi1>, %init: tensor<4x12x6xf32>) -> tensor<4x12x6xf32> {
  %0 = tm_tensor.attention {scale = 0.3 : f64}
      ins(%q, %k, %v, %mask : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>, tensor<4x12x10xi1>)
      outs(%init : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return %0 : tensor<4x12x6xf32>
}

// -----

// Half precision: both products and the softmax are in f32, the result is
// narrowed at the end. A float mask is added.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: %[[BIAS:[a-z0-9_]+]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.addf %{{.*}}, %[[BIAS]] : f32
// CHECK-NOT: truncf
// CHECK: math.exp %{{.*}} : f32
// CHECK-NOT: truncf
// CHECK: arith.mulf
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half(%q: tensor<4x12x8xf16>, %k: tensor<4x10x8xf16>, %v: tensor<4x10x6xf16>,
                %mask: tensor<4x12x10xf16>, %init: tensor<4x12x6xf16>) -> tensor<4x12x6xf16> {
  %0 = tm_tensor.attention
      ins(%q, %k, %v, %mask : tensor<4x12x8xf16>, tensor<4x10x8xf16>, tensor<4x10x6xf16>, tensor<4x12x10xf16>)
      outs(%init : tensor<4x12x6xf16>) -> tensor<4x12x6xf16>
  return %0 : tensor<4x12x6xf16>
}

// -----

// Two batch dimensions, everything dynamic: the scale is computed.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[QUERY:[a-z0-9_]+]]: tensor<?x?x?x?xf64>
// CHECK: %[[C3:[a-z0-9_]+]] = arith.constant 3 : index
// CHECK: %[[DEPTH:[a-z0-9_]+]] = tensor.dim %[[QUERY]], %[[C3]]
// CHECK: %[[INT:[a-z0-9_]+]] = arith.index_cast %[[DEPTH]] : index to i64
// CHECK: %[[FLOAT:[a-z0-9_]+]] = arith.sitofp %[[INT]] : i64 to f64
// CHECK: %[[ROOT:[a-z0-9_]+]] = math.sqrt %[[FLOAT]] : f64
// CHECK: arith.divf %{{.*}}, %[[ROOT]] : f64
func.func @dynamic(%q: tensor<?x?x?x?xf64>, %k: tensor<?x?x?x?xf64>, %v: tensor<?x?x?x?xf64>, %init: tensor<?x?x?x?xf64>)
    -> tensor<?x?x?x?xf64> {
  %0 = tm_tensor.attention
      ins(%q, %k, %v : tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>)
      outs(%init : tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  return %0 : tensor<?x?x?x?xf64>
}

// -----

// attention-only leaves the rest.
// CHECK-LABEL: func.func @others_stay
// CHECK: tm_tensor.sort
func.func @others_stay(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
