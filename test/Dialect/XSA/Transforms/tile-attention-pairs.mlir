// RUN: xsa-opt %s --xsa-tile-attention="vector-bits=512 bf16-dot=amx" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: xsa-opt %s --xsa-tile-attention="vector-bits=512 bf16-dot=avx512" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: xsa-opt %s --xsa-tile-attention="vector-bits=512" --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=NONE

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Query rows and weights are in pairs of terms, values transposed; keys are
// read where they lie. The rows are rescaled only if a maximum has grown much,
// and one is taken off before scores are multiplied only if it is large.

// CHECK-DAG:   #[[PAIRED:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[TERMS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG:   #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG:   #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
// CHECK-DAG:   #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func.func @pairs
// CHECK:           %[[QUERY:[^ ,:)]*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [32, 2, 32]
// CHECK:           linalg.generic {indexing_maps = [#[[TERMS]], #[[PAIRED]]], {{.*}}} ins(%[[QUERY]] : tensor<32x2x32xbf16>) outs(%{{.*}} : tensor<32x32x2xbf16>)
// CHECK:         scf.for
// CHECK:           %[[KEYS:[^ ,:)]*]] = tensor.extract_slice %arg1[%{{.*}}, 0] [64, 64] [1, 1]
// CHECK:           %[[VALUES:[^ ,:)]*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<48x64xbf16>)
// CHECK:           scf.for
// CHECK:             %[[ZERO:[^ ,:)]*]] = linalg.fill {{.*}} -> tensor<64x32xf32>
// CHECK:             %[[LK:[^ ,:)]*]] = tensor.expand_shape %[[KEYS]] {{\[}}[0], [1, 2]] output_shape [64, 32, 2]
// CHECK:             %[[S:[^ ,:)]*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[LK]], %{{.*}} : tensor<64x32x2xbf16>, tensor<32x32x2xbf16>) outs(%[[ZERO]] : tensor<64x32xf32>)
// CHECK:             %[[EXCEEDS:[^ ,:)]*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK:             %[[RUNNING:[^ ,:)]*]]:3 = scf.if %[[EXCEEDS]] -> (tensor<32xf32>, tensor<32xf32>, tensor<48x32xf32>)
// CHECK:             %[[ISLARGE:[^ ,:)]*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK:             %[[SMALL:[^ ,:)]*]] = scf.if %[[ISLARGE]] -> (tensor<64x32xf32>)
// CHECK:               %[[TAKEN:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[RUNNING]]#0 : tensor<32xf32>) outs(%[[S]] : tensor<64x32xf32>)
// CHECK:                 arith.subf
// CHECK:               scf.yield %[[TAKEN]]
// CHECK:             else
// CHECK:               scf.yield %[[S]]
// CHECK:             %[[TERM:[^ ,:)]*]] = tensor.expand_shape %[[SMALL]] {{\[}}[0, 1], [2]] output_shape [32, 2, 32]
// CHECK:             %[[P:[^ ,:)]*]]:2 = linalg.generic {{.*}} ins(%[[TERM]], %[[RUNNING]]#0 : {{.*}}) outs(%{{.*}}, %[[RUNNING]]#1 : tensor<32x32x2xbf16>, tensor<32xf32>)
// CHECK:               %[[FMA:[^ ,:)]*]] = math.fma
// CHECK:               %[[W:[^ ,:)]*]] = math.exp2 %[[FMA]] {xsa.bounded, xsa.rough}
// CHECK-DAG:           arith.addf %[[W]]
// CHECK-DAG:           arith.truncf %[[W]]
// CHECK:             %[[LV:[^ ,:)]*]] = tensor.expand_shape %[[VALUES]] {{\[}}[0], [1, 2]] output_shape [48, 32, 2]
// CHECK:             linalg.generic {{.*}} ins(%[[LV]], %[[P]]#0 : tensor<48x32x2xbf16>, tensor<32x32x2xbf16>) outs(%[[RUNNING]]#2 : tensor<48x32xf32>)
// NONE-LABEL:  func.func @pairs
// NONE-NOT:      tensor.expand_shape
func.func @pairs(%q: tensor<256x64xbf16>, %k: tensor<512x64xbf16>, %v: tensor<512x48xbf16>,
                 %o: tensor<256x48xbf16>) -> tensor<256x48xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<256x64xbf16>, tensor<512x64xbf16>, tensor<512x48xbf16>)
      outs(%o : tensor<256x48xbf16>) -> tensor<256x48xbf16>
  return %r : tensor<256x48xbf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#row = affine_map<(m, k1, k2, n) -> (m)>

// An output with more bits than the weights is divided by the sum of the rounded
// ones. A log-sum-exp is of those before, and would show what a multiply-add
// makes them off by.

