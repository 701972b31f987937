// RUN: xsa-opt %s --xsa-split-vectors --canonicalize --cse | FileCheck %s

// Three registers of f32 each, also where a loop carries them.

// CHECK-LABEL: func.func @loop
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:         %[[SUMS:.*]]:3 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[S0:.*]] = %[[ZERO]], %[[S1:.*]] = %[[ZERO]], %[[S2:.*]] = %[[ZERO]])
// CHECK-SAME:        -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK:           %[[X:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK-DAG:       %[[A0:.*]] = vector.transfer_read %{{.*}}[%[[I]], %[[C0]]], %{{.*}} {in_bounds = [true]} : memref<8x48xf32>, vector<16xf32>
// CHECK-DAG:       %[[A1:.*]] = vector.transfer_read %{{.*}}[%[[I]], %[[C16]]], %{{.*}} {in_bounds = [true]} : memref<8x48xf32>, vector<16xf32>
// CHECK-DAG:       %[[A2:.*]] = vector.transfer_read %{{.*}}[%[[I]], %[[C32]]], %{{.*}} {in_bounds = [true]} : memref<8x48xf32>, vector<16xf32>
// CHECK-DAG:       %[[F0:.*]] = math.fma %[[A0]], %[[X]], %[[S0]] : vector<16xf32>
// CHECK-DAG:       %[[F1:.*]] = math.fma %[[A1]], %[[X]], %[[S1]] : vector<16xf32>
// CHECK-DAG:       %[[F2:.*]] = math.fma %[[A2]], %[[X]], %[[S2]] : vector<16xf32>
// CHECK:           scf.yield %[[F0]], %[[F1]], %[[F2]]
// CHECK:         } {loop_annotation
// CHECK-DAG:     vector.transfer_write %[[SUMS]]#0, %{{.*}}[%[[C0]]] {in_bounds = [true]} : vector<16xf32>, memref<48xf32>
// CHECK-DAG:     vector.transfer_write %[[SUMS]]#1, %{{.*}}[%[[C16]]] {in_bounds = [true]} : vector<16xf32>, memref<48xf32>
// CHECK-DAG:     vector.transfer_write %[[SUMS]]#2, %{{.*}}[%[[C32]]] {in_bounds = [true]} : vector<16xf32>, memref<48xf32>
#unroll = #llvm.loop_unroll<disable = true>
#annotation = #llvm.loop_annotation<unroll = #unroll>
func.func @loop(%a: memref<8x48xf32>, %x: memref<8xf32>, %out: memref<48xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (vector<48xf32>) {
    %e = memref.load %x[%i] : memref<8xf32>
    %b = vector.broadcast %e : f32 to vector<48xf32>
    %r = vector.transfer_read %a[%i, %c0], %pad {in_bounds = [true]} : memref<8x48xf32>, vector<48xf32>
    %f = math.fma %r, %b, %s : vector<48xf32>
    scf.yield %f : vector<48xf32>
  } {loop_annotation = #annotation}
  vector.transfer_write %sum, %out[%c0] {in_bounds = [true]} : vector<48xf32>, memref<48xf32>
  return
}

// Parts have as many lanes whatever their type, and operations keep what is
// said about them.

// CHECK-LABEL: func.func @types
// CHECK-NOT:     vector<48x
// CHECK-COUNT-3: arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK-COUNT-3: arith.cmpf ogt, %{{.*}} : vector<16xf32>
// CHECK-COUNT-3: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-COUNT-3: math.exp2 %{{.*}} {xsa.bounded} : vector<16xf32>
// CHECK-COUNT-3: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK-NOT:     vector<48x
// CHECK:         return
func.func @types(%a: memref<48xbf16>, %b: memref<48xf32>) {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : bf16
  %f = arith.constant 0.0 : f32
  %0 = vector.transfer_read %a[%c0], %h {in_bounds = [true]} : memref<48xbf16>, vector<48xbf16>
  %1 = vector.transfer_read %b[%c0], %f {in_bounds = [true]} : memref<48xf32>, vector<48xf32>
  %2 = arith.extf %0 : vector<48xbf16> to vector<48xf32>
  %3 = arith.cmpf ogt, %2, %1 : vector<48xf32>
  %4 = arith.select %3, %2, %1 : vector<48xi1>, vector<48xf32>
  %5 = math.exp2 %4 {xsa.bounded} : vector<48xf32>
  %6 = arith.truncf %5 : vector<48xf32> to vector<48xbf16>
  vector.transfer_write %6, %a[%c0] {in_bounds = [true]} : vector<48xbf16>, memref<48xbf16>
  return
}

// What LLVM halves by itself stays, and so do short vectors and what has no
// form on parts.

// CHECK-LABEL: func.func @others
// CHECK:         arith.addf %{{.*}} : vector<32xf32>
// CHECK:         arith.addf %{{.*}} : vector<12xf32>
// CHECK:         arith.addf %{{.*}} : vector<3x16xf32>
// CHECK:         vector.shuffle %{{.*}} : vector<48xf32>, vector<48xf32>
func.func @others(%a: vector<32xf32>, %b: vector<12xf32>, %c: vector<3x16xf32>, %d: vector<48xf32>)
    -> (vector<32xf32>, vector<12xf32>, vector<3x16xf32>, vector<2xf32>) {
  %0 = arith.addf %a, %a : vector<32xf32>
  %1 = arith.addf %b, %b : vector<12xf32>
  %2 = arith.addf %c, %c : vector<3x16xf32>
  %3 = vector.shuffle %d, %d [0, 95] : vector<48xf32>, vector<48xf32>
  return %0, %1, %2, %3 : vector<32xf32>, vector<12xf32>, vector<3x16xf32>, vector<2xf32>
}

// Nor are sums over other dimensions taken apart, or what a mask is put on.

// CHECK-LABEL: func.func @more_dimensions
// CHECK:         vector.multi_reduction <add>, %{{.*}} [0] : vector<8x48xf32> to vector<48xf32>
// CHECK:         vector.contract {{.*}} : vector<8x48xf32>, vector<8xf32> into vector<48xf32>
func.func @more_dimensions(%a: vector<8x48xf32>, %b: vector<8xf32>, %c: vector<48xf32>) -> vector<48xf32> {
  %0 = vector.multi_reduction <add>, %a, %c [0] : vector<8x48xf32> to vector<48xf32>
  %1 = vector.contract {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (k)>, affine_map<(k, n) -> (n)>],
                        iterator_types = ["reduction", "parallel"], kind = #vector.kind<add>}
      %a, %b, %0 : vector<8x48xf32>, vector<8xf32> into vector<48xf32>
  return %1 : vector<48xf32>
}

// CHECK-LABEL: func.func @masked
// CHECK:         vector.mask %{{.*}} { vector.transfer_read %{{.*}} : memref<48xf32>, vector<48xf32> } : vector<48xi1> -> vector<48xf32>
func.func @masked(%a: memref<48xf32>, %mask: vector<48xi1>) -> vector<48xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.mask %mask { vector.transfer_read %a[%c0], %pad {in_bounds = [true]} : memref<48xf32>, vector<48xf32> } : vector<48xi1> -> vector<48xf32>
  return %0 : vector<48xf32>
}
