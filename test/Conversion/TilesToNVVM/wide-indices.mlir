// RUN: xsa-opt %s -xsa-tile-attention-for-gpu | FileCheck %s

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// An index has 32 bits in a thread. Positions differ by less.

// CHECK-LABEL: func.func @distance
// CHECK:         linalg.generic
// CHECK:           linalg.index 0
// CHECK-NOT:     i64
// CHECK:         return
func.func @distance(%q: tensor<?x16xf16>, %k: tensor<?x16xf16>, %v: tensor<?x16xf16>, %o: tensor<?x16xf16>) -> tensor<?x16xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>) outs(%o : tensor<?x16xf16>)
  score {
  ^bb0(%s: f32, %i: index, %j: index):
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.subf %s, %f : f32
    xsa.yield %t : f32
  } -> tensor<?x16xf16>
  return %r : tensor<?x16xf16>
}

// Their product may need more.

// CHECK-LABEL: func.func @product
// CHECK:         linalg.generic
// CHECK:           %[[I:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:           %[[J:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:           %[[P:.*]] = arith.muli %[[I]], %[[J]] : i64
// CHECK:           %[[Z:.*]] = arith.remsi %[[P]], %{{.*}} : i64
// CHECK:           arith.trunci %[[Z]] : i64 to i32
func.func @product(%q: tensor<?x16xf16>, %k: tensor<?x16xf16>, %v: tensor<?x16xf16>, %o: tensor<?x16xf16>) -> tensor<?x16xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>) outs(%o : tensor<?x16xf16>)
  score {
  ^bb0(%s: f32, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %p = arith.muli %i, %j : index
    %d = arith.remsi %p, %c7 : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.subf %s, %f : f32
    xsa.yield %t : f32
  } -> tensor<?x16xf16>
  return %r : tensor<?x16xf16>
}

// Not where the tokens are few.

// CHECK-LABEL: func.func @few
// CHECK:         linalg.generic
// CHECK:           linalg.index 0
// CHECK-NOT:     i64
// CHECK:         return
func.func @few(%q: tensor<1000x16xf16>, %k: tensor<1000x16xf16>, %v: tensor<1000x16xf16>, %o: tensor<1000x16xf16>) -> tensor<1000x16xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<1000x16xf16>, tensor<1000x16xf16>, tensor<1000x16xf16>) outs(%o : tensor<1000x16xf16>)
  score {
  ^bb0(%s: f32, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %p = arith.muli %i, %j : index
    %d = arith.remsi %p, %c7 : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.subf %s, %f : f32
    xsa.yield %t : f32
  } -> tensor<1000x16xf16>
  return %r : tensor<1000x16xf16>
}