// CHECK-LABEL: func.func @exact
// CHECK:         scf.if %{{.*}} -> (tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32xf32>)
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<32x32x2xbf16>, tensor<32xf32>, tensor<32xf32>)
// CHECK-NOT:     math.fma
// CHECK:         %[[W:[^ ,:)]*]] = math.exp2 %{{.*}} {xsa.bounded}
// CHECK:         %[[N:[^ ,:)]*]] = arith.truncf %[[W]]
// CHECK:         %[[R:[^ ,:)]*]] = arith.extf %[[N]]
// CHECK:         %[[SUM:[^ ,:)]*]] = arith.addf %[[R]]
// CHECK:         %[[EXACT:[^ ,:)]*]] = arith.addf %[[W]]
// CHECK:         linalg.yield %[[N]], %[[SUM]], %[[EXACT]]
func.func @exact(%q: tensor<64x32xbf16>, %k: tensor<128x32xbf16>, %v: tensor<128x32xbf16>,
                 %o: tensor<64x32xf32>, %l: tensor<64xf32>) -> (tensor<64x32xf32>, tensor<64xf32>) {
  %r:2 = xsa.attention {indexing_maps = [#q, #k, #v, #o, #row]}
      ins(%q, %k, %v : tensor<64x32xbf16>, tensor<128x32xbf16>, tensor<128x32xbf16>)
      outs(%o : tensor<64x32xf32>) lse(%l : tensor<64xf32>) -> tensor<64x32xf32>, tensor<64xf32>
  return %r#0, %r#1 : tensor<64x32xf32>, tensor<64xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// A last tile of 45 keys is filled up to 64, and those that do not exist are
// masked.

// CHECK-LABEL: func.func @padded
// CHECK:         %[[KEYS:[^ ,:)]*]] = linalg.fill {{.*}} -> tensor<64x32xbf16>
// CHECK:         tensor.insert_slice %{{.*}} into %[[KEYS]][0, 0] [45, 32] [1, 1]
// CHECK:         %[[VALUES:[^ ,:)]*]] = linalg.fill {{.*}} -> tensor<32x64xbf16>
// CHECK:         tensor.insert_slice %{{.*}} into %[[VALUES]][0, 0] [32, 45] [1, 1]
// CHECK:         %[[KEY:[^ ,:)]*]] = linalg.index 1
// CHECK:         arith.cmpi slt, %[[KEY]], %c45
func.func @padded(%q: tensor<64x32xbf16>, %k: tensor<109x32xbf16>, %v: tensor<109x32xbf16>,
                  %o: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x32xbf16>, tensor<109x32xbf16>, tensor<109x32xbf16>)
      outs(%o : tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %r : tensor<64x32xbf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k1, k2)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The terms of a key must be neighbours: these are brought together.

// CHECK-LABEL: func.func @keys_last
// CHECK:         %[[KEYS:[^ ,:)]*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<32x64xbf16>) outs(%{{.*}} : tensor<64x32xbf16>)
// CHECK:         tensor.expand_shape %[[KEYS]] {{\[}}[0], [1, 2]] output_shape [64, 16, 2]
func.func @keys_last(%q: tensor<64x32xbf16>, %k: tensor<32x128xbf16>, %v: tensor<128x32xbf16>,
                     %o: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<128x32xbf16>)
      outs(%o : tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %r : tensor<64x32xbf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// An odd depth has no pairs; neither have f16, and rows that fill no vector.

// CHECK-LABEL: func.func @no_pairs
// CHECK-NOT:     tensor.expand_shape
func.func @no_pairs(%q: tensor<64x31xbf16>, %k: tensor<128x31xbf16>, %v: tensor<128x32xbf16>,
                    %o: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x31xbf16>, tensor<128x31xbf16>, tensor<128x32xbf16>)
      outs(%o : tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %r : tensor<64x32xbf16>
}

// CHECK-LABEL: func.func @no_pairs_f16
// CHECK-NOT:     tensor.expand_shape
func.func @no_pairs_f16(%q: tensor<64x32xf16>, %k: tensor<128x32xf16>, %v: tensor<128x32xf16>,
                        %o: tensor<64x32xf16>) -> tensor<64x32xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x32xf16>, tensor<128x32xf16>, tensor<128x32xf16>)
      outs(%o : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %r : tensor<64x32xf16>
}

// CHECK-LABEL: func.func @few_rows
// CHECK-NOT:     tensor.expand_shape
func.func @few_rows(%q: tensor<4x32xbf16>, %k: tensor<128x32xbf16>, %v: tensor<128x32xbf16>,
                    %o: tensor<4x32xbf16>) -> tensor<4x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<4x32xbf16>, tensor<128x32xbf16>, tensor<128x32xbf16>)
      outs(%o : tensor<4x32xbf16>) -> tensor<4x32xbf16>
  return %r : tensor<4x32xbf16>
}
