// RUN: xsa-opt %s --xsa-tile-attention="vector-bits=512 bf16-dot=amx" --xsa-vectorize-tiles=vector-bits=512 --canonicalize --cse | FileCheck %s
// RUN: xsa-opt %s --xsa-tile-attention="vector-bits=512 bf16-dot=amx row-block=35 query-tile=35" --xsa-vectorize-tiles=vector-bits=512 --canonicalize --cse | FileCheck %s --check-prefix=WIDE

// Rows of a block are a multiple of 16, and more than a vector holds are two.
// WIDE-LABEL: func.func @pairs
// WIDE:         linalg.generic {{.*}} outs(%{{.*}} : tensor<64x48xf32>)
// WIDE:         vector.transfer_write {{.*}} : vector<64xbf16>, tensor<32x96xbf16>
// WIDE:         vector.transfer_write {{.*}} : vector<32xbf16>, tensor<32x96xbf16>

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @pairs
// CHECK-DAG:     %[[HALF:[^ ,:)]*]] = arith.constant dense<32768> : vector<32xi32>
// CHECK-DAG:     %[[UPPER:[^ ,:)]*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK-DAG:     %[[UPPER2:[^ ,:)]*]] = arith.constant dense<-65536> : vector<32xi32>
// Query rows that were bf16 are interleaved.
// CHECK:         vector.interleave %{{.*}}, %{{.*}} : vector<32xbf16>
// CHECK:         scf.for
// Values change places in pairs: 32 rows of 16 become 16 of 32. The first and
// the ninth of the even rows are side by side; so are the squares of both halves.
// In the end, lower and upper halves of the even and the odd ones are joined.
// CHECK:           %[[ROW0:[^ ,:)]*]] = vector.transfer_read {{.*}} vector<16xbf16>
// CHECK-COUNT-15:  vector.transfer_read {{.*}} vector<16xbf16>
// CHECK:           %[[ROW16:[^ ,:)]*]] = vector.transfer_read {{.*}} vector<16xbf16>
// CHECK-COUNT-15:  vector.transfer_read {{.*}} vector<16xbf16>
// CHECK:           %[[WORDS0:[^ ,:)]*]] = vector.bitcast %[[ROW0]] : vector<16xbf16> to vector<8xi32>
// CHECK:           %[[WORDS16:[^ ,:)]*]] = vector.bitcast %[[ROW16]] : vector<16xbf16> to vector<8xi32>
// CHECK:           vector.shuffle %[[WORDS0]], %[[WORDS16]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
// CHECK:           vector.shuffle {{.*}} [0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27] : vector<16xi32>, vector<16xi32>
// CHECK:           arith.shli
// CHECK:           arith.andi
// CHECK:           arith.ori
// CHECK:           arith.shrui
// CHECK:           arith.andi {{.*}}, %[[UPPER]]
// CHECK:           arith.ori
// CHECK-COUNT-16:  vector.transfer_write {{.*}} : vector<32xbf16>
// The products stay, with the zeros that the first starts from.
// CHECK:           %[[ZERO:[^ ,:)]*]] = linalg.fill
// CHECK:           linalg.generic {{.*}} outs(%[[ZERO]] : tensor<64x32xf32>)
// Whether any maximum lags behind is one reduction.
// CHECK:           %[[EXCEEDS:[^ ,:)]*]] = vector.reduction <or>, %{{.*}} : vector<32xi1> into i1
// CHECK:           scf.if %[[EXCEEDS]]
// The maximum is read once. Two weights are rounded and put beside each other,
// and added to a sum each.
// CHECK:           %[[MAX:[^ ,:)]*]] = vector.transfer_read {{.*}} : tensor<32xf32>, vector<32xf32>
// CHECK:           scf.for {{.*}} -> (tensor<32x64xbf16>, vector<32xf32>, vector<32xf32>)
// CHECK-NOT:         vector.transfer_read {{.*}} : tensor<32xf32>
// CHECK:             vector.transfer_read {{.*}} : tensor<32x2x32xf32>, vector<32xf32>
// CHECK:             vector.transfer_read {{.*}} : tensor<32x2x32xf32>, vector<32xf32>
// CHECK-DAG:         %[[LOW:[^ ,:)]*]] = arith.addi %{{.*}}, %[[HALF]]
// CHECK-DAG:         %[[LOWER:[^ ,:)]*]] = arith.shrui %[[LOW]]
// CHECK-DAG:         %[[HIGH:[^ ,:)]*]] = arith.andi %{{.*}}, %[[UPPER2]]
// CHECK:             arith.ori %[[LOWER]], %[[HIGH]]
// CHECK:             vector.transfer_write {{.*}} : vector<64xbf16>
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<32x32xf32>)
func.func @pairs(%q: tensor<64x32xbf16>, %k: tensor<512x32xbf16>, %v: tensor<512x32xbf16>,
                 %o: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<64x32xbf16>, tensor<512x32xbf16>, tensor<512x32xbf16>)
      outs(%o : tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %r : tensor<64x32xbf16>
}

#row = affine_map<(m, k1, k2, n) -> (m)>

// The rounded weights of a sum are the halves that are put beside each other.

// CHECK-LABEL: func.func @sum_of_rounded
// CHECK-DAG:     %[[HALF:[^ ,:)]*]] = arith.constant dense<32768> : vector<32xi32>
// CHECK-DAG:     %[[UPPER:[^ ,:)]*]] = arith.constant dense<-65536> : vector<32xi32>
// CHECK:         scf.for {{.*}} -> (tensor<32x64xbf16>, vector<32xf32>, vector<32xf32>)
// CHECK:           %[[LOW:[^ ,:)]*]] = arith.addi %{{.*}}, %[[HALF]]
// CHECK:           %[[ROUNDED:[^ ,:)]*]] = arith.andi %[[LOW]], %[[UPPER]]
// CHECK:           %[[TERM:[^ ,:)]*]] = arith.bitcast %[[ROUNDED]]
// CHECK:           arith.addf %[[TERM]]
// CHECK:           %[[HIGH:[^ ,:)]*]] = arith.addi %{{.*}}, %[[HALF]]
// CHECK:           %[[ROUNDED2:[^ ,:)]*]] = arith.andi %[[HIGH]], %[[UPPER]]
// CHECK:           %[[TERM2:[^ ,:)]*]] = arith.bitcast %[[ROUNDED2]]
// CHECK:           arith.addf %[[TERM2]]
// CHECK:           %[[LOWER:[^ ,:)]*]] = arith.shrui %[[LOW]]
// CHECK:           arith.ori %[[LOWER]], %[[ROUNDED2]]
func.func @sum_of_rounded(%q: tensor<64x32xbf16>, %k: tensor<512x32xbf16>, %v: tensor<512x32xbf16>,
                          %o: tensor<64x32xbf16>, %c: tensor<64xf32>) -> (tensor<64x32xbf16>, tensor<64xf32>) {
  %r:2 = xsa.attention {exclusion = #xsa.exclusion<raw>, indexing_maps = [#q, #k, #v, #o, #o, #row]}
      ins(%q, %k, %v : tensor<64x32xbf16>, tensor<512x32xbf16>, tensor<512x32xbf16>)
      self_value(%q : tensor<64x32xbf16>)
      outs(%o : tensor<64x32xbf16>) coefficient(%c : tensor<64xf32>) -> tensor<64x32xbf16>, tensor<64xf32>
  return %r#0, %r#1 : tensor<64x32xbf16>, tensor<64xf32>
}

// bf16 that become f32 change places by two, as words: a lane has an element of
// two rows of the result, and each is a number when the other half is zeros.

// CHECK-LABEL: func.func @own_values
// CHECK-DAG:     %[[UPPER:[^ ,:)]*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK-DAG:     %[[SIXTEEN:[^ ,:)]*]] = arith.constant dense<16> : vector<16xi32>
// CHECK:         scf.if
// CHECK:         %[[ROW:[^ ,:)]*]] = vector.transfer_read {{.*}} vector<32xbf16>
// CHECK-COUNT-15: vector.transfer_read {{.*}} vector<32xbf16>
// CHECK:         vector.bitcast %[[ROW]] : vector<32xbf16> to vector<16xi32>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK-NEXT:    %[[LOW:[^ ,:)]*]] = arith.shli %[[WORD:[^ ,:)]*]], %[[SIXTEEN]]
// CHECK-NEXT:    %[[HIGH:[^ ,:)]*]] = arith.andi %[[WORD]], %[[UPPER]]
// CHECK-NEXT:    arith.bitcast %[[LOW]] : vector<16xi32> to vector<16xf32>
// CHECK-NEXT:    arith.bitcast %[[HIGH]] : vector<16xi32> to vector<16xf32>
// CHECK-COUNT-32: vector.transfer_write {{.*}} : vector<16xf32>, tensor<32x32xf32>
func.func @own_values(%q: tensor<64x32xbf16>, %k: tensor<64x32xbf16>, %v: tensor<64x32xbf16>,
                      %o: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o, #o], exclusion = #xsa.exclusion<raw>}
      ins(%q, %k, %v : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x32xbf16>)
      self_value(%v : tensor<64x32xbf16>)
      outs(%o : tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %r : tensor<64x32xbf16>
}
